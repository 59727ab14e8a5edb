#!/usr/bin/env python3
"""Our instructions beside the hand-written libraries', layer by layer; which knob wins which task.

  bench/kernels/kernels.py [--networks kws vww ic ad] [--devices rv32imc cortex-m4] [--trials N]

Tunes the MLPerf Tiny networks of ../shared/models (seed 1; logs in --logs are continued) and prints
Markdown: a row per layer with every library's count, rows that we lose marked, totals beside the
goals; then what the logs say of each technique. --trials 0 compares default schedules. --csv FILE
writes the rows as well. A layer fused into another counts with the one that carries it.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys

import knobs
import peers

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORKS = {"kws": "kws_ref_model", "vww": "vww_96_int8", "ic": "pretrainedResnet_quant",
            "ad": "ad01_int8"}
# Millions of instructions: (has to be reached, aim).
GOALS = {("rv32imc", "kws"): (7.4, 6.2), ("rv32imc", "vww"): (13, 10),
         ("rv32imc", "ic"): (29, 24), ("rv32imc", "ad"): (0.56, 0.48),
         ("cortex-m4", "kws"): (4.2, 3.6), ("cortex-m4", "vww"): (8.0, 6.8),
         ("cortex-m4", "ic"): (16.5, 14), ("cortex-m4", "ad"): (0.36, 0.32)}
# Best kernels of AutoTVM's own tuners on the same core, requantisation fused, layouts mixed freely;
# pooling and softmax not included.
AUTOTVM = {("rv32imc", "kws"): 8_660_000}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS), choices=list(NETWORKS))
    parser.add_argument("--devices", nargs="+", default=["rv32imc", "cortex-m4"])
    parser.add_argument("--trials", type=int, default=700)
    parser.add_argument("--logs", type=pathlib.Path, default=ROOT / "build" / "kernels")
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path, default=peers.SHARED / "models")
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    return parser.parse_args()


def tune_json(tune, *words):
    done = subprocess.run([tune, *map(str, words), "--json"], capture_output=True, text=True)
    said = json.loads(done.stdout) if done.stdout else {}
    if done.returncode != 0:
        sys.exit(f"tune {' '.join(map(str, words))}: {said.get('error', done.stderr)}")
    return said


def report_of(options, network, device):
    """(report of `tune run`, log or None)"""
    where = ["--model", options.models / f"{NETWORKS[network]}.tflite", "--device", device]
    if options.trials == 0:
        return tune_json(options.tune, "run", *where, "--verify"), None
    options.logs.mkdir(parents=True, exist_ok=True)
    log = options.logs / f"{NETWORKS[network]}.{device}.jsonl"
    tune_json(options.tune, *where, "--records", log, "--trials", options.trials, "--seed", 1)
    return tune_json(options.tune, "run", *where, "--records", log, "--verify"), log


def rows_of(report, counts):
    """One row a layer: ours, every library's, the best library's for the whole fused group."""
    members = collections.defaultdict(list)
    for layer in report["layers"]:
        carrier = layer["index"] if layer["fused_into"] is None else layer["fused_into"]
        members[carrier].append(layer["index"])
    for layer in report["layers"]:
        row = {"layer": layer["index"], "op": layer["op"], "macs": layer["macs"],
               "macs_executed": layer["macs_executed"], "tinytune": layer["instructions"]}
        row.update({lib: layers.get(layer["index"]) for lib, layers in counts.items()})
        row["fused_into"] = layer["fused_into"]
        group = members.get(layer["index"], [])
        row["best_peer"] = min((sum(layers.get(i, 0) for i in group)
                                for layers in counts.values()), default=None)
        row["lost"] = bool(counts and layer["instructions"]
                           and layer["instructions"] > row["best_peer"])
        yield row


def number(value):
    return "–" if value is None else f"{value:,}"


def print_table(network, device, report, rows, counts):
    totals = peers.totals(counts)
    libraries = sorted(totals, key=totals.get)
    print(f"\n**{network} on {device}**, instructions; exact: {report['exact']}\n")
    print("| layer | operator | MACs | executed | tinytune | "
          + "".join(f"{lib} | " for lib in libraries) + "best peer ÷ ours |")
    print("|--:|---|--:|--:|--:|" + "--:|" * (len(libraries) + 1))
    for row in rows:
        verdict = "–"
        if row["fused_into"] is not None:
            verdict = f"in {row['fused_into']}"
        elif row["tinytune"] and counts:
            verdict = f"{row['best_peer'] / row['tinytune']:.2f}" + (" **lost**" * row["lost"])
        cells = [row["layer"], row["op"], number(row["macs"]), number(row["macs_executed"]),
                 number(row["tinytune"]), *(number(row[lib]) for lib in libraries), verdict]
        print("| " + " | ".join(map(str, cells)) + " |")
    ours = report["instructions"]
    ratio = f"{min(totals.values()) / ours:.2f}" if totals else "–"
    print(f"| | **total** | | | **{ours:,}** | "
          + "".join(f"{totals[lib]:,} | " for lib in libraries) + f"{ratio} |")
    print(f"\nlayers lost: {sum(row['lost'] for row in rows)}; "
          f"overhead of ours: {report['overhead_instructions']:,}")
    if (device, network) in AUTOTVM:
        print(f"AutoTVM's best kernels on the same core: about {AUTOTVM[device, network]:,} "
              "(pooling and softmax not included)")


def main():
    options = arguments()
    logs, goals, all_rows, exact = [], [], [], True
    for device in options.devices:
        for network in options.networks:
            if not (options.models / f"{NETWORKS[network]}.tflite").exists():
                print(f"({network}: no {NETWORKS[network]}.tflite in {options.models})")
                continue
            report, log = report_of(options, network, device)
            counts = peers.layer_counts(device, NETWORKS[network])
            rows = list(rows_of(report, counts))
            print_table(network, device, report, rows, counts)
            exact &= report["exact"]
            logs += [log] if log else []
            all_rows += [{"device": device, "network": network, **row} for row in rows]
            if (device, network) in GOALS:
                reach, aim = GOALS[device, network]
                ours = report["instructions"] / 1e6
                verdict = "aim" if ours <= aim else "reached" if ours <= reach else "**missed**"
                goals.append(f"| {device} | {network} | {ours:.3f} | {reach} | {aim} | {verdict} |")
    print("\n**Goals**, millions of instructions\n")
    print("| device | network | tinytune | to reach | aim | |\n|---|---|--:|--:|--:|---|")
    print("\n".join(goals))
    if logs:
        print(f"\n**Techniques**, over all tasks of {len(logs)} logs\n")
        print("\n".join(knobs.table(logs)))
    if options.csv:
        columns = list(dict.fromkeys(key for row in all_rows for key in row))
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(all_rows)
    return 0 if exact else 1


if __name__ == "__main__":
    sys.exit(main())
