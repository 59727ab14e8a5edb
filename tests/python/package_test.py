"""The Python package as users have it: stubs and documentation for everything, paths, arrays, plain errors.

NETWORK is a small .tflite model; TINYTUNE_PROGRAM the program that workers are started as.
"""
import ast
import os
import pathlib
import re
import sys
import tempfile
import unittest

import tinytune

try:
    import numpy
except ImportError:
    numpy = None
    print("numpy is not installed: arrays are not tested", file=sys.stderr)

NETWORK = pathlib.Path(os.environ["NETWORK"])
PROGRAM = pathlib.Path(os.environ["TINYTUNE_PROGRAM"])
STUBS = pathlib.Path(tinytune.__file__).with_name("__init__.pyi")
CLASSES = [value for name, value in vars(tinytune).items() if isinstance(value, type) and name in tinytune.__all__]
INTERNALS = re.compile(r"pybind|incompatible|Invoked with|_engine|object at 0x|C\+\+|std::")


def public(names):
    return {name for name in names if not name.startswith("_")}


class Stubs(unittest.TestCase):
    def setUp(self):
        self.tree = ast.parse(STUBS.read_text())

    def test_name_every_function_with_its_parameters(self):
        functions = {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}
        wanted = {n for n in tinytune.__all__ if callable(getattr(tinytune, n)) and n not in
                  {c.__name__ for c in CLASSES}}
        self.assertEqual(set(functions), wanted)
        for name, node in functions.items():
            code = getattr(getattr(tinytune, name), "__code__", None)
            if code is None:
                continue  # the engine's own, without parameters
            count = code.co_argcount + code.co_kwonlyargcount
            given = [a.arg for a in node.args.args + node.args.kwonlyargs]
            self.assertEqual(given, list(code.co_varnames[:count]), name)

    def test_name_every_member_of_every_class(self):
        stubs = {node.name: {n.name if isinstance(n, ast.FunctionDef) else n.target.id for n in node.body}
                 for node in self.tree.body if isinstance(node, ast.ClassDef)}
        self.assertEqual(set(stubs), {c.__name__ for c in CLASSES})
        for cls in CLASSES:
            if cls is not tinytune.Error:
                self.assertEqual(public(stubs[cls.__name__]), public(vars(cls)), cls)

    def test_are_marked_for_type_checkers(self):
        self.assertTrue(STUBS.with_name("py.typed").exists())


