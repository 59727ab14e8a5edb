// Whole networks: written as a library, run, and explained.
#include "python/bindings.h"

namespace tinytune::python {
namespace {

PackageFormat format_of(const std::string& name) {
  if (name == "cmake") return PackageFormat::kCmake;
  if (name == "esp-idf") return PackageFormat::kEspIdf;
  if (name == "zephyr") return PackageFormat::kZephyr;
  if (name == "arduino") return PackageFormat::kArduino;
  if (name == "mlf") return PackageFormat::kMlf;
  throw Raised{Error(ErrorCode::kInvalidInput, "'" + name + "' is no package format")};
}

CompileReport compile(const Model& model, const std::string& device, const std::string& directory,
                      std::optional<std::string> records, bool require_tuned,
                      const std::string& layout, const std::string& format,
                      const MemoryLimits& limits, const py::object& on_message) {
  CompileOptions options;
  options.records = std::move(records);
  options.require_tuned = require_tuned;
  options.layout = layout_of(layout);
  options.format = format_of(format);
  options.limits = limits;
  options.on_message = sink_of(on_message);
  return value_of(compile_model(model, device, directory, options));
}

RunReport run(const Model& model, const std::string& device, std::optional<std::string> records,
              const std::vector<py::bytes>& inputs, bool verify, const std::string& layout,
              const MemoryLimits& limits, const py::object& on_message) {
  RunOptions options;
  options.records = std::move(records);
  for (const py::bytes& input : inputs) options.inputs.push_back(vector_of(input));
  options.verify = verify;
  options.layout = layout_of(layout);
  options.limits = limits;
  options.on_message = sink_of(on_message);
  return value_of(run_model(model, device, options));
}

std::vector<py::bytes> all_bytes_of(const std::vector<std::vector<uint8_t>>& tensors) {
  std::vector<py::bytes> all;
  for (const auto& tensor : tensors) all.push_back(bytes_of(tensor));
  return all;
}

void bind_reports(py::module_& module) {
  py::class_<Footprint>(module, "Footprint")
      .def_readonly("arena_bytes", &Footprint::arena_bytes)
      .def_readonly("weights_bytes", &Footprint::weights_bytes)
      .def_readonly("code_bytes", &Footprint::code_bytes)
      .def_readonly("data_bytes", &Footprint::data_bytes)
      .def_readonly("stack_bytes", &Footprint::stack_bytes)
      .def_readonly("flash_bytes", &Footprint::flash_bytes)
      .def_readonly("cycles", &Footprint::cycles)
      .def_property_readonly("ram_bytes", &Footprint::ram_bytes);
  py::class_<CompileReport>(module, "CompileReport")
      .def_readonly("directory", &CompileReport::directory)
      .def_readonly("files", &CompileReport::files)
      .def_readonly("arena_bytes", &CompileReport::arena_bytes)
      .def_readonly("arena_lower_bound", &CompileReport::arena_lower_bound)
      .def_readonly("footprint", &CompileReport::footprint)
      .def_readonly("clock_hz", &CompileReport::clock_hz)
      .def_readonly("layers_tuned", &CompileReport::layers_tuned)
      .def_readonly("layers_tunable", &CompileReport::layers_tunable);
  py::class_<LayerCost>(module, "LayerCost")
      .def_readonly("index", &LayerCost::index)
      .def_readonly("op", &LayerCost::op)
      .def_readonly("macs", &LayerCost::macs)
      .def_readonly("instructions", &LayerCost::instructions)
      .def_readonly("cycles", &LayerCost::cycles)
      .def_readonly("multiplies", &LayerCost::multiplies)
      .def_readonly("loads", &LayerCost::loads)
      .def_readonly("stores", &LayerCost::stores)
      .def_readonly("tuned", &LayerCost::tuned);
  py::class_<RunReport>(module, "RunReport")
      .def_readonly("exact", &RunReport::exact)
      .def_readonly("difference", &RunReport::difference)
      .def_readonly("instructions", &RunReport::instructions)
      .def_readonly("overhead_instructions", &RunReport::overhead_instructions)
      .def_readonly("footprint", &RunReport::footprint)
      .def_readonly("clock_hz", &RunReport::clock_hz)
      .def_readonly("layers", &RunReport::layers)
      .def_property_readonly("outputs",
                             [](const RunReport& report) { return all_bytes_of(report.outputs); });
}

void bind_explanations(py::module_& module) {
  py::class_<KernelCost>(module, "KernelCost")
      .def_readonly("role", &KernelCost::role)
      .def_readonly("schedule", &KernelCost::schedule)
      .def_readonly("instructions", &KernelCost::instructions)
      .def_readonly("cycles", &KernelCost::cycles)
      .def_readonly("multiplies", &KernelCost::multiplies)
      .def_readonly("loads", &KernelCost::loads)
      .def_readonly("stores", &KernelCost::stores);
  py::class_<KnobEffect>(module, "KnobEffect")
      .def_readonly("knob", &KnobEffect::knob)
      .def_readonly("value", &KnobEffect::value)
      .def_readonly("other", &KnobEffect::other)
      .def_readonly("slowdown", &KnobEffect::slowdown);
  py::class_<TaskExplanation>(module, "TaskExplanation")
      .def_readonly("task", &TaskExplanation::task)
      .def_readonly("trials", &TaskExplanation::trials)
      .def_readonly("valid", &TaskExplanation::valid)
      .def_readonly("kernels", &TaskExplanation::kernels)
      .def_readonly("knobs", &TaskExplanation::knobs)
      .def_readonly("least_multiplies", &TaskExplanation::least_multiplies);
  module.def(
      "explain_task",
      [](const Model& model, const std::string& device, const std::string& records, int task) {
        return value_of(explain_task(model, device, records, task));
      },
      py::arg("model"), py::arg("device"), py::arg("records"), py::arg("task"));
}

}  // namespace

void bind_networks(py::module_& module) {
  bind_reports(module);
  module.def("compile_model", &compile, py::arg("model"), py::arg("device"), py::arg("directory"),
             py::kw_only(), py::arg("records") = py::none(), py::arg("require_tuned") = false,
             py::arg("layout") = "nhwc", py::arg("format") = "cmake",
             py::arg("limits") = MemoryLimits(), py::arg("on_message") = py::none(),
             "Writes the network as a C library.");
  module.def("run_model", &run, py::arg("model"), py::arg("device"), py::kw_only(),
             py::arg("records") = py::none(), py::arg("inputs") = std::vector<py::bytes>(),
             py::arg("verify") = false, py::arg("layout") = "nhwc",
             py::arg("limits") = MemoryLimits(), py::arg("on_message") = py::none(),
             "Builds the network and calls it once in the simulator.");
  module.def(
      "generate_inputs",
      [](const Model& model, uint32_t seed) {
        return all_bytes_of(value_of(generate_inputs(model, seed)));
      },
      py::arg("model"), py::arg("seed"));
  bind_explanations(module);
}

}  // namespace tinytune::python
