"""tinytune as a backend of MLonMCU, with its tuner: a file for MLonMCU's process_extensions().

The backend writes the network that `tune compile` writes, and a wrapper with the names that MLonMCU's
machine-learning interface calls. With `tinytune.trials` it tunes first; the log is kept as an artifact and
can be given back by the feature `autotuned` (`autotuned.results_file`), as logs of TVM's tuners are. It runs
the `tune` program and nothing else of tinytune, so MLonMCU's Python environment needs no package more.
"""
import pathlib
import re
import shutil
import subprocess
import tempfile

from mlonmcu.artifact import Artifact, ArtifactFormat
from mlonmcu.flow.backend import Backend
from mlonmcu.flow.registry import SUPPORTED_TVM_BACKENDS, register_backend
from mlonmcu.target.metrics import Metrics

NAME = "tinytune"

# What MLonMCU's interface calls, for a network whose inputs and outputs are counted in its header.
WRAPPER_HEADER = """/* Generated: the names by which MLonMCU calls a network. */
#ifndef MODEL_GEN_H
#define MODEL_GEN_H
#include <stddef.h>
int model_init(void);
void *model_input_ptr(int index);
size_t model_input_size(int index);
size_t model_inputs(void);
int model_invoke(void);
void *model_output_ptr(int index);
size_t model_output_size(int index);
size_t model_outputs(void);
#endif
"""
WRAPPER = """/* Generated: the names by which MLonMCU calls a network, and the memory that it runs in. */
#include "tinytune_wrapper.h"
#include "{name}.h"

{upper}_STATIC_ARENA(arena);

int model_init(void) {{ return 0; }}
size_t model_inputs(void) {{ return {upper}_INPUT_COUNT; }}
size_t model_outputs(void) {{ return {upper}_OUTPUT_COUNT; }}
int model_invoke(void) {{ return {name}_invoke(arena) == {upper}_OK ? 0 : 1; }}
"""
ACCESSORS = """
void *model_{way}_ptr(int index) {{
  switch (index) {{
{pointers}    default: return 0;
  }}
}}

size_t model_{way}_size(int index) {{
  switch (index) {{
{sizes}    default: return 0;
  }}
}}
"""


class TuneFailed(RuntimeError):
    """`tune` said no; the message is its own line."""


def accessors(way, name, count):
    upper = name.upper()
    return ACCESSORS.format(
        way=way, pointers="".join(f"    case {i}: return {name}_{way}_{i}(arena);\n" for i in range(count)),
        sizes="".join(f"    case {i}: return {upper}_{way.upper()}_{i}_BYTES;\n" for i in range(count)))


def wrapper_of(header):
    """The wrapper's source, from the network's public header."""
    upper, inputs = re.search(r"^#define (\w+)_INPUT_COUNT (\d+)u", header, re.M).groups()
    outputs = re.search(rf"^#define {upper}_OUTPUT_COUNT (\d+)u", header, re.M)[1]
    name = re.search(r"^\w+ (\w+)_invoke\(void \*arena\);", header, re.M)[1]
    return (WRAPPER.format(name=name, upper=upper) + accessors("input", name, int(inputs))
            + accessors("output", name, int(outputs)))


