#!/usr/bin/env python3
"""Packs an installed tree (scripts/make_packages) as a wheel: the Python module, and `tune` as a command.

The tree lies inside the package, tinytune/_installation, so that shared libraries and the compiler are found
wherever pip puts it. One wheel serves every Python that the tree has a module for.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import stat
import time
import zipfile

METADATA = """Metadata-Version: 2.1
Name: tinytune
Version: {version}
Summary: autotuning of exact int8 kernels for microcontrollers
License: Apache-2.0
Requires-Python: {pythons}
Description-Content-Type: text/markdown

{readme}"""
WHEEL = """Wheel-Version: 1.0
Generator: make_wheel
Root-Is-Purelib: false
Tag: py3-none-manylinux_2_36_x86_64
"""
ENTRY_POINTS = """[console_scripts]
tune = tinytune._program:main
"""
# Started by pip's wrapper without the package's __init__ having to find a module for this Python.
PROGRAM = '''"""The command `tune` of a wheel."""
import os
import pathlib
import sys


def main():
    tune = pathlib.Path(__file__).parent / "_installation" / "bin" / "tune"
    os.execv(tune, ["tune", *sys.argv[1:]])
'''


class Wheel:
    """A zip archive with a RECORD of its files, the same for the same tree."""

    def __init__(self, path, info):
        self._archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self._info, self._record = info, []
        self._date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]

    def add(self, name, data, executable=False):
        entry = zipfile.ZipInfo(name, self._date)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
        self._archive.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}")

    def close(self):
        self._record.append(f"{self._info}/RECORD,,")
        self._archive.writestr(zipfile.ZipInfo(f"{self._info}/RECORD", self._date), "\n".join(self._record) + "\n")
        self._archive.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--tree", type=pathlib.Path, required=True)
    parser.add_argument("--to", type=pathlib.Path, required=True)
    options = parser.parse_args()
    tree, info = options.tree, f"tinytune-{options.version}.dist-info"
    package = tree / "lib/python3/dist-packages/tinytune"
    wheel = Wheel(options.to / f"tinytune-{options.version}-py3-none-manylinux_2_36_x86_64.whl", info)
    for file in sorted(package.iterdir()):
        wheel.add(f"tinytune/{file.name}", file.read_bytes(), ".so" in file.name)
    wheel.add("tinytune/_program.py", PROGRAM.encode())
    for file in sorted(tree.rglob("*")):
        # A wheel has no links: libraries are loaded by the name that the program asks for.
        inside = file.relative_to(tree)
        if not file.is_file() or package in file.parents or file.name == "libtinytune.so":
            continue
        if file.name.startswith("libtinytune.so") and not file.is_symlink():
            continue
        wheel.add(f"tinytune/_installation/{inside}", file.read_bytes(), os.access(file, os.X_OK))
    versions = sorted(int(f.name.split("cpython-3")[1].split("-")[0]) for f in package.glob("_engine.cpython-3*"))
    metadata = METADATA.format(version=options.version, pythons=f">=3.{versions[0]}",
                               readme=(tree / "share/doc/tinytune/README.md").read_text())
    wheel.add(f"{info}/METADATA", metadata.encode())
    wheel.add(f"{info}/WHEEL", WHEEL.encode())
    wheel.add(f"{info}/entry_points.txt", ENTRY_POINTS.encode())
    wheel.close()


if __name__ == "__main__":
    main()
