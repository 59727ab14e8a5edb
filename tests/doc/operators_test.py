#!/usr/bin/env python3
"""doc/operators.md is what `tune ops` says, and doc/reference.md names each operator's source function in
TensorFlow Lite Micro: operators_test.py TUNE [--write]"""
import json
import pathlib
import re
import subprocess
import sys

DOC = pathlib.Path(__file__).resolve().parents[2] / "doc"
PAGE = DOC / "operators.md"
HEAD = """# Operators: int8 and int16

TensorFlow Lite's operators as `tune ops` lists them: which are tuned (a template searches for their kernels), which are
generated C, and within what limits. Everything else is refused in one line that names the operator.
`tests/doc/operators_test.py TUNE --write` writes this page.

| operator | computed by | limits |
|---|---|---|
"""


ONNX = """
## ONNX

Of quantised ONNX networks (QDQ and QLinear operators, opset 7 on, int8 and uint8): {names}. What each computes, and where
that is onnxruntime's result, says [reference.md](reference.md). Functions of one number (Relu to Softsign, also
several after each other, and with constant operands) become one table of 256 bytes. Between operators on real numbers stand
QuantizeLinear and DequantizeLinear; what is missing is said where a network is refused.

Of networks of plain integers, Deeploy's and QuantLib's dialect (tensors declared float32 that hold integers, without scales):
{integers}. [reference.md](reference.md) has their meaning. What an input holds is said by what reads it or
by `--input-type NAME=uint8|int8|int32`.
"""


def page(told):
    how = {True: "tuned kernels", False: "generated C"}
    rows = "".join(f"| {op['name']} | {how[op['tuned']]} | {op['limits']} |\n"
                   for op in told["operators"] if op["state"] == "supported")
    return HEAD + rows + ONNX.format(names=", ".join(told["onnx"]),
                                    integers=", ".join(told["onnx_integers"]))


def without_source(operators):
    """Those that doc/reference.md names in no row or paragraph that also names a function or a file of theirs."""
    pages = (DOC / "reference.md").read_text()
    parts = re.split(r"\n(?=\|)|\n\n", pages)  # rows of tables, and paragraphs
    sourced = set()
    for part in parts:
        if re.search(r"`[\w:<>, ]*[a-z0-9][A-Z]\w*|`kernels/\w+\.cc`|\bcopy\b|copies", part):
            sourced.update(re.findall(r"\b[A-Z][A-Z0-9_]+\b", part))
    return [op["name"] for op in operators if op["state"] == "supported" and op["name"] not in sourced]


def main():
    tune, *flags = sys.argv[1:]
    told = json.loads(subprocess.run([tune, "ops", "--json"], check=True, capture_output=True, text=True).stdout)
    if missing := without_source(told["operators"]):
        sys.exit(f"doc/reference.md does not name the source functions of {', '.join(missing)}")
    wanted = page(told)
    if flags == ["--write"]:
        PAGE.write_text(wanted)
    elif not PAGE.exists() or PAGE.read_text() != wanted:
        sys.exit(f"doc/operators.md is of another version: tests/doc/operators_test.py {tune} --write")


if __name__ == "__main__":
    main()
