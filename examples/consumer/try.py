#!/usr/bin/env python3
"""Builds the consumers against an installed tinytune and runs them; exits 1 if any of it fails.

  try.py --build BUILD [--deb] --model ds_cnn.tflite
  try.py --installed --model ds_cnn.tflite

Installs with `cmake --install`, or makes the Debian package and unpacks that, into a folder of its own; or
takes what is installed in /usr (clean_root.sh).
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NETWORK = """conv2d 3x3 4->8 in8x8 s2 relu
depthwise 3x3 8->8 in4x4 relu
conv2d 1x1 8->4 in4x4
"""


def run(*words, env=None):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=env)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def install(build, as_package, root):
    if not as_package:
        for component in ("tinytune", "templates"):
            run("cmake", "--install", build, "--prefix", root / "usr", "--component", component)
        return
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", root / "packages")
    package, = (root / "packages").glob("*.deb")
    run("dpkg-deb", "-x", package, root)
    run("dpkg", "--dry-run", "-i", package)  # its dependencies are met here


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--build", type=pathlib.Path)
    where.add_argument("--installed", action="store_true")
    parser.add_argument("--model", required=True)
    parser.add_argument("--deb", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        prefix = pathlib.Path("/usr") if options.installed else root / "usr"
        if not options.installed:
            install(options.build, options.deb, root)
        library, = prefix.glob("lib/**/libtinytune.so")
        env = dict(os.environ, PATH=f"{prefix / 'bin'}:{os.environ['PATH']}",
                   PYTHONPATH=str(prefix / "lib/python3/dist-packages"),
                   PKG_CONFIG_PATH=str(library.parent / "pkgconfig"))
        run("cmake", "-G", "Ninja", "-S", HERE, "-B", root / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", root / "build")
        assert run("pkg-config", "--modversion", "tinytune", env=env).startswith("0.2")

        share = prefix / "share"
        assert (share / "man/man1/tune.1").read_text().startswith(".TH"), "the manual page is installed"
        for completion in ("bash-completion/completions/tune", "zsh/vendor-completions/_tune",
                           "fish/vendor_completions.d/tune.fish"):
            assert "early-stop" in (share / completion).read_text(), completion
        (root / "own.toml").write_text('name = "own"\ndescription = "mine"\nbase = "rv32imc"\n')
        said = run("tune", "op", "dense 16->4", "--device", root / "own.toml", "--trials", "2", "--records",
                   root / "own.jsonl", env=env)
        assert "void kernel(const int8_t *input" in said, said

        log = root / "ops.jsonl"
        said = run(root / "build/tune_operator", "dense 64->8", "rv32imc", log, 3, env=env)
        assert "void tinytune_kernel(const int8_t *input" in said, said
        said = run(sys.executable, HERE / "tune_operator.py", "dense 64->8", "rv32imc", log, 3, env=env)
        assert "0 measured" in said, said  # the log of the program before has them
        said = run(root / "build/tune_network", options.model, "rv32imc", root / "net.jsonl", 6,
                   root / "net", env=env)
        assert said.startswith("exact"), said

        (root / "network.txt").write_text(NETWORK)
        (root / "out").mkdir()
        run(root / "build/tiny_compiler", root / "network.txt", "rv32imc", log, 2, root / "out", env=env)
        sources = sorted((root / "out").glob("*.[cS]"))
        run("riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32", "-O2", "-ffreestanding", "-nostdlib",
            "-nostartfiles", "-Wl,--no-relax,-e,network_check,-Ttext=0x20000000,-Tdata=0x80004000",
            *sources, "-o", root / "network.elf", "-lgcc")
        run("tune", "simulate", "--device", "rv32imc", root / "network.elf", "--call",
            "network_check", env=env)
        said = run("tune", "simulate", "--device", "rv32imc", root / "network.elf", "--call",
                   "network_check", "--json", env=env)
        assert '"return_value": 0' in said, said

        template = HERE.parent / "user_template"
        run("cmake", "-G", "Ninja", "-S", template, "-B", root / "template",
            f"-DCMAKE_PREFIX_PATH={prefix}")
        assert not (root / "template/tinytune").exists()  # the installed one, not this tree
        run("cmake", "--build", root / "template")
        run(sys.executable, template / "try.py", "--program", root / "template/my_tune", "--model",
            options.model)


if __name__ == "__main__":
    main()
