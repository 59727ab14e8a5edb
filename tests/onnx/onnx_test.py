#!/usr/bin/env python3
"""Small ONNX exports through `tune run`: every layer's bytes against the oracle in bench/onnx, single
operators against onnxruntime's own answers.

    onnx_test.py TUNE {qdq,uint8,ties,qlinear,refusals}
    onnx_test.py TUNE answers SHARD SHARDS
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "bench" / "onnx"))

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}; install python3-onnx and python3-numpy")
    sys.exit(77)

import cases as models
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


def answers(folder, shard, shards):
    """The reference gives onnxruntime's bytes for every model of bench/onnx/cases.py, and kernels
    give the reference's for one in eight of them, and where onnxruntime gives none."""
    wanted = json.loads((HERE / "onnxruntime_answers.json").read_text())
    names = sorted(models.CASES)
    assert names == sorted(wanted), "write the answers anew: bench/onnx/against_onnxruntime.py --write"
    for i in range(shard, len(names), shards):
        name = names[i]
        net, outputs = models.CASES[name](1)
        path = folder / f"{name}.onnx"
        onnx.save(net.model(*outputs), str(path))
        inputs = [np.ascontiguousarray(given).tobytes() for given in net.values(0)]
        if wanted[name] is None or i // shards % 8 == 0:
            given = ["--verify"]
            for j, one in enumerate(inputs):
                (folder / f"x{j}").write_bytes(one)
                given += ["--input", str(folder / f"x{j}")]
        else:
            (folder / "x").write_bytes(b"".join(inputs))
            given = ["--reference", "--inputs", str(folder / "x")]
        done = run(path, folder, *given, "--output", str(folder / "y"))
        assert done.returncode == 0, name + ": " + done.stdout + done.stderr
        got = hashlib.sha256((folder / "y").read_bytes()).hexdigest()
        assert wanted[name] in (None, got), f"{name}: not onnxruntime's bytes"