class Documentation(unittest.TestCase):
    def test_stands_at_every_function_and_property(self):
        for name in tinytune.__all__:
            if callable(getattr(tinytune, name)) and not isinstance(getattr(tinytune, name), type):
                self.assertTrue(getattr(tinytune, name).__doc__, name)
        for cls in CLASSES:
            for name in public(vars(cls)):
                if cls is not tinytune.Error:
                    self.assertTrue(getattr(cls, name).__doc__, f"{cls.__name__}.{name}")


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = tinytune.Model.load(NETWORK)  # os.PathLike
        cls.layer = tinytune.Layer.describe("dense 16->4")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tune(self, **options):
        return tinytune.tune_workload(self.layer, "rv32imc", **{
            "records": self.folder / "log.jsonl", "trials": 3, "workers": 1, "worker_program": PROGRAM, **options})

    def test_take_paths_and_bytes_of_paths(self):
        self.assertEqual(tinytune.Model.load(os.fsencode(NETWORK)).path, str(NETWORK))
        self.assertEqual(self.tune().measured, 3)
        records = tinytune.query_log(self.folder / "log.jsonl", device="rv32imc")
        self.assertEqual(len(records), 3)
        kernel = tinytune.compile_workload(self.layer, "rv32imc", records=self.folder / "log.jsonl")
        self.assertTrue(kernel.tuned)

    def test_write_two_networks_for_one_arena(self):
        other = self.folder / "other.tflite"
        other.write_bytes(NETWORK.read_bytes())
        models = [self.model, tinytune.Model.load(other)]
        report = tinytune.compile_models(models, "rv32imc", self.folder / "two", format="pico-sdk")
        self.assertEqual([network.exact for network in report.networks], [True, True])
        self.assertEqual(report.arena_bytes, report.networks[0].arena_bytes)
        self.assertEqual(report.apart_bytes, 2 * report.arena_bytes)
        self.assertTrue((self.folder / "two" / "other" / "other.h").exists())
        with self.assertRaises(tinytune.Error) as caught:
            tinytune.compile_models([self.model, self.model], "rv32imc", self.folder / "same")
        self.assertEqual(caught.exception.code, "invalid_input")

    def test_print_what_objects_are(self):
        for thing in (self.model, self.layer, self.model.info, self.model.info.inputs[0],
                      tinytune.MemoryLimits(ram_bytes=5), tinytune.list_devices()[0]):
            self.assertRegex(repr(thing), rf"^{type(thing).__name__}\(.*=")
            self.assertNotRegex(repr(thing), INTERNALS)
            self.assertEqual(type(thing).__module__, "tinytune")
        self.assertIn("ram_bytes=5", repr(tinytune.MemoryLimits(ram_bytes=5)))

    def test_with_wrong_arguments_name_the_argument(self):
        limits = tinytune.MemoryLimits()
        log = self.folder / "log.jsonl"
        wrong = {
            "path": lambda: tinytune.Model.load(5),
            "disabled_passes": lambda: tinytune.Model.load(NETWORK, disabled_passes="all"),
            "externals[0]": lambda: tinytune.Model.load(NETWORK, externals=[1]),
            "weights": lambda: tinytune.Layer.describe("dense 16->4", weights="no bytes"),
            "bias[1]": lambda: tinytune.Layer.describe("dense 16->4", bias=[1, "2"]),
            "scale": lambda: tinytune.Layer.describe("dense 16->4", scale=0.5),
            "ram_bytes": lambda: tinytune.MemoryLimits(ram_bytes="96K"),
            "flash_bytes": lambda: setattr(limits, "flash_bytes", 1.5),
            "model": lambda: tinytune.tune_model(NETWORK, "rv32imc", records=log),
            "layer": lambda: tinytune.tune_workload(self.model, "rv32imc", records=log),
            "trials": lambda: self.tune(trials="3"),
            "seed": lambda: self.tune(seed=True),
            "budget_seconds": lambda: self.tune(budget_seconds="60s"),
            "limits": lambda: self.tune(limits=5),
            "tasks": lambda: self.tune(tasks=3),
            "insecure": lambda: self.tune(insecure="no"),
            "on_progress": lambda: self.tune(on_progress=3),
            "on_message": lambda: self.tune(on_message="x"),
            "inputs[0]": lambda: tinytune.run_model(self.model, "rv32imc", inputs=[[1, 2]]),
            "verify": lambda: tinytune.run_model(self.model, "rv32imc", verify="yes"),
            "models": lambda: tinytune.compile_models(self.model, "rv32imc", self.folder),
            "models[1]": lambda: tinytune.compile_models([self.model, NETWORK], "rv32imc", self.folder),
            "directory": lambda: tinytune.compile_model(self.model, "rv32imc", None),
            "task": lambda: tinytune.explain_task(self.model, "rv32imc", log, "0"),
            "best_only": lambda: tinytune.query_log(log, best_only=3),
            "device": lambda: tinytune.compile_workload(self.layer, 7),
            "'trails'": lambda: self.tune(trails=5),
            "'records'": lambda: tinytune.tune_model(self.model, "rv32imc"),
        }
        for name, call in wrong.items():
            with self.assertRaises(TypeError, msg=name) as caught:
                call()
            self.assertIn(name, str(caught.exception))
            self.assertNotRegex(str(caught.exception), INTERNALS)
            self.assertNotIn("\n", str(caught.exception))
        for name, call in {
            "trials": lambda: self.tune(trials=-1),
            "workers": lambda: self.tune(workers=2**40),
            "arena_bytes": lambda: tinytune.MemoryLimits(arena_bytes=2**64),
            "seed": lambda: tinytune.generate_inputs(self.model, 2**32),
            "layout": lambda: self.tune(layout="chwn"),
        }.items():
            with self.assertRaises(tinytune.Error, msg=name) as caught:
                call()
            self.assertEqual(caught.exception.code, "invalid_input")
            self.assertIn(name, str(caught.exception))

    def test_go_on_whatever_progress_returns_but_false(self):
        for answer in (None, True, 0, "stop"):
            heard = []
            log = self.folder / f"{answer}.jsonl"
            report = self.tune(records=log, on_progress=lambda now: heard.append(now) or answer)
            self.assertEqual((report.measured, heard[-1].trials), (3, 3))
        with self.assertRaises(tinytune.Error) as caught:
            self.tune(trials=1000, on_progress=lambda now: False)  # more than are measured at a time
        self.assertEqual(caught.exception.code, "interrupted")

    def test_measure_what_a_search_of_ones_own_asks_for(self):
        asked, told = [], {}

        class Backwards:
            def __init__(self, candidates):
                self.left = [candidates.default_point, *reversed(range(candidates.size))]
                self.text = candidates.schedule(candidates.size - 1)

            def ask(self):
                asked.append(self.left.pop(0))
                return asked[-1]

            def tell(self, point, cycles):
                told[point] = cycles

        self.assertEqual(self.tune(search=Backwards, trials=5, window=1).measured, 5)
        self.assertEqual(list(told), asked[:5])
        records = tinytune.query_log(self.folder / "log.jsonl")
        self.assertEqual({r.tuner for r in records}, {"Backwards"})
        self.assertEqual([r.cycles for r in records], list(told.values()))

    def test_raise_what_a_search_raised(self):
        class Fails:
            def __init__(self, candidates):
                pass

            def ask(self):
                return answer()

        def fail():
            raise LookupError("no more")
        for answer, raised in ((fail, LookupError), (lambda: "seven", TypeError)):
            with self.assertRaises(raised):
                self.tune(search=Fails, records=self.folder / f"{raised.__name__}.jsonl")
        with self.assertRaises(tinytune.Error) as caught:
            self.tune(search=lambda candidates: None and candidates, records=self.folder / "none.jsonl")
        self.assertEqual(caught.exception.code, "invalid_input")

    def test_raise_what_on_message_raised(self):
        def fail(warning, line):
            raise LookupError(line)
        self.tune()
        log = self.folder / "log.jsonl"
        log.write_bytes(log.read_bytes() + b"torn")
        with self.assertRaises(LookupError):
            tinytune.query_log(log, on_message=fail)


