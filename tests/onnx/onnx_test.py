#!/usr/bin/env python3
"""Small ONNX exports through `tune run`: every layer's bytes against the oracle in bench/onnx.

    onnx_test.py TUNE {qdq,uint8,ties,qlinear,refusals}
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench" / "onnx"))

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}; install python3-onnx and python3-numpy")
    sys.exit(77)

import exports
import oracle

TUNE = sys.argv[1]


def run(path, folder, *more):
    return subprocess.run([TUNE, "run", "--model", str(path), "--device", "esp32c3", *more],
                          capture_output=True, text=True, cwd=folder)


def compare(model, inputs, folder):
    path = folder / "net.onnx"
    onnx.save(model, str(path))
    for i, given in enumerate(inputs):
        (folder / "x").write_bytes(given.tobytes())
        done = run(path, folder, "--verify", "--input", str(folder / "x"), "--output",
                   str(folder / "y"))
        assert done.returncode == 0, done.stdout + done.stderr
        values = oracle.run(model, {model.graph.input[0].name: given})
        got = (folder / "y").read_bytes()
        for output in model.graph.output:
            want = np.ascontiguousarray(oracle.real_of(values[output.name])).tobytes()
            assert got[:len(want)] == want, f"{output.name} of input {i} differs"
            got = got[len(want):]
        assert not got


def qlinear(folder):
    """Convolution and product of bytes, uint8 in and out."""
    random = np.random.RandomState(5)
    constants = {
        "xs": np.float32(0.02), "xz": np.uint8(120), "ws": np.float32([0.01, 0.02, 0.005, 0.01]),
        "wz": np.zeros(4, np.int8), "w": random.randint(-127, 128, (4, 2, 3, 3)).astype(np.int8),
        "b": random.randint(-3000, 3000, 4).astype(np.int32), "ys": np.float32(0.07),
        "yz": np.uint8(131), "shape": np.int64([1, -1]), "ms": np.float32(0.004),
        "mz": np.int8(0), "m": random.randint(-127, 128, (64, 3)).astype(np.int8),
        "zs": np.float32(0.11), "zz": np.uint8(125)}
    nodes = [helper.make_node("QLinearConv", "x xs xz w ws wz ys yz b".split(), ["y"],
                              pads=[1, 1, 1, 1]),
             helper.make_node("DequantizeLinear", ["y", "ys", "yz"], ["r"]),
             helper.make_node("Reshape", ["r", "shape"], ["flat"]),
             helper.make_node("QuantizeLinear", ["flat", "ys", "yz"], ["q"]),
             helper.make_node("QLinearMatMul", "q ys yz m ms mz zs zz".split(), ["z"])]
    graph = helper.make_graph(
        nodes, "qlinear", [helper.make_tensor_value_info("x", TensorProto.UINT8, [1, 2, 4, 4])],
        [helper.make_tensor_value_info("z", TensorProto.UINT8, [1, 3])],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    compare(model, [random.randint(0, 256, (1, 2, 4, 4)).astype(np.uint8),
                    np.full((1, 2, 4, 4), 255, np.uint8)], folder)


def refusals(folder):
    """One line that says what to do, and a code that is not zero."""
    value = helper.make_tensor_value_info
    floats = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])], "float",
        [value("x", TensorProto.FLOAT, [1, 4])], [value("y", TensorProto.FLOAT, [1, 4])])
    dynamic = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])], "dynamic",
        [value("x", TensorProto.FLOAT, [1, "n"])], [value("y", TensorProto.FLOAT, [1, "n"])])
    cases = {
        "float.onnx": (helper.make_model(floats), "static_quantize_runner"),
        "old.onnx": (helper.make_model(floats, opset_imports=[helper.make_opsetid("", 10)]),
                     "opset 13 or later"),
        "dynamic.onnx": (helper.make_model(dynamic), "dynamic shape")}
    for name, (model, says) in cases.items():
        onnx.save(model, str(folder / name))
        done = run(folder / name, folder)
        assert done.returncode == 2, (name, done.returncode, done.stderr)
        assert says in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    (folder / "damaged.onnx").write_bytes(b"\x08\x07:\xff\xff\x01network")
    done = run(folder / "damaged.onnx", folder)
    assert done.returncode == 2 and "damaged" in done.stderr, done.stderr


def main():
    kinds = {"qdq": (np.int8, False), "uint8": (np.uint8, False), "ties": (np.int8, True)}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if sys.argv[2] in kinds:
            export = exports.small(3, *kinds[sys.argv[2]])
            compare(export.model(all_layers=True), exports.inputs_of(export, 3), folder)
        else:
            {"qlinear": qlinear, "refusals": refusals}[sys.argv[2]](folder)


if __name__ == "__main__":
    main()