def refusals(folder):
    """One line that says what is missing, and a code that is not zero."""
    value = helper.make_tensor_value_info

    def network(nodes, x, constants=(), opset=13):
        graph = helper.make_graph(nodes, "case", [value("x", *x)], [], [
            numpy_helper.from_array(np.asarray(a), n) for n, a in constants])
        graph.output.add().name = nodes[-1].output[0]
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])

    node = helper.make_node
    relu = [node("Relu", ["x"], ["y"])]
    four = (TensorProto.FLOAT, [1, 4])
    scales = [("s", np.float32(0.1)), ("z", np.int8(0)), ("w", np.ones((4, 3), np.int8)),
              ("f", np.ones((4, 3), np.float32))]
    quantised = [node("QuantizeLinear", ["x", "s", "z"], ["q"]),
                 node("DequantizeLinear", ["q", "s", "z"], ["d"])]
    weights = [node("DequantizeLinear", ["w", "s", "z"], ["dw"])]
    last = [node("QuantizeLinear", ["m", "s", "z"], ["y"])]
    image = (TensorProto.FLOAT, [1, 2, 4, 4])
    scales += [("twos", np.float32([1, 1, 2, 2])), ("threes", np.float32([1, 1, 3, 3]))]
    cases = {
        "float": (network(relu, four), "static_quantize_runner"),
        "half": (network(relu, (TensorProto.FLOAT16, [1, 4])), "is float16"),
        "old": (network(relu, four, opset=6), "opset 7 or later"),
        "dynamic": (network(relu, (TensorProto.FLOAT, [1, "n"])), "dynamic shape"),
        "float_weights": (network(quantised + [node("MatMul", ["d", "f"], ["m"])] + last, four,
                                  scales), "weights in float32"),
        "half_weights": (network([node("Cast", ["x"], ["c"], to=TensorProto.FLOAT16),
                                  node("MatMul", ["c", "half"], ["m"]),
                                  node("Cast", ["m"], ["y"], to=TensorProto.FLOAT)], four,
                                 [("half", np.ones((4, 3), np.float16))]),
                         "computes in float16; export it in float32"),
        "float_result": (network(quantised + [node("Sigmoid", ["d"], ["y"])], four, scales),
                         "QuantizeLinear and DequantizeLinear are missing behind"),
        "float_sums": (network(quantised + [node("DequantizeLinear", ["w", "threes3", "zeros"], ["dw"], axis=1),
                                            node("MatMul", ["d", "dw"], ["y"])], four,
                               scales + [("threes3", np.float32([1, 2, 3])), ("zeros", np.zeros(3, np.int8))]),
                       "an output in float32 of several weight scales"),
        "transposed_scales": (network([
            node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["d"]),
            node("DequantizeLinear", ["wt", "two", "zeros2"], ["dw"], axis=0),
            node("ConvTranspose", ["d", "dw"], ["m"], strides=[2, 2])] + last, image,
            scales + [("wt", np.ones((2, 2, 2, 2), np.int8)), ("two", np.float32([1, 2])),
                      ("zeros2", np.zeros(2, np.int8))]),
            "weight scales along another axis than outputs"),
        "float_between": (network(quantised + weights + [
            node("MatMul", ["d", "dw"], ["a"]), node("Softmax", ["a"], ["m"])] + last, four, scales),
            "comes from MatMul without QuantizeLinear"),
        "float_operand": (network(weights + [node("MatMul", ["x", "dw"], ["m"])] + last, four, scales),
                          "'x' is float32"),
        "at_run_time": (network([node("DynamicQuantizeLinear", ["x"], ["y", "ys", "yz"])], four),
                        "quantise the network statically"),
        "unknown": (network(quantised + [node("Det", ["d"], ["m"])] + last, four, scales),
                    "operator 2 Det: not supported"),
        "other_type": (network([node("QuantizeLinear", ["x", "s", "z"], ["q"]),
                                node("DequantizeLinear", ["q", "s", "u"], ["y"])], four,
                               scales + [("u", np.uint8(0))]), "is int8 and its zero point uint8"),
        "sums": (network([node("MulInteger", ["x", "w"], ["y"], domain="com.microsoft")],
                         (TensorProto.INT8, [1, 4]), scales), "a result of int32 sums"),
        "sixteen_bits": (network([node("QuantizeLinear", ["x", "s", "h"], ["q"]),
                                  node("DequantizeLinear", ["q", "s", "h"], ["y"])], four,
                                 scales + [("h", np.int16(0))], 21),
                         "'h' is int16; onnxruntime computes 16-bit networks in float32"),
        "sixteen_bits_named": (network([node("QuantizeLinear", ["x", "s"], ["q"], output_dtype=5),
                                        node("DequantizeLinear", ["q", "s"], ["y"])], four, scales, 21),
                               "its result is int16; onnxruntime"),
        "four_bits": (network([node("QuantizeLinear", ["x", "s"], ["q"], output_dtype=22),
                               node("DequantizeLinear", ["q", "s"], ["y"])], four, scales, 21),
                      "activations of 4 bits"),
        "last_softmax": (network(quantised + [node("Softmax", ["d"], ["y"])], four, scales),
                         "compute it in the application"),
        "places": (network(quantised + [node("ArgMax", ["d"], ["a"]), node("Transpose", ["a"], ["y"])],
                           four, scales), "'a' is int64, not int8 or uint8"),
        "other_layout": (network([node("QLinearConv", ["x"] * 9, ["y"], domain="com.ms.internal.nhwc")],
                                 four, scales), "save the network before onnxruntime optimises it"),
        "normalised": (network(quantised + [node("BatchNormalization", ["d", "f", "f", "f", "f"], ["m"])] + last,
                               four, scales), "fold it into the convolution"),
        "selected": (network(quantised + [node("TopK", ["d", "one"], ["m", "i"])] + last, four,
                             scales + [("one", np.int64([1]))]), "end the network before it"),
        "linear_thirds": (network([node("QuantizeLinear", ["x", "s", "z"], ["q"]),
                                   node("Resize", ["q", "", "threes"], ["m"], mode="linear"),
                                   node("DequantizeLinear", ["m", "s", "z"], ["y"])], image, scales),
                          "mode linear by scales whose weights float32 rounds"),
        "linear_reals": (network(quantised + [node("Resize", ["d", "", "twos"], ["m"], mode="linear")] + last,
                                 image, scales), "mode linear of real numbers"),
        "linear_result": (network(quantised + [node("Resize", ["d", "", "twos"], ["y"], mode="linear")],
                                  image, scales), "mode linear of real numbers"),
        "added_bias": (network(quantised + [
            node("DequantizeLinear", ["k", "s", "z"], ["dk"]), node("Conv", ["d", "dk"], ["c"]),
            node("Add", ["c", "b"], ["m"])] + last, image,
                               scales + [("k", np.ones((3, 2, 1, 1), np.int8)),
                                         ("b", np.float32([[[1]], [[2]], [[3]]]))]),
                       "a bias in float32 behind Conv"),
        "filled": (network([node("ConstantOfShape", ["one"], ["h"], value=numpy_helper.from_array(
            np.float16([1]))), *quantised, node("Mul", ["d", "h"], ["m"]), *last], four,
                           scales + [("one", np.int64([1]))]),
                   "a value that is no single number of a type known here"),
        "several_scales": (network([node("DequantizeLinear", ["x", "twos", "fours"], ["y"], axis=1)],
                                   (TensorProto.INT8, [1, 4]),
                                   scales + [("fours", np.zeros(4, np.int8))]),
                           "an activation with several scales"),
        "added_pads": (network([node("QLinearAveragePool", ["x", "s", "b", "s", "b"], ["y"],
                                     domain="com.microsoft", kernel_shape=[2, 2, 2],
                                     pads=[1, 1, 1, 0, 0, 0])],
                               (TensorProto.UINT8, [1, 2, 4, 4, 4]), scales + [("b", np.uint8(0))]),
                       "pads that do not count, of windows of three axes"),
        "weights_only": (network([node("MatMulNBits", ["x", "w", "s"], ["m"], domain="com.microsoft"),
                                  node("QuantizeLinear", ["m", "s", "z"], ["y"])], four, scales),
                         "quantise activations too")}
    for name, (model, says) in cases.items():
        onnx.save(model, str(folder / f"{name}.onnx"))
        done = run(folder / f"{name}.onnx", folder)
        assert done.returncode == 2, (name, done.returncode, done.stderr)
        assert says in done.stderr and len(done.stderr.splitlines()) == 1, (name, done.stderr)
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
        elif sys.argv[2] == "answers":
            answers(folder, int(sys.argv[3]), int(sys.argv[4]))
        else:
            {"qlinear": qlinear, "refusals": refusals}[sys.argv[2]](folder)


if __name__ == "__main__":
    main()
