#!/usr/bin/env python3
"""Runs every command of the documentation: commands_test.py [--long] TUNE SMALL_MODEL [DOCUMENT...]

A document's ```sh blocks run in order, in one scratch folder of its own that holds what a reader is told
to have: models, a log, a program. Searches are cut to a few trials. A ```toml or ```c block whose first line
names a file becomes that file. A comment before a block says what is particular about it, and is said aloud
where the block is not run:

    <!-- needs qemu-system-xtensa -->                   not run without that program or file
    <!-- takes minutes -->                              run with --long, which runs nothing else
    <!-- not run: needs a board; tests/slurm has it -->     what it needs, or where else it is run (a path, or "ctest NAME")
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "models"
MODELS = {"kws.tflite": "kws_ref_model.tflite", "vww.tflite": "vww_96_int8.tflite", "ad.tflite": "ad01_int8.tflite"}
EXAMPLES = {"wake_word.tflite": "str_ww.tflite", "person_detection.tflite": "person_detection.tflite",
            "face_detection.tflite": "face_detection.tflite",
            "noise_suppression.tflite": "noise_suppression.tflite", "net.tflite": "softsign_net.tflite"}  # beside the small model
PUBLIC = ["blazeface_front_128", "dtln_noise_suppression"]  # of ../shared, given where they are
PATIENCE = 300  # seconds, for a block
LONG_PATIENCE = 1500
DEBIAN_PYTHON = "/usr/bin/python3"  # which has python3-onnx
BLOCK = re.compile(r"(?:<!-- (?:not run: (?P<why>(?:(?!-->).)+?)|needs (?P<needs>[^\n]+?)|(?P<long>takes minutes)) -->\n+)?"
                   r"^```(?P<kind>sh|toml|c)\n(?P<text>.*?)^```$", re.M | re.S)
FEW_TRIALS = """#!/bin/sh
# As the program, but a search ends after a few trials, and a page is served until its address is printed.
case "$1 $*" in
  "report "*" --live"*)
    '{tune}' "$@" > live.txt &
    until grep -q http live.txt || ! kill -0 $! 2> /dev/null; do sleep 0.2; done
    cat live.txt
    kill -INT $!
    wait $!
    exit ;;
  *" --trials "* | *" --apply "*) ;;
  --model*) set -- "$@" --trials 12 --workers 2 ;;
  "op "*) set -- "$@" --trials 6 --workers 2 ;;
