#!/usr/bin/env python3
"""Processor time of an untuned `tune compile`, beside that of another build of the program.

  bench/memory/compile_time.py --before OLD/build/tune --models ../shared/models/*.tflite [--most 2]

Medians of --runs runs; the programs alternate. Exits 1 if a row takes more than --most times as long as before.
"""
import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def seconds(program, model, device):
    """User and system time of the program and its children; nothing if it refuses the model."""
    def used():
        all_children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return all_children.ru_utime + all_children.ru_stime
    with tempfile.TemporaryDirectory() as folder:
        before = used()
        done = subprocess.run([program, "compile", "--model", model, "--device", device, "-o", f"{folder}/library"],
                              capture_output=True)
        return used() - before if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", default=ROOT / "build/tune")
    parser.add_argument("--before", required=True, type=pathlib.Path, help="the other build's tune program")
    parser.add_argument("--models", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--devices", nargs="+", default=["cortex-m4", "esp32c3"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--most", type=float, default=2, help="times as long [2]")
    options = parser.parse_args()
    print("| network | device | before, s | now, s | ratio |\n|---|---|--:|--:|--:|")
    slower = 0
    for model in options.models:
        for device in options.devices:
            pairs = [[seconds(program, model, device) for program in (options.before, options.tune)]
                     for _ in range(options.runs)]
            if any(one is None for pair in pairs for one in pair):
                print(f"| {model.stem} | {device} | refused by one of them | | |", flush=True)
                continue
            before, now = (statistics.median(side) for side in zip(*pairs))
            slower += now > options.most * before
            print(f"| {model.stem} | {device} | {before:.2f} | {now:.2f} | {now / before:.2f} |", flush=True)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
