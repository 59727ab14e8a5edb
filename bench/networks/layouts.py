"""Models x devices x layouts, untuned and tuned: cycles of one inference, the better layout of each in bold.

The matrix of MLonMCU's published experiment on simulated targets. Each layout has a log of its own.
"""
from simulated import SHARED, files_of, print_head, print_row, write_csv

NETWORKS, DEVICES = [str(SHARED / "models")], ["esp32c3", "stm32f4", "stm32f7", "rv32imc"]
LAYOUTS = ["nhwc", "nchw"]
FIGURES = ["cycles", "instructions", "milliseconds", "arena_bytes", "flash_bytes"]
COLUMNS = ["model", "target", "layout", "variant", "outcome", *FIGURES]


def add_options(parser):
    parser.set_defaults(trials=256)
    parser.add_argument("--layouts", nargs="+", default=LAYOUTS, choices=LAYOUTS)
    parser.add_argument("--csv", help="write the rows here, after every network: an interrupted matrix leaves what it has")


def cells_of(simulated, model, target, layouts):
    """A cell of each variant and layout; one that has no figures says why."""
    for variant in ("default", "tuned"):
        for layout in layouts:
            where = ["--model", model, "--device", target, "--layout", layout]
            report = (simulated.measured(where, simulated.log(model.stem, target, layout)) if variant == "tuned"
                      else simulated.untuned(where))
            cell = {"model": model.stem, "target": target, "layout": layout, "variant": variant}
            if "cycles" in report:
                cell |= {"outcome": "exact" if report["exact"] else "wrong output", **{key: report[key] for key in FIGURES}}
            else:
                cell["outcome"] = report["error"]
            yield cell


def print_all(simulated, options):
    heads = [f"{variant} {layout.upper()}" for variant in ("default", "tuned") for layout in options.layouts]
    print_head(["model", "target", *heads, "speedup"], range(2, len(heads) + 3))
    rows = []
    for model in files_of(options.networks):
        for target in options.devices:
            cells = list(cells_of(simulated, model, target, options.layouts))
            best = {variant: min((cell["cycles"] for cell in cells if cell["variant"] == variant and "cycles" in cell),
                                 default=None) for variant in ("default", "tuned")}
            words = [cell["outcome"] if "cycles" not in cell
                     else f"**{cell['cycles']:,}**" if cell["cycles"] == best[cell["variant"]] else f"{cell['cycles']:,}"
                     for cell in cells]
            print_row(model.stem, target, *words,
                      f"{best['default'] / best['tuned']:.2f}x" if all(best.values()) else "–")
            rows += cells
            if options.csv:
                write_csv(options.csv, COLUMNS, rows)
    return all(row["outcome"] == "exact" for row in rows)
