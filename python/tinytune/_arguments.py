"""What calls accept: each function takes an argument's name and value and returns what the engine takes.

A value of the wrong type is a TypeError, one out of range an Error with code "invalid_input"; both name the
argument.
"""
import operator
import os

from tinytune import _engine

# struct's letters by kind; a tensor's type is a kind and a size.
KINDS = {"?": "bool", **dict.fromkeys("bhilqn", "int"), **dict.fromkeys("BHILQN", "uint"),
         **dict.fromkeys("efdg", "float")}


def wrong_type(name, wanted, value):
    return TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def invalid(message):
    error = _engine.Error(message)
    error.code = "invalid_input"
    return error


def optional(check, name, value):
    return None if value is None else check(name, value)


def instance(cls, name, value):
    if not isinstance(value, cls):
        raise wrong_type(name, f"a {cls.__name__}", value)
    return value


def path(name, value):
    try:
        return os.fsdecode(value)
    except TypeError:
        raise wrong_type(name, "a path (str, bytes or os.PathLike)", value) from None


def text(name, value):
    if not isinstance(value, str):
        raise wrong_type(name, "a str", value)
    return value


def flag(name, value):
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise wrong_type(name, "a bool", value)
    return bool(value)


def integer(name, value, least=0, most=2**64 - 1):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise wrong_type(name, "an int", value)
    number = operator.index(value)
    if not least <= number <= most:
        raise invalid(f"{name} must be from {least} to {most}, not {number}")
    return number


def word32(name, value):
    return integer(name, value, -2**31, 2**31 - 1)


def real(name, value):
    if isinstance(value, (bool, str, bytes)) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise wrong_type(name, "a number", value)
    try:
        return float(value)
    except OverflowError:
        raise invalid(f"{name} must be a float64, not {value}") from None
    except TypeError:
        raise wrong_type(name, "a number", value) from None


def each(check, name, values):
    """A list, each item checked. A str is no list of words."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise wrong_type(name, "a sequence", values)
    return [check(f"{name}[{i}]", value) for i, value in enumerate(values)]


def function(name, value):
    if value is not None and not callable(value):
        raise wrong_type(name, "callable or None", value)
    return value


def is_buffer(value):
    try:
        memoryview(value)
    except (TypeError, BufferError):
        return False
    return True


def raw_bytes(name, value, tensor=None):
    """The bytes of a buffer in C order. With a tensor, an array's type and shape must be the tensor's; one
    dimension of bytes is taken as it is. Dimensions of 1 do not count."""
    try:
        view = memoryview(value)
    except (TypeError, BufferError):
        raise wrong_type(name, "bytes or an array (anything with the buffer protocol)", value) from None
    order, kind = view.format[:-1], KINDS.get(view.format[-1:])
    plain = view.format in ("B", "c") and view.ndim <= 1
    if not plain and (kind is None or (order not in ("", "@", "=", "<"))):
        raise invalid(f"{name} has elements of format '{view.format}'; numbers in this machine's byte order are needed")
    if tensor is not None and not plain:
        given = "bool" if kind == "bool" else f"{kind}{8 * view.itemsize}"
        if given != tensor.type:
            raise invalid(f"{name} is an array of {given}, but '{tensor.name}' is {tensor.type}; quantise it with the "
                          "model's scale and zero point" if kind == "float" else
                          f"{name} is an array of {given}, but '{tensor.name}' is {tensor.type}")
        wanted = list(tensor.shape)
        if view.ndim > 1 and [n for n in view.shape if n != 1] != [n for n in wanted if n != 1]:
            raise invalid(f"{name} has shape {list(view.shape)}, but '{tensor.name}' has {wanted} (NHWC)")
    return view.tobytes()


def int8_bytes(name, value):
    """Weights: raw bytes, or an array of int8 (any shape, C order)."""
    data = raw_bytes(name, value)
    view = memoryview(value)
    if view.itemsize != 1 or view.format not in ("b", "B", "c"):
        raise invalid(f"{name} must be int8, not elements of {view.itemsize} bytes of format '{view.format}'")
    return data
