#!/usr/bin/env python3
"""Runs every command of the documentation: commands_test.py TUNE SMALL_MODEL [DOCUMENT...]

A document's ```sh blocks run in order, in one scratch folder of its own that holds what a reader is told
to have: models, a log, a program. Searches are cut to a few trials. A ```toml or ```c block whose first line
names a file becomes that file. What cannot be run here stands behind a comment that says why, which is said aloud:

    <!-- not run: needs an ESP32-C3 on the desk -->
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "models"
MODELS = {"kws.tflite": "kws_ref_model.tflite", "vww.tflite": "vww_96_int8.tflite", "ad.tflite": "ad01_int8.tflite"}
EXAMPLES = {"wake_word.tflite": "str_ww.tflite", "person_detection.tflite": "person_detection.tflite"}  # beside the small model
PATIENCE = 300  # seconds, for a block
BLOCK = re.compile(r"(?:<!-- not run: (?P<why>[^\n]+?) -->\n+)?^```(?P<kind>sh|toml|c)\n(?P<text>.*?)^```$", re.M | re.S)
FEW_TRIALS = """#!/bin/sh
# As the program, but a search ends after a few trials.
case "$1 $*" in
  *" --trials "* | *" --apply "*) ;;
  --model*) set -- "$@" --trials 12 --workers 2 ;;
  "op "*) set -- "$@" --trials 6 --workers 2 ;;
esac
exec '{tune}' "$@"
"""
PROGRAM = """int _start(void) {
  __asm__ volatile("ebreak"); /* how a program says that it is done */
  return 0;
}
"""


def run(command, folder, path):
    """Exit code and output; nothing that the block started outlives it."""
    with tempfile.TemporaryFile("w+") as output:  # and no pipe, which what runs behind would keep open
        process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", command], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}"})
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        output.seek(0)
        return code, output.read() + (f"still running after {PATIENCE} s\n" if code is None else "")


def on_free_port(text):
    """The documents' port may be taken here, and by something that answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return text.replace("3333", str(probe.getsockname()[1]))


def blocks_of(document):
    text = document.read_text()
    for block in BLOCK.finditer(text):
        yield text[:block.start("text")].count("\n") + 1, block["kind"], block["why"], block["text"]


def prepare(folder, path, tune, small_model):
    """What the documents take for granted."""
    for name, of in MODELS.items():
        shutil.copy(SHARED / of if (SHARED / of).exists() else small_model, folder / name)
    for name, of in EXAMPLES.items():
        shutil.copy(pathlib.Path(small_model).parent / of, folder / name)
    (path / "tune").write_text(FEW_TRIALS.format(tune=tune))
    (path / "tune").chmod(0o755)
    if not shutil.which("clang-14"):  # Debian 13's, by the name in the documents
        (path / "clang-14").symlink_to(shutil.which("clang-19"))
    (folder / "program.c").write_text(PROGRAM)
    made, output = run("clang-14 --target=riscv32 -march=rv32imac -mabi=ilp32 -nostdlib -ffreestanding -fuse-ld=lld -O1 "
                       "-Wl,-Ttext=0x0 program.c -o program.elf\n"
                       "tune --model kws.tflite --device esp32c3 --quiet && cp kws.esp32c3.jsonl monday.jsonl && "
                       "cp kws.esp32c3.jsonl tuesday.jsonl", folder, path)
    if made != 0:
        sys.exit(f"cannot prepare what the documents take for granted:\n{output}")


def check(document, given, path):
    """Failures of one document."""
    with tempfile.TemporaryDirectory(prefix="doc-") as scratch:
        folder = pathlib.Path(scratch)
        shutil.copytree(given, folder, dirs_exist_ok=True)
        for line, kind, why, text in blocks_of(document):
            place = f"{document.relative_to(ROOT)}:{line}"
            if kind != "sh":
                name = re.match(rf"(?:# |/\* )(\S+\.{kind})\b", text)
                if name:
                    (folder / name[1]).write_text(text)
                continue
            if why:
                print(f"{place}: not run: {why}")
                continue
            code, output = run(on_free_port(text), folder, path)
            print(f"{place}: {'ran' if code == 0 else 'FAILED'}", flush=True)
            if code != 0:
                yield f"{place}: exit code {code}\n{text}\n{output}"


def self_test():
    """A command that fails is noticed, in the middle of a block too."""
    with tempfile.TemporaryDirectory() as scratch:
        if run("true\nfalse\ntrue", scratch, pathlib.Path(scratch))[0] == 0:
            sys.exit("commands_test.py takes a failing command for one that works")


def main():
    tune, small_model, *named = sys.argv[1:]
    documents = [pathlib.Path(name).resolve() for name in named] or [
        ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "doc").glob("*.md")),
        *sorted((ROOT / "examples").glob("*/README.md"))]
    self_test()
    failures = []
    with tempfile.TemporaryDirectory(prefix="doc-given-") as scratch, tempfile.TemporaryDirectory() as path:
        prepare(pathlib.Path(scratch), pathlib.Path(path), tune, small_model)
        for document in documents:
            if document.exists():
                failures += check(document, scratch, pathlib.Path(path))
    sys.exit("\n".join(failures) if failures else 0)


if __name__ == "__main__":
    main()
