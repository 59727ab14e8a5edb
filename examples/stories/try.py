#!/usr/bin/env python3
"""Quantises, compiles as plain C, and lets the example's firmware tell its story on this machine.

    try.py TUNE MODEL.bin VOCABULARY.bin [--tokens 20]

The text has to be the one that numpy's integers say. Exits 77 where the model or numpy is not at hand.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"  # Debian's, which has numpy


def called(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("vocabulary", type=pathlib.Path)
    parser.add_argument("--tokens", type=int, default=20)
    options = parser.parse_args()
    missing = [str(path) for path in (options.model, options.vocabulary) if not path.is_file()]
    if missing or subprocess.run([PYTHON, "-c", "import numpy"], capture_output=True).returncode != 0:
        print(f"skipped: {', '.join(missing) or 'numpy'} is not at hand")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        called(PYTHON, HERE / "quantise.py", options.model, "-o", folder, "--vocabulary", options.vocabulary,
               "--tokens", options.tokens, "--stories", 1, "--window", 32)
        called(options.tune, "compile", "--model", folder / "stories.onnx", "--device", "esp32c3", "--portable",
               "-o", folder / "stories", *(folder / "options").read_text().split())
        called("cc", "-O1", "-Wall", "-Wextra", "-Werror", "-I", folder / "stories", "-I", folder, HERE / "story.c",
               *(folder / "stories").glob("*.c"), "-o", folder / "story")
        said, expected = called(folder / "story", 0, options.tokens), (folder / "story.txt").read_text()
        assert said.strip() == expected.strip(), f"said {said!r}, numpy {expected!r}"
        chance = called(folder / "story", 7, options.tokens)
        assert chance.startswith(" ") and len(chance) > options.tokens, chance
        print(said)


if __name__ == "__main__":
    main()
