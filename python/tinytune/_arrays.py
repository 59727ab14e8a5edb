"""Results as numpy arrays. numpy is imported only when one is asked for."""
from tinytune import _engine

_OF_C = {"float": "float32"}


def _numpy():
    try:
        import numpy
    except ImportError:
        raise ImportError("arrays need numpy, which is not installed; the same data is there as bytes") from None
    return numpy


def _tensor_array(self, data):
    """`data`, the bytes of such a tensor, as a numpy array of its shape and type."""
    return _numpy().frombuffer(data, dtype=self.type).reshape(self.shape)


def _arrays(self):
    """The outputs as numpy arrays, in the model's order."""
    return [tensor.array(data) for tensor, data in zip(self._tensors, self.outputs)]


def _packed_array(self):
    """The elements as a one-dimensional numpy array."""
    return _numpy().frombuffer(self.bytes, dtype=_OF_C.get(self.c_type, self.c_type.removesuffix("_t")))


def install():
    _engine.TensorInfo.array = _tensor_array
    _engine.RunReport.arrays = property(_arrays)
    _engine.PackedArray.array = _packed_array
