#!/usr/bin/env python3
"""Milliseconds of the MLPerf Tiny networks on simulated boards beside the best published ones.

  bench/latency/latency.py [--trials N] [--logs DIR] [--devices A,B] [--models M1,M2]
                           [--fast-ram all|BYTES|default]

Each network runs twice: with code and weights in fast memory as --fast-ram says (all: as far as
they fit; default: what `tune run` does by itself), and all of them in flash (`--fast-ram 0`). RAM
is all RAM: arena, copied weights and code, stack. With --trials it is tuned first (seed 1)
and the log in DIR continued; without, the logs in DIR are used where they exist, else default
schedules. Published figures: ../shared/peers/mlperf_best.csv. They are measured on boards, ours are
simulated cycles at the same clock; which memories the published ones used is not stated.
Exits with 1 when a result is not exact.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
MODELS = {"kws": "kws_ref_model", "ic": "pretrainedResnet_quant", "vww": "vww_96_int8",
          "ad": "ad01_int8"}
# The boards of the list that a device file describes; their clocks are equal.
BOARDS = {"stm32l4r5": "NUCLEO-L4R5ZI", "stm32f7": "DISCO-F746NG"}


def published():
    """{board: {network: (milliseconds, stack)}}, the best of each."""
    best = collections.defaultdict(dict)
    with open(SHARED / "peers" / "mlperf_best.csv", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            for name in MODELS:
                ms = float(row[name + "_ms"])
                if name not in best[row["board"]] or ms < best[row["board"]][name][0]:
                    best[row["board"]][name] = (ms, row["stack"])
    return best


def tune_json(tune, *words):
    done = subprocess.run([tune, *words, "--json"], capture_output=True, text=True)
    said = json.loads(done.stdout) if done.stdout else {}
    if done.returncode != 0:
        sys.exit(f"tune {' '.join(words)}: {said.get('error', done.stderr)}")
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int)
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("latency-logs"))
    parser.add_argument("--devices", default=",".join(BOARDS))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--fast-ram", default="all")
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    options = parser.parse_args()
    if not (SHARED / "peers" / "mlperf_best.csv").exists():
        sys.exit(f"no published figures: {SHARED / 'peers' / 'mlperf_best.csv'} is absent")
    best = published()
    options.logs.mkdir(exist_ok=True)

    all_exact = True
    print("| device | network | ms | all in flash | waits of that | published | stack | "
          "published ÷ ours | layers placement speeds up | RAM for code | for weights | "
          "arena | RAM | RAM, all in flash | flash | schedules |")
    print("|---|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
    for device in options.devices.split(","):
        for name in options.models.split(","):
            model = SHARED / "models" / (MODELS[name] + ".tflite")
            log = options.logs / f"{MODELS[name]}.{device}.jsonl"
            where = ["--model", str(model), "--device", device]
            if options.trials:
                tune_json(options.tune, *where, "--records", str(log), "--seed", "1",
                          "--trials", str(options.trials))
            if log.exists():
                where += ["--records", str(log)]
            placement = [] if options.fast_ram == "default" else ["--fast-ram", options.fast_ram]
            ours = tune_json(options.tune, "run", *where, *placement, "--verify")
            slow = tune_json(options.tune, "run", *where, "--fast-ram", "0", "--verify")
            all_exact = all_exact and ours["exact"] and slow["exact"]
            waits = slow["fetch_wait_cycles"] + slow["read_wait_cycles"]
            ms, stack = best[BOARDS[device]][name]
            pairs = [(a["cycles"], b["cycles"])
                     for a, b in zip(ours["layers"], slow["layers"]) if b["cycles"]]
            faster = sum(placed < flash for placed, flash in pairs)
            print(f"| {device} | {name} | {ours['milliseconds']:.3f} | {slow['milliseconds']:.3f} | "
                  f"{100 * waits / slow['cycles']:.0f} % | {ms:.3f} | {stack} | "
                  f"{ms / ours['milliseconds']:.2f} | {faster} of {len(pairs)} | "
                  f"{ours['fast_code_bytes']:,} | "
                  f"{ours['fast_weights_bytes']:,} | {ours['arena_bytes']:,} | "
                  f"{ours['ram_bytes']:,} | {slow['ram_bytes']:,} | {ours['flash_bytes']:,} | "
                  f"{'tuned' if log.exists() else 'default'} |", flush=True)
    print(f"\nexact: {all_exact}")
    sys.exit(0 if all_exact else 1)


if __name__ == "__main__":
    main()
