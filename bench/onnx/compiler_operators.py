"""Quantised single operators as the tests of other compilers have them: TVM's, IREE's and onnx-mlir's,
and ONNX's own backend tests.

Their shapes are small and odd, and what exporters keep as constants are inputs of the network there:
weights and right matrices. Writing needs Debian's python3-onnx.
"""

import numpy as np

from single_operators import F, Net

U8, I8 = np.uint8, np.int8
CASES = {}


def zero_of(kind, z=0):
    """Near the middle of a type."""
    return np.dtype(kind).type(z + (128 if kind == U8 else 0))


def convolution(shape, weights, zero=U8(3), weight_zero=U8(5), inputs="", bias=False, scale=0.01,
                out=0.1, **attributes):
    """QLinearConv; `inputs`: "w" where the weights are an input of the network."""
    def make(seed):
        n = Net(seed, 10)
        x = n.input(shape, zero.dtype)
        w = (n.input(weights, weight_zero.dtype, reduced=True) if "w" in inputs
             else n.constant(n.reduced(weights, weight_zero.dtype)))
        given = [x, *n.scale(0.02, zero), w, *n.scale(scale, weight_zero), *n.scale(out, zero)]
        if bias:
            given.append(n.constant(n.random.randint(-900, 900, weights[0]).astype(np.int32)))
        return n, [n.node("QLinearConv", *given, **attributes)]
    return make


def product(a, b, kinds=(U8, U8), constant=False):
    def make(seed):
        n = Net(seed, 10)
        first, second = (zero_of(k, z) for k, z in zip(kinds, (-15, 9)))
        right = (n.constant(n.reduced(b, kinds[1])) if constant
                 else n.input(b, kinds[1], reduced=True))
        return n, [n.node("QLinearMatMul", n.input(a, kinds[0]), *n.scale(0.0066, first), right,
                          *n.scale(0.00705, second), *n.scale(0.0107, zero_of(kinds[0], -10)))]
    return make


def between(kind, shapes, scale=0.05, **attributes):
    """What quantize_static makes of one operator: float32 in and out, com.microsoft's between."""
    def make(seed):
        n = Net(seed, 11)
        operands = []
        for i, shape in enumerate(shapes):
            pair = (0.02 + 0.01 * i, U8(120 + i))
            operands += [n.q(n.input(shape, F), *pair), *n.scale(*pair)]
        out = (1 / 256, U8(0)) if kind == "QLinearSoftmax" else (scale, U8(117))
        if kind == "QLinearConcat":
            operands = [*n.scale(*out), *operands]
            y = n.microsoft(kind, *operands, **attributes)
        else:
            y = n.microsoft(kind, *operands, *n.scale(*out), **attributes)
        return n, [n.dq(y, *out)]
    return make


def integers(kind, a, b, zeros=(None, None), kinds=(U8, U8), constant=False, **attributes):
    """MatMulInteger or ConvInteger: sums of int32."""
    def make(seed):
        n = Net(seed, 10)
        right = (n.constant(n.reduced(b, kinds[1])) if constant
                 else n.input(b, kinds[1], reduced=True))
        given = ["" if z is None else n.constant(np.asarray(z, k)) for z, k in zip(zeros, kinds)]
        while given and not given[-1]:
            given.pop()
        return n, [n.node(kind, n.input(a, kinds[0]), right, *given, **attributes)]
    return make


