#!/usr/bin/env python3
"""Deeploy's integer networks through `tune run --verify`, compared with the answers beside them.

    bench/onnx/deeploy.py --tune build/tune [--device esp32c3 cortex-m4] [--networks Models/CCT …] [FOLDER]

FOLDER (../shared/deeploy unless said) holds folders with network.onnx, inputs.npz and outputs.npz, as
Deeploy's DeeployTest/Tests has them. Which integers an input holds is taken from its values: int8 where
they lie in -128 to 127, uint8 in 0 to 255, else int32. --trials N tunes each network first. Prints a
line for each network, with `exact` or what is wrong by device; exit code 1 after a difference, 77
without the folder or Debian's python3-onnx.
"""

import argparse
import json
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

HERE = pathlib.Path(__file__).resolve().parent
DEVICES = ["esp32c3", "cortex-m4", "stm32f7"]


def networks(folder, parts=()):
    found = sorted(path.parent for path in folder.rglob("network.onnx"))
    return [path for path in found if not parts or any(part in str(path) for part in parts)]


def type_of(values):
    if values.min() >= -128 and values.max() <= 127:
        return "int8"
    return "uint8" if values.min() >= 0 and values.max() <= 255 else "int32"


def read_case(path):
    """Inputs by name, those without elements left out, and the wanted outputs in order."""
    graph = onnx.load(str(path / "network.onnx")).graph
    constants = {t.name for t in graph.initializer}
    names = [value.name for value in graph.input if value.name not in constants]
    given, wanted = np.load(path / "inputs.npz"), np.load(path / "outputs.npz")
    inputs = {name: given[key] for name, key in zip(names, given.files)}
    return {n: x for n, x in inputs.items() if x.size}, [wanted[key] for key in wanted.files]


def output_types(tune, path, types, name="network.onnx"):
    done = subprocess.run([tune, "inspect", str(path / name), "--json", *types],
                          capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()
    return [output["type"] for output in json.loads(done.stdout)["outputs"]]


def try_network(tune, path, device, folder, trials=0):
    """`exact`, or what is wrong."""
    inputs, wanted = read_case(path)
    types, files = [], []
    for i, (name, values) in enumerate(inputs.items()):
        kind = type_of(values)
        (folder / f"x{i}").write_bytes(values.astype(kind).tobytes())
        types += ["--input-type", f"{name}={kind}"]
        files += ["--input", str(folder / f"x{i}")]
    kinds = output_types(tune, path, types)
    if isinstance(kinds, str):
        return f"refused: {kinds}"
    common = ["--model", str(path / "network.onnx"), "--device", device, *types]
    if trials:
        records = ["--records", str(folder / "records.jsonl")]
        (folder / "records.jsonl").unlink(missing_ok=True)
        done = subprocess.run([tune, *common, "--trials", str(trials), "--quiet", *records], cwd=folder,
                              capture_output=True, text=True)
        if done.returncode:
            return f"not tuned: {(done.stdout + done.stderr).strip()[-200:]}"
        common += records
    done = subprocess.run([tune, "run", *common, "--verify", *files, "--output", str(folder / "y")],
                          cwd=folder, capture_output=True, text=True)
    if done.returncode:
        return f"failed: {(done.stdout + done.stderr).strip()[-200:]}"
    got = (folder / "y").read_bytes()
    for i, want in enumerate(wanted):
        want = want.reshape(-1).astype(np.int64)
        size = want.size * np.dtype(kinds[i]).itemsize
        if not np.array_equal(np.frombuffer(got[:size], kinds[i]).astype(np.int64), want):
            return f"differs: output {i}"
        got = got[size:]
    return "exact" if not got else "differs: more bytes than wanted"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=HERE.parents[2] / "shared" / "deeploy")
    parser.add_argument("--tune", required=True)
    parser.add_argument("--device", nargs="+", default=DEVICES)
    parser.add_argument("--networks", nargs="+", default=[], help="parts of folders' names")
    parser.add_argument("--trials", type=int, default=0)
    arguments = parser.parse_args()
    arguments.tune = str(pathlib.Path(arguments.tune).resolve())
    found = networks(arguments.folder, arguments.networks)
    if not found:
        print(f"skipped: no networks in {arguments.folder}")
        return 77
    exact = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in found:
            results = {device: try_network(arguments.tune, path, device, pathlib.Path(folder), arguments.trials)
                       for device in arguments.device}
            exact += all(result == "exact" for result in results.values())
            print(path.relative_to(arguments.folder), *(f"{d}: {r}" for d, r in results.items()), sep="  ", flush=True)
    print(f"{exact} of {len(found)} networks exact on {', '.join(arguments.device)}")
    return 0 if exact == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