@unittest.skipIf(numpy is None, "no numpy")
class Arrays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = tinytune.Model.load(NETWORK)
        cls.tensor = cls.model.info.inputs[0]
        cls.data = tinytune.generate_inputs(cls.model, 1)[0]

    def test_go_in_and_come_out(self):
        expected = tinytune.run_model(self.model, "rv32imc", inputs=[self.data])
        array = self.tensor.array(self.data)
        self.assertEqual((array.shape, str(array.dtype)), (tuple(self.tensor.shape), self.tensor.type))
        strided = numpy.asfortranarray(array)
        report = tinytune.run_model(self.model, "rv32imc", inputs=strided)
        self.assertEqual(report.outputs, expected.outputs)
        output, = report.arrays
        self.assertEqual(output.tobytes(), report.outputs[0])
        self.assertEqual(list(output.shape), self.model.info.outputs[0].shape)

    def test_of_another_type_or_shape_are_refused(self):
        array = self.tensor.array(self.data)
        for wrong in (array.astype("float64"), array.astype("int16"), array.reshape(2, -1),
                      array.astype(">i2"), array.astype("complex64")):
            with self.assertRaises(tinytune.Error) as caught:
                tinytune.run_model(self.model, "rv32imc", inputs=[wrong])
            self.assertIn("inputs[0]", str(caught.exception))

    def test_are_weights_and_numbers_of_layers(self):
        weights = numpy.arange(64, dtype="int8").reshape(4, 16)
        options = dict(bias=numpy.zeros(4, "int32"), scale=numpy.full(4, 0.01))
        layer = tinytune.Layer.describe("dense 16->4", weights=weights, **options)
        self.assertEqual(layer.workload,
                         tinytune.Layer.describe("dense 16->4", weights=weights.tobytes(), **options).workload)
        with self.assertRaises(tinytune.Error):
            tinytune.Layer.describe("dense 16->4", weights=weights.astype("int32"), **options)
        for constant in tinytune.compile_workload(layer, "rv32imc").constants:
            self.assertEqual(constant.array().tobytes(), constant.bytes)


if __name__ == "__main__":
    unittest.main()
