"""Quantised ONNX networks of MLPerf Tiny's shapes, with seeded weights, as exporters write them.

Weights are int8 by channel, biases int32, images NCHW, everything between DequantizeLinear and
QuantizeLinear. Activations' scales come from one run on a random input, by the oracle. Writing
needs Debian's python3-onnx; opset 13.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import oracle

F = np.float32


class Export:
    """A network in the making: layers append nodes, and compute a sample to choose scales by."""

    def __init__(self, name, shape, seed, activations=np.int8, round_scales=False):
        self.name, self.activations, self.round_scales = name, np.dtype(activations), round_scales
        self.random = np.random.RandomState(seed)
        self.nodes, self.constants, self.layers = [], [], []
        self.input = helper.make_tensor_value_info("input", TensorProto.FLOAT, shape)
        self.sample = {"input": self.random.uniform(-1, 1, shape).astype(F)}
        self.at = self.quantised("input")

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def sampled(self, name):
        graph = helper.make_graph(self.nodes, "sample", [self.input], [], self.constants)
        return oracle.run(helper.make_model(graph), self.sample)[name]

    def scale_of(self, largest, steps):
        scale = F(largest / steps)
        return F(2.0 ** np.ceil(np.log2(scale))) if self.round_scales else scale

    def dequantised(self, name, array, scale, zero, **attributes):
        """A constant and its way to real numbers."""
        inputs = [self.constant(name, array), self.constant(name + "_scale", np.asarray(scale, F)),
                  self.constant(name + "_zero", np.asarray(zero))]
        return self.node("DequantizeLinear", inputs, name + "_real", **attributes)

    def quantised(self, value, scale=None, zero=None):
        """QuantizeLinear of a real value, DequantizeLinear behind it."""
        low, high = oracle.LIMITS[self.activations]
        if scale is None:
            real = oracle.real_of(self.sampled(value))
            least, most = min(float(real.min()), 0), max(float(real.max()), 1e-3)
            scale = self.scale_of(most - least, high - low)
            zero = np.clip(np.rint(low - least / scale), low, high)
        pair = [self.constant(value + "_s", F(scale)),
                self.constant(value + "_z", np.asarray(zero, self.activations))]
        self.node("QuantizeLinear", [value, *pair], value + "_q")
        self.layers.append(value + "_q")
        self.scale = F(scale)
        self.at = self.node("DequantizeLinear", [value + "_q", *pair], value + "_dq")
        return self.at

    def weighted(self, kind, name, shape, axis, fan, relu, attributes):
        """A layer with weights and a bias, and its activation."""
        weights = np.clip(np.rint(self.random.normal(0, 40, shape)), -127, 127).astype(np.int8)
        outputs = shape[axis]
        scales = np.array([self.scale_of(s, 127) for s in
                           self.random.uniform(2, 5, outputs) / np.sqrt(fan)], F)
        zeros = np.zeros(outputs, np.int8)
        bias = self.random.randint(-2000, 2000, outputs).astype(np.int32)
        inputs = [self.at, self.dequantised(name + "_w", weights, scales, zeros, axis=axis),
                  self.dequantised(name + "_b", bias, self.scale * scales,
                                   np.zeros(outputs, np.int32), axis=0)]
        out = self.node(kind, inputs, name, **attributes)
        if relu:
            out = self.node("Relu", [out], name + "_relu")
        return self.quantised(out)

    def conv(self, name, channels, outputs, kernel, stride=1, groups=1, relu=True, pads=None):
        shape = (outputs, channels // groups, *kernel)
        attributes = {"kernel_shape": list(kernel), "strides": [stride, stride], "group": groups}
        if pads is None:
            attributes["auto_pad"] = "SAME_UPPER"
        else:
            attributes["pads"] = pads
        fan = int(np.prod(shape[1:]))
        return self.weighted("Conv", name, shape, 0, fan, relu, attributes)

    def dense(self, name, inputs, outputs, relu=False):
        return self.weighted("Gemm", name, (outputs, inputs), 0, inputs, relu, {"transB": 1})

    def add(self, name, first, second, relu=True):
        out = self.node("Add", [first, second], name)
        return self.quantised(self.node("Relu", [out], name + "_relu") if relu else out)

    def pool(self):
        return self.quantised(self.node("GlobalAveragePool", [self.at], "pool"))

    def flatten(self):
        self.at = self.node("Flatten", [self.at], "flat")

    def softmax(self):
        low = oracle.LIMITS[self.activations][0]
        return self.quantised(self.node("Softmax", [self.at], "softmax"), F(1 / 256), low)

    def model(self, all_layers=False):
        """`all_layers`: the bytes behind every layer are outputs too."""
        code = {np.dtype(np.int8): TensorProto.INT8, np.dtype(np.uint8): TensorProto.UINT8}
        outputs = [helper.make_tensor_value_info(self.at, TensorProto.FLOAT, None)]
        if all_layers:
            outputs += [helper.make_tensor_value_info(name, code[self.activations], None)
                        for name in self.layers]
        graph = helper.make_graph(self.nodes, self.name, [self.input], outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


def keyword_spotting(seed):
    e = Export("kws", [1, 1, 49, 10], seed)
    e.conv("conv", 1, 64, (10, 4), 2)
    for i in range(4):
        e.conv(f"dw{i}", 64, 64, (3, 3), groups=64, pads=[1, 1, 1, 1])
        e.conv(f"pw{i}", 64, 64, (1, 1), pads=[0, 0, 0, 0])
    e.pool(), e.flatten(), e.dense("dense", 64, 12), e.softmax()
    return e


def visual_wake_words(seed):
    e = Export("vww", [1, 3, 96, 96], seed)
    e.conv("conv", 3, 8, (3, 3), 2)
    channels = 8
    for i, (outputs, stride) in enumerate([(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2),
                                           *[(128, 1)] * 5, (256, 2), (256, 1)]):
        e.conv(f"dw{i}", channels, channels, (3, 3), stride, channels)
        e.conv(f"pw{i}", channels, outputs, (1, 1), pads=[0, 0, 0, 0])
        channels = outputs
    e.pool(), e.flatten(), e.dense("dense", 256, 2), e.softmax()
    return e


def image_classification(seed):
    e = Export("ic", [1, 3, 32, 32], seed, activations=np.uint8)
    at, channels = e.conv("conv", 3, 16, (3, 3)), 16
    for i, (outputs, stride) in enumerate([(16, 1), (32, 2), (64, 2)]):
        e.conv(f"a{i}", channels, outputs, (3, 3), stride)
        second = e.conv(f"b{i}", outputs, outputs, (3, 3), relu=False)
        first, scale = at, e.scale
        if stride == 2:
            e.at, e.scale = at, e.block_scale
            first = e.conv(f"c{i}", channels, outputs, (1, 1), 2, relu=False, pads=[0, 0, 0, 0])
        at, channels = e.add(f"add{i}", second, first), outputs
        e.block_scale = e.scale
    e.pool(), e.flatten(), e.dense("dense", 64, 10), e.softmax()
    return e


def anomaly_detection(seed):
    e = Export("ad", [1, 640], seed)
    widths = [640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640]
    for i, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
        e.dense(f"dense{i}", inputs, outputs, relu=outputs != 640)
    return e


NETWORKS = {"kws": keyword_spotting, "vww": visual_wake_words, "ic": image_classification,
            "ad": anomaly_detection}


def small(seed, activations=np.int8, round_scales=False):
    """One of every kind of layer."""
    e = Export("small", [1, 3, 9, 8], seed, activations, round_scales)
    first = e.conv("conv", 3, 8, (3, 3), 2)
    e.conv("dw", 8, 8, (3, 3), groups=8, pads=[1, 1, 1, 1])
    second = e.conv("pw", 8, 8, (1, 1), relu=False, pads=[0, 0, 0, 0])
    e.add("add", second, first, relu=False)
    e.pool(), e.flatten(), e.dense("dense", 8, 6), e.softmax()
    return e


def inputs_of(export, seed):
    """Random numbers, both ends of the range and beyond, and ties of the input's own scale."""
    shape = export.sample["input"].shape
    random = np.random.RandomState(seed)
    scale = oracle.F(numpy_helper.to_array(export.constants[0]))
    yield random.uniform(-1, 1, shape).astype(F)
    yield np.full(shape, 1e9, F)
    yield np.full(shape, -1e9, F)
    yield np.where(random.randint(2, size=shape), F(3), F(-3)).astype(F)
    yield ((random.randint(-128, 128, shape) + F(0.5)) * scale).astype(F)
