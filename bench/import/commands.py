#!/usr/bin/env python3
"""Seconds that `tune inspect`, `compile` and `run` take for models of very many operators.

The models are import_bench's: chains of one kind of operator. Processor time includes that of the
C compiler, which the commands start to see whether the library fits. Layers that differ in no
number share a function; the others (the scales of `sums` are all different) are compiled one by
one, some milliseconds each.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tune", required=True, help="the built tune program")
    parser.add_argument("--import-bench", required=True, help="the built import_bench program")
    parser.add_argument("--operators", type=int, default=10000, help="of each model [10000]")
    parser.add_argument("--device", default="esp32c3")
    parser.add_argument("--only", nargs="+", metavar="STEM", help="models by name [all]")
    return parser.parse_args()


def timed(command):
    """Wall clock, processor time of everything started, and the last line said."""
    before, start = os.times(), time.monotonic()
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    wall, after = time.monotonic() - start, os.times()
    cpu = (after.children_user - before.children_user +
           after.children_system - before.children_system)
    words = (done.stderr if done.returncode else done.stdout).strip().splitlines()
    return done.returncode, wall, cpu, words[-1] if words else ""


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([options.import_bench, str(options.operators // 4), "--write", folder],
                       check=True)
        print(f"{options.operators} operators, {options.device}, seconds")
        print(f"{'model':14} {'command':8} {'wall':>8} {'cpu':>8}  exit")
        for model in sorted(folder.glob("*.tflite")):
            if options.only and model.stem not in options.only:
                continue
            to = ["--model", model, "--device", options.device]
            for name, words in (("inspect", [model]),
                                ("compile", [*to, "-o", folder / model.stem]),
                                ("run", to)):
                code, wall, cpu, last = timed([options.tune, name, *words])
                said = f"  {last[:90]}" if code else ""
                print(f"{model.stem:14} {name:8} {wall:8.2f} {cpu:8.2f}  {code}{said}", flush=True)


if __name__ == "__main__":
    main()
