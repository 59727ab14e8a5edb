"""Writes an ONNX file, a protobuf, by hand: what a network of plain integers needs of it and no more."""

import numpy as np

ELEMENT_TYPES = {np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.int32): 6, np.dtype(np.int64): 7}
OPSET, IR_VERSION = 13, 8
INTEGER, INTEGERS = 2, 7  # AttributeProto.AttributeType


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    """A string, bytes or a message."""
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensor(name, array):
    array = np.asarray(array)
    dims = b"".join(number(1, extent) for extent in array.shape)
    return dims + number(2, ELEMENT_TYPES[array.dtype]) + block(8, name) + block(9, array.tobytes())


def attribute(name, value):
    if isinstance(value, int):
        return block(1, name) + number(3, value) + number(20, INTEGER)
    return block(1, name) + b"".join(number(8, v) for v in value) + number(20, INTEGERS)


def node(kind, inputs, outputs, attributes):
    return (b"".join(block(1, name) for name in inputs) + b"".join(block(2, name) for name in outputs)
            + block(3, outputs[0]) + block(4, kind)
            + b"".join(block(5, attribute(name, value)) for name, value in attributes.items()))


def value(name, dtype, shape):
    extents = b"".join(block(1, number(1, extent)) for extent in shape)
    return block(1, name) + block(2, block(1, number(1, ELEMENT_TYPES[np.dtype(dtype)]) + block(2, extents)))


def model(name, nodes, constants, inputs, outputs):
    """`nodes`: (kind, inputs, outputs, attributes); `constants`: arrays by name; borders: (name, dtype, shape)."""
    graph = (b"".join(block(1, node(*one)) for one in nodes) + block(2, name)
             + b"".join(block(5, tensor(*one)) for one in constants.items())
             + b"".join(block(11, value(*one)) for one in inputs)
             + b"".join(block(12, value(*one)) for one in outputs))
    return (number(1, IR_VERSION) + block(2, "tinytune examples/stories") + block(7, graph)
            + block(8, block(1, "") + number(2, OPSET)))
