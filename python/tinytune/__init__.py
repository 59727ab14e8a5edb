"""Exact int8 kernels for microcontrollers, found by search.

The names of the C++ interface, options as keywords. Paths are str or os.PathLike, tensors bytes or arrays
(anything with the buffer protocol); numpy is only needed where arrays are asked for. A call that cannot do its
job raises Error.
"""
import pathlib
import sys

try:
    from tinytune import _engine
except ImportError as error:
    # _engine.cpython-311-x86_64-linux-gnu.so
    _built_for = ["-".join(file.name.split(".")[1].split("-")[:2])
                  for file in sorted(pathlib.Path(__file__).parent.glob("_engine.*.so"))]
    if sys.implementation.cache_tag in _built_for:  # it is there and cannot be loaded
        raise
    raise ImportError(f"tinytune has no module for this Python ({sys.implementation.cache_tag}); it has "
                      f"{', '.join(_built_for)}") from error
from tinytune import _arguments as check
from tinytune import _arrays, _reprs
from tinytune._engine import (ALL_FAST_RAM, Candidates, CompileReport, DeviceInfo, Error, Footprint, KernelCost,
                              KnobEffect, Layer, LayerCost, LogRecord, MemoryLimits, Model, ModelInfo, PackedArray,
                              RunReport, SharedArenaReport, TaskExplanation, TaskInfo, TaskResult, TensorInfo,
                              TunedKernel, TuneProgress, TuneReport, list_devices, version)

__all__ = ["ALL_FAST_RAM", "Candidates", "CompileReport", "DeviceInfo", "Error", "Footprint", "KernelCost",
           "KnobEffect", "Layer", "LayerCost", "LogRecord", "MemoryLimits", "Model", "ModelInfo", "PackedArray",
           "RunReport", "SearchStrategy", "SharedArenaReport", "TaskExplanation", "TaskInfo", "TaskResult",
           "TensorInfo", "TuneProgress", "TuneReport", "TunedKernel", "compile_model", "compile_models",
           "compile_workload", "explain_task", "fixed_point", "generate_inputs", "list_devices", "query_log",
           "run_model", "tune_model", "tune_workload", "version"]

_reprs.install()
_arrays.install()


class SearchStrategy:
    """What `search` of tune_model() makes for each task. Any object with these two functions will do."""

    def ask(self):
        """The number of the next point to measure, or None: no further trial is worth its time.

        A point that was asked for before is asked for again; one that does not exist ends the task's search.
        """
        raise NotImplementedError

    def tell(self, point, cycles):
        """What a point took; None: its kernel did not build, or was not exact. First those of an earlier run."""
        raise NotImplementedError


class _Messages:
    """on_message of a call. The engine cannot be left by an exception, so that waits until the call ends."""

    def __init__(self, on_message):
        self._on_message = check.function("on_message", on_message)
        self._raised = None

    @property
    def sink(self):
        return None if self._on_message is None else self._tell

    def _tell(self, warning, line):
        if self._raised is None:
            try:
                self._on_message(warning, line)
            except BaseException as error:  # KeyboardInterrupt too
                self._raised = error

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if self._raised is not None:
            raise self._raised


def _load(path, *, disabled_passes=(), externals=(), input_types=(), states=()):
    """Reads a .tflite file, C source with one in an array, or a quantised .onnx file.

    Of an .onnx file: `input_types`, "name=int8", of a network of plain integers; `states`, "input=output", keep an
    output in the arena as the next step's input.
    """
    return _engine_load(check.path("path", path),
                        disabled_passes=check.each(check.text, "disabled_passes", disabled_passes),
                        externals=check.each(check.text, "externals", externals),
                        input_types=check.each(check.text, "input_types", input_types),
                        states=check.each(check.text, "states", states))


def _describe(description, *, weights=None, bias=(), multiplier=(), shift=(), scale=(), seed=1):
    """"conv2d 3x3 16->32 in24x24 s2 same relu".

    Weights are int8, as bytes or an array: conv2d [out][h][w][in / groups], depthwise [h][w][out], dense
    [out][in]. `scale` (real, one per output channel) may stand for multiplier and shift. Without weights they
    are generated from `seed`.
    """
    return _engine_describe(
        check.text("description", description), weights=check.optional(check.int8_bytes, "weights", weights),
        bias=check.each(check.word32, "bias", bias), multiplier=check.each(check.word32, "multiplier", multiplier),
        shift=check.each(check.word32, "shift", shift), scale=check.each(check.real, "scale", scale),
        seed=check.integer("seed", seed))


