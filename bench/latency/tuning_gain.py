#!/usr/bin/env python3
"""What tuning gains over untuned code: each MLPerf Tiny network's cycles before and after, and the mean.

  bench/latency/tuning_gain.py [--trials N] [--logs DIR] [--devices A,B] [--setups flash,fast]

Set-ups are latency.py's, without its limits on RAM; so are the logs, which are continued to N trials a network.
A gain is untuned cycles by tuned ones; the mean of a device's networks is geometric. Networks outside MLPerf Tiny's
four are left out. Exits 1 when a result is not exact or a mean is below --asked.
"""
import argparse
import pathlib
import statistics
import sys

from latency import MODELS, ROOT, SETUPS, SHARED, tune_json

NETWORKS = ["kws", "vww", "ic", "ad"]


def cycles(tune, words):
    said = tune_json(tune, "run", *words, "--verify")
    return said["cycles"], said["exact"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=512)
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("gain-logs"))
    parser.add_argument("--devices", default="esp32c3,stm32l4r5,rp2040")
    parser.add_argument("--setups", default=",".join(SETUPS))
    parser.add_argument("--asked", type=float, default=1.25)
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    options = parser.parse_args()
    options.logs.mkdir(exist_ok=True)

    all_exact, missed = True, 0
    print("| device | code and weights | network | untuned, M cycles | tuned | gain | trials |")
    print("|---|---|---|--:|--:|--:|--:|")
    for device in options.devices.split(","):
        for setup in options.setups.split(","):
            gains = []
            for name in NETWORKS:
                where = ["--model", str(SHARED / "models" / (MODELS[name] + ".tflite")),
                         "--device", device, *SETUPS[setup]]
                log = options.logs / f"{MODELS[name]}.{device}.{setup}.jsonl"
                records = ["--records", str(log)]
                tune_json(options.tune, *where, *records, "--seed", "1", "--trials", str(options.trials))
                before, exact = cycles(options.tune, where)
                after, still_exact = cycles(options.tune, where + records)
                all_exact = all_exact and exact and still_exact
                gains.append(before / after)
                print(f"| {device} | {setup} | {name} | {before / 1e6:.3f} | {after / 1e6:.3f} | "
                      f"{gains[-1]:.3f} | {sum(1 for _ in log.open())} |", flush=True)
            mean = statistics.geometric_mean(gains)
            missed += mean < options.asked
            print(f"| {device} | {setup} | mean, asked {options.asked} | | | **{mean:.3f}** | "
                  f"{'met' if mean >= options.asked else 'MISSED'} |", flush=True)
    print(f"\nexact: {all_exact}")
    sys.exit(0 if all_exact and missed == 0 else 1)


if __name__ == "__main__":
    main()
