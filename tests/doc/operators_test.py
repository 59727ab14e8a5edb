#!/usr/bin/env python3
"""doc/operators.md is what `tune ops` says: operators_test.py TUNE [--write]"""
import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "doc" / "operators.md"
HEAD = """# Supported operators

TensorFlow Lite's operators as `tune ops` lists them: which are tuned (a template searches for their kernels), which are
generated C, and within what limits. Everything else is refused in one line that names the operator.
`tests/doc/operators_test.py TUNE --write` writes this page.

| operator | computed by | limits |
|---|---|---|
"""


def page(operators):
    how = {True: "tuned kernels", False: "generated C"}
    return HEAD + "".join(f"| {op['name']} | {how[op['tuned']]} | {op['limits']} |\n"
                          for op in operators if op["state"] == "supported")


def main():
    tune, *flags = sys.argv[1:]
    told = json.loads(subprocess.run([tune, "ops", "--json"], check=True, capture_output=True, text=True).stdout)
    wanted = page(told["operators"])
    if flags == ["--write"]:
        PAGE.write_text(wanted)
    elif not PAGE.exists() or PAGE.read_text() != wanted:
        sys.exit(f"doc/operators.md is of another version: tests/doc/operators_test.py {tune} --write")


if __name__ == "__main__":
    main()
