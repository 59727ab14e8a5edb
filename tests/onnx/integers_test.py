#!/usr/bin/env python3
"""Networks of plain integers through `tune run`: each operator's bytes against numpy's, and Deeploy's own.

    integers_test.py TUNE operators SHARD SHARDS
    integers_test.py TUNE {types,deeploy}
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

import deeploy
import integer_networks as networks
import integer_oracle as oracle

TUNE = sys.argv[1]


def run(path, folder, types, *more, verb="run"):
    given = [f"--input-type={name}={np.dtype(held).name}" for name, held in types.items() if held]
    return subprocess.run([TUNE, verb, "--model", str(path), "--device", "esp32c3", *given, *more],
                          capture_output=True, text=True, cwd=folder)


def operators(folder, shard, shards):
    """Kernels give the reference's bytes, and the reference gives numpy's."""
    for name in sorted(networks.CASES)[shard::shards]:
        model, held = networks.CASES[name]()
        path = folder / "net.onnx"
        onnx.save(model, str(path))
        feeds = networks.inputs_of(model, held, 7)
        files = []
        for i, values in enumerate(feeds.values()):
            (folder / f"x{i}").write_bytes(values.tobytes())
            files += ["--input", str(folder / f"x{i}")]
        done = run(path, folder, held, "--verify", *files, "--output", str(folder / "y"))
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
        kinds = deeploy.output_types(TUNE, folder, [f"--input-type={n}={np.dtype(h).name}"
                                                    for n, h in held.items() if h], "net.onnx")
        got = (folder / "y").read_bytes()
        values = oracle.run(model, feeds)
        for output, kind in zip(model.graph.output, kinds):
            want = values[output.name].astype(kind).tobytes()
            assert (values[output.name].astype(kind) == values[output.name]).all(), f"{name}: {output.name} is no {kind}"
            assert got[:len(want)] == want, f"{name}: {output.name} differs"
            got = got[len(want):]
        assert not got, name


def types(folder):
    """An input's type is what its readers leave, or the user's word; else one line asks for it."""
    path = folder / "net.onnx"

    def said(name, held, *more):
        model, _ = networks.CASES[name]()
        onnx.save(model, str(path))
        return run(path, folder, held, *more)

    asked = said("sums", {})
    assert asked.returncode == 2 and "'x', 'z' hold; give --input-type" in asked.stderr, asked.stderr
    assert len(asked.stderr.strip().splitlines()) == 1, asked.stderr
    asked = said("conv_sums", {})  # nothing tells it from a float32 network
    assert asked.returncode == 2 and "--input-type NAME=uint8|int8|int32" in asked.stderr, asked.stderr
    for wrong, line in (({"q": np.int8}, "no input 'q', but 'x', 'z'"), ({"x": np.int16}, "not 'x=int16'")):
        asked = said("sums", wrong)
        assert asked.returncode == 2 and line in asked.stderr, asked.stderr
    assert said("sums", {"*": np.int8}, "--verify").returncode == 0
    assert said("ita_max", {}).returncode == 0
    assert said("ita_max", {"x": np.uint8}, "--verify").returncode == 0
    assert said("joined", {"x": np.int32, "z": np.int8}, "--verify").returncode == 0


SAMPLE = ["Integer/Attention", "Conv/DW_2D_RQ", "GEMM/TransB_RQ", "Models/MLPerf/AnomalyDetection",
          "Models/CCT/Int/ICCT"]


def sample_of_deeploy(folder):
    shared = HERE.parents[2] / "shared" / "deeploy"
    if not shared.is_dir():
        print(f"skipped: Deeploy's networks are not at hand ({shared})")
        sys.exit(77)
    for path in deeploy.networks(shared, SAMPLE):
        result = deeploy.try_network(TUNE, path, "esp32c3", folder)
        assert result == "exact", f"{path}: {result}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if sys.argv[2] == "operators":
            operators(folder, int(sys.argv[3]), int(sys.argv[4]))
        else:
            {"types": types, "deeploy": sample_of_deeploy}[sys.argv[2]](folder)


if __name__ == "__main__":
    main()
