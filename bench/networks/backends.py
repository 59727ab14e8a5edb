"""Models x backends: instructions of set-up and invoke, ROM and RAM, as Markdown and CSV.

The matrix of MLonMCU's first experiment. Our rows are the library that `tune compile` writes: default schedules, and
with --trials tuned ones. Rows of others, where ../shared/peers has them, are TensorFlow Lite Micro's interpreter with
each library's kernels: the sum of the layers' instructions without the interpreter's own, and its arena for RAM.
Figures that MLonMCU's notebooks print stand below, on simulators and compilers of their own. What nobody has counted
is a dash, and backends without any figure are named at the end.

Ours needs no set-up: its memory is planned when it is generated. ROM is flash of code and constants; RAM is arena,
stack, and what is copied from flash (`--fast-ram 0`: nothing).
"""
import csv
import sys

from peers import CORES, layer_counts, totals
from simulated import SHARED, files_of, number, print_head, print_row, write_csv

NETWORKS, DEVICES = [str(SHARED / "models")], ["rv32imc", "cortex-m4"]
COLUMNS = ["model", "target", "backend", "setup_instructions", "invoke_instructions", "rom_bytes", "ram_bytes", "outcome"]
# github.com/tum-ei-eda/mlonmcu, ipynb/Examples: M instructions on an RV32GC simulator.
NOTEBOOKS = {
    "kws_ref_model": [("TVM AoT, plus", "spike", 23.33)],
    "pretrainedResnet_quant": [("TVM AoT", "etiss", 82.66), ("TVM AoT, plus", "etiss", 82.18)],
    "ad01_int8": [("TVM AoT", "etiss", 0.958), ("TVM AoT", "spike", 1.642)],
}
WITHOUT_FIGURES = ["TFLM compiler"]


def add_options(parser):
    parser.add_argument("--csv", help="write the rows here as well")


def ours(report, model, target, kind):
    """Our row; where there are no figures it says why."""
    row = {"model": model.stem, "target": target, "backend": f"tinytune, {kind}"}
    if "instructions" not in report:
        return row | {"outcome": report["error"]}
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


def rows_of(simulated, model, target):
    where = ["--model", model, "--device", target, "--fast-ram", "0"]
    yield ours(simulated.untuned(where), model, target, "default")
    if simulated.trials:
        yield ours(simulated.measured(where, simulated.log(model.stem, target)), model, target, "tuned")
    yield from others(model, target)


def print_all(simulated, options):
    rows, missing = [], list(WITHOUT_FIGURES)
    print_head(["model", "target", "backend", "set-up, instructions", "invoke, instructions", "ROM, bytes", "RAM, bytes",
                "outcome"], range(3, 7))
    for model in files_of(options.networks):
        for target in options.devices:
            of_model = list(rows_of(simulated, model, target))
            for row in of_model:
                print_row(*(row[key] for key in COLUMNS[:3]), *(number(row.get(key)) for key in COLUMNS[3:7]),
                          row["outcome"])
            rows += of_model
            if not any(row["backend"].startswith("TFLM") for row in of_model):
                missing.append(f"TFLM interpreter on {model.stem} and {target}")
    print("\nRAM of TFLM rows is the arena alone, and their instructions are those of layers.\n")
    print_head(["model", "published by MLonMCU's notebooks", "simulator, RV32GC", "invoke, M instructions"], [3])
    for model in {row["model"]: None for row in rows}:
        for figure in NOTEBOOKS.get(model, []):
            print_row(model, *figure)
    print("\n" + "\n".join(f"skipped, no figures: {what}" for what in missing))
    if options.csv:
        write_csv(options.csv, COLUMNS, rows)
    failed = [f"{row['model']} on {row['target']}: {row['outcome']}" for row in rows if row["outcome"] != "exact"]
    print("\n".join(failed), file=sys.stderr)
    return not failed
