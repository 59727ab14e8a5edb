#!/usr/bin/env python3
"""The CIFAR-10 network of CMSIS-NN's paper on the simulated STM32F746, beside what others published.

  bench/latency/cifar10.py [--trials N] [--logs DIR] [--model cifar10.tflite]

A row for each set-up: code and weights in flash (`--fast-ram 0`), or in fast memory as far as they fit
(`--fast-ram all`), both with the RAM that they take. With --trials each is tuned first (seed 1) and its
log in DIR continued; without, logs in DIR are used where they exist, else default schedules. Ours are
simulated cycles at 216 MHz with every byte compared with the reference; the published milliseconds were
measured on a board at that clock, in memories that are not stated. Exits with 1 when a result is not exact.
"""
import argparse
import pathlib
import sys

from latency import ROOT, SETUPS, tune_json

DEVICE = "stm32f7"
PUBLISHED = {"TinyEngine": 129, "CMSIS-NN": 136, "NNoM": 159, "TFLM": 393}  # ms


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    parser.add_argument("--model", type=pathlib.Path, default=ROOT / "build/examples/cifar10.tflite")
    parser.add_argument("--trials", type=int)
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("latency-logs"))
    return parser.parse_args()


def measured(options, setup):
    """What `tune run` says of the network in one set-up, and whether it was tuned."""
    log = options.logs / f"{options.model.stem}.{DEVICE}.{setup}.jsonl"
    where = ["--model", str(options.model), "--device", DEVICE, *SETUPS[setup]]
    if options.trials:
        tune_json(options.tune, *where, "--records", str(log), "--seed", "1", "--trials", str(options.trials))
    if log.exists():
        where += ["--records", str(log)]
    return tune_json(options.tune, "run", *where, "--verify"), log.exists()


def main():
    options = arguments()
    options.logs.mkdir(exist_ok=True)
    print(f"{options.model.stem}, {DEVICE}; published: "
          + ", ".join(f"{stack} {ms} ms" for stack, ms in PUBLISHED.items()) + "\n")
    print("| code and weights | schedules | ms | M cycles | " + " | ".join(f"÷ {s}" for s in PUBLISHED)
          + " | RAM | arena | flash |")
    print("|---|---|--:|--:|" + "--:|" * len(PUBLISHED) + "--:|--:|--:|")
    exact = True
    for setup in SETUPS:
        ours, tuned = measured(options, setup)
        ms = ours["milliseconds"]
        ratios = " | ".join(f"{ms / theirs:.2f}" for theirs in PUBLISHED.values())
        print(f"| {setup} | {'tuned' if tuned else 'default'} | {ms:.1f} | {ours['cycles'] / 1e6:.2f} | {ratios} | "
              f"{ours['ram_bytes']:,} | {ours['arena_bytes']:,} | {ours['flash_bytes']:,} |", flush=True)
        exact = exact and ours["exact"]
    print(f"\nexact: {exact}")
    sys.exit(0 if exact else 1)


if __name__ == "__main__":
    main()
