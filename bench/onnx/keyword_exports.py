"""One small keyword network as exporters spell it: QDQ and QOperator, opset 9 to 21.

A convolution, two depthwise separable blocks, a mean and a dense layer, with the same weights in each
export. SPELLINGS has a row for each exporter and its options; against_onnxruntime.py compares every
one with onnxruntime, tests/onnx with what that answered. Writing needs Debian's python3-onnx.
"""

import numpy as np
from onnx import TensorProto

from single_operators import F, Net

U8, I8 = np.uint8, np.int8
# Channels in and out, kernel, stride, groups, pads.
LAYERS = [(1, 16, (10, 4), 2, 1, [4, 1, 5, 1]), (16, 16, (3, 3), 1, 16, [1, 1, 1, 1]),
          (16, 16, (1, 1), 1, 1, [0] * 4), (16, 16, (3, 3), 1, 16, [1, 1, 1, 1]),
          (16, 24, (1, 1), 1, 1, [0] * 4)]
CLASSES, WIDTH = 12, 24


class Keyword(Net):
    """The network in one spelling. Bytes are names; the scale and zero point of the last are kept."""

    def __init__(self, seed, opset=13, activations=U8, weight_type=I8, per_channel=False,
                 symmetric=False, zero_points=True, weights="bytes", bias="int32", relu="Relu",
                 pool="GlobalAveragePool", flat="Flatten", dense="Gemm", layout="NCHW", between=(),
                 narrow=None, batch=1, end="bytes", softmax=False, nodes=False, domain="",
                 moved_pairs=True, preparation=None):
        super().__init__(seed, opset)
        self.activations, self.weight_type = np.dtype(activations), np.dtype(weight_type)
        self.per_channel, self.symmetric, self.zero_points = per_channel, symmetric, zero_points
        self.weights_are, self.bias_is, self.relu_is, self.pool_is = weights, bias, relu, pool
        self.flat_is, self.dense_is, self.layout, self.between = flat, dense, layout, between
        self.narrow, self.batch, self.end, self.softmax = narrow, batch, end, softmax
        self.nodes_for_constants, self.q_domain, self.moved_pairs = nodes, domain, moved_pairs
        self.preparation = preparation

    def constant(self, value):
        """An initializer, or a Constant node as PyTorch writes them."""
        name = super().constant(value)
        if not self.nodes_for_constants:
            return name
        return self.node("Constant", value=self.constants.pop())

    # Bytes and reals.

    def zero(self, of_positive):
        """The zero point of values that Relu left, or of any."""
        if self.symmetric:
            return self.activations.type(0)
        low = np.iinfo(self.activations).min
        middle = 64 if self.narrow else 131
        return self.activations.type(low if of_positive else low + middle)

    def given(self, zero):
        return zero if self.zero_points else None

    def pair(self, x, scale, zero):
        """QuantizeLinear, what the exporter puts behind it, DequantizeLinear."""
        if self.opset >= 21 and not self.zero_points:
            x = self.q(x, scale, None, output_dtype=TensorProto.INT8)
        else:
            x = self.q(x, scale, self.given(zero), domain=self.q_domain)
        if self.narrow:
            x = self.node("Clip", x, *(self.constant(self.activations.type(n)) for n in self.narrow))
        return self.real_of(x, scale, zero)

    def real_of(self, x, scale, zero):
        x = self.dq(x, scale, self.given(zero), domain=self.q_domain)
        for kind in self.between:
            x = self.node(kind, x, **({"to": TensorProto.FLOAT} if kind == "Cast" else {}))
        return x

    # Weights and biases.

    def quantised(self, weights, axis):
        """Bytes, scales and zero points: of seven bits, as x86 kernels add pairs in 16 bits."""
        rest = tuple(i for i in range(weights.ndim) if i != axis)
        largest = np.abs(weights).max(axis=rest if self.per_channel else None)
        scales = np.asarray(largest / 63, F)
        shape = [-1 if i == axis else 1 for i in range(weights.ndim)] if self.per_channel else []
        values = np.clip(np.rint(weights / scales.reshape(shape)), -63, 63)
        middle = 0 if self.weight_type == I8 else 128
        return ((values + middle).astype(self.weight_type), scales,
                np.full(scales.shape, middle, self.weight_type))

    def weights_of(self, weights, axis):
        values, scales, zeros = self.quantised(weights, axis)
        self.weight_scales = scales
        at = {"axis": axis} if self.per_channel and self.opset >= 13 else {}
        given = zeros if self.zero_points or self.weight_type == U8 else None
        if self.weights_are == "float":
            bytes_ = self.q(self.constant(weights.astype(F)), scales, given, **at)
            if self.narrow and self.opset >= 13:
                limits = np.array([-127, 127]).astype(self.weight_type)
                bytes_ = self.node("Clip", bytes_, *(self.constant(n) for n in limits))
        elif self.weights_are == "turned":  # TensorFlow's order, and brought into ONNX's here
            order = [2, 3, 1, 0] if weights.ndim == 4 else [1, 0]
            turned = self.constant(np.ascontiguousarray(values.transpose(order)))
            at = {"axis": weights.ndim - 1 if axis == 0 else 0} if at else {}
            real = self.dq(turned, scales, given, **at)
            back = [int(i) for i in np.argsort(order)]
            return self.node("Transpose", real, perm=back)
        elif self.weights_are == "reshaped" and weights.ndim == 4:  # of one more axis, TFLite's depthwise multiplier
            shape = list(values.shape)
            real = self.dq(self.constant(values.reshape(shape[:1] + [1] + shape[1:])), scales, given,
                           **at)
            return self.node("Reshape", real, self.constant(np.int64(shape)))
        elif self.weights_are == "identity":
            bytes_ = self.node("Identity", self.constant(values))
        else:
            bytes_ = self.constant(values)
        return self.dq(bytes_, scales, given, domain=self.q_domain, **at)

    def bias_of(self, bias, scale):
        scales = F(scale) * self.weight_scales
        whole = np.rint(bias / scales).astype(np.int32)
        at = {"axis": 0} if scales.ndim and self.opset >= 13 else {}
        if self.bias_is in ("int32", "add"):
            return self.dq(self.constant(whole), scales, np.zeros(scales.shape, np.int32),
                           domain=self.q_domain, **at)
        if self.bias_is == "int32_without_zero":
            return self.dq(self.constant(whole), scales, None, **at)
        if self.bias_is == "computed":  # PyTorch's: int32 by Div and Cast
            product = self.node("Mul", self.constant(self.weight_scales), self.constant(F(scale)))
            zeros = self.node("ConstantOfShape", self.node("Shape", product),
                              value=TensorProto(dims=[1], data_type=TensorProto.INT32, int32_data=[0]))
            cast = self.node("Cast", self.node("Div", self.constant(bias.astype(F)), product),
                             to=TensorProto.INT32)
            return self.node("DequantizeLinear", cast, product, zeros, **at)
        return self.constant(bias.astype(F))

    # Layers.

    def activation(self, x):
        if self.relu_is == "Relu":
            return self.node("Relu", x)
        if self.relu_is == "Clip":
            if self.opset < 11:
                return self.node("Clip", x, min=0.0, max=6.0)
            return self.node("Clip", x, self.constant(F(0)), self.constant(F(6)))
        return x  # the zero point clamps

    def conv(self, x, layer, scale, zero, out, out_zero):
        channels, outputs, kernel, stride, groups, pads = layer
        fan = channels // groups * kernel[0] * kernel[1]
        w = self.random.normal(0, 1.4 / np.sqrt(fan), (outputs, channels // groups, *kernel))
        b = self.random.uniform(-0.5, 0.7, outputs)
        how = {"strides": [stride] * 2, "pads": pads, "group": groups, "kernel_shape": list(kernel)}
        if self.end == "qoperator":
            values, scales, zeros = self.quantised(w, 0)
            bias = np.rint(b / (F(scale) * scales)).astype(np.int32)
            return self.node("QLinearConv", x, *self.scale(scale, zero), self.constant(values),
                             self.constant(scales), self.constant(zeros), *self.scale(out, out_zero),
                             self.constant(bias), **how)
        if self.layout == "each":
            x = self.node("Transpose", x, perm=[0, 3, 1, 2])
        inputs = [x, self.weights_of(w, 0)]
        if self.bias_is != "add":
            inputs.append(self.bias_of(b, scale))
        y = self.node("Conv", *inputs, **how)
        if self.bias_is == "add":
            shape = self.constant(np.int64([1, outputs, 1, 1]))
            y = self.node("Add", y, self.node("Reshape", self.bias_of(b, scale), shape))
        if self.layout == "each":
            y = self.node("Transpose", self.activation(y), perm=[0, 2, 3, 1])
            return self.pair(y, out, out_zero)
        return self.pair(self.activation(y), out, out_zero)

    def mean(self, x):
        axes = [1, 2] if self.layout == "each" else [2, 3]
        if self.pool_is == "ReduceMean":
            keep = {"keepdims": 0 if self.flat_is == "none" else 1}
            if self.opset >= 18:
                return self.node("ReduceMean", x, self.constant(np.int64(axes)), **keep)
            return self.node("ReduceMean", x, axes=axes, **keep)
        if self.pool_is == "AveragePool":
            return self.node("AveragePool", x, kernel_shape=[13, 5], strides=[1, 1])
        return self.node("GlobalAveragePool", x)

    def flattened(self, x):
        if self.flat_is == "Flatten":
            return self.node("Flatten", x)
        if self.flat_is == "Reshape":
            return self.node("Reshape", x, self.constant(np.int64([-1, WIDTH])))
        if self.flat_is == "Squeeze":
            if self.opset >= 13:
                return self.node("Squeeze", x, self.constant(np.int64([2, 3])))
            return self.node("Squeeze", x, axes=[2, 3])
        if self.flat_is in ("computed", "unknown"):  # x.view(x.size(0), -1)
            size = self.node("Gather", self.node("Shape", x), self.constant(np.int64(0)), axis=0)
            if self.opset >= 13:
                size = self.node("Unsqueeze", size, self.constant(np.int64([0])))
            else:
                size = self.node("Unsqueeze", size, axes=[0])
            size = self.node("Concat", size, self.constant(np.int64([-1])), axis=0)
            return self.node("Reshape", x, size)
        return x

    def product(self, x, scale):
        w = self.random.normal(0, 1 / np.sqrt(WIDTH), (CLASSES, WIDTH))
        b = self.random.uniform(-0.5, 0.5, CLASSES)
        if self.dense_is == "Gemm":
            return self.node("Gemm", x, self.weights_of(w, 0), self.bias_of(b, scale), transB=1)
        if self.dense_is == "Gemm_turned":
            return self.node("Gemm", x, self.weights_of(np.ascontiguousarray(w.T), 1),
                             self.bias_of(b, scale), alpha=1.0, beta=1.0)
        if self.dense_is == "Conv":
            x = self.node("Unsqueeze", x, self.constant(np.int64([2, 3])))
            y = self.node("Conv", x, self.weights_of(w.reshape(CLASSES, WIDTH, 1, 1), 0),
                          self.bias_of(b, scale))
            return self.node("Flatten", y)
        if self.dense_is == "linear":  # torch.nn.Linear of any rank
            matrix = self.node("Transpose", self.weights_of(w, 0), perm=[1, 0])
            return self.node("Add", self.bias_of(b, scale), self.node("MatMul", x, matrix))
        y = self.node("MatMul", x, self.weights_of(np.ascontiguousarray(w.T), 1))
        if self.bias_is == "not_last":
            return y
        return self.node("Add", y, self.bias_of(b, scale))

    def qoperators_end(self, x, scale, zero):
        """From the last convolution's bytes on."""
        logits, any_zero = 8 / 255, self.zero(False)
        x = self.microsoft("QLinearGlobalAveragePool", x, *self.scale(scale, zero),
                           *self.scale(0.016, zero))
        x = self.flattened(x)
        w = self.random.normal(0, 1 / np.sqrt(WIDTH), (CLASSES, WIDTH))
        b = self.random.uniform(-0.5, 0.5, CLASSES)
        if self.dense_is == "QGemm":
            values, scales, zeros = self.quantised(w, 0)
            bias = np.rint(b / (F(0.016) * scales)).astype(np.int32)
            x = self.microsoft("QGemm", x, *self.scale(0.016, zero), self.constant(values),
                               self.constant(scales), self.constant(zeros), self.constant(bias),
                               *self.scale(logits, any_zero), transB=1, alpha=1.0)
        else:
            values, scales, zeros = self.quantised(np.ascontiguousarray(w.T), 1)
            x = self.node("QLinearMatMul", x, *self.scale(0.016, zero), self.constant(values),
                          self.constant(scales), self.constant(zeros), *self.scale(logits, any_zero))
            offset = np.clip(np.rint(b / 0.005) + int(any_zero), *self.limits()).astype(self.activations)
            x = self.microsoft("QLinearAdd", x, *self.scale(logits, any_zero), self.constant(offset),
                               *self.scale(0.005, any_zero), *self.scale(logits, any_zero))
        if self.softmax:
            low = self.activations.type(self.limits()[0])
            x = self.microsoft("QLinearSoftmax", x, *self.scale(logits, any_zero),
                               *self.scale(1 / 256, low), axis=1, opset=self.opset)
            return self.dq(x, 1 / 256, low)
        return self.dq(x, logits, any_zero)

    def limits(self):
        return np.iinfo(self.activations).min, np.iinfo(self.activations).max

    def build(self):
        steps = 127 if self.symmetric and self.activations == I8 else 255
        shape = [self.batch, 25, 10, 1] if self.layout != "NCHW" else [self.batch, 1, 25, 10]
        scale, zero = 3 / 127, self.zero(False)
        given = self.input(shape, F if self.preparation is None else self.preparation)
        if self.preparation:  # an image's bytes, scaled here
            given = self.node("Cast", given, to=TensorProto.FLOAT)
            given = self.node("Div", given, self.constant(F(64)))
        x = self.q(given, scale, zero) if self.end == "qoperator" else self.pair(given, scale, zero)
        if self.layout == "first":
            x = self.node("Transpose", x, perm=[0, 3, 1, 2])
        for layer in LAYERS:
            out, out_zero = 5 / steps, self.zero(True)
            x = self.conv(x, layer, scale, zero, out, out_zero)
            scale, zero = out, out_zero
        if self.end == "qoperator":
            return [self.qoperators_end(x, scale, zero)]
        x = self.mean(x)
        if self.flat_is != "unknown":  # else what is flattened has no scale yet
            x = self.pair(x, 0.6 * scale, zero)
        x = self.flattened(x)
        if self.flat_is == "unknown" or (self.flat_is != "none" and self.moved_pairs):
            x = self.pair(x, 0.6 * scale, zero)
        y = self.product(x, 0.6 * scale)
        if self.end == "float":
            return [y]
        logits, any_zero = 4 / 127, self.zero(False)
        y = self.pair(y, logits, any_zero)
        if self.softmax:
            low = self.activations.type(0 if self.symmetric else self.limits()[0])
            y = self.pair(self.node("Softmax", y, axis=-1), 1 / steps if self.symmetric else 1 / 256,
                          low)
        return [y]


SPELLINGS = {
    # onnxruntime.quantization
    "ort_qdq_u8s8": {"opset": 13},
    "ort_qdq_u8s8_channels": {"opset": 15, "per_channel": True, "relu": "zero", "softmax": True},
    "ort_qdq_u8u8": {"opset": 11, "weight_type": U8, "relu": "zero"},
    "ort_qdq_s8s8_symmetric": {"opset": 17, "activations": I8, "symmetric": True, "per_channel": True},
    "ort_qdq_float_weights": {"opset": 19, "weights": "float", "bias": "float", "flat": "Reshape"},
    "ort_qdq_microsoft": {"opset": 17, "domain": "com.microsoft", "per_channel": True,
                          "dense": "MatMul"},
    "ort_qdq_opset_9": {"opset": 9, "domain": "com.microsoft", "relu": "Clip", "flat": "Squeeze"},
    "ort_qdq_opset_21": {"opset": 21, "activations": I8, "symmetric": True, "zero_points": False,
                         "per_channel": True, "bias": "int32_without_zero", "flat": "Squeeze",
                         "pool": "ReduceMean"},
    "ort_qoperator_u8s8": {"opset": 11, "end": "qoperator", "dense": "QGemm"},
    "ort_qoperator_u8s8_channels": {"opset": 13, "end": "qoperator", "per_channel": True,
                                    "dense": "QGemm", "softmax": True},
    "ort_qoperator_u8u8": {"opset": 10, "end": "qoperator", "weight_type": U8, "flat": "Reshape"},
    "ort_qoperator_s8s8": {"opset": 12, "end": "qoperator", "activations": I8, "flat": "Squeeze"},
    # PyTorch
    "torch_1_quantised": {"opset": 13, "bias": "computed", "nodes": True, "per_channel": True,
                          "dense": "linear", "moved_pairs": False},
    "torch_1_opset_10": {"opset": 10, "bias": "computed", "nodes": True, "flat": "computed"},
    "torch_1_fake_quantised": {"opset": 13, "weights": "float", "bias": "float", "narrow": (0, 127),
                               "per_channel": True, "nodes": True, "batch": "batch",
                               "flat": "computed", "moved_pairs": False},
    "torch_2_exported": {"opset": 18, "pool": "ReduceMean", "flat": "Reshape", "per_channel": True,
                         "between": ("Identity",), "bias": "float", "moved_pairs": False},
    # TensorFlow
    "tf2onnx_each": {"opset": 13, "layout": "each", "weights": "turned", "per_channel": True,
                     "pool": "ReduceMean", "flat": "none", "dense": "MatMul", "bias": "float",
                     "relu": "Clip"},
    "tf2onnx_first": {"opset": 17, "layout": "first", "weights": "reshaped", "per_channel": True,
                      "flat": "Squeeze", "dense": "MatMul", "activations": I8},
    # Others
    "brevitas": {"opset": 14, "activations": I8, "symmetric": True, "narrow": (-127, 127),
                 "weights": "float", "per_channel": True},
    "openvino": {"opset": 14, "bias": "add", "pool": "ReduceMean", "flat": "Reshape",
                 "per_channel": True, "dense": "MatMul"},
    "tensorrt": {"opset": 17, "activations": I8, "symmetric": True, "weights": "float",
                 "bias": "float", "per_channel": True, "moved_pairs": False, "batch": "N",
                 "flat": "unknown"},
    "image": {"opset": 13, "preparation": U8, "per_channel": True},
    "average_pool": {"opset": 16, "pool": "AveragePool", "dense": "Gemm_turned", "batch": "N",
                     "between": ("Dropout", "Cast")},
    "last_convolution": {"opset": 20, "dense": "Conv", "weights": "identity"},
    "last_float": {"opset": 13, "end": "float"},
    "last_float_matmul": {"opset": 13, "end": "float", "dense": "MatMul", "bias": "not_last"},
}


def cases():
    for name, spelling in SPELLINGS.items():
        def make(seed, spelling=spelling):
            network = Keyword(seed, **spelling)
            return network, network.build()
        yield f"keyword_{name}", make
