"""What a network of plain integers computes (Deeploy's and QuantLib's dialect of ONNX), in numpy's int64.

Written from the operators' meaning (doc/reference.md has it); nothing here is shared with the engine: every
operator is computed for itself, without tables, and windows are summed tap by tap.
"""

import math

import numpy as np
from onnx import numpy_helper


def attributes(node):
    """By name; an attribute of one number, whatever its type, is an int."""
    result = {}
    for a in node.attribute:
        value = {1: a.f, 2: a.i, 3: a.s, 7: list(a.ints)}.get(a.type)
        if a.type == 4:
            value = numpy_helper.to_array(a.t).reshape(-1)[0]
        result[a.name] = int(round(float(value))) if a.type in (1, 2, 4) else value
    return result


def towards_zero(a, b):
    return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))


def root(x):
    return np.vectorize(math.isqrt, otypes=[np.int64])(x)


def along_channels(value, shape):
    """A multiplier or an addend of RequantShift as broadcasting lines it up with its data."""
    if value.size == 1:
        return value.reshape(-1)[0]
    if len(shape) > 2 and value.size == shape[1]:
        return value.reshape([1, -1] + [1] * (len(shape) - 2))
    return value


def requant_shift(a, x, multiplier, addend):
    bits = int(math.log2(a["div"]))
    half = 1 << (bits - 1) if bits else 0
    y = (x * along_channels(multiplier, x.shape) + along_channels(addend, x.shape) + half) >> bits
    levels = a.get("n_levels_out", a.get("n_levels"))
    return np.clip(y, -(levels // 2), levels // 2 - 1) if a["signed"] else np.clip(y, 0, levels - 1)


def softmax(a, x):
    below = x - x.max(-1, keepdims=True)
    z = np.clip(-towards_zero(below, np.int64(a["log2"])), 0, 31)
    rest = below + z * a["log2"]
    y = (a["coeffA"] * (rest + a["coeffB"]) ** 2 + a["coeffC"]) >> z
    return y * (a["n_levels"] - 1) // y.sum(-1, keepdims=True)


def ita_max(a, x):
    shift = (x.max(-1, keepdims=True) - x + 16) >> 5
    return ((a["n_levels"] - 1) * 256 // (256 >> shift).sum(-1, keepdims=True)) >> shift


def rms_norm(a, x, weight):
    by = root((x * x).sum(-1, keepdims=True) // x.shape[-1] + 1)
    return np.clip(towards_zero(x * weight, by) >> int(math.log2(a["D"])), -128, 127)


def layer_norm(a, x, weight, bias):
    length = np.int64(x.shape[-1])
    d = x - towards_zero(x.sum(-1, keepdims=True), length)
    by = root(towards_zero((d * d).sum(-1, keepdims=True), length) + 1)
    y = (towards_zero(d * weight, by) + bias) >> int(math.log2(a["D"]))
    return (y + 128) % 256 - 128


def gelu(a, x):
    e = np.minimum(np.abs(x), -a["b"]) + a["b"]
    return x * ((a["one"] + np.sign(x) * (a["one"] - e * e)) >> 1)


def hardswish(a, x):
    return x * np.clip(x + a["three"], 0, a["six"]) * a["one_over_six"]


def divided(a, x, y=None):
    y = np.int64(a["y"]) if y is None else y
    return a["Delta"] * a["eta"] * x // (a["eta"] * y + a["eps"])


def divided_to_nearest(a, x, y):
    n, d = a["Delta"] * a["eta"] * x, a["eta"] * y + a["eps"]
    return towards_zero(np.where(x >= 0, n + (d >> 1), n - (d >> 1)), d)


def two_axes(a, x):
    """Of one axis, an image of one row: its attributes and itself."""
    if x.ndim == 4:
        return a, x
    wide = dict(a)
    for name, other in (("kernel_shape", 1), ("strides", 1), ("dilations", 1)):
        if name in a:
            wide[name] = [other] + a[name]
    if "pads" in a:
        wide["pads"] = [0, a["pads"][0], 0, a["pads"][1]]
    return wide, x[:, :, None, :]


def taps_of(a, x, kernel, fill):
    """The windows' elements, tap by tap: ((row, column), [batch, channels, height, width])."""
    top, left, bottom, right = a.get("pads", [0, 0, 0, 0])
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    strides, dilations = a.get("strides", [1, 1]), a.get("dilations", [1, 1])
    height, width = [(x.shape[2 + i] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in (0, 1)]
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            first = row * dilations[0], column * dilations[1]
            yield (row, column), x[:, :, first[0]:first[0] + (height - 1) * strides[0] + 1:strides[0],
                                   first[1]:first[1] + (width - 1) * strides[1] + 1:strides[1]]


def conv(a, x, w, bias=None):
    rank = x.ndim
    a, x = two_axes(a, x)
    w = w.reshape(w.shape[0], w.shape[1], -1, w.shape[-1])
    groups = a.get("group", 1)
    total = 0
    for (row, column), taps in taps_of(a, x, w.shape[2:], 0):
        batch, channels, height, width = taps.shape
        taps = taps.reshape(batch, groups, channels // groups, height, width)
        of_tap = w[:, :, row, column].reshape(groups, -1, channels // groups)
        total = total + np.einsum("bgchw,goc->bgohw", taps, of_tap).reshape(batch, -1, height, width)
    if bias is not None:
        total = total + bias.reshape(1, -1, 1, 1)
    return total if rank == 4 else total[:, :, 0]


def max_pool(a, x):
    rank = x.ndim
    a, x = two_axes(a, x)
    y = np.max([taps for _, taps in taps_of(a, x, a["kernel_shape"], -2 ** 31)], axis=0)
    return y if rank == 4 else y[:, :, 0]


def gemm(a, x, w, c=None):
    x, w = x.T if a.get("transA") else x, w.T if a.get("transB") else w
    y = a.get("alpha", 1) * (x @ w)
    return y if c is None else y + a.get("beta", 1) * c


def reduction(a, x, axes=None):
    axes = a.get("axes") if axes is None else axes.tolist()
    return tuple(range(x.ndim)) if axes is None else tuple(axes), bool(a.get("keepdims", 1))


def mean(a, x, axes=None):
    over, keep = reduction(a, x, axes)
    total = x.sum(over, keepdims=keep)
    count = x.size // total.size
    return (2 * total + count) // (2 * count)


def sliced(a, x, starts, ends, axes, steps=None):
    where = [slice(None)] * x.ndim
    for i, axis in enumerate(axes.tolist()):
        where[axis] = slice(int(starts[i]), int(ends[i]), 1 if steps is None else int(steps[i]))
    return x[tuple(where)]


def padded(a, x):
    half = len(a["pads"]) // 2
    return np.pad(x, list(zip(a["pads"][:half], a["pads"][half:])), constant_values=a.get("value", 0))


OPERATORS = {
    "RequantShift": requant_shift, "iSoftmax": softmax, "ITAMax": ita_max, "iRMSNorm": rms_norm,
    "iLayerNorm": layer_norm, "iGELU": gelu, "iHardswish": hardswish, "TrueIntegerDiv": divided,
    "IntegerDiv": divided_to_nearest, "IntegerMean": mean, "ReduceMean": mean, "Conv": conv,
    "MaxPool": max_pool, "Gemm": gemm, "Slice": sliced, "Pad": padded,
    "MatMul": lambda a, x, y: x @ y,
    "Add": lambda a, x, y: x + y,
    "Sub": lambda a, x, y: x - y,
    "Mul": lambda a, x, y: x * y,
    "Relu": lambda a, x: np.maximum(x, 0),
    "ReduceSum": lambda a, x, axes=None: x.sum(reduction(a, x, axes)[0], keepdims=reduction(a, x, axes)[1]),
    "ReduceMax": lambda a, x, axes=None: x.max(reduction(a, x, axes)[0], keepdims=reduction(a, x, axes)[1]),
    "Identity": lambda a, x: x,
    "Reshape": lambda a, x, shape: x.reshape(shape),
    "Flatten": lambda a, x: x.reshape(int(np.prod(x.shape[:a.get("axis", 1)])), -1),
    "Transpose": lambda a, x: x.transpose(a["perm"]),
    "Concat": lambda a, *x: np.concatenate(x, a["axis"]),
    "Gather": lambda a, x, at: np.take(x, at, a.get("axis", 0)),
}


def run(model, feeds):
    """Every value by name; `feeds`: those of the inputs."""
    values = {t.name: numpy_helper.to_array(t).astype(np.int64) for t in model.graph.initializer}
    values.update({name: np.asarray(x).astype(np.int64) for name, x in feeds.items()})
    for node in model.graph.node:
        inputs = [values[name] for name in node.input if name]
        values[node.output[0]] = np.asarray(OPERATORS[node.op_type](attributes(node), *inputs))
    return values
