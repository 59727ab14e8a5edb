#!/usr/bin/env python3
"""Draws doc/images/terminal.svg: the README's commands and what they print.

  bench/results/terminal.py TUNE MODEL

Runs the commands in a temporary folder, in which MODEL is called kws.tflite, and sets their text as it was printed.
"""
import html
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "doc" / "images" / "terminal.svg"
COMMANDS = ["tune --model kws.tflite --device esp32c3 --trials 32 --quiet",
            "tune compile --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl -o kws.esp32c3/",
            "tune run --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl --verify"]
LINE, LEFT, TOP, CHARACTER = 17, 16, 26, 7.83
STYLE = """
    rect { fill: #0d1117 }
    text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre }
    .command { fill: #7ee787 }"""


def transcript(tune, model):
    """Lines, each with whether it is a command."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(model, pathlib.Path(folder) / "kws.tflite")
        for command in COMMANDS:
            yield f"$ {command}", True
            done = subprocess.run([str(tune), *command.split()[1:]], cwd=folder, capture_output=True, text=True, check=True)
            for line in done.stdout.splitlines():
                if not line.startswith("next: "):
                    yield line, False


def main():
    tune, model = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    lines = list(transcript(tune, model))
    width = LEFT * 2 + round(CHARACTER * max(len(line) for line, _ in lines))
    height = TOP + LINE * len(lines)
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
             "  <title>Three commands in a terminal: tune, compile, run</title>", f"  <style>{STYLE}\n  </style>",
             f'  <rect width="{width}" height="{height}" rx="6"/>']
    for number, (line, is_command) in enumerate(lines):
        style = ' class="command"' if is_command else ""
        drawn.append(f'  <text x="{LEFT}" y="{TOP + LINE * number}"{style}>{html.escape(line)}</text>')
    PICTURE.write_text("\n".join([*drawn, "</svg>", ""]))


if __name__ == "__main__":
    main()
