"""Reads the int8 networks that the MLPerf Tiny benchmark uses out of .tflite files, without a library.

As far as a driver of hand-written kernels needs them: operators, tensors, constants, and the integers that TensorFlow
Lite for Microcontrollers makes of the scales.
"""
import dataclasses
import math
import struct

ADD, AVERAGE_POOL, CONVOLUTION, DEPTHWISE, DENSE, RESHAPE, SOFTMAX = 0, 1, 3, 4, 9, 22, 25
SAME, RELU, RELU6 = 0, 1, 3


class Table:
    """A table of a FlatBuffer; fields by their number in the schema."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.fields = at - struct.unpack_from("<i", data, at)[0]

    def _place(self, field):
        if 4 + 2 * field >= struct.unpack_from("<H", self.data, self.fields)[0]:
            return None
        offset = struct.unpack_from("<H", self.data, self.fields + 4 + 2 * field)[0]
        return self.at + offset if offset else None

    def number(self, field, form="<i", default=0):
        place = self._place(field)
        return default if place is None else struct.unpack_from(form, self.data, place)[0]

    def _target(self, field):
        place = self._place(field)
        return None if place is None else place + struct.unpack_from("<I", self.data, place)[0]

    def table(self, field):
        place = self._target(field)
        return None if place is None else Table(self.data, place)

    def numbers(self, field, form):
        place = self._target(field)
        if place is None:
            return []
        count = struct.unpack_from("<I", self.data, place)[0]
        return list(struct.unpack_from(f"<{count}{form}", self.data, place + 4))

    def tables(self, field):
        place = self._target(field)
        if place is None:
            return []
        places = range(place + 4, place + 4 + 4 * struct.unpack_from("<I", self.data, place)[0], 4)
        return [Table(self.data, p + struct.unpack_from("<I", self.data, p)[0]) for p in places]


@dataclasses.dataclass
class Tensor:
    shape: list
    scales: list
    zero_point: int
    constant: bytes

    @property
    def size(self):
        return math.prod(self.shape)

    def words(self):
        return list(struct.unpack(f"<{len(self.constant) // 4}i", self.constant))


@dataclasses.dataclass
class Operator:
    kind: int
    inputs: list
    output: int
    options: Table


@dataclasses.dataclass
class Network:
    tensors: list
    operators: list
    input: int
    output: int


def as_float(number):
    """Rounded to what a float holds."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def read(path):
    data = path.read_bytes()
    model = Table(data, struct.unpack_from("<I", data)[0])
    kinds = [max(code.number(0, "<b"), code.number(3)) for code in model.tables(1)]
    graph = model.tables(2)[0]
    buffers = [buffer.numbers(0, "B") for buffer in model.tables(4)]
    tensors = []
    for tensor in graph.tables(0):
        quantized = tensor.table(4)
        scales = quantized.numbers(2, "f") if quantized else []
        zero_points = quantized.numbers(3, "q") if quantized else []
        tensors.append(Tensor(tensor.numbers(0, "i"), scales, zero_points[0] if zero_points else 0,
                              bytes(buffers[tensor.number(2, "<I")])))
    operators = [Operator(kinds[operator.number(0, "<I")], operator.numbers(1, "i"), operator.numbers(2, "i")[0],
                          operator.table(4)) for operator in graph.tables(3)]
    return Network(tensors, operators, graph.numbers(1, "i")[0], graph.numbers(2, "i")[0])


def fixed_point(real):
    """Multiplier of 31 bits and the power of two that `real` is."""
    fraction, shift = math.frexp(real)
    multiplier = math.floor(fraction * 2**31 + 0.5)
    if multiplier == 2**31:
        multiplier, shift = multiplier // 2, shift + 1
    return (0, 0) if shift < -31 else (multiplier, shift)


def clamps(activation, output):
    low, high = -128, 127
    if activation in (RELU, RELU6):
        low = max(low, output.zero_point)
    if activation == RELU6:
        high = min(high, output.zero_point + math.floor(6 / output.scales[0] + 0.5))
    return low, high


def padding(scheme, taken, filtered, stride, dilation, made):
    """In front of the first of `taken` rows or columns."""
    reach = (filtered - 1) * dilation + 1
    return max((made - 1) * stride + reach - taken, 0) // 2 if scheme == SAME else 0


def addition(left, right, output):
    """Multipliers and shifts of both operands and of their sum."""
    widest = 2 * max(left.scales[0], right.scales[0])
    return [fixed_point(real) for real in (left.scales[0] / widest, right.scales[0] / widest,
                                           widest / (2**20 * output.scales[0]))]


def softmax(scores, beta):
    """Multiplier, shift, and the least difference that counts."""
    multiplier, shift = fixed_point(min(beta * scores.scales[0] * 2**26, 2**31 - 1))
    return multiplier, shift, -math.floor(31 * 2**26 / 2**shift)
