#!/usr/bin/env python3
"""The MLonMCU extension against a stand-in of the interface that it uses: mlonmcu_test.py TUNE MODEL

The stand-in has what the extension imports, and holds it to the contract: it loads the file as
process_extensions() does, gives the backend its options as a run does, and takes artifacts and metrics.
What was generated is then built for RV32 and called by the names of MLonMCU's interface.
"""
import abc
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types

EXTENSION = pathlib.Path(__file__).resolve().parents[2] / "integrations" / "mlonmcu" / "extension.py"
CHECK = """#include "tinytune_wrapper.h"
int check(void) {
  if (model_init() != 0 || model_inputs() != 1 || model_outputs() != 1) return 1;
  if (model_input_ptr(0) == 0 || model_input_ptr(1) != 0 || model_output_size(1) != 0) return 2;
  unsigned char *input = model_input_ptr(0);
  for (size_t i = 0; i < model_input_size(0); ++i) input[i] = (unsigned char)i;
  if (model_invoke() != 0) return 3;
  return model_output_size(0) == 12 ? 42 : 4;
}
"""


class Backend(abc.ABC):
    """Options of a run have the backend's name in front; the rest are defaults."""

    DEFAULTS, FEATURES = {}, set()

    def __init__(self, framework="", features=None, config=None):
        self.framework, self.features, self.tuner = framework, features or [], None
        given = {key.split(".", 1)[1]: value for key, value in (config or {}).items() if key.startswith(self.name + ".")}
        unknown = set(given) - set(self.DEFAULTS)
        assert not unknown, f"options that the backend does not know: {unknown}"
        self.config = {**self.DEFAULTS, **given}

    @abc.abstractmethod
    def load_model(self, model):
        ...

    @abc.abstractmethod
    def generate(self):
        ...


class Artifact:
    def __init__(self, name, content=None, fmt=None, flags=None):
        assert isinstance(content, str) and fmt is not None, name
        self.name, self.content, self.fmt, self.flags = name, content, fmt, flags or []


class Metrics:
    def __init__(self):
        self.data = {}

    def add(self, name, value, optional=False):
        self.data[name] = value


def stand_in():
    """The modules that the extension imports; returns the registry of backends."""
    backends = {}

    def register_backend(name, cls, framework=None, override=False):
        assert name not in backends or override
        backends[name] = cls

    formats = types.SimpleNamespace(SOURCE="source", TEXT="text")
    for name, content in {"mlonmcu": {}, "mlonmcu.flow": {}, "mlonmcu.target": {},
                          "mlonmcu.artifact": {"Artifact": Artifact, "ArtifactFormat": formats},
                          "mlonmcu.flow.backend": {"Backend": Backend},
                          "mlonmcu.flow.registry": {"register_backend": register_backend, "SUPPORTED_TVM_BACKENDS": {}},
                          "mlonmcu.target.metrics": {"Metrics": Metrics}}.items():
        module = types.ModuleType(name)
        vars(module).update(content)
        sys.modules[name] = module
    return backends


def load_extension():
    spec = importlib.util.spec_from_file_location("mlonmcu.extensions.tinytune", EXTENSION)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(cls, model, **options):
    backend = cls(config={f"tinytune.{key}": value for key, value in options.items()})
    backend.load_model(model)
    artifacts, metrics = backend.generate()
    return {artifact.name: artifact for artifact in artifacts["default"]}, metrics["default"].data


def refusal(cls, failure, model, **options):
    try:
        build(cls, model, **options)
    except failure as error:
        return str(error)
    raise AssertionError(f"{options} were not refused")


def call_it(tune, artifacts, folder):
    for artifact in artifacts.values():
        (folder / artifact.name).write_text(artifact.content)
    (folder / "check.c").write_text(CHECK)
    subprocess.run([shutil.which("clang-14") or "clang-19", "--target=riscv32", "-march=rv32imc", "-mabi=ilp32", "-ffreestanding", "-nostdlib", "-O2",
                    "-Wall", "-Werror", "-fuse-ld=lld", "-Wl,-e,check,-Ttext=0x20000000,-Tdata=0x80004000,-Tbss=0x80010000",
                    *sorted(folder.glob("*.[cS]")), "-o", folder / "check.elf"], check=True)
    said = subprocess.run([tune, "simulate", "--device", "rv32imc", folder / "check.elf", "--call", "check", "--json"],
                          capture_output=True, text=True, check=False).stdout
    assert '"return_value": 42' in said, said


def main():
    tune, model = sys.argv[1:]
    backends = stand_in()
    extension = load_extension()
    cls = backends["tinytune"]
    assert sys.modules["mlonmcu.flow.registry"].SUPPORTED_TVM_BACKENDS["tinytune"] is cls
    options = {"program": tune, "device": "rv32imc"}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        tuned, metrics = build(cls, model, trials=12, workers=1, **options)
        assert metrics["Simulated Cycles"] > 0 and metrics["RAM [bytes]"] > metrics["Arena [bytes]"] > 0, metrics
        assert tuned["tuning_results.jsonl"].flags == ["records", "tinytune"]
        (folder / "network").mkdir()
        call_it(tune, tuned, folder / "network")

        log = folder / "best.jsonl"
        log.write_text(tuned["tuning_results.jsonl"].content)
        again, _ = build(cls, model, use_tuning_results=True, autotuned_results_file=str(log), **options)
        sources = [name for name in tuned if name.endswith((".c", ".h", ".S"))]
        kernels = next(name for name in sources if name.endswith("_kernels.S"))
        assert again[kernels].content == tuned[kernels].content, "the log given back makes the same kernels"

        foreign = folder / "tvm.log"
        foreign.write_text('{"input": ["llvm", "conv2d_NCHWc.x86", [], {}], "version": 0.2}\n')
        assert "not" in refusal(cls, extension.TuneFailed, model, autotuned_results_file=str(foreign), **options)
        assert "tinytune.device" in refusal(cls, extension.TuneFailed, model, program=tune)
    print("the extension holds")


if __name__ == "__main__":
    main()