class TinytuneBackend(Backend):
    """Tuned exact int8 kernels and a static arena, as C11 and assembly."""

    name = NAME
    FEATURES = {"autotuned"}
    DEFAULTS = {
        "program": "tune",            # on PATH, or a path
        "device": None,               # of `tune devices`, or a device file; required
        "trials": 0,                  # to measure before the build; 0: take the records that there are
        "tuner": "bayes",
        "early_stop": None,
        "workers": None,
        "limits": {},                 # {"ram": "96K", "arena": …, "flash": …, "fast_ram": …}
        "print_outputs": False,
        "use_tuning_results": False,  # these are what the feature `autotuned` sets
        "autotuned_results_file": None,
        "autotuning_results_file": None,
        "autotuned_mode": None,
    }

    def __init__(self, features=None, config=None):
        super().__init__(framework="none", features=features, config=config)
        self.model = None
        self.records = self.config["autotuned_results_file"] or self.config["autotuning_results_file"]
        self.supported_formats = ["tflite"]
        self.tuner = self  # which makes has_tuner true

    def supports_model(self, model):
        return pathlib.Path(str(getattr(model, "paths", [model])[0])).suffix == ".tflite"

    def set_tuning_records(self, filepath, tuner_name=None):
        self.records = filepath

    def load_model(self, model, input_shapes=None, output_shapes=None, input_types=None, output_types=None,
                   params_path=None):
        if input_shapes or output_shapes or input_types or output_types or params_path:
            raise TuneFailed("shapes and types of a TensorFlow Lite file are its own; they cannot be overridden")
        self.model = pathlib.Path(model)

    def run(self, *words):
        done = subprocess.run([str(self.config["program"]), *map(str, words)], capture_output=True, text=True,
                              check=False)
        if self.config["print_outputs"] in (True, 1, "1", "True", "true"):
            print(done.stdout, done.stderr, sep="")
        if done.returncode != 0:
            raise TuneFailed(done.stderr.strip().splitlines()[-1] if done.stderr else f"exit code {done.returncode}")
        return done.stdout

    def subject(self, records):
        if not self.config["device"]:
            raise TuneFailed(f"{NAME}.device is not set; `tune devices` lists what there is")
        limits = [word for key, value in dict(self.config["limits"]).items()
                  for word in (f"--{key.replace('_', '-')}", value)]
        return ["--model", self.model, "--device", self.config["device"],
                *(["--records", records] if records else []), *limits]

    def tune(self, log):
        """Searches, from the records that there are; `log` then has them all."""
        if self.records:
            shutil.copy(self.records, log)
        optional = {"--early-stop": self.config["early_stop"], "--workers": self.config["workers"]}
        self.run(*self.subject(log), "--trials", self.config["trials"], "--tuner", self.config["tuner"], "--quiet",
                 *(word for key, value in optional.items() if value is not None for word in (key, value)))

    def generate(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder, log = pathlib.Path(scratch) / "network", pathlib.Path(scratch) / "tuning_results.jsonl"
            if int(self.config["trials"]) > 0:
                self.tune(log)
            elif self.records:
                shutil.copy(self.records, log)
            said = self.run("compile", *self.subject(log if log.exists() else None), "-o", folder)
            artifacts = [Artifact(file.name, content=file.read_text(), fmt=ArtifactFormat.SOURCE)
                         for file in sorted(folder.iterdir()) if file.suffix in (".c", ".h", ".S")]
            header = min((file for file in folder.glob("*.h")), key=lambda file: len(file.name)).read_text()
            artifacts += [Artifact("tinytune_wrapper.c", content=wrapper_of(header), fmt=ArtifactFormat.SOURCE),
                          Artifact("tinytune_wrapper.h", content=WRAPPER_HEADER, fmt=ArtifactFormat.SOURCE),
                          Artifact("tinytune_out.log", content=said, fmt=ArtifactFormat.TEXT)]
            if log.exists():
                artifacts.append(Artifact(log.name, content=log.read_text(), fmt=ArtifactFormat.TEXT,
                                          flags=["records", NAME]))
        return {"default": artifacts}, {"default": metrics_of(header)}


def metrics_of(header):
    """What the header states of the network as it was built and simulated."""
    metrics = Metrics()
    for key, macro in {"Simulated Cycles": "CYCLES", "RAM [bytes]": "RAM_BYTES", "Flash [bytes]": "FLASH_BYTES",
                       "Arena [bytes]": "ARENA_BYTES"}.items():
        stated = re.search(rf"^#define \w+_{macro} (\d+)", header, re.M)
        if stated:
            metrics.add(key, int(stated[1]), True)
    return metrics


register_backend(NAME, TinytuneBackend, framework="none", override=True)
SUPPORTED_TVM_BACKENDS[NAME] = TinytuneBackend  # those that the feature `autotuned` takes
