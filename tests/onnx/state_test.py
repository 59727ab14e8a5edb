#!/usr/bin/env python3
"""`--state` of ONNX networks: what a step leaves in an output, the next finds in an input.

    state_test.py TUNE {fed_back,without_passes,border,refused}
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bench" / "onnx"))

try:
    import numpy as np
    import onnx
except ImportError as missing:
    print(f"skipped: {missing}; install python3-onnx and python3-numpy")
    sys.exit(77)

import integer_oracle as oracle
from integer_networks import network, node, requant

TUNE = sys.argv[1]
STEPS, ROWS = 5, 3
# Of one shape; longer by the new row; the new row alone.
STATES = {"sum": "sum_next", "longer": "rows", "shorter": "row"}
INPUTS = {"x": [1, 1, 4], "sum": [1, 1, 4], "longer": [1, ROWS, 4], "shorter": [1, ROWS, 4]}


def remembering():
    return network(
        [node("Add", "x sum", "s"), requant("s", "sum_next", bits=8), node("Identity", "sum_next", "c"),
         requant("x", "row", bits=8), node("Concat", "longer row", "rows", axis=1),
         node("Transpose", "rows", "columns", perm=[0, 2, 1]), node("MatMul", "x columns", "scores"),
         requant("scores", "a"), node("Transpose", "shorter", "turned", perm=[0, 2, 1]),
         node("MatMul", "row turned", "m"), requant("m", "b")],
        INPUTS, ["a", "sum_next", "rows", "b", "row", "c"], {"mul": 200, "add": 77})


def run(folder, *more, verb="run"):
    return subprocess.run([TUNE, verb, "--model", "net.onnx", "--device", "esp32c3", "--input-type=*=int8", *more],
                          capture_output=True, text=True, cwd=folder)


def by_hand(model, inputs):
    """The network without state, its outputs fed back."""
    kept = {name: np.zeros(INPUTS[name], np.int64) for name in STATES}
    for x in inputs:
        values = oracle.run(model, {"x": x, **kept})
        for name in "abc":
            yield values[name].astype(np.int8).tobytes()
        kept = {"sum": values["sum_next"], "longer": values["rows"][:, -ROWS:],
                "shorter": np.concatenate([kept["shorter"], values["row"]], 1)[:, -ROWS:]}


OPTIONS = [f"--state={name}={output}" for name, output in STATES.items()]


def fed_back(folder, *more):
    model = remembering()
    onnx.save(model, str(folder / "net.onnx"))
    inputs = np.random.RandomState(3).randint(-128, 128, (STEPS, *INPUTS["x"])).astype(np.int8)
    (folder / "x").write_bytes(inputs.tobytes())
    done = run(folder, *OPTIONS, *more, "--steps", str(STEPS), "--input", "x", "--output", "y", "--verify")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "y").read_bytes() == b"".join(by_hand(model, inputs)), "not what feeding back gives"


def without_passes(folder):
    fed_back(folder, "--disable-pass=all")


def border(folder):
    """Neither end is an input or an output any more, and the package can forget."""
    onnx.save(remembering(), str(folder / "net.onnx"))
    made = run(folder, *OPTIONS, "-o", "package", verb="compile")
    assert made.returncode == 0, made.stderr
    header = next((folder / "package").rglob("net.h")).read_text()
    assert "net_reset" in header and "net_input_1" not in header and "net_output_3" not in header, header


def refused(folder):
    onnx.save(remembering(), str(folder / "net.onnx"))
    for options, why in ((["sum"], "--state is INPUT=OUTPUT, not 'sum'"),
                         (["nothing=rows"], "the inputs are 'x', 'sum', 'longer', 'shorter'"),
                         (["sum=nothing"], "the outputs are 'a', 'sum_next', 'rows', 'b', 'row', 'c'"),
                         (["x=a", "x=b"], "one of the two is named before"),
                         (["longer=b"], "'longer=b': int8 [1, 1, 3] is no state of int8 [1, 3, 4]")):
        done = run(folder, *(f"--state={option}" for option in options))
        assert done.returncode == 2 and why in done.stderr, done.stderr
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    onnx.save(network([requant("x", "y"), node("Flatten", "y", "flat"), requant("z", "w")], {"x": [1, 1, 4], "z": [2]},
                      ["flat", "w"], {"mul": 200, "add": 77}), str(folder / "net.onnx"))
    done = run(folder, "--state=x=flat")
    assert done.returncode == 2 and "int8 [1, 4] is no state of int8 [1, 1, 4]" in done.stderr, done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        cases = {"fed_back": fed_back, "without_passes": without_passes, "border": border, "refused": refused}
        cases[sys.argv[2]](pathlib.Path(folder))


if __name__ == "__main__":
    main()
