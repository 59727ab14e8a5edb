"""What a quantised ONNX model computes, in numpy: the meaning that tinytune's kernels are held to.

Between DequantizeLinear and QuantizeLinear, products of bytes are summed in integers and scaled in
float32, to nearest and ties to even, as onnxruntime's integer kernels do (doc/adr/0076). Nothing
here is shared with the engine: no fixed point, no proofs, no tables.
"""

import numpy as np
from onnx import numpy_helper

F = np.float32
LIMITS = {np.dtype(np.int8): (-128, 127), np.dtype(np.uint8): (0, 255)}


class Sum:
    """Integers and the float32 scales that make them real; channels on axis 1."""

    def __init__(self, values, scale):
        self.values, self.scale = values, np.asarray(scale, F).reshape(-1)

    def along(self, scale):
        return scale if scale.size == 1 else scale.reshape([1, -1] + [1] * (self.values.ndim - 2))

    def real(self):
        return self.values.astype(F) * self.along(self.scale)


def real_of(value):
    return value.real() if isinstance(value, Sum) else value


def quantise(value, scale, zero):
    if isinstance(value, Average):
        steps = value.values.astype(F) * (value.scale / (F(scale) * F(value.count)))
    elif isinstance(value, Sum):
        steps = value.values.astype(F) * value.along((value.scale / F(scale)).astype(F))
    else:
        steps = value.astype(F) / F(scale)
    low, high = LIMITS[zero.dtype]
    return np.clip(np.rint(steps).astype(np.float64) + int(zero), low, high).astype(zero.dtype)


def windows(x, kernel, strides, pads, dilations):
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, (2, 3))
    return view[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]


def convolve(x, w, strides, pads, dilations, groups):
    """Exact: float64 holds every sum of these."""
    taps = windows(x.astype(np.float64), w.shape[2:], strides, pads, dilations)
    batch, channels, height, width = taps.shape[:4]
    taps = taps.reshape(batch, groups, channels // groups, height, width, *w.shape[2:])
    w = w.astype(np.float64).reshape(groups, -1, *w.shape[1:])
    out = np.einsum("bgcyxij,gocij->bgoyx", taps, w, optimize=True)
    return np.rint(out).astype(np.int64).reshape(batch, -1, height, width)


def same_upper(size, kernel, stride):
    missing = max(0, (-(-size // stride) - 1) * stride + kernel - size)
    return missing // 2, missing - missing // 2


def layer(node, kind, attributes, operands):
    x, w = operands[:2]
    scale = (x.scale * w.scale).astype(F)
    if kind == "Conv":
        kernel = w.values.shape[2:]
        pads = attributes.get("pads", [0, 0, 0, 0])
        if attributes.get("auto_pad") == b"SAME_UPPER":
            sides = [same_upper(s, k, t) for s, k, t in
                     zip(x.values.shape[2:], kernel, attributes["strides"])]
            pads = [sides[0][0], sides[1][0], sides[0][1], sides[1][1]]
        sums = convolve(x.values, w.values, attributes.get("strides", [1, 1]), pads,
                        attributes.get("dilations", [1, 1]), attributes.get("group", 1))
        bias_shape = (1, -1, 1, 1)
    else:
        matrix = w.values.T if attributes.get("transB", 0) else w.values
        sums = x.values.astype(np.int64) @ matrix.astype(np.int64)
        bias_shape = (1, -1)
    if len(operands) > 2:
        sums = sums + operands[2].values.astype(np.int64).reshape(bias_shape)
    assert np.abs(sums).max() < 2**31, node.name
    return Sum(sums, scale)


def softmax(x):
    # The exponentials to 2^-2x as an engine without floats has them; ONNX fixes no last bit here.
    bits = 31 - int(x.shape[-1]).bit_length()
    scaled = np.exp((x - x.max(-1, keepdims=True)).astype(np.float64)) * 2.0**bits
    exps = np.floor(scaled + 0.5)
    return exps / exps.sum(-1, keepdims=True)


def dequantise(operands, attributes):
    x, scale = operands[0], np.asarray(operands[1], F)
    zero = np.asarray(operands[2]) if len(operands) > 2 else np.zeros_like(scale, np.int32)
    values = x.astype(np.int64)
    if zero.size == 1:
        return Sum(values - int(zero.reshape(-1)[0]), scale)
    shape = [1] * x.ndim
    shape[attributes.get("axis", 1)] = -1
    return Sum(values - zero.astype(np.int64).reshape(shape), scale)


def run(model, inputs):
    """Every value of the model by name, of `inputs` by name."""
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    values.update(inputs)
    for node in model.graph.node:
        kind = node.op_type
        a = {x.name: x.i if x.type == 2 else x.s if x.type == 3 else list(x.ints)
             for x in node.attribute}
        operands = [values[name] for name in node.input if name]
        x = operands[0]
        if kind == "QuantizeLinear":
            y = quantise(x, operands[1], operands[2])
        elif kind == "DequantizeLinear":
            y = dequantise(operands, a)
        elif kind in ("QLinearConv", "QLinearMatMul"):
            parts = [dequantise(operands[i:i + 3], {"axis": 0}) for i in (0, 3)]
            if len(operands) > 8:
                parts.append(Sum(operands[8], 1))
            total = layer(node, kind.replace("QLinear", ""), a, parts)
            y = quantise(total, operands[6], operands[7])
        elif kind in ("Conv", "Gemm", "MatMul"):
            y = layer(node, kind, a, operands)
        elif kind == "Relu":
            y = Sum(np.maximum(x.values, 0), x.scale) if isinstance(x, Sum) else np.maximum(x, F(0))
        elif kind == "Clip":
            y = np.clip(real_of(x), *operands[1:])
        elif kind == "Add":
            y = real_of(x) + real_of(operands[1])
        elif kind == "GlobalAveragePool":
            count = x.values.shape[2] * x.values.shape[3]
            y = Average(x.values.sum((2, 3), keepdims=True), x.scale, count)
        elif kind == "MaxPool":
            taps = windows(x.values, a["kernel_shape"], a["strides"], [0] * 4, [1, 1])
            y = Sum(taps.max((4, 5)), x.scale)
        elif kind == "Softmax":
            y = softmax(real_of(x))
        elif kind == "Sigmoid":
            y = (1 / (1 + np.exp(-real_of(x).astype(np.float64)))).astype(F)
        elif kind in ("Flatten", "Reshape"):
            shape = [len(x.values), -1] if kind == "Flatten" else [int(n) for n in operands[1]]
            y = Sum(x.values.reshape(shape), x.scale)
        elif kind == "Transpose":
            y = Sum(x.values.transpose(a["perm"]), x.scale)
        else:
            raise NotImplementedError(kind)
        values[node.output[0]] = y
    return values


class Average(Sum):
    """A sum over a count: the count goes into the scale, as in onnxruntime's pools."""

    def __init__(self, values, scale, count):
        super().__init__(values, scale)
        self.count = count

    def real(self):
        return (self.values / self.count * self.scale).astype(F)
