#!/usr/bin/env python3
"""Cycles of networks at arenas from the least that works to what kernels want: more bytes must not cost cycles.

Each limit is a run of its own, untuned, checked against the reference. A row is a limit, the arena that was taken, and
its cycles beside the fewest of all smaller limits. Exits 1 where a row takes more than --slower per cent above those.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--tune", default=ROOT / "build/tune", help="the built tune program")
    parser.add_argument("--devices", nargs="+", default=["cortex-m4", "esp32c3"])
    parser.add_argument("--points", type=int, default=10)
    parser.add_argument("--slower", type=float, default=2, help="per cent of cycles [2]")
    return parser.parse_args()


def run(options, model, device, limit=None):
    """The report, or the line that refuses the limit."""
    words = [options.tune, "run", "--json", "--verify", "--model", model, "--device", device]
    if limit:
        words += ["--arena", limit]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def limits_of(options, model, device):
    """From the least, which a refusal names, to what the fastest kernels take."""
    refused = run(options, model, device, 1)
    if not isinstance(refused, str):
        raise SystemExit(f"{model}: an arena of 1 byte is enough")
    named = re.findall(r"\d+", refused.split("smallest achievable")[-1])
    most = run(options, model, device, 1 << 21)
    if not named or isinstance(most, str):
        raise SystemExit(f"{model} on {device}: {refused if not named else most}")
    least, most = int(named[0]), most["arena_bytes"]
    steps = max(1, options.points - 1)
    return sorted({least + (most - least) * i // steps for i in range(steps)} | {most, most + most // 8})


def sweep(options, model, device):
    """Prints the rows; returns how many are slower than one of fewer bytes."""
    missed, fewest = 0, None
    rows = [(limit, run(options, model, device, limit)) for limit in limits_of(options, model, device)]
    usual = run(options, model, device)
    for limit, report in rows:
        if isinstance(report, str):
            print(f"| {model.stem} | {device} | {limit} | | | MISSED: {report} |", flush=True)
            missed += 1
            continue
        slower = report["cycles"] / fewest - 1 if fewest else 0
        holds = report["exact"] and slower <= options.slower / 100
        missed += not holds
        print(f"| {model.stem} | {device} | {limit} | {report['arena_bytes']} | {report['cycles']} | "
              f"{slower:+.1%} {'' if holds else 'MISSED'} |", flush=True)
        fewest = min(fewest or report["cycles"], report["cycles"])
    print(f"| {model.stem} | {device} | none | {usual['arena_bytes']} | {usual['cycles']} | |", flush=True)
    return missed


def main():
    options = arguments()
    print("| network | device | limit | arena | cycles | beside smaller limits |")
    print("|---|---|--:|--:|--:|--:|")
    missed = sum(sweep(options, model, device) for model in options.models for device in options.devices)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
