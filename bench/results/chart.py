#!/usr/bin/env python3
"""Draws doc/images/instructions.svg from the instruction table of doc/results.md.

  bench/results/chart.py [--check]

One bar per network and core. The whole bar is the best hand-written library, the coloured part is the
tuned network: both run the same model on the same core, so the bar's share is a ratio of instructions.
--check writes nothing and fails if the picture is not the one that the table gives.
"""
import argparse
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "doc" / "results.md"
PICTURE = ROOT / "doc" / "images" / "instructions.svg"
ROW = re.compile(r"^\| (?P<network>[^|]+) \| (?P<core>[^|]+) \| (?P<library>[\d.]+) M \((?P<name>[^)]+)\)"
                 r" \| [^|]+ \| \*\*(?P<tuned>[\d.]+) M\*\* \|", re.M)
CORES = {"rv32imc": "RISC-V RV32IMC", "cortex-m4": "Arm Cortex-M4", "cortex-m55": "Arm Cortex-M55, Helium",
         "rv32imc_zve32x": "RISC-V with vectors, VLEN 128"}
WIDTH, ROW_HEIGHT, BAR_HEIGHT, PANEL_HEAD = 760, 30, 14, 34
BAR_LEFT, BAR_WIDTH = 170, 330
STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .head { font-weight: 600 }
    .library { fill: #c6ccd3 }
    .tuned { fill: #0969da }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .library { fill: #3d444d }
      .tuned { fill: #58a6ff }
    }"""


def text(x, y, words, style=""):
    return f'  <text x="{x}" y="{y}"{style}>{html.escape(words)}</text>'


def panel(core, rows, top):
    """The lines of one core's bars; `top` is their first pixel row."""
    yield text(0, top + 14, f"{CORES.get(core, core)}: tinytune beside {rows[0]['name']}", ' class="head"')
    for number, row in enumerate(rows):
        library, tuned = float(row["library"]), float(row["tuned"])
        y = top + PANEL_HEAD + number * ROW_HEIGHT
        yield text(0, y + 11, row["network"])
        yield f'  <rect class="library" x="{BAR_LEFT}" y="{y}" width="{BAR_WIDTH}" height="{BAR_HEIGHT}" rx="2"/>'
        yield (f'  <rect class="tuned" x="{BAR_LEFT}" y="{y}" width="{BAR_WIDTH * tuned / library:.1f}" '
               f'height="{BAR_HEIGHT}" rx="2"/>')
        yield text(BAR_LEFT + BAR_WIDTH + 12, y + 11,
                   f"{row['tuned']} M of {row['library']} M: {library / tuned:.1f}× fewer")


def picture(table):
    rows = [match.groupdict() for match in ROW.finditer(table)]
    cores = list(dict.fromkeys(row["core"] for row in rows))
    if not cores:
        sys.exit(f"{TABLE}: no row of the instruction table was found")
    lines, top = [], 4
    for core in cores:
        own = [row for row in rows if row["core"] == core]
        lines += panel(core, own, top)
        top += PANEL_HEAD + len(own) * ROW_HEIGHT + 12
    title = "Instructions for one inference, simulated, exact counts: tuned network beside the best hand-written library"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}" role="img">',
        f"  <title>{title}</title>", f"  <style>{STYLE}\n  </style>", *lines, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    drawn = picture(TABLE.read_text())
    if not parser.parse_args().check:
        PICTURE.write_text(drawn)
    elif not PICTURE.exists() or PICTURE.read_text() != drawn:
        sys.exit(f"{PICTURE} differs from {TABLE}: run bench/results/chart.py")


if __name__ == "__main__":
    main()
