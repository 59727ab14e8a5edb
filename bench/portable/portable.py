#!/usr/bin/env python3
"""Instructions of portable kernels beside LLVM's, by network; exits 1 above the target of 1.3.

Both variants of a network have the same schedules, by default or from the same log, and the same
compiler: clang, which builds the portable kernels from C and everything else of both. Every run is
compared with the reference, byte for byte.
"""
import argparse
import json
import pathlib
import subprocess
import sys

TARGET = 1.3


def arguments():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tune", required=True, help="the built tune program")
    parser.add_argument("--models", type=pathlib.Path, default=root.parent / "shared/models")
    parser.add_argument("--only", nargs="+", metavar="STEM", help="models by name [all]")
    parser.add_argument("--device", default="rv32imc")
    parser.add_argument("--records", type=pathlib.Path,
                        help="folder of MODEL.DEVICE.jsonl logs; without it, default schedules")
    return parser.parse_args()


def instructions(options, model, *more):
    words = [options.tune, "run", "--json", "--verify", "--model", model, "--device",
             options.device, *more]
    if options.records:
        words += ["--records", options.records / f"{model.stem}.{options.device}.jsonl"]
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: {result.stderr.strip()}")
    return json.loads(result.stdout)["instructions"]


def main():
    options = arguments()
    models = sorted(options.models.glob("*.tflite"))
    if options.only:
        models = [model for model in models if model.stem in options.only]
    if not models:
        raise SystemExit(f"no model in {options.models}")
    print(f"instructions of one inference on {options.device}")
    print("| network | LLVM | portable C | ratio |\n|---|--:|--:|--:|")
    worst = 0.0
    for model in models:
        own, portable = instructions(options, model), instructions(options, model, "--portable")
        worst = max(worst, portable / own)
        print(f"| {model.stem} | {own:,} | {portable:,} | {portable / own:.2f} |", flush=True)
    return 0 if worst <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