def define():
    # QLinearConv: ONNX's own test, then TVM's windows.
    one = ([1, 1, 7, 7], [1, 1, 1, 1])
    CASES["conv_backend"] = convolution(*one, zero=U8(132), weight_zero=U8(255), out=0.016)
    windows = {"same": {"pads": [1, 1, 1, 1]}, "valid": {}, "strides": {"pads": [1, 1, 1, 1],
                                                                        "strides": [2, 2]},
               "odd": {"pads": [1, 0, 1, 0], "strides": [2, 2]},
               "dilated": {"pads": [2, 2, 2, 2], "dilations": [2, 2]},
               "same_upper": {"auto_pad": "SAME_UPPER"}, "same_lower": {"auto_pad": "SAME_LOWER"},
               "auto_valid": {"auto_pad": "VALID"}}
    for how, window in windows.items():
        CASES[f"conv_{how}"] = convolution([1, 1, 5, 5], [1, 1, 3, 3], kernel_shape=[3, 3], **window)
        CASES[f"conv_{how}_input"] = convolution([1, 1, 5, 5], [1, 1, 3, 3], inputs="w",
                                                 kernel_shape=[3, 3], **window)
    CASES["conv_bias"] = convolution([1, 3, 6, 5], [4, 3, 3, 2], bias=True)
    CASES["conv_batch_input"] = convolution([2, 3, 6, 5], [4, 3, 3, 2], inputs="w",
                                            pads=[0, 1, 2, 0])
    CASES["conv_signed_input"] = convolution([1, 2, 6, 5], [4, 2, 3, 3], I8(-7), I8(0), "w")
    CASES["conv_groups_input"] = convolution([1, 4, 6, 5], [6, 2, 3, 3], inputs="w", group=2)
    CASES["conv_one_axis"] = convolution([1, 2, 9], [3, 2, 4], pads=[1, 2])
    CASES["conv_one_axis_input"] = convolution([1, 2, 9], [3, 2, 4], inputs="w", pads=[1, 2])

    # QLinearMatMul
    shapes = {"two": ([2, 4], [4, 3]), "three": ([2, 2, 4], [2, 4, 3]), "four": ([1, 2, 2, 4], [1, 2, 4, 3]),
              "three_two": ([3, 2, 4], [4, 3]), "two_three": ([2, 4], [3, 4, 3]),
              "row": ([1, 7], [7, 1]), "vectors": ([7], [7]), "vector_matrix": ([4], [4, 3]),
              "matrix_vector": ([2, 4], [4])}
    for how, (a, b) in shapes.items():
        for k in ((U8, U8), (I8, I8), (U8, I8)):
            end = f"{how}_{np.dtype(k[0])}_{np.dtype(k[1])}"
            CASES[f"product_{end}"] = product(a, b, k)
        CASES[f"product_constant_{how}"] = product(a, b, (U8, U8), True)

    # com.microsoft's, as quantize_static writes them
    for kind in ("Add", "Mul"):
        for how, given in {"scalars": ([1], [1]), "rows": ([4, 2], [4, 2]), "last": ([4, 2], [2]),
                           "both": ([5, 1, 7], [2, 7]), "first": ([3, 4, 5], [1]),
                           "vectors": ([7], [7])}.items():
            CASES[f"{kind.lower()}_{how}"] = between(f"QLinear{kind}", given)
    for how, shape in {"1d": [1, 8, 8], "1d_batch": [4, 1, 4], "2d": [1, 8, 8, 8],
                       "2d_batch": [4, 1, 6, 4], "3d": [1, 8, 6, 8, 8],
                       "3d_batch": [4, 1, 2, 6, 4]}.items():
        CASES[f"global_{how}"] = between("QLinearGlobalAveragePool", [shape])
    for how, (shape, window) in {
            "1d": ([1, 1, 32], {"kernel_shape": [3]}),
            "1d_strides": ([1, 1, 32], {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}),
            "2d": ([1, 1, 32, 32], {"kernel_shape": [3, 3]}),
            "2d_pads": ([1, 1, 32, 32], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
            "2d_same": ([1, 1, 32, 32], {"kernel_shape": [3, 3], "strides": [2, 2],
                                         "auto_pad": "SAME_UPPER"}),
            "2d_lower": ([1, 1, 31, 32], {"kernel_shape": [4, 3], "strides": [2, 2],
                                          "auto_pad": "SAME_LOWER"}),
            "2d_ceil": ([1, 1, 9, 8], {"kernel_shape": [2, 3], "strides": [2, 2], "ceil_mode": 1}),
            "2d_beyond": ([1, 1, 5, 5], {"kernel_shape": [6, 6], "strides": [2, 2],
                                         "pads": [0, 0, 1, 1], "auto_pad": "NOTSET"}),
            "2d_counted": ([1, 2, 4, 4], {"kernel_shape": [3, 3], "pads": [2, 2, 2, 2],
                                          "count_include_pad": 1}),
            "3d": ([1, 1, 8, 8, 8], {"kernel_shape": [3, 3, 3]}),
            "3d_counted": ([1, 2, 5, 4, 6], {"kernel_shape": [3, 2, 3], "strides": [2, 1, 2],
                                             "pads": [1, 0, 1, 0, 1, 1],
                                             "count_include_pad": 1})}.items():
        CASES[f"average_{how}"] = between("QLinearAveragePool", [shape], **window)
    for kind in ("QLinearLeakyRelu", "QLinearSigmoid"):
        for how, shape in {"vector": [9], "image": [1, 3, 4, 5], "five": [2, 1, 3, 2, 2]}.items():
            CASES[f"{kind[7:].lower()}_{how}"] = between(kind, [shape])
    for how, (shape, axis) in {"rows": ([4, 10], 1), "middle": ([2, 3, 4], 1),
                               "last": ([2, 3, 4], -1)}.items():
        for opset in (11, 13):
            CASES[f"softmax_{how}_{opset}"] = between("QLinearSoftmax", [shape], axis=axis, opset=opset)
    for how, (given, axis) in {"rows": ([[2, 3], [2, 3]], 0), "columns": ([[2, 3], [2, 5]], 1),
                               "three": ([[2, 3, 1], [2, 2, 1], [2, 1, 1]], 1),
                               "last": ([[2, 3, 4, 2], [2, 3, 4, 3]], -1)}.items():
        CASES[f"concat_{how}"] = between("QLinearConcat", given, axis=axis)

    # Sums of int32
    for how, (a, b) in {"two": ([4, 3], [3, 2]), "row": ([1, 3], [3, 5]), "three": ([2, 4, 3], [2, 3, 2]),
                        "three_two": ([2, 4, 3], [3, 2]), "vector": ([3], [3, 2])}.items():
        for k in ((U8, U8), (I8, I8), (U8, I8)):
            end = f"{how}_{np.dtype(k[0])}_{np.dtype(k[1])}"
            CASES[f"integers_{end}"] = integers("MatMulInteger", a, b, kinds=k)
        CASES[f"integers_zero_{how}"] = integers("MatMulInteger", a, b, (12, 3))
        CASES[f"integers_constant_{how}"] = integers("MatMulInteger", a, b, (12, 3), constant=True)
    for how, window in windows.items():
        CASES[f"convinteger_{how}"] = integers("ConvInteger", [1, 1, 5, 5], [1, 1, 3, 3], (1, None),
                                               **window)
    CASES["convinteger_backend"] = integers("ConvInteger", [1, 1, 3, 3], [1, 1, 2, 2], (1, None))
    CASES["convinteger_constant"] = integers("ConvInteger", [2, 3, 6, 5], [4, 3, 3, 2], (130, 120),
                                             constant=True, pads=[1, 1, 1, 0])
    CASES["convinteger_signed"] = integers("ConvInteger", [1, 2, 6, 5], [4, 2, 3, 3], (140, 0), (U8, I8))
    CASES["convinteger_groups"] = integers("ConvInteger", [1, 4, 6, 5], [6, 2, 3, 3], (3, 9), group=2)
    CASES["convinteger_one_axis"] = integers("ConvInteger", [1, 2, 9], [3, 2, 4], (3, 9))

    # QuantizeLinear and DequantizeLinear alone
    for how, shape in {"vector": [6], "image": [1, 3, 3, 2], "number": []}.items():
        for kind in (I8, U8):
            def quantise(seed, shape=shape, kind=kind):
                n = Net(seed, 13)
                return n, [n.q(n.input(shape, F), 0.02, zero_of(kind, 3))]

            def dequantise(seed, shape=shape, kind=kind):
                n = Net(seed, 13)
                return n, [n.dq(n.input(shape, kind), 0.02, zero_of(kind, 3))]
            CASES[f"quantise_{how}_{np.dtype(kind)}"] = quantise
            CASES[f"dequantise_{how}_{np.dtype(kind)}"] = dequantise


define()
