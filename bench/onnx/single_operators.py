"""Small quantised ONNX models, one for each way in which exporters write an operator.

Every case is a model and inputs of random bytes or numbers. Writing needs Debian's python3-onnx.
"""

import itertools
import re

import numpy as np
from onnx import TensorProto, helper, numpy_helper

F = np.float32
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int8): TensorProto.INT8,
         np.dtype(np.uint8): TensorProto.UINT8, np.dtype(bool): TensorProto.BOOL}
FOUR_BITS = {np.dtype(np.uint8): 21, np.dtype(np.int8): 22}  # of TensorProto, which older packages lack


class Net:
    """A model in the making. Values are names; `random` is seeded by the case's own."""

    def __init__(self, seed, opset=13):
        self.random = np.random.RandomState(seed)
        self.opset = opset
        self.nodes, self.constants, self.inputs, self.count = [], [], [], 0
        self.reduced_inputs = set()

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def constant(self, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), self.name()))
        return self.constants[-1].name

    def four_bits(self, value):
        """A constant of int4 or uint4, given as int8 or uint8: two elements a byte, the low half first."""
        value = np.asarray(value)
        halves = np.append(value.reshape(-1), np.zeros(value.size % 2, value.dtype)).astype(np.uint8) & 15
        self.constants.append(TensorProto(name=self.name(), dims=value.shape,
                                          data_type=FOUR_BITS[value.dtype],
                                          raw_data=(halves[::2] | halves[1::2] << 4).tobytes()))
        return self.constants[-1].name

    def input(self, shape, kind=np.int8, reduced=False):
        """`reduced`: its bytes are those of reduced()."""
        kind, name = np.dtype(kind), self.name()
        self.inputs.append((name, kind, shape))
        if reduced:
            self.reduced_inputs.add(name)
        return name

    def node(self, kind, *inputs, outputs=1, domain="", **attributes):
        names = [self.name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def microsoft(self, kind, *inputs, **attributes):
        return self.node(kind, *inputs, domain="com.microsoft", **attributes)

    def scale(self, scale, zero):
        """Names of a scale and a zero point; zero None: absent."""
        return [self.constant(F(scale))] + ([] if zero is None else [self.constant(zero)])

    def q(self, x, scale, zero, **attributes):
        return self.node("QuantizeLinear", x, *self.scale(scale, zero), **attributes)

    def dq(self, x, scale, zero, **attributes):
        scales = self.constant(np.asarray(scale, F))
        zeros = [] if zero is None else [self.constant(np.asarray(zero))]
        return self.node("DequantizeLinear", x, scales, *zeros, **attributes)

    def real(self, shape, scale=0.02, zero=np.int8(3)):
        """An input of bytes, as real numbers."""
        return self.dq(self.input(shape, np.asarray(zero).dtype), scale, zero)

    def bytes(self, shape, kind=np.int8, least=None):
        limits = np.iinfo(kind)
        return self.random.randint(limits.min if least is None else least, limits.max + 1,
                                   shape).astype(kind)

    def reduced(self, shape, kind=np.int8):
        """Weights of seven bits where they have a sign: onnxruntime's AVX2 kernels saturate sums of two
        products of uint8 and int8."""
        low, high = (-63, 64) if kind == np.int8 else (0, 256)
        return self.random.randint(low, high, shape).astype(kind)

    def weights(self, shape, scale=0.01, zero=np.int8(0), **attributes):
        values = self.reduced(shape, np.asarray(zero).dtype)
        return self.dq(self.constant(values), scale, zero, **attributes)

    def model(self, *outputs):
        value = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, "case",
                                  [value(n, TYPES[k], s) for n, k, s in self.inputs], [],
                                  self.constants)
        for output in outputs:
            graph.output.add().name = output  # onnxruntime infers its type
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets)
        model.ir_version = 8
        return model

    def values(self, index):
        """The index-th set of inputs: random, then ends of the range."""
        for name, kind, shape in self.inputs:
            shape = [n if isinstance(n, int) else 1 for n in shape]
            if name in self.reduced_inputs:
                yield self.reduced(shape, kind)
            elif kind == np.float32:
                yield self.random.uniform(-3, 3, shape).astype(F)
            elif kind == bool:
                yield self.random.randint(0, 2, shape).astype(bool)
            elif index < 2:
                yield self.bytes(shape, kind)
            else:
                yield np.full(shape, np.iinfo(kind).max if index == 2 else np.iinfo(kind).min, kind)


CASES = {}
# Operators that onnxruntime does not fuse on x86 and computes in float32: near ties, up to 1 % of the output bytes
# may differ by one.
UNFUSED = re.compile("reducemean|reducesum|convtranspose|^qdq_(conv|depthwise|grouped|gemm|matmul)|^keyword"
                     "|^four_bits")




def qdq(kind, *attributes_of, shape=(1, 8, 6, 6), out=(0.03, np.int8(-5)), scale=0.02,
        zero=np.int8(3), opset=13, inputs=(), **attributes):
    """DequantizeLinear, one operator, QuantizeLinear."""
    def make(seed):
        n = Net(seed, opset)
        extra = [n.constant(i) if i is not None else "" for i in inputs]
        y = n.node(kind, n.real(list(shape), scale, zero), *extra, **attributes)
        return n, [n.q(y, *out)]
    return make


