#!/usr/bin/env python3
"""Models x targets x layouts x {default, tuned} on the simulator, as Markdown and CSV.

The matrix of MLonMCU's published experiment on simulated targets. Every cell runs the library that
`tune compile` writes, compared bit for bit with the reference; logs are kept, so that a second
call, or one with more trials, continues.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

TARGETS = ["esp32c3", "stm32f4", "stm32f7", "rv32imc"]
LAYOUTS = ["nhwc", "nchw"]
COLUMNS = ["model", "target", "layout", "variant", "outcome", "cycles", "instructions",
           "milliseconds", "arena_bytes", "flash_bytes"]


def arguments():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tune", required=True, help="the built tune program")
    parser.add_argument("--models", type=pathlib.Path, default=root.parent / "shared/models",
                        help="a .tflite file or a folder of them")
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    parser.add_argument("--layouts", nargs="+", default=LAYOUTS, choices=LAYOUTS)
    parser.add_argument("--trials", type=int, default=256, help="measurements for each log [256]")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("experiment_b"),
                        help="folder for matrix.md, matrix.csv and the logs [experiment_b]")
    return parser.parse_args()


def tune(options, *words):
    return subprocess.run([options.tune, *map(str, words)], capture_output=True, text=True)


def last_line(text):
    return (text.strip().splitlines() or ["no message"])[-1]


def measure(options, model, target, layout, variant):
    """One row of the matrix; a cell that has no figures says why."""
    row = {"model": model.stem, "target": target, "layout": layout, "variant": variant}
    place = ["--model", model, "--device", target, "--layout", layout]
    records = []
    if variant == "tuned":
        log = options.output / f"{model.stem}.{target}.{layout}.jsonl"
        records = ["--records", log]
        tuned = tune(options, "--quiet", *place, *records, "--trials", options.trials)
        if tuned.returncode != 0:
            return row | {"outcome": last_line(tuned.stderr)}
    run = tune(options, "run", "--json", "--verify", *place, *records)
    if not run.stdout.strip():
        return row | {"outcome": last_line(run.stderr)}
    report = json.loads(run.stdout)
    if "cycles" not in report:
        return row | {"outcome": str(report.get("error", "no figures"))}
    row["outcome"] = "exact" if report["exact"] else "wrong output"
    for key in ("cycles", "instructions", "milliseconds", "arena_bytes", "flash_bytes"):
        row[key] = report[key]
    return row


def markdown(rows, trials):
    """One line a model and target; the best layout of each variant in bold."""
    cells = {}
    for row in rows:
        cells.setdefault((row["model"], row["target"]), {})[row["variant"], row["layout"]] = row
    layouts = list(dict.fromkeys(row["layout"] for row in rows))
    heads = [(variant, layout) for variant in ("default", "tuned") for layout in layouts]
    text = [f"Cycles of one inference; tuned with {trials} measurements a model, target and "
            "layout. Bold: the better layout.", "",
            "| model | target | " + " | ".join(f"{v} {lay.upper()}" for v, lay in heads) +
            " | speedup |", "|---|---|" + "--:|" * (len(heads) + 1)]
    for (model, target), by_head in cells.items():
        cycles = {head: by_head[head].get("cycles") for head in heads if head in by_head}
        words = []
        best = {}
        for variant in ("default", "tuned"):
            found = [c for (v, _), c in cycles.items() if v == variant and c]
            best[variant] = min(found, default=None)
        for head in heads:
            value = cycles.get(head)
            word = f"{value:,}" if value else by_head.get(head, {}).get("outcome", "-")
            words.append(f"**{word}**" if value and value == best[head[0]] else word)
        gain = f"{best['default'] / best['tuned']:.2f}x" if all(best.values()) else "-"
        text.append(f"| {model} | {target} | " + " | ".join(words) + f" | {gain} |")
    return "\n".join(text) + "\n"


def main():
    options = arguments()
    options.output.mkdir(parents=True, exist_ok=True)
    models = ([options.models] if options.models.is_file()
              else sorted(options.models.glob("*.tflite")))
    if not models:
        raise SystemExit(f"no .tflite file in {options.models}")
    rows = []
    for model in models:
        for target in options.targets:
            for layout in options.layouts:
                for variant in ("default", "tuned"):
                    rows.append(measure(options, model, target, layout, variant))
                    row = rows[-1]
                    print(f"{model.stem} {target} {layout} {variant}: "
                          f"{row.get('cycles', row['outcome'])}", file=sys.stderr, flush=True)
                # After every pair, so that an interrupted matrix leaves what it has.
                with open(options.output / "matrix.csv", "w", newline="") as file:
                    writer = csv.DictWriter(file, COLUMNS)
                    writer.writeheader()
                    writer.writerows(rows)
                (options.output / "matrix.md").write_text(markdown(rows, options.trials))
    print((options.output / "matrix.md").read_text(), end="")
    return 0 if all(row["outcome"] == "exact" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
