#!/usr/bin/env python3
"""Single layers beside the hand-written libraries, worst rows first.

  bench/layers/layers.py [--devices cortex-m4 rv32imc] [--only LAYER…] [--trials N] [--verify]

Counts the instructions of one inference of every network in ../shared/layers (its README says how
the libraries' figures were counted) and prints Markdown: a row per layer, then geometric means and
how many rows are below 1.0 and 1.3 times the library. Layers are untuned with the default memory
rule; --trials N tunes each first (seed 1; logs in --logs are continued). --verify compares every
output with the reference. --arena and the like go to `tune` as they are, behind `--`.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ROOT.parent / "shared" / "layers"
LIBRARY = {"cortex-m4": "cortex-m4 CMSIS-NN", "rv32imc": "rv32imc best library"}  # columns
LOST, CLOSE = 1.0, 1.3  # library / ours
SKIPPED = 77


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", nargs="+", default=list(LIBRARY), choices=list(LIBRARY))
    parser.add_argument("--only", nargs="+", help="layers by name")
    parser.add_argument("--trials", type=int, default=0)
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--logs", type=pathlib.Path, default=ROOT / "build" / "layers")
    parser.add_argument("--layers", type=pathlib.Path, default=LAYERS)
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    parser.add_argument("options", nargs="*", help="behind --: options of `tune`")
    return parser.parse_args()


def tune_json(tune, *words):
    """What the command says, {"error": …} where it fails."""
    done = subprocess.run([tune, *map(str, words), "--json"], capture_output=True, text=True)
    said = json.loads(done.stdout) if done.stdout else {}
    if done.returncode != 0:
        said.setdefault("error", done.stderr.strip() or f"exit code {done.returncode}")
    return said


def report_of(options, layer, device):
    model = options.layers / f"{layer}.tflite"
    where = ["--model", model, "--device", device, *options.options]
    if options.trials > 0:
        options.logs.mkdir(parents=True, exist_ok=True)
        where += ["--records", options.logs / f"{layer}.{device}.jsonl"]
        tuned = tune_json(options.tune, *where, "--trials", options.trials, "--seed", 1)
        # Nothing to tune is no failure: elementwise operators have no schedules.
        if "error" in tuned and " to tune" not in tuned["error"]:
            return tuned
        if "error" in tuned:
            where = where[:-2]
    return tune_json(options.tune, "run", *where, *["--verify"] * options.verify)


def number(value):
    return "–" if value is None else f"{value:,}"


def library_count(row, device):
    text = row.get(LIBRARY[device])
    return int(text) if text else None


def ratio_of(row):
    library, ours = row["library"], row["ours"]
    return library / ours if library and ours else None


def print_table(device, rows, options):
    rows.sort(key=lambda row: (row["error"] is None, ratio_of(row) or math.inf))
    how = f"tuned with {options.trials} trials" if options.trials else "untuned"
    print(f"\n**{device}**, instructions, {how} {' '.join(options.options)}\n")
    print("| layer | kind | library | tinytune | library ÷ ours | arena |")
    print("|---|---|--:|--:|--:|--:|")
    for row in rows:
        ratio = ratio_of(row)
        verdict = row["error"] or ("–" if ratio is None else f"{ratio:.2f}")
        if ratio is not None and ratio < LOST:
            verdict += " **lost**"
        print(f"| {row['layer']} | {row['kind']} | {number(row['library'])} | "
              f"{number(row['ours'])} | {verdict} | {number(row['arena'])} |")
    ratios = [ratio for ratio in map(ratio_of, rows) if ratio is not None]
    if not ratios:
        return
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\n{device}: {len(ratios)} rows with a library, geometric mean {mean:.2f}; "
          f"{sum(r < LOST for r in ratios)} below {LOST}, "
          f"{sum(r < CLOSE for r in ratios)} below {CLOSE}")


def main():
    options = arguments()
    table = options.layers / "layers.csv"
    if not table.exists():
        print(f"layers: skipped, there is no {table}")
        return SKIPPED
    with open(table, newline="") as file:
        known = [row for row in csv.DictReader(file)
                 if not options.only or row["layer"] in options.only]
    if unknown := set(options.only or []) - {row["layer"] for row in known}:
        sys.exit(f"layers: {table} has no {', '.join(sorted(unknown))}")
    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for device in options.devices:
            reports = pool.map(lambda row: report_of(options, row["layer"], device), known)
            rows = []
            for row, report in zip(known, reports):
                error = report.get("error")
                if options.verify and report.get("exact") is False:
                    error = "bytes differ"
                failed |= error is not None
                rows.append({"layer": row["layer"], "kind": row["kind"], "error": error,
                             "library": library_count(row, device),
                             "ours": report.get("instructions"),
                             "arena": report.get("arena_bytes")})
            print_table(device, rows, options)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
