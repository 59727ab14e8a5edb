#!/usr/bin/env python3
"""A wheel of a small tree: what pip would read of it, and that its command and its modules are found."""
import base64
import csv
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

SOURCE = pathlib.Path(sys.argv[1])


def make_tree(tree):
    package = tree / "lib/python3/dist-packages/tinytune"
    for name, text in {"bin/tune": '#!/bin/sh\necho "tune got $*"\n', "lib/libtinytune.so.0.2.0": "library",
                       "share/doc/tinytune/README.md": "# tinytune\n"}.items():
        file = tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tree / "bin/tune").chmod(0o755)
    (tree / "lib/libtinytune.so.0").symlink_to("libtinytune.so.0.2.0")
    (tree / "lib/libtinytune.so").symlink_to("libtinytune.so.0")
    package.mkdir(parents=True)
    (package / "__init__.py").write_bytes((SOURCE / "python/tinytune/__init__.py").read_bytes())
    (package / "_arguments.py").write_bytes((SOURCE / "python/tinytune/_arguments.py").read_bytes())
    for tag in ("311", "313"):
        (package / f"_engine.cpython-{tag}-x86_64-linux-gnu.so").write_text("of another Python")


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        tree = folder / "tree"
        make_tree(tree)
        made = [sys.executable, SOURCE / "scripts/make_wheel.py", "--version", "0.2.0", "--tree", tree, "--to"]
        for again in ("one", "two"):
            (folder / again).mkdir()
            subprocess.run([*made, folder / again], check=True, env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))
        wheel, = (folder / "one").glob("*.whl")
        assert wheel.read_bytes() == (folder / "two" / wheel.name).read_bytes(), "two wheels of a tree differ"

        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            record = "tinytune-0.2.0.dist-info/RECORD"
            rows = list(csv.reader(archive.read(record).decode().splitlines()))
            assert sorted(row[0] for row in rows) == sorted(names), "RECORD lists other files than there are"
            for name, digest, size in rows:
                if name == record:
                    continue
                data = archive.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                assert digest == f"sha256={expected}" and int(size) == len(data), name
            assert "Requires-Python: >=3.11" in archive.read("tinytune-0.2.0.dist-info/METADATA").decode()
            assert [n for n in names if "libtinytune" in n] == ["tinytune/_installation/lib/libtinytune.so.0"], names
            archive.extractall(folder / "site")

        # zipfile drops the modes that pip restores.
        (folder / "site/tinytune/_installation/bin/tune").chmod(0o755)
        program = (f"import importlib.util, sys; sys.argv = ['tune', '--version']; "
                   f"spec = importlib.util.spec_from_file_location('p', '{folder}/site/tinytune/_program.py'); "
                   "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module); module.main()")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.stdout == "tune got --version\n", done

        # A Python that the wheel has no module for is told which it has.
        for module in (folder / "site/tinytune").glob("_engine.*"):
            tag = sys.implementation.cache_tag.replace("cpython-", "")
            if f"-{tag}-" in module.name:
                module.unlink()
        done = subprocess.run([sys.executable, "-c", "import tinytune"], cwd=folder / "site", capture_output=True, text=True)
        assert f"no module for this Python ({sys.implementation.cache_tag}); it has cpython-31" in done.stderr, done.stderr
    print("a wheel's record, command and modules hold")


main()
