// The module: versions, devices, models, and the conversion of errors to exceptions.
#include "python/bindings.h"

namespace tinytune::python {
namespace {

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return "invalid_input";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kFailed:
      return "failed";
    case ErrorCode::kDeviceLost:
      return "device_lost";
    case ErrorCode::kInterrupted:
      return "interrupted";
  }
  return "failed";
}

void bind_errors(py::module_& module) {
  // Static, because pybind11 keeps translators as plain functions without captures.
  static PyObject* error = nullptr;
  error = PyErr_NewExceptionWithDoc(
      "tinytune.Error",
      "A call could not do its job. `code`: invalid_input, unsupported, not_found, failed, "
      "device_lost or interrupted.",
      PyExc_RuntimeError, nullptr);
  module.add_object("Error", py::reinterpret_borrow<py::object>(error));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const Raised& raised) {
      py::object value = py::reinterpret_borrow<py::object>(error)(raised.error.message());
      value.attr("code") = name_of(raised.error.code());
      PyErr_SetObject(error, value.ptr());
    }
  });
}

void bind_devices(py::module_& module) {
  py::class_<DeviceInfo>(module, "DeviceInfo")
      .def_readonly("name", &DeviceInfo::name, "For `--device`, and for people.")
      .def_readonly("description", &DeviceInfo::description, "For `--device`, and for people.")
      .def_readonly("isa", &DeviceInfo::isa, "\"rv32imc\".")
      .def_readonly("clock_hz", &DeviceInfo::clock_hz, "Absent on pure instruction counters.")
      .def_readonly("transports", &DeviceInfo::transports, "\"simulator\", \"gdb\", \"serial\".")
      .def_readonly("fast_memory", &DeviceInfo::fast_memory,
                    "What `run` and `compile` copy from flash to as far as it fits: \"code sram2 "
                    "64 KiB, weights sram3 364 KiB\"; empty where everything has its place.");
  module.def("version", &version, "\"0.2.0\".");
  module.def("list_devices", &list_devices, "The devices compiled into the library.");
}

}  // namespace

MessageSink sink_of(const py::object& callable) {
  if (callable.is_none()) return {};
  return [callable](MessageKind kind, const std::string& line) {
    const py::gil_scoped_acquire held;
    callable(kind == MessageKind::kWarning, line);
  };
}

LayoutPolicy layout_of(const std::string& name) {
  if (name == "nhwc") return LayoutPolicy::kNhwc;
  if (name == "nchw") return LayoutPolicy::kNchw;
  if (name == "auto") return LayoutPolicy::kAuto;
  throw Raised{Error(ErrorCode::kInvalidInput, "'" + name + "' is no layout: nhwc, nchw or auto")};
}

void bind_models(py::module_& module) {
  py::class_<TaskInfo>(module, "TaskInfo")
      .def_readonly("index", &TaskInfo::index, "What `--tasks` and TuneOptions::tasks take.")
      .def_readonly("name", &TaskInfo::name, "For people.")
      .def_readonly("workload", &TaskInfo::workload,
                    "One line: everything that decides which kernels are legal.")
      .def_readonly("layers", &TaskInfo::layers, "Operators that share it.")
      .def_readonly("macs", &TaskInfo::macs, "Of one layer.");
  py::class_<TensorInfo>(module, "TensorInfo")
      .def_readonly("id", &TensorInfo::id, "Index in the model file.")
      .def_readonly("name", &TensorInfo::name, "The file's, as it stands there.")
      .def_readonly("type", &TensorInfo::type, "\"int8\", \"float32\", ….")
      .def_readonly("shape", &TensorInfo::shape, "NHWC, outermost first; empty for a scalar.")
      .def_readonly("bytes", &TensorInfo::bytes, "Of the whole tensor.");
  py::class_<ModelInfo>(module, "ModelInfo")
      .def_readonly("name", &ModelInfo::name, "A C identifier derived from the file's stem.")
      .def_readonly("inputs", &ModelInfo::inputs, "In the file's order.")
      .def_readonly("outputs", &ModelInfo::outputs, "In the file's order.")
      .def_readonly("tasks", &ModelInfo::tasks, "By index.")
      .def_readonly("macs", &ModelInfo::macs, "Sums over the operators.")
      .def_readonly("macs_executed", &ModelInfo::macs_executed, "Sums over the operators.")
      .def_readonly("arena_lower_bound", &ModelInfo::arena_lower_bound,
                    "The most bytes of tensors alive in one step, all NHWC.");
  py::class_<Model>(module, "Model", "A network, loaded and cut into tuning tasks.")
      .def_static(
          "load",
          [](const std::string& path, std::vector<std::string> disabled_passes,
             std::vector<std::string> externals, std::vector<std::string> input_types,
             std::vector<std::string> states) {
            return value_of(Model::load(path, {std::move(disabled_passes), std::move(externals),
                                               std::move(input_types), std::move(states)}));
          },
          py::arg("path"), py::kw_only(), py::arg("disabled_passes") = std::vector<std::string>(),
          py::arg("externals") = std::vector<std::string>(),
          py::arg("input_types") = std::vector<std::string>(),
          py::arg("states") = std::vector<std::string>(),
          "Reads a .tflite file, C source with one in an array, or a quantised .onnx file.")
      .def_property_readonly("path", &Model::path, "As it was loaded from.")
      .def_property_readonly("info", &Model::info, py::return_value_policy::reference_internal,
                             "Operators, borders and tuning tasks.");
}

}  // namespace tinytune::python

PYBIND11_MODULE(_engine, module) {
  using namespace tinytune::python;
  module.doc() = "What tinytune/__init__.py calls.";
  bind_errors(module);
  bind_devices(module);
  bind_models(module);
  bind_layers(module);
  bind_tuning(module);
  bind_networks(module);
  bind_logs(module);
}
