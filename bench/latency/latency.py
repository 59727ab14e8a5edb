#!/usr/bin/env python3
"""Milliseconds of the MLPerf Tiny networks on simulated boards beside the best published ones.

  bench/latency/latency.py [--trials N] [--tuner T] [--logs DIR] [--devices A,B] [--models M1,M2]
                           [--setups flash,fast]

Each network is a row for each of two set-ups, which are tuned and logged apart:

  flash  code and weights stay there (`--fast-ram 0`); all RAM within what ST's entry took, where
         that is published (`--ram`)
  fast   code and weights in fast memory as far as they fit (`--fast-ram all`)

RAM is all RAM: arena, copied weights and code, stack. With --trials each is tuned first (seed 1)
and the log in DIR continued; without, the logs in DIR are used where they exist, else default
schedules. Published figures: ../shared/peers/mlperf_best.csv for a board, and the best of each core
since then (in cycles, at whatever clock). They are measured on boards, ours are simulated cycles;
which memories the published ones used is not stated. The limit is the published figure, and three
quarters of it on the stm32l4r5 with fast memory; rows above theirs say so. Waits are cycles in which
the core stood still for a memory: where they alone exceed the limit, no kernel that reads each
weight once from there can meet it. Exits with 1 when a result is not exact.
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
          "ad": "ad01_int8", "ic02": "ic02_int8"}
# The boards of the list that a device file describes; their clocks are equal.
BOARDS = {"stm32l4r5": "NUCLEO-L4R5ZI", "stm32f7": "DISCO-F746NG"}
# Best of each core, M cycles: MLPerf Tiny up to v1.4, closed division.
CORES = {
    "stm32l4r5": {"ic02": (111.9, "ST, v1.4")},
    "stm32f7": {"kws": (3.17, "ST"), "vww": (6.67, "ST"), "ic": (11.44, "ST"),
                "ad": (0.303, "Bosch"), "ic02": (63.1, "ST, v1.4")},
    "stm32u5": {"kws": (4.64, "ST"), "vww": (9.48, "ST"), "ic": (16.69, "Plumerai"),
                "ad": (0.495, "Bosch"), "ic02": (98.4, "ST, v1.4")},
    "rp2040": {"kws": (30.4, "Bosch, G0B1"), "vww": (90.5, "Bosch, G0B1"),
               "ic": (97.4, "Bosch, G0B1"), "ad": (2.62, "Bosch, G0B1")},
}
# All RAM of ST's entries on the NUCLEO-L4R5ZI.
ST_RAM = {"kws": 22_272, "vww": 58_624, "ic": 56_672, "ad": 2_048}
SETUPS = {"flash": ["--fast-ram", "0"], "fast": ["--fast-ram", "all"]}
# Of a published figure; 1 elsewhere.
LIMITS = {("stm32l4r5", "fast"): 0.75}


def published():
    """{board: {network: (milliseconds, stack)}}, the best of each."""
    best = collections.defaultdict(dict)
    with open(SHARED / "peers" / "mlperf_best.csv", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            for name in MODELS:
                if not row.get(name + "_ms"):
                    continue
                ms = float(row[name + "_ms"])
                if name not in best[row["board"]] or ms < best[row["board"]][name][0]:
                    best[row["board"]][name] = (ms, row["stack"])
    return best


def best_cycles(best, device, name, clock_hz):
    """The best published figure for the core, in cycles, and whose it is; or None."""
    figures = []
    if name in best.get(BOARDS.get(device), {}):
        ms, stack = best[BOARDS[device]][name]
        figures.append((ms * clock_hz / 1000, stack))
    if name in CORES.get(device, {}):
        millions, stack = CORES[device][name]
        figures.append((millions * 1e6, stack))
    return min(figures) if figures else None


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
    parser.add_argument("--tuner", default="bayes")
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("latency-logs"))
    parser.add_argument("--devices", default=",".join(CORES))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--setups", default=",".join(SETUPS))
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    options = parser.parse_args()
    if not (SHARED / "peers" / "mlperf_best.csv").exists():
        sys.exit(f"no published figures: {SHARED / 'peers' / 'mlperf_best.csv'} is absent")
    best = published()
    options.logs.mkdir(exist_ok=True)

    all_exact = True
    print("| device | network | code and weights | ms | M cycles | of that waits | best published, M "
          "cycles | stack | ours ÷ published | limit, M cycles | | RAM | ST's RAM | arena | flash | "
          "schedules |")
    print("|---|---|---|--:|--:|--:|--:|---|--:|--:|---|--:|--:|--:|--:|---|")
    for device in options.devices.split(","):
        for name in options.models.split(","):
            if not best_cycles(best, device, name, 1):
                continue  # nobody has published one
            for setup in options.setups.split(","):
                exact = print_row(options, best, device, name, setup)
                all_exact = all_exact and exact
    print(f"\nexact: {all_exact}")
    sys.exit(0 if all_exact else 1)


def print_row(options, best, device, name, setup):
    """Tunes if asked, runs, prints; returns whether every byte was right."""
    log = options.logs / f"{MODELS[name]}.{device}.{setup}.jsonl"
    where = ["--model", str(SHARED / "models" / (MODELS[name] + ".tflite")), "--device", device,
             *SETUPS[setup]]
    st_ram = ST_RAM.get(name) if device == "stm32l4r5" and setup == "flash" else None
    if st_ram:
        where += ["--ram", str(st_ram)]
    if options.trials:
        tune_json(options.tune, *where, "--records", str(log), "--seed", "1",
                  "--trials", str(options.trials), "--tuner", options.tuner)
    if log.exists():
        where += ["--records", str(log)]
    ours = tune_json(options.tune, "run", *where, "--verify")
    waits = ours["fetch_wait_cycles"] + ours["read_wait_cycles"]
    clock_hz = ours["cycles"] / ours["milliseconds"] * 1000 if ours["milliseconds"] else 0
    peer = best_cycles(best, device, name, clock_hz)
    limit = peer[0] * LIMITS.get((device, setup), 1)
    beside = (f"{peer[0] / 1e6:.3f} | {peer[1]} | {ours['cycles'] / peer[0]:.3f} | "
              f"{limit / 1e6:.3f} | {'missed' if ours['cycles'] > limit else 'met'}")
    print(f"| {device} | {name} | {setup} | {ours['milliseconds']:.3f} | "
          f"{ours['cycles'] / 1e6:.3f} | {waits / 1e6:.3f} | {beside} | "
          f"{ours['ram_bytes']:,} | {f'{st_ram:,}' if st_ram else '–'} | "
          f"{ours['arena_bytes']:,} | {ours['flash_bytes']:,} | "
          f"{'tuned' if log.exists() else 'default'} |", flush=True)
    return ours["exact"]


if __name__ == "__main__":
    main()