def _limits_init(self, *, ram_bytes=None, arena_bytes=None, flash_bytes=None, fast_ram_bytes=None):
    given = {"ram_bytes": ram_bytes, "arena_bytes": arena_bytes, "flash_bytes": flash_bytes,
             "fast_ram_bytes": fast_ram_bytes}
    _engine_limits(self, **{name: check.optional(check.integer, name, value) for name, value in given.items()})


def _checked(name, engine):
    return property(engine.fget, lambda self, value: engine.fset(self, check.optional(check.integer, name, value)),
                    doc=engine.__doc__)


_engine_load, Model.load = Model.load, staticmethod(_load)
_engine_describe, Layer.describe = Layer.describe, staticmethod(_describe)
_engine_limits, MemoryLimits.__init__ = MemoryLimits.__init__, _limits_init
for _name in ("ram_bytes", "arena_bytes", "flash_bytes", "fast_ram_bytes"):
    setattr(MemoryLimits, _name, _checked(_name, getattr(MemoryLimits, _name)))
for _function, _called in ((_load, "Model.load"), (_describe, "Layer.describe"),
                           (_limits_init, "MemoryLimits.__init__")):
    _function.__qualname__ = _called
    _function.__name__ = _called.rpartition(".")[2]


def _limits(limits):
    return MemoryLimits() if limits is None else check.instance(MemoryLimits, "limits", limits)


def _tune(engine, what, device, records, trials, budget_seconds, early_stop, tuner, search, seed, window, layout,
          limits, tasks, workers, listen, keys, insecure, worker_program, on_progress, on_message):
    options = {
        "records": check.path("records", records),
        "trials": check.optional(check.integer, "trials", trials),
        "budget_seconds": check.optional(check.real, "budget_seconds", budget_seconds),
        "early_stop": check.optional(check.integer, "early_stop", early_stop),
        "tuner": check.text("tuner", tuner),
        "seed": check.integer("seed", seed),
        "window": check.integer("window", window),
        "layout": check.text("layout", layout),
        "limits": _limits(limits),
        "tasks": check.each(check.word32, "tasks", tasks),
        "workers": check.optional(check.word32, "workers", workers),
        "listen": check.text("listen", listen),
        "insecure": check.flag("insecure", insecure),
        "on_progress": check.function("on_progress", on_progress),
        "search": check.function("search", search),
    }
    for name, value in (("keys", keys), ("worker_program", worker_program)):
        if value is not None:
            options[name] = check.path(name, value)
    with _Messages(on_message) as messages:
        return engine(what, check.path("device", device), on_message=messages.sink, **options)


def tune_model(model, device, *, records, trials=None, budget_seconds=None, early_stop=None, tuner="bayes",
               search=None, seed=1, window=16, layout="nhwc", limits=None, tasks=(), workers=None, listen="",
               keys=None, insecure=False, worker_program=None, on_progress=None, on_message=None):
    """Searches for the fastest exact kernels of a model and logs every measurement in `records`.

    on_progress(TuneProgress) is called after every measurement, and ends the run by returning False (nothing
    else does). on_message(warning, line) takes what the program would print.

    search(Candidates) makes a SearchStrategy of your own for each task, in place of `tuner`; logs have the maker's
    name.
    """
    return _tune(_engine.tune_model, check.instance(Model, "model", model), device, records, trials, budget_seconds,
                 early_stop, tuner, search, seed, window, layout, limits, tasks, workers, listen, keys, insecure,
                 worker_program, on_progress, on_message)


def tune_workload(layer, device, *, records, trials=None, budget_seconds=None, early_stop=None, tuner="bayes",
                  search=None, seed=1, window=16, layout="nhwc", limits=None, tasks=(), workers=None, listen="",
                  keys=None, insecure=False, worker_program=None, on_progress=None, on_message=None):
    """Tunes one layer; otherwise as tune_model()."""
    return _tune(_engine.tune_workload, check.instance(Layer, "layer", layer), device, records, trials,
                 budget_seconds, early_stop, tuner, search, seed, window, layout, limits, tasks, workers, listen, keys,
                 insecure, worker_program, on_progress, on_message)