def qdq_bytes(kind, opset, inputs, **attributes):
    """QuantizeLinear, an operator on bytes, DequantizeLinear."""
    def make(seed):
        n = Net(seed, opset)
        q = n.q(n.input([1, 3, 5, 5], F), 0.02, np.uint8(130))
        y = n.node(kind, q, *[n.constant(i) for i in inputs], **attributes)
        return n, [n.dq(y, 0.02, np.uint8(130))]
    return make


def add(name, make):
    CASES[name] = make


def layer(kind, shape, weights, axis, bias="int32", activation=None, zero=np.int8(3),
          weight_zero=np.int8(0), per_channel=True, opset=13, out=None, **attributes):
    """Conv, Gemm or MatMul between DequantizeLinear and QuantizeLinear."""
    def make(seed):
        n = Net(seed, opset)
        channels = weights[axis]
        fan = int(np.prod(weights)) / channels
        scales = n.random.uniform(0.005, 0.02, channels).astype(F) if per_channel else F(0.01)
        zeros = np.full(channels, weight_zero, np.asarray(weight_zero).dtype)
        x = n.real(list(shape), 0.02, zero)
        w = (n.weights(weights, scales, zeros, axis=axis) if per_channel
             else n.weights(weights, scales, weight_zero))
        inputs = [x, w]
        if bias == "int32":
            b = n.random.randint(-4000, 4000, channels).astype(np.int32)
            inputs.append(n.dq(n.constant(b), F(0.02) * scales,
                               np.zeros(channels if per_channel else (), np.int32),
                               **({"axis": 0} if per_channel else {})))
        elif bias == "float":
            inputs.append(n.constant(n.random.uniform(-1, 1, channels).astype(F)))
        y = n.node(kind, *inputs, **attributes)
        if activation:
            y = n.node(activation, y)
        kind_out = np.asarray(zero).dtype.type
        return n, [n.q(y, *(out or (0.01 * np.sqrt(fan), kind_out(5))))]
    return make


