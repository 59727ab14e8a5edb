#!/usr/bin/env python3
"""Whether what `tune` says of a network is what `run` says of it, to the cycle.

  bench/results/deployed.py [--trials 24] [--models M.tflite ...] [--devices rp2040 esp32c3 stm32f7]

Tunes each network on each device, by default and with everything in flash, from nothing; then runs it without and
with the log, under the same options. A row has both figures of both. Exits 1 where one differs.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "build" / "examples"
NETWORKS = ["ds_cnn", "str_ww", "person_detection", "cifar10", "offload_net"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", type=pathlib.Path,
                        default=[EXAMPLES / f"{name}.tflite" for name in NETWORKS])
    parser.add_argument("--devices", nargs="+", default=["rp2040", "esp32c3", "stm32f7"])
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    parser.add_argument("--trials", type=int, default=24)
    options = parser.parse_args()

    def said(*words):
        done = subprocess.run([options.tune, *map(str, words), "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(" ".join(map(str, words)) + ": " + done.stderr.strip())
        return json.loads(done.stdout)

    print(f"simulated cycles, {options.trials} trials, seed 1")
    print("| network | device | set-up | tune: default, tuned | run: default, tuned | |\n|---|---|---|--:|--:|---|")
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in options.models:
            for device in options.devices:
                for limits in ([], ["--fast-ram", "0"]):
                    network = ["--model", model, "--device", device, *limits]
                    log = ["--records", f"{folder}/{model.stem}.{device}.{len(limits)}.jsonl"]
                    tuned = said(*network, *log, "--trials", options.trials, "--seed", 1, "--quiet")["network"]
                    ours = tuned["default_cycles"], tuned["best_cycles"]
                    run = said("run", *network)["cycles"], said("run", *network, *log)["cycles"]
                    missed += ours != run
                    print(f"| {model.stem} | {device} | {' '.join(limits) or 'default'} | {ours[0]:,}, {ours[1]:,} | "
                          f"{run[0]:,}, {run[1]:,} | {'' if ours == run else 'MISSED'} |", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
