"""Writes the network of doc/state.md: attention_step.py FOLDER, which gets llama.onnx and 16 steps' input, tokens.bin.

One step of attention among plain integers: what a language model does with the keys and values that it keeps.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "onnx"))

try:
    import numpy as np
    import onnx
except ImportError as missing:
    sys.exit(f"no llama.onnx for the documents: {missing}; install python3-onnx and python3-numpy")

from integer_networks import network, node, requant

STEPS, ROWS, WIDTH = 16, 8, 4


def attention():
    rows = [1, ROWS, WIDTH]
    model = network(
        [node("Concat", "keys token", "longer_keys", axis=1), node("Concat", "values token", "longer_values", axis=1),
         node("Transpose", "longer_keys", "columns", perm=[0, 2, 1]), node("MatMul", "token columns", "products"),
         requant("products", "scores"), node("MatMul", "scores longer_values", "sums"), requant("sums", "logits")],
        {"token": [1, 1, WIDTH], "keys": rows, "values": rows}, ["logits", "longer_keys", "longer_values"],
        {"mul": 200, "add": 77})
    for value in model.graph.input:
        value.type.tensor_type.elem_type = onnx.TensorProto.INT8
    return model


folder = pathlib.Path(sys.argv[1])
onnx.save(attention(), str(folder / "llama.onnx"))
np.random.RandomState(1).randint(-128, 128, (STEPS, 1, WIDTH)).astype(np.int8).tofile(folder / "tokens.bin")
