"""A network of plain integers in the making, and what it computes, in numpy.

Every operator is added by a method and has its meaning in MEANINGS: the oracle that generated code is compared with,
written from the operators' descriptions (doc/reference.md) and not from tinytune's code. Values are int64 there; what a
microcontroller holds in 32 bits is checked to fit.
"""

import math

import numpy as np

import onnx_file

INT32 = np.iinfo(np.int32)


def whole(values):
    assert values.min() >= INT32.min and values.max() <= INT32.max, "more than 32 bits"
    return values


def requantised(x, multiplier, addend, *, div, n_levels, signed):
    half = div >> 1
    levels = x * multiplier + addend + half >> int(math.log2(div))
    low = -(n_levels // 2) if signed else 0
    return np.clip(levels, low, low + n_levels - 1)


def towards_zero(a, b):
    return np.where((a < 0) != (b < 0), -(abs(a) // abs(b)), abs(a) // abs(b))


def normalised(x, weights, *, D, n_levels):
    mean = (x * x).sum(-1, keepdims=True) // x.shape[-1] + 1
    root = np.array([math.isqrt(int(v)) for v in mean.reshape(-1)]).reshape(mean.shape)
    return np.clip(towards_zero(x * weights, root) >> int(math.log2(D)), -(n_levels // 2), n_levels // 2 - 1)


def divided(x, y, *, Delta, eta, eps):
    """To the nearest, halves away from zero; by 0 it is 0."""
    d = eta * y + eps
    n = Delta * eta * x
    return np.where(d == 0, 0, towards_zero(n + np.where(n < 0, -(d >> 1), d >> 1), np.where(d == 0, 1, d)))


def sliced(x, starts, ends, axes):
    for start, end, axis in zip(starts, ends, axes):
        x = x.take(range(start, end), axis)
    return x


MEANINGS = {
    "Add": lambda a, b: whole(a + b),
    "Concat": lambda *parts, axis: np.concatenate(parts, axis),
    "Gather": lambda x, at, axis: x.take(at, axis),
    "IntegerDiv": divided,
    "MatMul": lambda a, b: whole(a @ b),
    "Mul": lambda a, b: whole(a * b),
    "ReduceMax": lambda x, axes, keepdims: x.max(tuple(axes), keepdims=bool(keepdims)),
    "ReduceSum": lambda x, axes, keepdims: whole(x.sum(tuple(axes), keepdims=bool(keepdims))),
    "RequantShift": requantised,
    "Reshape": lambda x, shape: x.reshape(shape),
    "Slice": sliced,
    "Sub": lambda a, b: whole(a - b),
    "Transpose": lambda x, perm: x.transpose(perm),
    "iRMSNorm": normalised,
}


class Network:
    def __init__(self, name):
        self.name, self.nodes, self.constants = name, [], {}
        self.inputs, self.outputs, self.states = [], [], {}

    def input(self, name, dtype, shape):
        self.inputs.append((name, dtype, shape))
        return name

    def state(self, name, dtype, shape):
        """An input that an output replaces; keep() names it."""
        return self.input(name, dtype, shape)

    def keep(self, state, computed):
        self.output(computed)
        self.states[state] = computed

    def output(self, name):
        self.outputs.append(name)

    def constant(self, values, dtype):
        array = np.asarray(values).astype(dtype)
        assert (array == np.asarray(values)).all(), "a constant does not fit its type"
        name = f"c{len(self.constants)}"
        self.constants[name] = array
        return name

    def add(self, kind, *inputs, name=None, **attributes):
        """The name of its result. Lists among the inputs are constants."""
        names = [value if isinstance(value, str) else self.constant(value, np.int64) for value in inputs]
        name = name or f"t{len(self.nodes)}_{kind}"
        self.nodes.append((kind, names, [name], attributes))
        return name

    def requantise(self, x, factor, *, signed=True, zero=0, bits=15):
        """x times a real factor, one or one for each element of the last axis, plus `zero`, as bytes."""
        factor = np.asarray(factor, float)
        shift = bits - 1 - math.floor(math.log2(factor.max()))
        shift = max(0, min(shift, 30))
        multiplier = np.maximum(1, np.round(factor * 2.0**shift))
        return self.add("RequantShift", x, self.constant(multiplier, np.int32), self.constant(zero << shift, np.int32),
                        div=1 << shift, n_levels=256, signed=int(signed))

    def run(self, feeds):
        """All values by name."""
        values = {name: np.asarray(array).astype(np.int64) for name, array in {**self.constants, **feeds}.items()}
        for kind, inputs, outputs, attributes in self.nodes:
            values[outputs[0]] = MEANINGS[kind](*(values[name] for name in inputs), **attributes)
        return values

    def sequence(self, steps):
        """The first output of every step; states begin as zeros and go on."""
        kept = {name: np.zeros(shape) for name, _, shape in self.inputs if name in self.states}
        for feeds in steps:
            values = self.run({**feeds, **kept})
            kept = {name: self.newest(name, values[output]) for name, output in self.states.items()}
            yield values[self.outputs[0]]

    def newest(self, state, output):
        """What `--state` keeps of an output that has more rows than the state: the last ones."""
        shape = next(shape for name, _, shape in self.inputs if name == state)
        for axis, extent in enumerate(shape):
            output = output.take(range(output.shape[axis] - extent, output.shape[axis]), axis)
        return output

    def file(self):
        values = self.run({name: np.zeros(shape) for name, _, shape in self.inputs})
        return onnx_file.model(self.name, self.nodes, self.constants, self.inputs,
                               [(name, np.int8, values[name].shape) for name in self.outputs])

    def options(self):
        return [f"--state={state}={output}" for state, output in self.states.items()]
