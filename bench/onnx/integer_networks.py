"""Small networks of plain integers, one for each operator of the dialect and for what joins them.

CASES[name]() is (model, {input: dtype}): dtype is what an input holds, None where the network says it.
Tensors are declared float32 and hold integers, as Deeploy's and QuantLib's exporters write them.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def network(nodes, inputs, outputs, constants=()):
    """`inputs`: name to shape; `constants`: name to array."""
    value = helper.make_tensor_value_info
    named = [numpy_helper.from_array(np.asarray(array, np.int64 if array_is_shape(name) else np.float32), name)
             for name, array in dict(constants).items()]
    graph = helper.make_graph(
        nodes, "integers", [value(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [value(name, TensorProto.FLOAT, None) for name in outputs], named)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 10),
                                                   helper.make_opsetid("PACTOps", 1)])


def array_is_shape(name):
    return name.startswith("shape")


def number(name, value):
    """An attribute as QuantLib writes one: a tensor of one float."""
    return helper.make_attribute(name, helper.make_tensor(name, TensorProto.FLOAT, [1], [float(value)]))


def node(op, inputs, outputs="y", numbers=(), **attributes):
    made = helper.make_node(op, inputs.split(), outputs.split(), **attributes)
    made.attribute.extend(number(*pair) for pair in dict(numbers).items())
    return made


def requant(x, y, multiplier="mul", addend="add", bits=16, signed=1, levels=256):
    return node("RequantShift", f"{x} {multiplier} {addend}", y,
                {"div": 1 << bits, "n_levels_out": levels, "signed": signed})


def random(seed):
    return np.random.RandomState(seed)


def weights(seed, *shape, low=-128, high=128):
    return random(seed).randint(low, high, shape)


def convolution(seed, x, w, signed, held, bias=False, levels=256, **attributes):
    """Conv and a RequantShift by channel."""
    def make():
        r = random(seed)
        channels = (w[0],) + (1,) * (len(w) - 2)
        constants = {"w": weights(seed, *w), "mul": r.randint(10, 400, channels),
                     "add": r.randint(-2 ** 20, 2 ** 20, channels)}
        if bias:
            constants["b"] = r.randint(-9000, 9000, w[0])
        nodes = [node("Conv", "x w" + (" b" if bias else ""), "c", kernel_shape=list(w[2:]), **attributes),
                 requant("c", "y", signed=signed, levels=levels)]
        return network(nodes, {"x": x}, ["y"], constants), {"x": held}
    return make


def single(made, inputs, held, constants=(), outputs=("y",)):
    return lambda: (network([made] if not isinstance(made, list) else made, inputs, list(outputs), constants), held)


I8, U8, I32 = np.int8, np.uint8, np.int32
SCALED = {"mul": 300, "add": -70000}
SOFTMAX = {"coeffA": 1, "coeffB": 173, "coeffC": 15599, "log2": 127, "n_levels": 256}

CASES = {
    "conv_signed": convolution(1, [1, 3, 7, 9], (5, 3, 3, 3), 1, U8, pads=[1, 1, 1, 1], strides=[2, 1]),
    "conv_unsigned": convolution(2, [1, 4, 6, 6], (8, 4, 1, 1), 0, I8, bias=True),
    "conv_depthwise": convolution(3, [1, 6, 8, 8], (6, 1, 3, 3), 0, U8, group=6, pads=[1, 1, 1, 1]),
    "conv_groups": convolution(4, [1, 6, 5, 5], (4, 3, 3, 3), 1, I8, group=2, dilations=[1, 2]),
    "conv_row": convolution(5, [1, 4, 20], (6, 4, 5), 1, I8, pads=[2, 1], strides=[3]),
    "conv_few_levels": convolution(6, [1, 3, 6, 6], (4, 3, 3, 3), 1, I8, levels=16),
    "conv_sums": single(node("Conv", "x w", group=2, pads=[1, 0, 1, 2], kernel_shape=[3, 3]), {"x": [1, 4, 6, 7]},
                        {"x": U8}, {"w": weights(7, 6, 2, 3, 3)}),
    "conv_of_int32": single(node("Conv", "x w", pads=[1, 1], kernel_shape=[3]), {"x": [1, 3, 9]}, {"x": I32},
                            {"w": weights(8, 2, 3, 3)}),
    "conv_large_weights": single([node("Conv", "x w", "c", kernel_shape=[2, 2]), requant("c", "y")],
                                 {"x": [1, 2, 5, 5]}, {"x": I8}, {"w": weights(9, 3, 2, 2, 2, low=-900, high=900),
                                                                  **SCALED}),
    "conv_uint8_weights": single([node("Conv", "x w", "c", kernel_shape=[2, 2]), requant("c", "y")],
                                 {"x": [1, 2, 5, 5]}, {"x": I8}, {"w": weights(10, 3, 2, 2, 2, low=0, high=256),
                                                                  **SCALED}),
    "conv_falling": single([node("Conv", "x w", "c", kernel_shape=[1, 1]), requant("c", "y", signed=0)],
                           {"x": [1, 4, 3, 3]}, {"x": U8}, {"w": weights(11, 3, 4, 1, 1),
                                                            "mul": np.array([[[-200]], [[0]], [[90]]]),
                                                            "add": 9}),
    "dense": single([node("Gemm", "x w b", "g", transB=1), requant("g", "y")], {"x": [3, 40]}, {"x": I8},
                    {"w": weights(12, 10, 40), "b": weights(12, 10, low=-5000, high=5000),
                     "mul": random(12).randint(20, 90, 10), "add": random(13).randint(-90000, 90000, 10)}),
    "dense_by_rows": single([node("Gemm", "x w c", "g", transB=1), requant("g", "y")], {"x": [4, 12]}, {"x": I8},
                            {"w": weights(14, 3, 12), "c": weights(15, 4, 3, low=-999, high=999),
                             "mul": random(14).randint(20, 90, (4, 1)), "add": np.zeros((4, 1))}),
    "dense_factors": single(node("Gemm", "x w c", transA=1, alpha=2.0, beta=3.0), {"x": [12, 4]}, {"x": U8},
                            {"w": weights(16, 12, 5, low=-60, high=60), "c": weights(17, 5)}),
    "dense_factors_of_many": single(node("Gemm", "x w c", alpha=3.0), {"x": [2, 6]}, {"x": I8},
                                    {"w": weights(18, 6, 5), "c": weights(19, 2, 5)}),
    "matmul_added": single([node("MatMul", "x w", "m"), node("Add", "b m", "s"), requant("s", "y", signed=0)],
                           {"x": [1, 6, 32]}, {"x": I8}, {"w": weights(20, 32, 24), "b": weights(21, 24), **SCALED}),
    "matmul_computed": single([node("MatMul", "x z", "m"), requant("m", "y")],
                              {"x": [2, 5, 16], "z": [2, 16, 7]}, {"x": U8, "z": I8}, SCALED),
    "matmul_by_batch": single([node("MatMul", "x z", "m"), requant("m", "y")],
                              {"x": [1, 2, 5, 16], "z": [1, 2, 16, 7]}, {"x": I8, "z": I8},
                              {"mul": np.array([40, 90]).reshape(1, 2, 1, 1), "add": np.zeros((1, 2, 1, 1))}),
    "matmul_sums": single([node("MatMul", "x z")], {"x": [3, 1, 4, 6], "z": [3, 1, 6, 5]}, {"x": I8, "z": U8}),
    "matmul_of_int32": single([node("MatMul", "x w", "m"), node("MatMul", "m z")], {"x": [4, 6], "z": [3, 2]},
                              {"x": I8, "z": I8}, {"w": weights(22, 6, 3)}),
    "requant": single(requant("x", "y"), {"x": [2, 3, 4]}, {"x": I32}, {"mul": 12000, "add": 5}),
    "requant_bytes": single(requant("x", "y", bits=0, signed=0), {"x": [2, 3, 4]}, {"x": I8}, {"mul": 3, "add": -7}),
    "requant_channels": single(requant("x", "y", bits=8), {"x": [2, 3, 4, 2]}, {"x": U8},
                               {"mul": np.array([200, -300, 77]), "add": np.array([4, -5, 6])}),
    "requant_wide": single(requant("x", "y", levels=65536), {"x": [2, 30]}, {"x": I32}, {"mul": 40000, "add": 9}),
    "requant_of_requant": single([requant("x", "a"), requant("a", "b", signed=0, bits=8), requant("b", "y", bits=9)],
                                 {"x": [1, 50]}, {"x": U8}, {"mul": 700, "add": 1234}),
    "sums": single([requant("x", "a", bits=9), requant("z", "b", bits=9), node("Add", "a b", "s"),
                    requant("s", "y", bits=9)], {"x": [1, 3, 8], "z": [1, 3, 8]}, {"x": I8, "z": U8},
                   {"mul": 400, "add": 77}),
    "differences": single([node("Sub", "x z", "s"), requant("s", "y", bits=9, signed=0)],
                          {"x": [1, 3, 8], "z": [8]}, {"x": I8, "z": U8}, {"mul": 400, "add": 77}),
    "pairs": single([node("Add", "x z", "a"), node("Sub", "a x", "s"), node("Mul", "s z", "m"),
                     node("Add", "m k")], {"x": [2, 3, 4], "z": [3, 1]}, {"x": I8, "z": I32},
                    {"k": np.array([1, -2, 300, 70000])}),
    "of_a_number": single([node("Mul", "x k", "a"), node("Add", "b a", "s"), node("Sub", "s k", "t"),
                           requant("t", "y", bits=8)], {"x": [1, 40]}, {"x": I8}, {"k": 5, "b": -9, "mul": 70, "add": 3}),
    "products": single([node("Mul", "x z", "m"), requant("m", "y")], {"x": [1, 6, 4], "z": [1, 6, 4]},
                       {"x": I8, "z": I8}, {"mul": 500, "add": 11}),
    "softmax": single(node("iSoftmax", "x", "y", SOFTMAX), {"x": [1, 3, 4, 9]}, {"x": I8}),
    "softmax_unsigned": single(node("iSoftmax", "x", "y", {**SOFTMAX, "log2": 9, "coeffB": 13, "coeffC": 85}),
                               {"x": [2, 33]}, {"x": U8}),
    "ita_max": single(node("ITAMax", "x", "y", {"n_levels": 256}), {"x": [1, 3, 4, 19]}, {"x": None}),
    "rms_norm": single(node("iRMSNorm", "x w", D=65536, n_levels=256), {"x": [1, 5, 24]}, {"x": None},
                       {"w": weights(23, 24, low=-90000, high=900000)}),
    "layer_norm": single(node("iLayerNorm", "x w b", "y", {"D": 16384, "n_levels": 256}), {"x": [1, 5, 24]},
                         {"x": None}, {"w": weights(24, 24, low=-400000, high=400000),
                                       "b": weights(25, 24, low=-400000, high=400000)}),
    "norms_of_int32": single([node("iRMSNorm", "x w", "r", D=4096), node("iLayerNorm", "x w b", "l", D=4096)],
                             {"x": [4, 10]}, {"x": I32}, {"w": weights(26, 10, low=-9000, high=9000),
                                                         "b": weights(27, 10, low=-9000, high=9000)},
                             outputs=("r", "l")),
    "gelu": single(node("iGELU", "x", b=-40, one=1743), {"x": [1, 300]}, {"x": None}),
    "gelu_scaled": single([node("iGELU", "x", "g", b=-40, one=1743), requant("g", "y")], {"x": [1, 300]}, {"x": None},
                          {"mul": 90, "add": -4000}),
    "hardswish": single(node("iHardswish", "x", one_over_six=42, three=122, six=245), {"x": [1, 300]}, {"x": None}),
    "division": single([requant("x", "a"), node("TrueIntegerDiv", "a", "d", Delta=16384, eps=1, eta=200000, y=2),
                        requant("d", "y")], {"x": [1, 60]}, {"x": I32}, {"mul": 900, "add": 0}),
    "division_of_int32": single(node("TrueIntegerDiv", "x", Delta=100, eps=1, eta=2000, y=3), {"x": [1, 60]},
                                {"x": I32}),
    "division_by_operand": single(node("IntegerDiv", "x z", Delta=100, eps=1, eta=20), {"x": [4, 60], "z": [4, 1]},
                                  {"x": I8, "z": U8}),
    "means": single([node("IntegerMean", "x", "a", axes=[1], keepdims=0), node("ReduceMean", "x", "b", axes=[2, 3]),
                     node("ReduceSum", "x", "c", axes=[1], keepdims=0), node("ReduceMax", "x", "d", axes=[-1])],
                    {"x": [1, 5, 6, 7]}, {"x": U8}, outputs=("a", "b", "c", "d")),
    "means_of_int32": single([node("IntegerMean", "x", "a", axes=[1]), node("ReduceMax", "x", "b", axes=[0, 2])],
                             {"x": [2, 5, 6]}, {"x": I32}, outputs=("a", "b")),
    "pools": single([node("MaxPool", "x", "a", kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 0]),
                     node("MaxPool", "x", "b", kernel_shape=[2, 2], dilations=[2, 1])], {"x": [1, 3, 8, 8]},
                    {"x": U8}, outputs=("a", "b")),
    "pools_of_int32": single([node("MaxPool", "x", "a", kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 0]),
                              node("MaxPool", "r", "b", kernel_shape=[3], strides=[2])],
                             {"x": [1, 3, 8, 8], "r": [1, 4, 9]}, {"x": I32, "r": I8}, outputs=("a", "b")),
    "relu": single([node("Relu", "x", "a"), node("Relu", "z", "b")], {"x": [1, 40], "z": [1, 9]},
                   {"x": I8, "z": I32}, outputs=("a", "b")),
    "moves": single([node("Transpose", "x", "t", perm=[0, 2, 3, 1]), node("Reshape", "t shape", "r"),
                     node("Pad", "r", "p", pads=[0, 1, 2, 0, 0, 1], mode="constant", value=3),
                     node("Slice", "p shape_first shape_last shape_axes shape_steps", "s"), node("Gather", "s shape_at", "g", axis=1),
                     node("Identity", "g"), node("Flatten", "g", "f")], {"x": [1, 4, 5, 6]}, {"x": I32},
                    {"shape": [1, 10, 12], "shape_first": [1, 0], "shape_last": [9, 12], "shape_axes": [1, 2],
                     "shape_steps": [2, 3], "shape_at": [2, 0, 1]}, outputs=("y", "f")),
    "moves_of_bytes": single([node("Transpose", "x", "t", perm=[0, 2, 1]), node("Pad", "t", "p", pads=[0, 1, 1, 0, 0, 2],
                                                                             mode="constant", value=0),
                              node("Concat", "p p", axis=-1)], {"x": [1, 4, 5]}, {"x": U8}),
    "joined": single([requant("x", "a"), node("Concat", "cache a", "j", axis=1), node("Concat", "j z", axis=1)],
                     {"x": [1, 2, 8], "cache": [1, 3, 8], "z": [1, 1, 8]}, {"x": I32, "cache": None, "z": U8},
                     {"mul": 3000, "add": 0}),
    "gather_by_byte": single([node("Gather", "table x", "g", axis=0), requant("g", "y", bits=8)], {"x": [2, 150]},
                             {"x": I8}, {"table": weights(28, 256, low=-9000, high=9000), **SCALED}),
    "gather_rows": single([node("Gather", "rows x", "a", axis=0), node("Gather", "columns z", "b", axis=-1)],
                          {"x": [2, 3], "z": [4]}, {"x": I8, "z": U8},
                          {"rows": weights(29, 256, 3), "columns": weights(30, 2, 256, low=-900, high=900)},
                          outputs=("a", "b")),
    "gather_of_difference": single([node("Sub", "x z", "s"), requant("s", "r", signed=0, bits=0),
                                    node("Gather", "table r", axis=0)], {"x": [3, 40], "z": [3, 1]},
                                   {"x": I8, "z": I8}, {"table": weights(31, 256), "mul": 1, "add": 255}),
    "matmul_transposed": single([node("Transpose", "z", "t", perm=[0, 2, 1]), node("MatMul", "x t", "m"),
                                 requant("m", "y"), node("MatMul", "m w", "s")],
                                {"x": [3, 2, 8], "z": [3, 9, 8]}, {"x": I8, "z": I8},
                                {"w": weights(32, 9, 4), **SCALED}, outputs=("y", "s")),
    "same": single([node("Identity", "x"), node("Identity", "x", "z")], {"x": [1, 6]}, {"x": I32}, outputs=("y", "z")),
}


def inputs_of(model, held, seed):
    """Of every input's whole range; int32 within 2^14."""
    r = random(seed)
    feeds = {}
    for value in model.graph.input:
        shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
        dtype = np.dtype(held[value.name] or np.int8)
        limits = (-2 ** 14, 2 ** 14) if dtype == np.int32 else (np.iinfo(dtype).min, np.iinfo(dtype).max + 1)
        feeds[value.name] = r.randint(*limits, shape).astype(dtype)
    return feeds
