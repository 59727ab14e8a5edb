#!/usr/bin/env python3
"""Models x backends: instructions of set-up and invoke, ROM and RAM, as Markdown and CSV.

  bench/experiment_a/experiment_a.py --tune build/tune [--models DIR] [--targets rv32imc cortex-m4] [--trials N]

The matrix of MLonMCU's first experiment. Our rows are the library that `tune compile` writes, run in the
simulator and compared bit for bit with the reference: default schedules, and with --trials tuned ones (seed 1,
logs kept in the output folder). Rows of others, where ../shared/peers has them, are TensorFlow Lite Micro's
interpreter with each library's kernels: the sum of the layers' instructions without the interpreter's own, and
its arena for RAM. Figures that MLonMCU's notebooks print stand below, on simulators and compilers of their own.
What nobody has counted is a dash, and backends without any figure are named at the end.

Ours needs no set-up: its memory is planned when it is generated. ROM is flash of code and constants; RAM is
arena, stack, and what is copied from flash (`--fast-ram 0`: nothing). Exits with 1 when a result is not exact.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "kernels"))
from peers import CORES, SHARED, layer_counts, totals  # noqa: E402

COLUMNS = ["model", "target", "backend", "setup_instructions", "invoke_instructions", "rom_bytes", "ram_bytes",
           "outcome"]
# github.com/tum-ei-eda/mlonmcu, ipynb/Examples: M instructions on an RV32GC simulator.
NOTEBOOKS = {
    "kws_ref_model": [("TVM AoT, plus", "spike", 23.33)],
    "pretrainedResnet_quant": [("TVM AoT", "etiss", 82.66), ("TVM AoT, plus", "etiss", 82.18)],
    "ad01_int8": [("TVM AoT", "etiss", 0.958), ("TVM AoT", "spike", 1.642)],
}
WITHOUT_FIGURES = ["TFLM compiler"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"), help="the built tune program")
    parser.add_argument("--models", type=pathlib.Path, default=SHARED / "models",
                        help="a .tflite file or a folder of them")
    parser.add_argument("--targets", nargs="+", default=["rv32imc", "cortex-m4"])
    parser.add_argument("--trials", type=int, default=0, help="measurements for each log; 0: defaults alone [0]")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("experiment_a"),
                        help="folder for matrix.md, matrix.csv and the logs [experiment_a]")
    return parser.parse_args()


def tune(options, *words):
    return subprocess.run([options.tune, *map(str, words)], capture_output=True, text=True, check=False)


def last_line(text):
    return (text.strip().splitlines() or ["no message"])[-1]


def ours(options, model, target, records):
    """Our row; where there are no figures it says why."""
    row = {"model": model.stem, "target": target, "backend": f"tinytune, {'tuned' if records else 'default'}"}
    place = ["--model", model, "--device", target, "--fast-ram", "0"]
    if records:
        log = options.output / f"{model.stem}.{target}.jsonl"
        place += ["--records", log]
        tuned = tune(options, "--quiet", *place, "--trials", options.trials, "--seed", 1)
        if tuned.returncode != 0:
            return row | {"outcome": last_line(tuned.stderr)}
    run = tune(options, "run", "--json", "--verify", *place)
    report = json.loads(run.stdout) if run.stdout.strip() else {}
    if "instructions" not in report:
        return row | {"outcome": str(report.get("error", last_line(run.stderr)))}
    return row | {"setup_instructions": 0, "invoke_instructions": report["instructions"],
                  "rom_bytes": report["flash_bytes"], "ram_bytes": report["ram_bytes"],
                  "outcome": "exact" if report["exact"] else "wrong output"}


def arenas(target, model):
    """{library: bytes} of TensorFlow Lite Micro's arena."""
    path = SHARED / "peers" / "arena.csv"
    if target not in CORES or not path.exists():
        return {}
    with open(path, newline="") as file:
        return {row["library"]: int(row["arena_bytes"])
                for row in csv.DictReader(line for line in file if not line.startswith("#"))
                if row["core"] == CORES[target] and row["model"] == model}


def others(model, target):
    arena = arenas(target, model.stem)
    for library, instructions in sorted(totals(layer_counts(target, model.stem)).items(), key=lambda item: -item[1]):
        yield {"model": model.stem, "target": target, "backend": f"TFLM interpreter, {library}",
               "invoke_instructions": instructions, "ram_bytes": arena.get(library), "outcome": "exact"}


def number(row, key):
    return f"{row[key]:,}" if row.get(key) is not None else "–"


def markdown(rows, missing):
    text = ["| model | target | backend | set-up, instructions | invoke, instructions | ROM, bytes | RAM, bytes | "
            "outcome |", "|---|---|---|--:|--:|--:|--:|---|"]
    text += ["| {} | {} | {} | {} | {} | {} | {} | {} |".format(
        row["model"], row["target"], row["backend"], *(number(row, key) for key in COLUMNS[3:7]), row["outcome"])
        for row in rows]
    text += ["", "RAM of TFLM rows is the arena alone, and their instructions are those of layers.", "",
             "| model | published by MLonMCU's notebooks | simulator, RV32GC | invoke, M instructions |",
             "|---|---|---|--:|"]
    models = {row["model"] for row in rows}
    text += [f"| {model} | {backend} | {simulator} | {millions} |" for model, figures in NOTEBOOKS.items()
             if model in models for backend, simulator, millions in figures]
    return "\n".join(text + [""] + [f"skipped, no figures: {what}" for what in missing])


def main():
    options = arguments()
    models = sorted(options.models.glob("*.tflite")) if options.models.is_dir() else [options.models]
    if not models or not models[0].exists():
        sys.exit(f"no models in {options.models}")
    options.output.mkdir(parents=True, exist_ok=True)
    rows, missing = [], list(WITHOUT_FIGURES)
    for model in models:
        for target in options.targets:
            for records in (False, True) if options.trials else (False,):
                rows.append(ours(options, model, target, records))
                print(f"{model.stem} on {target}: {rows[-1]['outcome']}", file=sys.stderr, flush=True)
            peers = list(others(model, target))
            rows += peers
            if not peers:
                missing.append(f"TFLM interpreter on {model.stem} and {target}")
    table = markdown(rows, missing)
    (options.output / "matrix.md").write_text(table + "\n")
    with open(options.output / "matrix.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    print(table)
    sys.exit(0 if all(row["outcome"] == "exact" for row in rows) else 1)


if __name__ == "__main__":
    main()
