#!/usr/bin/env python3
"""Single operators and exports through `tune`, compared byte for byte with onnxruntime itself.

    bench/onnx/against_onnxruntime.py --tune build/tune [--cases qdq_conv] [--files a.onnx b.onnx]
    bench/onnx/against_onnxruntime.py --tune build/tune --write tests/onnx/onnxruntime_answers.json

Installs onnxruntime-node into a temporary folder with `npm install --ignore-scripts`, which needs
npm and the registry; --onnxruntime FOLDER keeps and reuses one. Models are those of
cases.py and exports.py; --files adds others, on random inputs. Every model runs in onnxruntime
with its optimisations and without: exact is what equals either; what it computes in float32 in both may differ
near ties. --write keeps, for each of
cases.py's, a digest of onnxruntime's answer to its first input (null where only near ties agree), for tests/onnx. Exit code 1 after
a difference or a refusal, 77 without python3-onnx or npm.
"""

import argparse
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
except ImportError as missing:
    print(f"skipped: {missing}; install python3-onnx and python3-numpy")
    sys.exit(77)

import cases as models
import exports
import single_operators

HERE = pathlib.Path(__file__).parent


def install(folder):
    if not (folder / "node_modules" / "onnxruntime-node").is_dir():
        print(f"installing onnxruntime-node into {folder}")
        subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund",
                        "onnxruntime-node"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    shutil.copy(HERE / "run_onnxruntime.js", folder)


def random_inputs(path, index):
    """Of a model file: its inputs that are no initializers."""
    graph = onnx.load(str(path)).graph
    constants = {t.name for t in graph.initializer}
    random = np.random.RandomState(index)
    for value in graph.input:
        if value.name in constants:
            continue
        kind = value.type.tensor_type
        shape = [d.dim_value if d.dim_value > 0 else 1 for d in kind.shape.dim]
        if kind.elem_type == onnx.TensorProto.FLOAT:
            yield random.uniform(-2, 2, shape).astype(np.float32)
        elif kind.elem_type == onnx.TensorProto.BOOL:
            yield random.randint(0, 2, shape).astype(bool)
        else:
            signed = kind.elem_type == onnx.TensorProto.INT8
            yield random.randint(-128 if signed else 0, 128 if signed else 256,
                                 shape).astype(np.int8 if signed else np.uint8)


class Case:
    def __init__(self, name, path, inputs):
        self.name, self.path, self.inputs, self.answer = name, path, [], None
        for i, given in enumerate(inputs):
            files = []
            for k, array in enumerate(given):
                files.append(path.with_suffix(f".{i}.{k}.in"))
                files[-1].write_bytes(np.ascontiguousarray(array).tobytes())
            self.inputs.append(files)

    def wanted(self, i, how):
        return self.path.with_suffix(f".{i}.{how}")

    def jobs(self):
        return [{"model": str(self.path), "inputs": [str(f) for f in files],
                 "output": str(self.wanted(i, how)), "optimise": how == "optimised"}
                for i, files in enumerate(self.inputs) for how in ("optimised", "plain")]

    def compare(self, tune, device):
        """A line, and whether all bytes are right."""
        equal = {"optimised": 0, "plain": 0}
        total = 0
        for i, files in enumerate(self.inputs):
            inputs = [word for f in files for word in ("--input", str(f))]
            done = subprocess.run([tune, "run", "--model", str(self.path), "--device", device,
                                   "--verify", *inputs, "--output", str(self.path) + ".out"],
                                  capture_output=True, text=True, cwd=self.path.parent)
            if done.returncode != 0:
                return f"exit {done.returncode}: {done.stderr.strip()[-300:]}", False
            got = pathlib.Path(str(self.path) + ".out").read_bytes()
            total += len(got)
            for how in list(equal):
                if not self.wanted(i, how).exists():  # it may optimise what it cannot run then
                    del equal[how]
                    error = pathlib.Path(str(self.wanted(i, how)) + ".error")
                    if not equal:
                        return "onnxruntime: " + error.read_text()[:200], False
                    continue
                want = self.wanted(i, how).read_bytes()
                equal[how] += (sum(a == b for a, b in zip(got, want))
                               if len(got) == len(want) else -1)
        exact = [how for how in equal if equal[how] == total]
        if exact:
            self.answer = hashlib.sha256(self.wanted(0, exact[0]).read_bytes()).hexdigest()
        text = "; ".join(f"{equal[how]} of {total} bytes as {how}" for how in equal)
        if not exact and single_operators.UNFUSED.search(self.name):
            near = max(equal.values()) >= 0.99 * total - 1
            return ("near ties: " if near else "DIFFERS: ") + text, near
        return ("exact: " if exact else "DIFFERS: ") + text, bool(exact)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tune", required=True, type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--device", default="esp32c3")
    parser.add_argument("--onnxruntime", type=pathlib.Path)
    parser.add_argument("--cases", default="", help="a regular expression")
    parser.add_argument("--files", nargs="*", default=[], type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inputs", type=int, default=4, help="of each model: random, then ends")
    arguments = parser.parse_args()
    if shutil.which("npm") is None:
        print("skipped: npm is missing")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        runtime = arguments.onnxruntime or folder
        install(runtime)
        cases = []
        for name, make in models.CASES.items():
            if not re.search(arguments.cases, name):
                continue
            net, outputs = make(arguments.seed)
            onnx.save(net.model(*outputs), str(folder / f"{name}.onnx"))
            cases.append(Case(name, folder / f"{name}.onnx",
                              [list(net.values(i)) for i in range(arguments.inputs)]))
        for name, make in exports.NETWORKS.items():
            if re.search(arguments.cases, "network_" + name):
                export = make(arguments.seed)
                path = folder / f"network_{name}.onnx"
                onnx.save(export.model(), str(path))
                given = list(exports.inputs_of(export, arguments.seed))
                cases.append(Case("network_" + name, path, [[x] for x in given[:2]]))
        for path in arguments.files:
            copy = folder / f"file_{len(cases)}.onnx"
            shutil.copy(path, copy)
            cases.append(Case(str(path), copy,
                              [list(random_inputs(path, i)) for i in range(arguments.inputs)]))
        (folder / "jobs.json").write_text(json.dumps([j for c in cases for j in c.jobs()]))
        subprocess.run(["node", "run_onnxruntime.js", str(folder / "jobs.json")], cwd=runtime,
                       check=True)
        wrong = 0
        for case in cases:
            text, exact = case.compare(arguments.tune, arguments.device)
            print(f"{case.name}: {text}", flush=True)
            wrong += not exact
    if arguments.write:
        answers = {c.name: c.answer for c in cases if c.name in models.CASES}
        arguments.write.write_text(json.dumps(answers, indent=0, sort_keys=True) + "\n")
    print(f"{len(cases) - wrong} of {len(cases)} agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
