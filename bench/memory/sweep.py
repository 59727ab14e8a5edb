#!/usr/bin/env python3
"""Cycles at limits on the arena, RAM and flash, from the least that works to more than is used.

More bytes must not cost cycles. Each limit is a run of its own, untuned, checked against the reference. A row compares
its cycles with the fewest of all smaller limits (`rise`) and of all networks of the sweep that would have fitted
(`best`): also those that a larger limit chose. Exits 1 if a row rises above --rise per cent or is above --best per cent.

  bench/memory/sweep.py --models kws.tflite --limits flash --points 40
  bench/memory/sweep.py --models ../shared/layers/*.tflite --points 40 --failures
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LARGEST = 1 << 21
# Key in a report of each limited quantity.
TAKEN = {"arena": "arena_bytes", "ram": "ram_bytes", "flash": "flash_bytes"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--tune", default=ROOT / "build/tune", help="the built tune program")
    parser.add_argument("--devices", nargs="+", default=["cortex-m4", "esp32c3"])
    parser.add_argument("--limits", nargs="+", choices=list(TAKEN), default=list(TAKEN))
    parser.add_argument("--points", type=int, default=10)
    parser.add_argument("--rise", type=float, default=2, help="per cent of cycles [2]")
    parser.add_argument("--best", type=float, default=2, help="per cent of cycles [2]")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time [1]")
    parser.add_argument("--failures", action="store_true", help="print rows only where one fails")
    return parser.parse_args()


def run(options, model, device, limit=None, allowed=None):
    """Returns the report, or the message that refuses the limit."""
    words = [options.tune, "run", "--json", "--verify", "--model", model, "--device", device]
    if limit:
        words += [f"--{limit}", allowed]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def allowances(options, model, device, limit):
    """From the least, which a refusal names, to what is used without a limit and an eighth more."""
    refused = run(options, model, device, limit, 1)
    if not isinstance(refused, str):
        raise SystemExit(f"{model}: {limit} of 1 byte is enough")
    named = re.findall(r"\d+", refused.split("smallest achievable")[-1])
    free = run(options, model, device, limit, LARGEST) if limit == "arena" else run(options, model, device)
    if not named or isinstance(free, str):
        raise SystemExit(f"{model} on {device}: {free if named else refused}")
    least, most = int(named[0]), max(int(named[0]), free[TAKEN[limit]])
    steps = max(1, options.points - 1)
    return sorted({least + (most - least) * i // steps for i in range(steps)} | {most, most + most // 8})


def sweep(options, model, device, limit):
    """Prints a line and, below it, rows. Returns how many rows fail."""
    allowed = allowances(options, model, device, limit)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        reports = list(pool.map(lambda bytes_: run(options, model, device, limit, bytes_), allowed))
    rows, failed, rises, bests, fewest = [], 0, [0], [0], None
    for bytes_, report in zip(allowed, reports):
        if isinstance(report, str):
            rows.append(f"  {bytes_:>9}  FAILED: {report}")
            failed += 1
            continue
        cycles = report["cycles"]
        fitting = [other["cycles"] for other in reports
                   if not isinstance(other, str) and other[TAKEN[limit]] <= bytes_]
        rises.append(100 * (cycles / fewest - 1) if fewest else 0)
        bests.append(100 * (cycles / min(fitting) - 1) if fitting else 0)
        holds = report["exact"] and rises[-1] <= options.rise and bests[-1] <= options.best
        holds = holds and report[TAKEN[limit]] <= bytes_
        failed += not holds
        rows.append(f"  {bytes_:>9} {report[TAKEN[limit]]:>9} {cycles:>12} {rises[-1]:+7.2f} % {bests[-1]:+7.2f} %"
                    f"{'' if holds else '  FAILED'}{'' if report['exact'] else '  NOT EXACT'}")
        fewest = min(fewest or cycles, cycles)
    print(f"{model.stem}, {device}, --{limit}: {len(allowed)} limits, {sum(rise > 0 for rise in rises)} rises, "
          f"the largest {max(rises):.2f} %; at most {max(bests):.2f} % above the best that fits; {failed} failed",
          flush=True)
    if failed or not options.failures:
        print(f"      limit     taken       cycles      rise      best", *rows, sep="\n", flush=True)
    return failed


def main():
    options = arguments()
    return 1 if sum(sweep(options, model, device, limit) for model in options.models for device in options.devices
                    for limit in options.limits) else 0


if __name__ == "__main__":
    sys.exit(main())