def define():
    u8, i8 = np.uint8, np.int8
    for name, zero in {"s8": i8(3), "u8": u8(131)}.items():
        o = type(zero)
        out = (0.03, o(5) if zero.dtype == u8 else o(-5))
        add(f"qdq_maxpool_{name}", qdq("MaxPool", zero=zero, out=(0.02, zero), kernel_shape=[3, 3],
                                       strides=[2, 2], pads=[1, 1, 0, 0]))
        add(f"qdq_averagepool_{name}", qdq("AveragePool", zero=zero, out=(0.02, zero),
                                           kernel_shape=[2, 2], strides=[2, 2]))
        add(f"qdq_averagepool_pads_{name}", qdq("AveragePool", zero=zero, out=out,
                                                kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
        add(f"qdq_averagepool_include_{name}",
            qdq("AveragePool", zero=zero, out=out, kernel_shape=[3, 2], pads=[1, 0, 1, 1],
                count_include_pad=1))
        add(f"qdq_global_{name}", qdq("GlobalAveragePool", zero=zero, out=out))
        for kind in ("Sigmoid", "Tanh", "HardSigmoid", "LeakyRelu", "Elu", "Relu", "Exp", "Abs",
                     "Softplus", "Sqrt", "Neg", "Softsign", "Erf"):
            add(f"qdq_{kind.lower()}_{name}", qdq(kind, zero=zero, out=(0.01, zero)))
        add(f"qdq_hardswish_{name}", qdq("HardSwish", zero=zero, out=out, opset=14))
        add(f"qdq_clip_{name}", qdq("Clip", zero=zero, out=out, inputs=[F(-0.5), F(1.25)]))
        add(f"qdq_clip_inf_{name}", qdq("Clip", zero=zero, out=out, inputs=[F(0), F(np.inf)]))
        add(f"qdq_softmax_{name}", qdq("Softmax", shape=(3, 10), zero=zero, scale=0.1,
                                       out=(1 / 256, o(np.iinfo(o).min))))
        add(f"qdq_conv_{name}", layer("Conv", (1, 4, 9, 8), (6, 4, 3, 3), 0, zero=zero,
                                      pads=[1, 1, 1, 1], strides=[2, 1]))
        add(f"qdq_conv_relu_{name}", layer("Conv", (1, 4, 9, 8), (6, 4, 3, 3), 0, zero=zero,
                                           activation="Relu", out=(0.05, o(np.iinfo(o).min))))
        add(f"qdq_depthwise_{name}", layer("Conv", (1, 6, 9, 8), (6, 1, 3, 3), 0, zero=zero,
                                           group=6, auto_pad="SAME_UPPER"))
        add(f"qdq_grouped_{name}", layer("Conv", (1, 6, 5, 5), (4, 3, 3, 3), 0, zero=zero, group=2))
        add(f"qdq_gemm_{name}", layer("Gemm", (2, 20), (12, 20), 0, zero=zero, transB=1))
        add(f"qdq_matmul_{name}", layer("MatMul", (2, 20), (20, 12), 1, bias=None, zero=zero))
    add("qdq_conv_floatbias", layer("Conv", (1, 4, 9, 8), (6, 4, 3, 3), 0, bias="float"))
    add("qdq_gemm_floatbias", layer("Gemm", (2, 20), (12, 20), 0, bias="float", transB=1))
    add("qdq_conv_asymmetric", layer("Conv", (1, 4, 9, 8), (6, 4, 3, 3), 0, zero=u8(100),
                                     weight_zero=u8(90), per_channel=False))
    add("qdq_depthwise_asymmetric", layer("Conv", (1, 6, 9, 8), (6, 1, 3, 3), 0, zero=u8(100),
                                          weight_zero=u8(90), per_channel=False, group=6))
    add("qdq_gemm_asymmetric", layer("Gemm", (2, 20), (12, 20), 0, zero=u8(100), weight_zero=u8(0),
                                     per_channel=False, transB=1))
    add("qdq_conv1d", layer("Conv", (1, 4, 30), (6, 4, 5), 0, pads=[2, 2], strides=[2]))
    add("qdq_convtranspose", layer("ConvTranspose", (1, 4, 5, 6), (4, 3, 3, 3), 1, bias=None,
                                   per_channel=False, strides=[2, 2], pads=[1, 0, 1, 1],
                                   output_padding=[1, 0]))
    add("qdq_conv_same_lower", layer("Conv", (1, 4, 8, 8), (6, 4, 4, 4), 0, auto_pad="SAME_LOWER",
                                     strides=[2, 2]))
    add("qdq_large_scale", layer("Conv", (1, 1, 8, 8), (2, 1, 1, 1), 0, out=(0.0004, i8(0))))
    add("qdq_reducemean_18", qdq("ReduceMean", opset=18, inputs=[np.int64([2, 3])], keepdims=0))
    add("qdq_reducemean_11", qdq("ReduceMean", opset=11, axes=[-1, -2], keepdims=1))
    add("qdq_transpose", qdq("Transpose", out=(0.02, i8(3)), perm=[0, 2, 3, 1]))
    add("qdq_slice", qdq("Slice", out=(0.02, i8(3)), inputs=[
        np.int64([1, 0]), np.int64([7, 2**63 - 1]), np.int64([1, 3]), np.int64([2, 1])]))
    add("qdq_slice_9", qdq("Slice", out=(0.02, i8(3)), opset=13, inputs=[
        np.int64([-1]), np.int64([-2**63]), np.int64([2]), np.int64([-2])]))
    add("qdq_pad", qdq("Pad", out=(0.02, i8(3)), inputs=[np.int64([0, 1, 0, 2, 0, 0, 1, 0])]))
    add("qdq_pad_value", qdq("Pad", out=(0.02, i8(3)),
                             inputs=[np.int64([0, 0, 1, 2, 0, 0, 1, -1]), F(0.7)]))
    for mode in ("reflect", "edge"):
        add(f"qdq_pad_{mode}", qdq("Pad", out=(0.02, i8(3)), mode=mode,
                                   inputs=[np.int64([0, 0, 1, 2, 0, 0, 1, 3])]))
    for transform, nearest in itertools.product(
            ("asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"),
            ("floor", "round_prefer_floor", "ceil")):
        add(f"qdq_resize_{transform}_{nearest}",
            qdq("Resize", out=(0.02, i8(3)), mode="nearest", nearest_mode=nearest,
                coordinate_transformation_mode=transform,
                inputs=[None, F([1, 1, 2, 1.5])]))
    add("opset10_resize_linear", qdq_bytes("Resize", 10, [F([1, 1, 2, 2])], mode="linear"))
    for (how, scales), kind in itertools.product(
            {"asymmetric": [1, 1, 2, 4], "half_pixel": [1, 1, 8, 2], "align_corners": [1, 1, 1.75, 1],
             "pytorch_half_pixel": [1, 1, 0.5, 4]}.items(), (i8, u8)):
        def linear(seed, how=how, scales=scales, kind=kind):
            n = Net(seed)
            return n, [n.node("Resize", n.input([2, 3, 4, 6], kind), "", n.constant(F(scales)),
                              mode="linear", coordinate_transformation_mode=how)]
        add(f"alone_resize_linear_{how}_{kind.__name__}", linear)

        def behind_conv(seed, how=how, kind=kind):
            n = Net(seed)
            zero = kind(3)
            y = n.node("QLinearConv", n.input([1, 4, 7, 5], kind), *n.scale(0.02, zero),
                       n.constant(n.reduced([6, 4, 1, 1])), *n.scale(0.01, i8(0)),
                       *n.scale(0.1, kind(zero + 1)))
            y = n.node("Resize", y, "", "", n.constant(np.int64([1, 6, 13, 9])), mode="linear",
                       coordinate_transformation_mode="align_corners")
            return n, [n.dq(y, 0.1, kind(zero + 1))]
        if how == "align_corners":
            add(f"qlinearconv_resize_linear_{kind.__name__}", behind_conv)
    add("qdq_depthtospace", qdq("DepthToSpace", out=(0.02, i8(3)), blocksize=2))
    add("qdq_spacetodepth", qdq("SpaceToDepth", out=(0.02, i8(3)), blocksize=2))
    add("qdq_gather", qdq("Gather", out=(0.02, i8(3)), axis=1, inputs=[np.int64([3, -1, 0])]))
    add("qdq_mulscalar", qdq("Mul", inputs=[F(0.37)]))
    add("qdq_powscalar", qdq("Pow", inputs=[F(2)]))

    for (kind, zero), scales in itertools.product(
            itertools.product(("Add", "Sub", "Mul"), (i8(3), u8(131))),
            {"simple": (0.02, 0.02, 0.04), "ratios": (0.02, 0.05, 0.06),
             "odd": (0.0213, 0.0377, 0.0513)}.items()):
        def make(seed, kind=kind, zero=zero, scales=scales[1]):
            n = Net(seed)
            o = type(zero)
            a = n.real([1, 16, 16, 16], scales[0], zero)
            b = n.real([1, 16, 16, 16], scales[1], o(zero - 7))
            return n, [n.q(n.node(kind, a, b), scales[2] if kind != "Mul" else scales[2] / 2,
                           o(zero + 4))]
        add(f"qdq_{kind.lower()}_{scales[0]}_{zero.dtype.name}", make)

    for kind, zero in itertools.product(("Add", "Mul"), (i8(3), u8(131))):
        shapes = {"same": ([2, 40], [2, 40]), "channel": ([1, 4, 5, 6], [4, 1, 1]),
                  "row": ([1, 4, 5, 6], [6]), "first": ([1], [2, 40])}
        for how, (first, second) in shapes.items():
            def make(seed, kind=kind, zero=zero, first=first, second=second):
                n = Net(seed)
                o = type(zero)
                a = n.input(first, zero.dtype)
                b = n.constant(n.bytes(second, o)) if how != "same" else n.input(second, zero.dtype)
                scale = 0.06 if kind == "Add" else 0.03
                return n, [n.microsoft(f"QLinear{kind}", a, *n.scale(0.02, zero), b,
                                       *n.scale(0.05, o(zero - 9)), *n.scale(scale, o(zero + 2)))]
            add(f"qlinear{kind.lower()}_{how}_{zero.dtype.name}", make)

    for kind, attributes in {"LeakyRelu": {"alpha": 0.2}, "Sigmoid": {}, "GlobalAveragePool": {},
                             "AveragePool": {"kernel_shape": [3, 3], "strides": [2, 2],
                                             "pads": [1, 1, 1, 1]},
                             "Softmax": {"axis": 1, "opset": 13}}.items():
        for zero in (i8(3), u8(131)):
            def make(seed, kind=kind, zero=zero, attributes=attributes):
                n = Net(seed)
                o = type(zero)
                out = (1 / 256, o(np.iinfo(o).min)) if kind == "Softmax" else (0.02, o(zero + 2))
                scale = 0.1 if kind == "Softmax" else 0.02
                return n, [n.microsoft(f"QLinear{kind}", n.input([1, 5, 7, 6], zero.dtype),
                                       *n.scale(scale, zero), *n.scale(*out), **attributes)]
            add(f"qlinear{kind.lower()}_{zero.dtype.name}", make)

    def qlinearconcat(seed):
        n = Net(seed)
        a, b = n.input([1, 3, 4, 4], u8), n.input([1, 2, 4, 4], u8)
        c = n.constant(n.bytes([1, 1, 4, 4], u8))
        return n, [n.microsoft("QLinearConcat", *n.scale(0.03, u8(120)), a, *n.scale(0.02, u8(10)),
                               b, *n.scale(0.03, u8(120)), c, *n.scale(0.05, u8(128)), axis=1)]
    add("qlinearconcat", qlinearconcat)

    def concat(seed):
        n = Net(seed)
        parts = [n.real([1, c, 4, 4], s) for c, s in ((3, 0.02), (2, 0.03))]
        return n, [n.q(n.node("Concat", *parts, axis=1), 0.03, i8(3))]
    add("qdq_concat", concat)

    for zero, weight_zero in ((u8(100), u8(0)), (u8(100), u8(128)), (u8(100), u8(77)),
                              (u8(100), i8(0)), (i8(-4), i8(0))):
        def conv(seed, zero=zero, weight_zero=weight_zero):
            n = Net(seed, 10)
            o = type(zero)
            w = n.constant(n.reduced([6, 4, 3, 3], weight_zero.dtype))
            b = n.constant(n.random.randint(-3000, 3000, 6).astype(np.int32))
            return n, [n.node("QLinearConv", n.input([1, 4, 7, 7], zero.dtype), *n.scale(0.02, zero),
                              w, *n.scale(0.01, weight_zero), *n.scale(0.1, o(zero + 1)), b,
                              pads=[1, 1, 1, 1])]

        def matmul(seed, zero=zero, weight_zero=weight_zero, computed=False):
            n = Net(seed, 10)
            o = type(zero)
            b = (n.input([20, 7], weight_zero.dtype, reduced=True) if computed
                 else n.constant(n.reduced([20, 7], weight_zero.dtype)))
            return n, [n.node("QLinearMatMul", n.input([3, 20], zero.dtype), *n.scale(0.02, zero), b,
                              *n.scale(0.01, weight_zero), *n.scale(0.1, o(zero + 1)))]
        end = f"{zero.dtype.name}_{weight_zero.dtype.name}_{weight_zero}"
        add(f"qlinearconv_{end}", conv)
        add(f"qlinearmatmul_{end}", matmul)
        add(f"qlinearmatmul_computed_{end}", lambda s, m=matmul: m(s, computed=True))

    def qgemm(seed):
        n = Net(seed)
        b = n.constant(n.random.randint(-3000, 3000, 12).astype(np.int32))
        return n, [n.microsoft("QGemm", n.input([2, 20], u8), *n.scale(0.02, u8(100)),
                               n.constant(n.reduced([12, 20])), *n.scale(0.01, i8(0)), b,
                               *n.scale(0.1, u8(120)), transB=1, alpha=1.0)]
    add("qgemm", qgemm)

    for kind, attributes, inputs in (
            ("MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}, []),
            ("Reshape", {}, [np.int64([0, -1])]), ("Transpose", {"perm": [0, 3, 1, 2]}, []),
            ("Flatten", {}, []), ("Squeeze", {}, [np.int64([0])]),
            ("Unsqueeze", {}, [np.int64([0, 5])]),
            ("Slice", {}, [np.int64([1]), np.int64([3]), np.int64([2])]),
            ("Pad", {}, [np.int64([0, 0, 1, 1, 0, 0, 0, 2]), u8(9)]),
            ("Resize", {"mode": "nearest"}, [None, F([1, 1, 2, 2])])):
        def make(seed, kind=kind, attributes=attributes, inputs=inputs):
            n = Net(seed)
            q = n.q(n.input([1, 3, 5, 5], F), 0.02, u8(130))
            extra = [n.constant(i) if i is not None else "" for i in inputs]
            y = n.node(kind, q, *extra, **attributes)
            return n, [n.dq(y, 0.02, u8(130))]
        add(f"bytes_{kind.lower()}", make)

        def alone(seed, kind=kind, attributes=attributes, inputs=inputs):
            n = Net(seed)
            extra = [n.constant(i) if i is not None else "" for i in inputs]
            return n, [n.node(kind, n.input([1, 3, 5, 5], u8), *extra, **attributes)]
        add(f"alone_{kind.lower()}", alone)

    def split(seed, opset=13):
        n = Net(seed, opset)
        q = n.q(n.input([1, 6, 5, 5], F), 0.02, i8(3))
        parts = (n.node("Split", q, n.constant(np.int64([1, 2, 3])), outputs=3, axis=1)
                 if opset >= 13 else n.node("Split", q, outputs=3, axis=1, split=[1, 2, 3]))
        return n, [n.dq(p, 0.02, i8(3)) for p in parts]
    add("bytes_split", split)

    def swish(seed):
        n = Net(seed)
        x = n.real([1, 8, 6, 6])
        return n, [n.q(n.node("Mul", x, n.node("Sigmoid", x)), 0.02, i8(0))]
    add("qdq_swish", swish)

    def relu_behind_transpose(seed):
        n = Net(seed)
        y = n.node("Conv", n.real([1, 4, 6, 6]), n.weights([5, 4, 3, 3]))
        y = n.node("Relu", n.node("Transpose", y, perm=[0, 2, 3, 1]))
        return n, [n.q(y, 0.1, i8(-128))]
    add("qdq_relu_behind_transpose", relu_behind_transpose)

    def matmul_add(seed):
        n = Net(seed)
        y = n.node("MatMul", n.real([2, 20]), n.weights([20, 12]))
        return n, [n.q(n.node("Add", y, n.constant(n.random.uniform(-1, 1, 12).astype(F))), 0.05,
                       i8(2))]
    add("qdq_matmul_add", matmul_add)

    def pytorch_linear(seed):
        n = Net(seed, 14)
        x = n.q(n.input(["N", 3, 4, 4], F), 0.02, u8(128))
        x = n.dq(x, 0.02, u8(128))
        shape = n.node("Shape", x)
        first = n.node("Gather", shape, n.constant(np.int64(0)), axis=0)
        first = n.node("Unsqueeze", first, n.constant(np.int64([0])))
        shape = n.node("Concat", first, n.constant(np.int64([-1])), axis=0)
        x = n.node("Reshape", x, shape)
        w = n.q(n.constant(n.random.uniform(-1, 1, (6, 48)).astype(F)), 0.01, i8(0))
        w = n.node("Transpose", n.dq(w, 0.01, i8(0)), perm=[1, 0])
        return n, [n.dq(n.q(n.node("MatMul", x, w), 0.05, u8(120)), 0.05, u8(120))]
    add("pytorch_linear", pytorch_linear)

    def no_zero_points(seed):
        n = Net(seed)
        x = n.dq(n.input([1, 4, 6, 6], i8), 0.02, None)
        w = n.dq(n.constant(n.reduced([5, 4, 3, 3])), 0.01, None)
        return n, [n.q(n.node("Conv", x, w), 0.1, None)]
    add("no_zero_points", no_zero_points)

    def keyword(seed, opset, activations, spelling):
        """A small keyword network: convolution, depthwise separable block, pool, dense."""
        n = Net(seed, opset)
        low = int(np.iinfo(activations).min)
        zero = lambda z: np.asarray(z + (0 if activations == i8 else 128), activations)[()]
        x = n.q(n.input(["batch" if spelling == "dynamic" else 1, 1, 25, 10], F), 0.05, zero(2))

        def conv(x, scale, z, shape, group, out, out_zero, **attributes):
            w = n.random.normal(0, 0.2, shape).astype(F)
            scales = (np.abs(w).reshape(shape[0], -1).max(1) / 63).astype(F)
            b = n.random.randint(-900, 900, shape[0]).astype(np.int32)
            if spelling == "qoperator":
                wq = np.clip(np.rint(w / scales.reshape([-1] + [1] * (w.ndim - 1))), -127, 127)
                return n.node("QLinearConv", x, *n.scale(scale, z), n.constant(wq.astype(i8)),
                              n.constant(scales), n.constant(np.zeros(shape[0], i8)),
                              *n.scale(out, out_zero), n.constant(b), group=group, **attributes)
            real = n.dq(x, scale, z)
            if spelling == "tensorwise":
                scales = F(scales.max())
                weights = n.dq(n.q(n.constant(w), scales, np.int8(0)), scales, np.int8(0))
            else:
                wq = np.clip(np.rint(w / scales.reshape([-1] + [1] * (w.ndim - 1))), -127, 127)
                weights = n.dq(n.constant(wq.astype(i8)), scales, np.zeros(shape[0], i8), axis=0)
            bias = (n.constant((b * F(scale) * scales).astype(F)) if spelling == "floatbias" else
                    n.dq(n.constant(b), F(scale) * scales, np.zeros_like(scales, np.int32),
                         **({"axis": 0} if scales.ndim else {})))
            y = n.node("Conv", real, weights, bias, group=group, **attributes)
            if spelling == "clip":
                y = n.node("Clip", y, n.constant(F(0)), n.constant(F(np.inf)))
            else:
                y = n.node("Relu", y)
            return n.q(y, out, out_zero)
        x = conv(x, 0.05, zero(2), (16, 1, 10, 4), 1, 0.04, zero(-128), strides=[2, 2],
                 pads=[4, 1, 5, 1])
        x = conv(x, 0.04, zero(-128), (16, 1, 3, 3), 16, 0.03, zero(-128), pads=[1, 1, 1, 1])
        x = conv(x, 0.03, zero(-128), (16, 16, 1, 1), 1, 0.03, zero(-128))
        if spelling == "qoperator":
            x = n.microsoft("QLinearGlobalAveragePool", x, *n.scale(0.03, zero(-128)),
                            *n.scale(0.02, zero(-128)))
            x = n.node("Reshape", x, n.constant(np.int64([1, 16])))
            w = n.constant(n.reduced((16, 12)))
            x = n.node("QLinearMatMul", x, *n.scale(0.02, zero(-128)), w, *n.scale(0.01, i8(0)),
                       *n.scale(0.06, zero(3)))
            return n, [n.dq(x, 0.06, zero(3))]
        x = n.node("GlobalAveragePool", n.dq(x, 0.03, zero(-128)))
        x = n.dq(n.q(x, 0.02, zero(-128)), 0.02, zero(-128))
        x = n.node("Flatten", x)
        x = n.node("Gemm", x, n.weights((12, 16), 0.01), transB=1)
        x = n.q(x, 0.06, zero(3))
        x = n.node("Softmax", n.dq(x, 0.06, zero(3)), axis=-1)
        return n, [n.dq(n.q(x, 1 / 256, zero(-128)), 1 / 256, zero(-128))]
    for spelling, opset, kind in (
            ("channelwise", 13, i8), ("channelwise", 21, u8), ("dynamic", 14, u8),
            ("tensorwise", 13, u8), ("floatbias", 17, u8), ("clip", 18, i8), ("qoperator", 10, u8),
            ("qoperator", 11, i8), ("qoperator", 12, u8)):
        add(f"keyword_{spelling}_{opset}_{np.dtype(kind).name}",
            lambda s, o=opset, k=kind, sp=spelling: keyword(s, o, k, sp))

    # Attributes where later opsets have inputs.
    add("opset10_resize", qdq_bytes("Resize", 10, [F([1, 1, 2, 2])], mode="nearest"))
    add("opset10_pad", qdq("Pad", out=(0.02, i8(3)), opset=10, pads=[0, 0, 1, 1, 0, 0, 0, 2],
                           value=0.5))
    add("opset10_clip", qdq("Clip", opset=10, min=0.0, max=6.0))
    add("opset12_split", lambda seed: split(seed, 12))
    add("opset9_slice", qdq_bytes("Slice", 10, [np.int64([1]), np.int64([3]), np.int64([2])]))
    add("opset11_squeeze", qdq_bytes("Squeeze", 11, [], axes=[0]))
    add("opset11_unsqueeze", qdq_bytes("Unsqueeze", 11, [], axes=[0, 5]))
    add("opset11_flatten", qdq_bytes("Flatten", 11, [], axis=2))
    add("opset12_maxpool", qdq_bytes("MaxPool", 12, [], kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    add("opset12_gather", qdq_bytes("Gather", 12, [np.int64(1)], axis=1))

    def quantise_alone(seed):
        n = Net(seed, 10)
        return n, [n.q(n.input([2, 30], F), 0.02, u8(100))]
    add("quantizelinear", quantise_alone)

    def dequantise_alone(seed):
        n = Net(seed, 10)
        return n, [n.dq(n.input([2, 30], u8), 0.02, u8(100))]
    add("dequantizelinear", dequantise_alone)

    def output_dtype(seed):
        n = Net(seed, 21)
        return n, [n.q(n.input([2, 30], F), 0.02, None, output_dtype=TensorProto.INT8)]
    add("output_dtype", output_dtype)

    for kind, zero in itertools.product(("ArgMax", "ArgMin"), (i8(3), u8(131))):
        end = f"{kind.lower()}_{zero.dtype.name}"

        def alone(seed, kind=kind, zero=zero):
            n = Net(seed)
            return n, [n.node(kind, n.input([2, 3, 4, 5], zero.dtype), axis=-1)]
        add(f"alone_{end}", alone)

        def behind_conv(seed, kind=kind, zero=zero):
            n = Net(seed, 10)
            o = type(zero)
            y = n.node("QLinearConv", n.input([1, 4, 7, 7], zero.dtype), *n.scale(0.02, zero),
                       n.constant(n.reduced([6, 4, 1, 1])), *n.scale(0.01, i8(0)),
                       *n.scale(0.1, o(zero + 1)))
            y = n.dq(y, 0.1, o(zero + 1))
            return n, [n.node("Cast", n.node(kind, y, axis=1, keepdims=0), to=TensorProto.INT32),
                       n.node("Squeeze", n.node(kind, y, axis=2), axes=[0])]
        add(f"qlinearconv_{end}", behind_conv)

    shapes = {"same": [2, 3, 4], "row": [4], "column": [3, 1]}
    for (how, shape), zero in itertools.product(shapes.items(), (i8(3), u8(131))):
        def qlinearwhere(seed, shape=shape, zero=zero):
            n = Net(seed)
            o = type(zero)
            return n, [n.microsoft("QLinearWhere", n.input([2, 3, 4], bool),
                                   n.input(shape, zero.dtype), *n.scale(0.02, zero),
                                   n.input([2, 3, 4], zero.dtype), *n.scale(0.03, o(zero - 9)),
                                   *n.scale(0.025, o(zero + 2)))]
        add(f"qlinearwhere_{how}_{zero.dtype.name}", qlinearwhere)

        def where(seed, shape=shape, zero=zero):
            n = Net(seed)
            o = type(zero)
            condition = n.constant(n.random.randint(0, 2, shape).astype(bool))
            y = n.node("Where", condition, n.real([2, 3, 4], 0.02, zero),
                       n.real([2, 3, 4], 0.03, o(zero - 9)))
            return n, [n.q(n.node("Relu", y), 0.025, o(zero + 2))]
        add(f"qdq_where_{how}_{zero.dtype.name}", where)

    for kind in (i8, u8):
        low = -8 if kind == i8 else 0

        def conv(seed, kind=kind, low=low):
            n = Net(seed, 21)
            w = n.four_bits(n.random.randint(low, low + 16, (5, 3, 3, 3)).astype(kind))
            w = n.node("DequantizeLinear", w, n.constant(n.random.uniform(0.05, 0.2, 5).astype(F)),
                       n.four_bits(np.full(5, low + 8, kind)), axis=0)
            return n, [n.q(n.node("Conv", n.real([1, 3, 6, 6], 0.02, u8(120)), w), 0.1, u8(128))]
        add(f"four_bits_conv_{kind.__name__}", conv)

        def quantised_here(seed, kind=kind, low=low):
            n = Net(seed, 21)
            scale, zero = n.constant(F(0.1)), n.four_bits(np.asarray(low + 8, kind))
            w = n.constant(n.random.uniform(-1, 1, (20, 7)).astype(F))
            w = n.node("DequantizeLinear", n.node("QuantizeLinear", w, scale, zero), scale, zero)
            return n, [n.q(n.node("MatMul", n.real([3, 20], 0.02, u8(120)), w), 0.1, u8(128))]
        add(f"four_bits_matmul_{kind.__name__}", quantised_here)

    for kind, attributes in {
            "Selu": {}, "Celu": {"alpha": 0.7}, "ThresholdedRelu": {"alpha": 0.5}, "Sign": {},
            "Shrink": {"lambd": 0.4, "bias": 0.1}, "Floor": {}, "Ceil": {}, "Round": {}, "Sin": {},
            "Cos": {}, "Mish": {"opset": 18}}.items():
        add(f"qdq_{kind.lower()}", qdq(kind, scale=0.03, **attributes))
    for kind in ("QuickGelu", "FastGelu"):
        add(f"qdq_{kind.lower()}", qdq(kind, domain="com.microsoft", scale=0.03))
    add("qdq_reducesum_13", qdq("ReduceSum", out=(0.3, i8(-5)), inputs=[np.int64([2, 3])], keepdims=0))
    add("qdq_reducesum_11", qdq("ReduceSum", out=(0.1, i8(-5)), opset=11, axes=[1]))

    def sum_of_two(seed):
        n = Net(seed)
        return n, [n.q(n.node("Sum", n.real([2, 40], 0.02), n.real([2, 40], 0.05)), 0.06, i8(3))]
    add("qdq_sum", sum_of_two)

    for name, shape, axis in (("middle", (2, 5, 4, 3), 1), ("last", (2, 5, 4, 3), -1)):
        def softmax(seed, shape=shape, axis=axis, opset=13):
            n = Net(seed, opset)
            y = n.node("Softmax", n.real(list(shape), 0.1), axis=axis)
            return n, [n.q(y, 1 / 256, i8(-128))]
        add(f"qdq_softmax_{name}_13", softmax)
    add("qdq_softmax_middle_11", lambda s: softmax(s, axis=1, opset=11))

    add("qdq_averagepool_1d", qdq("AveragePool", shape=(1, 4, 20), out=(0.02, i8(3)),
                                  kernel_shape=[4], strides=[2]))
    add("qdq_maxpool_1d", qdq("MaxPool", shape=(1, 4, 20), out=(0.02, i8(3)), kernel_shape=[3],
                              strides=[2], pads=[1, 1]))
    add("qdq_global_1d", qdq("GlobalAveragePool", shape=(1, 4, 20)))
    add("qdq_reducemean_channels", qdq("ReduceMean", axes=[1], keepdims=0))
    add("qdq_averagepool_ceil", qdq("AveragePool", out=(0.02, i8(3)), kernel_shape=[3, 3],
                                    strides=[2, 2], ceil_mode=1))
    add("qdq_conv_dilated", layer("Conv", (1, 4, 9, 9), (6, 4, 3, 3), 0, dilations=[2, 2],
                                  pads=[2, 2, 2, 2]))
    add("qdq_convtranspose_1d", layer("ConvTranspose", (1, 4, 9), (4, 3, 4), 1, bias=None,
                                      per_channel=False, strides=[2], pads=[1, 1]))
    add("qdq_convtranspose_grouped", layer("ConvTranspose", (1, 4, 5, 5), (4, 2, 3, 3), 1,
                                           bias=None, per_channel=False, strides=[2, 3], group=2,
                                           dilations=[1, 2]))
    add("qdq_half_scale", layer("MatMul", (4, 3), (3, 5), 1, bias=None, per_channel=False,
                                out=(0.0004, i8(1))))

    # Windows with gaps, and of three axes.
    add("qdq_maxpool_dilated", qdq("MaxPool", out=(0.02, i8(3)), kernel_shape=[3, 2], dilations=[2, 3],
                                   pads=[1, 0, 2, 1], strides=[1, 2]))
    add("qdq_maxpool_1d_dilated", qdq("MaxPool", shape=(2, 3, 14), out=(0.02, i8(3)), kernel_shape=[3],
                                      dilations=[3], ceil_mode=1, strides=[2]))
    add("qdq_maxpool_3d", qdq("MaxPool", shape=(2, 2, 5, 6, 4), out=(0.02, i8(3)), strides=[2, 1, 2],
                              kernel_shape=[2, 3, 2], pads=[1, 1, 0, 0, 1, 1]))
    add("qdq_averagepool_3d", qdq("AveragePool", shape=(1, 2, 5, 6, 4), out=(0.02, i8(3)),
                                  kernel_shape=[2, 3, 2]))
    add("qdq_averagepool_3d_include", qdq("AveragePool", shape=(1, 2, 5, 6, 4), kernel_shape=[2, 3, 2],
                                          pads=[1, 1, 0, 0, 1, 1], count_include_pad=1))
    add("qdq_averagepool_dilated", qdq("AveragePool", opset=19, kernel_shape=[2, 3], dilations=[2, 2]))
    add("qdq_globalmaxpool_3d", qdq("GlobalMaxPool", shape=(1, 2, 3, 4, 2), out=(0.02, i8(3))))

    # Outputs in float32, straight from the sums; beyond 2^24 float32 rounds them.
    for depth in (20, 4000):
        def float_sums(seed, depth=depth):
            n = Net(seed)
            w = n.constant(n.random.randint(-20 if depth < 100 else 40, 64, (depth, 5)).astype(i8))
            return n, [n.node("MatMul", n.real([2, depth], 0.0213, u8(0)), n.dq(w, 0.0037, i8(0)))]
        add(f"float_sums_{depth}", float_sums)

    def float_gemm(seed):
        n = Net(seed)
        b = n.random.randint(-4000, 4000, 5).astype(np.int32)
        bias = n.dq(n.constant(b), F(0.0213) * F(0.0037), np.int32(0))
        return n, [n.node("Gemm", n.real([2, 20], 0.0213, u8(97)), n.weights((5, 20), 0.0037), bias,
                          transB=1)]
    add("float_gemm", float_gemm)

    # Bounds of bytes.
    for kind, low, high in ((i8, -127, 127), (i8, -8, 7), (u8, 0, 127), (u8, 100, 255)):
        def clipped(seed, kind=kind, low=low, high=high):
            n = Net(seed)
            q = n.q(n.input([1, 3, 5, 5], F), 0.02, kind(3 if kind == i8 else 110))
            y = n.node("Clip", q, n.constant(kind(low)), n.constant(kind(high)))
            return n, [n.dq(y, 0.02, kind(3 if kind == i8 else 110))]
        add(f"bytes_clip_{np.dtype(kind)}_{high - low}", clipped)
    add("alone_clip", lambda s: (lambda n: (n, [n.node("Clip", n.input([2, 9], u8), "",
                                                       n.constant(u8(200)))]))(Net(s)))
    add("alone_relu", lambda s: (lambda n: (n, [n.node("Relu", n.input([2, 9], i8))]))(Net(s, 14)))

    def added_bias(seed):
        n = Net(seed)
        scales = n.random.uniform(0.005, 0.02, 5).astype(F)
        w = n.weights((5, 4, 3, 3), scales, np.zeros(5, i8), axis=0)
        y = n.node("Conv", n.real([1, 4, 6, 6]), w)
        b = n.constant(n.random.randint(-4000, 4000, 5).astype(np.int32))
        b = n.dq(b, F(0.02) * scales, np.zeros(5, np.int32), axis=0)
        y = n.node("Add", n.node("Unsqueeze", b, n.constant(np.int64([1, 2]))), y)
        return n, [n.q(n.node("Relu", y), 0.05, i8(-128))]
    add("qdq_conv_add", added_bias)

    def cast_bytes(seed):
        n = Net(seed)
        x = n.node("Cast", n.input([1, 3, 4, 4], u8), to=TensorProto.FLOAT)
        x = n.node("Div", n.node("Sub", x, n.constant(F(127.5))), n.constant(F(63)))
        return n, [n.dq(n.q(x, 0.017, i8(-2)), 0.017, i8(-2))]
    add("cast_bytes", cast_bytes)

    def other_type(seed):
        n = Net(seed)
        w = n.node("Reshape", n.weights((6, 1, 4, 3), n.random.uniform(0.005, 0.02, 6), np.zeros(6, i8),
                                        axis=0), n.constant(np.int64([6, 4, 3, 1])))
        return n, [n.q(n.node("Conv", n.real([1, 4, 6, 6], 0.02, u8(100)), w), 0.1, u8(90))]
    add("reshaped_weights", other_type)

    def halves(seed):
        n = Net(seed)
        w = n.constant(n.reduced([6, 4, 1, 1]))
        return n, [n.node("QLinearConv", n.input([1, 4, 7, 7], u8), *n.scale(0.5, u8(128)), w,
                          *n.scale(0.5, i8(0)), *n.scale(0.5, u8(127)))]
    add("qlinearconv_halves", halves)

    def other_scale(seed):
        n = Net(seed)
        q = n.q(n.input([1, 4, 6, 6], F), 0.02, i8(3))
        return n, [n.dq(q, 0.05, i8(-3))]
    add("read_with_another_scale", other_scale)


define()
