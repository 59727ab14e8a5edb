#!/usr/bin/env python3
"""Arena of every model beside its lower bound and TFLM's arena; exits 1 where a target is missed.

The lower bound is the most bytes of tensors alive during any one operator, weights excluded. The
target, without any option, is that bound + 10 %, or 4 KiB where that is more, default schedules and
(with --records) tuned ones, and below TFLM's arena. What kernels would take with memory to spare is shown beside it, to tell
what the limit costs in cycles.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

CORE_OF = {"rv32imc": "rv32", "esp32c3": "rv32", "cortex-m4": "m4", "stm32f4": "m4",
           "stm32l4r5": "m4", "stm32f7": "m7"}  # TFLM's arenas are known for these


def arguments():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tune", required=True, help="the built tune program")
    parser.add_argument("--models", type=pathlib.Path, default=root.parent / "shared/models")
    parser.add_argument("--only", nargs="+", metavar="STEM", help="models by name [all]")
    parser.add_argument("--peers", type=pathlib.Path,
                        default=root.parent / "shared/peers/arena.csv")
    parser.add_argument("--records", type=pathlib.Path,
                        help="folder of MODEL.DEVICE.jsonl logs; without it nothing is tuned")
    parser.add_argument("--trials", type=int,
                        help="measurements a log is brought to; needs --records")
    parser.add_argument("--devices", nargs="+",
                        default=["rv32imc", "esp32c3", "cortex-m4", "stm32f4", "stm32f7"])
    parser.add_argument("--layouts", nargs="+", default=["nhwc", "nchw", "auto"])
    return parser.parse_args()


def tune(program, *words):
    result = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"tune {' '.join(map(str, words))}: {result.stderr.strip()}")
    return result.stdout


def run(options, model, device, *more):
    return json.loads(tune(options.tune, "run", "--json", "--verify", "--model", model,
                           "--device", device, *more))


def peer_arenas(path):
    """The smallest arena of any kernel library, by core and model."""
    smallest = {}
    with open(path, newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        for row in rows:
            key = row["core"], row["model"]
            smallest[key] = min(int(row["arena_bytes"]), smallest.get(key, sys.maxsize))
    return smallest


def log_of(options, model, device):
    """Of kernels in every layout asked for."""
    if options.records is None:
        return None
    log = options.records / f"{model.stem}.{device}.jsonl"
    layout = options.layouts[0] if len(options.layouts) == 1 else "auto"
    if options.trials:
        options.records.mkdir(parents=True, exist_ok=True)
        tune(options.tune, "--quiet", "--model", model, "--device", device, "--records", log,
             "--layout", layout, "--trials", options.trials)
    return log if log.exists() else None


def row(options, peers, model, device, layout, log):
    """Prints one; returns whether it holds its targets."""
    layouts, records = ["--layout", layout], ["--records", log] if log else []
    default = run(options, model, device, *layouts)
    reports = [default] + ([run(options, model, device, *layouts, *records)] if log else [])
    bound, last = default["arena_lower_bound"], reports[-1]
    unlimited = run(options, model, device, *layouts, *records, "--arena", 4 * bound)
    peer = peers.get((CORE_OF.get(device), model.stem))
    holds = all(report["exact"]
                and report["arena_bytes"] - report["arena_lower_bound"]
                <= max(report["arena_lower_bound"] // 10, 4096)
                and (peer is None or report["arena_bytes"] < peer)
                for report in reports)
    worst = max(report["arena_bytes"] / report["arena_lower_bound"] for report in reports)
    print(f"| {model.stem} | {device} | {layout} | {default['arena_bytes']} | "
          f"{last['arena_bytes'] if log else '-'} | {bound} | {worst - 1:+.1%} | {peer or '-'} | "
          f"{unlimited['arena_bytes']} | {last['cycles']} | {unlimited['cycles']} | "
          f"{last['cycles'] / unlimited['cycles'] - 1:+.1%} | {'' if holds else 'MISSED'} |",
          flush=True)
    return holds


def main():
    options = arguments()
    peers = peer_arenas(options.peers) if options.peers.exists() else {}
    print("| model | device | layout | default | tuned | lower bound | over | TFLM | unlimited | "
          "cycles | unlimited | the limit costs | |")
    print("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|")
    missed = 0
    for model in sorted(options.models.glob("*.tflite")):
        if options.only and model.stem not in options.only:
            continue
        for device in options.devices:
            log = log_of(options, model, device)
            for layout in options.layouts:
                missed += not row(options, peers, model, device, layout, log)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
