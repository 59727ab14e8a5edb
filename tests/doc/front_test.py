#!/usr/bin/env python3
"""Holds the README to what a newcomer needs on the first screen.

The first 40 lines say what the product does, for whom, how to install it, and that figures are simulated; they
hold one picture and no table of more than six rows. The picture is the one that the results page gives.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES = 160          # of the whole README
FIRST = 40           # lines of the first screen
ROWS = 6             # of a table there
PHRASES = {"what it does": "int8 neural network", "for whom": "firmware engineers", "how to install it": "## Install",
           "that figures are simulated": "simulated", "that no chip was measured": "no real chip has been measured"}


def failures(readme):
    lines = readme.split("\n")
    if len(lines) > LINES:
        yield f"README.md has {len(lines)} lines; at most {LINES}"
    first = re.sub(r"\s+", " ", " ".join(lines[:FIRST]))
    for what, phrase in PHRASES.items():
        if phrase not in first:
            yield f"README.md: the first {FIRST} lines do not say {what} ('{phrase}')"
    if (pictures := first.count("![")) != 1:
        yield f"README.md: the first {FIRST} lines have {pictures} pictures instead of one"
    table = 0
    for line in lines[:FIRST]:
        table = table + 1 if line.startswith("|") else 0
        if table > ROWS + 2:  # a head and a rule stand above the rows
            yield f"README.md: a table of the first {FIRST} lines has more than {ROWS} rows"
            break
    for target in re.findall(r"\]\(([^)#:]+)\)", readme):
        if not (ROOT / target).exists():
            yield f"README.md: there is no {target}"


def main():
    readme = (ROOT / "README.md").read_text()
    found = list(failures(readme))
    if not list(failures(readme.replace("simulated", "measured"))):
        found.append("front_test.py accepts a README that calls its figures measured")
    chart = subprocess.run([sys.executable, ROOT / "bench" / "results" / "chart.py", "--check"],
                           capture_output=True, text=True, check=False)
    if chart.returncode != 0:
        found.append(chart.stderr.strip())
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
