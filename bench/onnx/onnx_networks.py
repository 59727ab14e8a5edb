#!/usr/bin/env python3
"""Exports of the four MLPerf Tiny networks' shapes through `tune`: tuned, run, compared byte for byte.

    bench/onnx/onnx_networks.py --tune build/tune --device esp32c3 --trials 16

Each network is written by exports.py, tuned, and run in the simulator on seeded inputs and on the ends
of their range; outputs are compared with oracle.py. --all-layers makes every layer's bytes an
output. Exit code 1 after a difference, 77 without Debian's python3-onnx.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
except ImportError as missing:
    print(f"skipped: {missing}; install python3-onnx and python3-numpy")
    sys.exit(77)

import exports
import oracle


def expected(model, given):
    values = oracle.run(model, {"input": given})
    return b"".join(np.ascontiguousarray(oracle.real_of(values[o.name])).tobytes()
                    for o in model.graph.output)


def try_network(export, arguments, folder):
    model = export.model(arguments.all_layers)
    path = folder / f"{export.name}.onnx"
    onnx.save(model, str(path))
    common = ["--model", str(path), "--device", arguments.device]
    records = []
    if arguments.trials:
        records = ["--records", str(folder / f"{export.name}.jsonl")]
        subprocess.run([arguments.tune, *common, "--trials", str(arguments.trials), *records],
                       check=True, stdout=subprocess.DEVNULL, cwd=folder)
    compared = 0
    for i, given in enumerate(exports.inputs_of(export, arguments.seed)):
        (folder / "x.bin").write_bytes(given.tobytes())
        run = subprocess.run([arguments.tune, "run", *common, *records, "--verify",
                              "--input", str(folder / "x.bin"), "--output", str(folder / "y.bin")],
                             capture_output=True, text=True, cwd=folder)
        if run.returncode != 0:
            print(f"{export.name}: input {i}: {run.stdout}{run.stderr}")
            return False
        got, want = (folder / "y.bin").read_bytes(), expected(model, given)
        compared += len(want)
        if got != want:
            size = len(got) == len(want)
            wrong = sum(a != b for a, b in zip(got, want))
            print(f"{export.name}: input {i}: " +
                  (f"{wrong} of {len(want)} bytes differ" if size else "another size"))
            return False
        if i + 1 == arguments.inputs:
            break
    total = [line for line in run.stdout.splitlines() if line.startswith("total")]
    print(f"{export.name}: exact, {compared} bytes of outputs; {' '.join(total)}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tune", required=True, type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--device", default="esp32c3")
    parser.add_argument("--networks", default=",".join(exports.NETWORKS))
    parser.add_argument("--trials", type=int, default=0, help="a network; 0: default schedules")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inputs", type=int, default=5, help="at most 5: random, ends, ties")
    parser.add_argument("--all-layers", action="store_true")
    arguments = parser.parse_args()
    exact = True
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.networks.split(","):
            export = exports.NETWORKS[name](arguments.seed)
            exact = try_network(export, arguments, pathlib.Path(folder)) and exact
    sys.exit(0 if exact else 1)


if __name__ == "__main__":
    main()