esac
exec '{tune}' "$@"
"""
PROGRAM = """int main(void) { return 0; }
int _start(void) {
  const int status = main();
  __asm__ volatile("ebreak"); /* how a program says that it is done */
  return status;
}
"""
# What the bench program of doc/calibration.md prints on a board whose flash is slower than the device file says.
BOARD = """base = "esp32c3"
name = "board"
description = "reads of flash wait longer"
[[memory]]
name = "flash_rodata"
fill_cycles = 250
source = "made up"
"""
CONSOLE = """tune compile --model kws.tflite --device esp32c3 --fast-ram 0 --bench -o bench/
riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 -std=c11 -O2 -ffreestanding -msmall-data-limit=0 -nostdlib -Wl,--no-relax \\
    -Wl,-e,main -Wl,-Ttext=0x42000000 -Wl,--section-start=.rodata=0x3C000000 -Wl,-Tbss=0x3FCB0000 -Ibench \\
    bench/*.c bench/*.S bench/bench/*.c -lgcc -o bench.elf
tune simulate --device board.toml bench.elf --call main > console.txt
"""


def run(command, folder, path, patience=PATIENCE):
    """Exit code and output; nothing that the block started outlives it."""
    with tempfile.TemporaryFile("w+") as output:  # and no pipe, which what runs behind would keep open
        process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", command], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}"})
        try:
            code = process.wait(patience)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        output.seek(0)
        return code, output.read() + (f"still running after {patience} s\n" if code is None else "")


def on_free_port(text):
    """The documents' port may be taken here, and by something that answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return text.replace("3333", str(probe.getsockname()[1]))


def blocks_of(document):
    text = document.read_text()
    for block in BLOCK.finditer(text):
        yield text[:block.start("text")].count("\n") + 1, block


def is_registered(test):
    return any(re.search(rf"\b{re.escape(test)}\b", file.read_text())
               for folder in ("tests", "bench", "examples") for file in (ROOT / folder).rglob("CMakeLists.txt"))


def poor_reason(why):
    """What is wrong with a reason not to run a block, or nothing."""
    paths = re.findall(r"\b[\w.-]+(?:/[\w.-]+)+", why)
    tests = re.findall(r"ctest ([\w.-]+)", why)
    absent = [path for path in paths if not (ROOT / path).exists()] + [test for test in tests if not is_registered(test)]
    if absent:
        return f"there is no {', '.join(absent)}"
    return None if paths or tests or why.startswith("needs ") else "neither what it needs nor where else it is run"


def prepare(folder, path, tune, small_model):
    """What the documents take for granted."""
    for name, of in MODELS.items():
        shutil.copy(SHARED / of if (SHARED / of).exists() else small_model, folder / name)
    for name, of in EXAMPLES.items():
        shutil.copy(pathlib.Path(small_model).parent / of, folder / name)
    for name in PUBLIC:
        if (model := SHARED.parent / "public" / name / "model.tflite").exists():
            shutil.copyfile(model, folder / f"{name}.tflite")
    (path / "tune").write_text(FEW_TRIALS.format(tune=tune))
    (path / "tune").chmod(0o755)
    if not shutil.which("clang-14"):  # Debian 13's, by the name in the documents
        (path / "clang-14").symlink_to(shutil.which("clang-19"))
    (folder / "program.c").write_text(PROGRAM)
    (folder / "board.toml").write_text(BOARD)
    subprocess.run([DEBIAN_PYTHON, pathlib.Path(__file__).with_name("attention_step.py"), folder], check=False)
    made, output = run("clang-14 --target=riscv32 -march=rv32imac -mabi=ilp32 -nostdlib -ffreestanding -fuse-ld=lld -O1 "
                       "-Wl,-Ttext=0x0 program.c -o program.elf\n"
                       "tune --model kws.tflite --device esp32c3 --quiet && cp kws.esp32c3.jsonl monday.jsonl && "
                       "cp kws.esp32c3.jsonl tuesday.jsonl", folder, path)
    if made != 0:
        sys.exit(f"cannot prepare what the documents take for granted:\n{output}")
    if shutil.which("riscv64-unknown-elf-gcc"):
        made, output = run(CONSOLE, folder, path)
        if made != 0:
            sys.exit(f"cannot prepare a board's console:\n{output}")
        shutil.rmtree(folder / "bench")
        for name in ("bench.elf", "board.toml"):
            (folder / name).unlink()


def not_here(block, folder, is_long):
    """Why a block is not run here, or nothing."""
    if block["why"]:
        return "not run: " + " ".join(block["why"].split())
    if bool(block["long"]) != is_long:
        return "runs without --long" if is_long else "takes minutes: runs with --long"
    missing = [name for name in re.split(", ", block["needs"] or "") if name and not shutil.which(name)
               and not (folder / name).exists()]
    return f"not run: no {', '.join(missing)} here" if missing else None


def check(document, given, path, is_long):
    """Failures of one document."""
    if is_long and not any(block["long"] for _, block in blocks_of(document)):
        return
    with tempfile.TemporaryDirectory(prefix="doc-") as scratch:
        folder = pathlib.Path(scratch)
        shutil.copytree(given, folder, dirs_exist_ok=True)
        for line, block in blocks_of(document):
            place, kind, text = f"{document.relative_to(ROOT)}:{line}", block["kind"], block["text"]
            if kind != "sh":
                name = re.match(r"(?:# |/\* )(\S+\.(?:toml|c|h))\b", text)
                if name:
                    (folder / name[1]).write_text(text)
                continue
            if block["why"] and (fault := poor_reason(block["why"])):
                yield f"{place}: a reason not to run it: {fault}\n"
            if reason := not_here(block, folder, is_long):
                print(f"{place}: {reason}")
                continue
            begin = time.monotonic()
            code, output = run(on_free_port(text), folder, path, LONG_PATIENCE if is_long else PATIENCE)
            print(f"{place}: {'ran' if code == 0 else 'FAILED'}, {time.monotonic() - begin:.0f} s", flush=True)
            if code != 0:
                yield f"{place}: exit code {code}\n{text}\n{output}"


def self_test():
    """A command that fails is noticed, in the middle of a block too."""
    with tempfile.TemporaryDirectory() as scratch:
        if run("true\nfalse\ntrue", scratch, pathlib.Path(scratch))[0] == 0:
            sys.exit("commands_test.py takes a failing command for one that works")
    for why in ("takes minutes", "tests/doc/no_such_test.py has it", "needs a board; ctest no.such_test has it"):
        if not poor_reason(why):
            sys.exit(f"commands_test.py takes '{why}' for a reason")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="run the blocks that take minutes, and no others")
    parser.add_argument("tune", type=pathlib.Path)
    parser.add_argument("small_model")
    parser.add_argument("documents", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    documents = [name.resolve() for name in options.documents] or [
        ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "doc").glob("*.md")),
        *sorted((ROOT / "examples").glob("*/README.md"))]
    self_test()
    failures = []
    with tempfile.TemporaryDirectory(prefix="doc-given-") as scratch, tempfile.TemporaryDirectory() as path:
        prepare(pathlib.Path(scratch), pathlib.Path(path), options.tune.resolve(), options.small_model)
        for document in documents:
            if document.exists():
                failures += check(document, scratch, pathlib.Path(path), options.long)
    sys.exit("\n".join(failures) if failures else 0)


if __name__ == "__main__":
    main()