def compile_workload(layer, device, *, records=None, schedule=None, symbol="tinytune_kernel", on_message=None):
    """Builds the best schedule that the log has for the layer's workload, or `schedule`."""
    with _Messages(on_message) as messages:
        return _engine.compile_workload(
            check.instance(Layer, "layer", layer), check.path("device", device),
            records=check.optional(check.path, "records", records),
            schedule=check.optional(check.text, "schedule", schedule), symbol=check.text("symbol", symbol),
            on_message=messages.sink)


def _compiling(records, require_tuned, layout, format, limits, messages):
    return {"records": check.optional(check.path, "records", records),
            "require_tuned": check.flag("require_tuned", require_tuned), "layout": check.text("layout", layout),
            "format": check.text("format", format), "limits": _limits(limits), "on_message": messages.sink}


def compile_model(model, device, directory, *, records=None, require_tuned=False, layout="nhwc", format="cmake",
                  limits=None, on_message=None):
    """Writes the network as a C library."""
    with _Messages(on_message) as messages:
        return _engine.compile_model(
            check.instance(Model, "model", model), check.path("device", device), check.path("directory", directory),
            **_compiling(records, require_tuned, layout, format, limits, messages))


def compile_models(models, device, directory, *, records=None, require_tuned=False, layout="nhwc", format="cmake",
                   limits=None, on_message=None):
    """Writes networks that run one after another in one arena, each into a folder of its name.

    What a network keeps between its calls no other touches. Limits hold for all together.
    """
    if isinstance(models, Model) or not hasattr(models, "__iter__"):
        raise check.wrong_type("models", "a sequence of Models", models)
    with _Messages(on_message) as messages:
        return _engine.compile_models(
            [check.instance(Model, f"models[{i}]", model) for i, model in enumerate(models)],
            check.path("device", device), check.path("directory", directory),
            **_compiling(records, require_tuned, layout, format, limits, messages))


def run_model(model, device, *, records=None, inputs=(), verify=False, layout="nhwc", limits=None, on_message=None):
    """Builds the network and calls it once in the simulator.

    Each input is bytes, or an array of the tensor's type and shape; one alone needs no list. Without inputs
    they are generated from seed 1.
    """
    tensors = check.instance(Model, "model", model).info.inputs
    given = [inputs] if check.is_buffer(inputs) else inputs
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise check.wrong_type("inputs", "a sequence of bytes or arrays", given)
    data = [check.raw_bytes(f"inputs[{i}]", value, tensors[i] if i < len(tensors) else None)
            for i, value in enumerate(given)]
    with _Messages(on_message) as messages:
        report = _engine.run_model(model, check.path("device", device),
                                   records=check.optional(check.path, "records", records), inputs=data,
                                   verify=check.flag("verify", verify), layout=check.text("layout", layout),
                                   limits=_limits(limits), on_message=messages.sink)
    report._tensors = model.info.outputs
    return report


def generate_inputs(model, seed):
    """Inputs of the model as bytes, from the generator of `--input seed:N`."""
    return _engine.generate_inputs(check.instance(Model, "model", model),
                                   check.integer("seed", seed, 0, 2**32 - 1))


def explain_task(model, device, records, task):
    """What the log says of a task: the kernels of its default and best schedule, and what each knob costs."""
    return _engine.explain_task(check.instance(Model, "model", model), check.path("device", device),
                                check.path("records", records), check.word32("task", task))


def query_log(path, *, device="", workload="", best_only=False, on_message=None):
    """Records in the log's order; of one device those that this build would use there."""
    with _Messages(on_message) as messages:
        return _engine.query_log(check.path("path", path), device=check.path("device", device),
                                 workload=check.text("workload", workload),
                                 best_only=check.flag("best_only", best_only), on_message=messages.sink)


def fixed_point(scale):
    """(multiplier, shift) nearest to a real scale, as TFLite has it."""
    return _engine.fixed_point(check.real("scale", scale))
