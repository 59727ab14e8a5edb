// The module itself: versions, devices, models, and what becomes of errors.
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
  // The interpreter keeps translators as plain functions, so the type they raise is static.
  static PyObject* error = nullptr;
  error = PyErr_NewExceptionWithDoc(
      "tinytune.Error",
      "A call could not do its job. `code`: invalid_input, unsupported, not_found, failed, "
      "device_lost or interrupted.",
      PyExc_RuntimeError, nullptr);
  module.add_object("Error", py::reinterpret_borrow<py::object>(error));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Raised& raised) {
      py::object value = py::reinterpret_borrow<py::object>(error)(raised.error.message());
      value.attr("code") = name_of(raised.error.code());
      PyErr_SetObject(error, value.ptr());
    }
  });
}

void bind_devices(py::module_& module) {
  py::class_<DeviceInfo>(module, "DeviceInfo")
      .def_readonly("name", &DeviceInfo::name)
      .def_readonly("description", &DeviceInfo::description)
      .def_readonly("isa", &DeviceInfo::isa)
      .def_readonly("clock_hz", &DeviceInfo::clock_hz)
      .def_readonly("transports", &DeviceInfo::transports)
      .def_readonly("fast_memory", &DeviceInfo::fast_memory)
      .def("__repr__", [](const DeviceInfo& device) { return "<device " + device.name + ">"; });
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
      .def_readonly("index", &TaskInfo::index)
      .def_readonly("name", &TaskInfo::name)
      .def_readonly("workload", &TaskInfo::workload)
      .def_readonly("layers", &TaskInfo::layers)
      .def_readonly("macs", &TaskInfo::macs);
  py::class_<TensorInfo>(module, "TensorInfo")
      .def_readonly("id", &TensorInfo::id)
      .def_readonly("name", &TensorInfo::name)
      .def_readonly("type", &TensorInfo::type)
      .def_readonly("shape", &TensorInfo::shape)
      .def_readonly("bytes", &TensorInfo::bytes);
  py::class_<ModelInfo>(module, "ModelInfo")
      .def_readonly("name", &ModelInfo::name)
      .def_readonly("inputs", &ModelInfo::inputs)
      .def_readonly("outputs", &ModelInfo::outputs)
      .def_readonly("tasks", &ModelInfo::tasks)
      .def_readonly("macs", &ModelInfo::macs)
      .def_readonly("macs_executed", &ModelInfo::macs_executed)
      .def_readonly("arena_lower_bound", &ModelInfo::arena_lower_bound);
  py::class_<Model>(module, "Model", "A network, loaded and cut into tuning tasks.")
      .def_static(
          "load",
          [](const std::string& path, std::vector<std::string> disabled_passes,
             std::vector<std::string> externals) {
            return value_of(Model::load(path, {std::move(disabled_passes), std::move(externals)}));
          },
          py::arg("path"), py::kw_only(), py::arg("disabled_passes") = std::vector<std::string>(),
          py::arg("externals") = std::vector<std::string>(),
          "Reads a .tflite file, or a quantised .onnx one.")
      .def_property_readonly("path", &Model::path)
      .def_property_readonly("info", &Model::info, py::return_value_policy::reference_internal);
}

}  // namespace tinytune::python

PYBIND11_MODULE(tinytune, module) {
  using namespace tinytune::python;
  module.doc() = "Exact int8 kernels for microcontrollers, found by search.";
  bind_errors(module);
  bind_devices(module);
  bind_models(module);
  bind_layers(module);
  bind_tuning(module);
  bind_networks(module);
  bind_logs(module);
}
