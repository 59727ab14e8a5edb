"""How objects print: the class and the fields that tell objects of it apart."""
from tinytune import _engine

_FIELDS = {
    "CompileReport": ("directory", "arena_bytes", "layers_tuned", "layers_tunable"),
    "DeviceInfo": ("name", "isa", "clock_hz"),
    "Footprint": ("ram_bytes", "flash_bytes", "cycles"),
    "KernelCost": ("role", "schedule", "cycles"),
    "KnobEffect": ("knob", "value", "other", "slowdown"),
    "Layer": ("name", "workload"),
    "LayerCost": ("index", "op", "cycles", "tuned"),
    "LogRecord": ("device", "workload", "schedule", "outcome", "cycles"),
    "MemoryLimits": ("ram_bytes", "arena_bytes", "flash_bytes", "fast_ram_bytes"),
    "Model": ("path",),
    "ModelInfo": ("name", "macs"),
    "PackedArray": ("name", "c_type"),
    "RunReport": ("exact", "instructions"),
    "SharedArenaReport": ("arena_bytes", "apart_bytes"),
    "TaskExplanation": ("trials", "valid"),
    "TaskInfo": ("index", "name"),
    "TaskResult": ("index", "name", "default_cycles", "best_cycles"),
    "TensorInfo": ("id", "name", "type", "shape"),
    "TuneProgress": ("trials", "trials_total", "best_cycles"),
    "TuneReport": ("records", "measured", "default_cycles", "best_cycles"),
    "TunedKernel": ("symbol", "schedule", "cycles"),
}


def install():
    for name, fields in _FIELDS.items():
        def show(self, fields=fields):
            return f"{type(self).__name__}({', '.join(f'{f}={getattr(self, f)!r}' for f in fields)})"
        cls = getattr(_engine, name)
        cls.__repr__ = show
        cls.__module__ = "tinytune"
