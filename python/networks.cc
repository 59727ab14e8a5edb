// Bindings of whole networks: compile, run and explain.
#include "python/bindings.h"

namespace tinytune::python {
namespace {

PackageFormat format_of(const std::string& name) {
  if (name == "cmake") return PackageFormat::kCmake;
  if (name == "esp-idf") return PackageFormat::kEspIdf;
  if (name == "zephyr") return PackageFormat::kZephyr;
  if (name == "arduino") return PackageFormat::kArduino;
  if (name == "mlf") return PackageFormat::kMlf;
  if (name == "platformio") return PackageFormat::kPlatformio;
  if (name == "pico-sdk") return PackageFormat::kPicoSdk;
  if (name == "stm32cube") return PackageFormat::kStm32Cube;
  throw Raised{Error(ErrorCode::kInvalidInput, "'" + name + "' is no package format")};
}

CompileOptions options_of(std::optional<std::string> records, bool require_tuned,
                          const std::string& layout, const std::string& format,
                          const MemoryLimits& limits, const py::object& on_message) {
  CompileOptions options;
  options.records = std::move(records);
  options.require_tuned = require_tuned;
  options.layout = layout_of(layout);
  options.format = format_of(format);
  options.limits = limits;
  options.on_message = sink_of(on_message);
  return options;
}

CompileReport compile(const Model& model, const std::string& device, const std::string& directory,
                      std::optional<std::string> records, bool require_tuned,
                      const std::string& layout, const std::string& format,
                      const MemoryLimits& limits, const py::object& on_message) {
  return value_of(compile_model(
      model, device, directory,
      options_of(std::move(records), require_tuned, layout, format, limits, on_message)));
}

SharedArenaReport compile_shared(const std::vector<Model>& models, const std::string& device,
                                 const std::string& directory, std::optional<std::string> records,
                                 bool require_tuned, const std::string& layout,
                                 const std::string& format, const MemoryLimits& limits,
                                 const py::object& on_message) {
  return value_of(compile_models(
      models, device, directory,
      options_of(std::move(records), require_tuned, layout, format, limits, on_message)));
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
      .def_readonly("arena_bytes", &Footprint::arena_bytes,
                    "Tensors and kernels' scratch, inputs and outputs included.")
      .def_readonly("weights_bytes", &Footprint::weights_bytes,
                    "Constants that start-up code copies to RAM.")
      .def_readonly("code_bytes", &Footprint::code_bytes,
                    "Functions that start-up code copies to RAM.")
      .def_readonly("data_bytes", &Footprint::data_bytes,
                    ".data and .bss of the library beside those.")
      .def_readonly("stack_bytes", &Footprint::stack_bytes,
                    "The deepest stack that the call wrote.")
      .def_readonly(
          "flash_bytes", &Footprint::flash_bytes,
          "Text, constants and initial data of the library; what is copied to RAM is in here too.")
      .def_readonly("cycles", &Footprint::cycles, "Of one inference.")
      .def_property_readonly("ram_bytes", &Footprint::ram_bytes,
                             "All RAM: arena, weights and code copied there, data, stack.");
  py::class_<CompileReport>(module, "CompileReport")
      .def_readonly("directory", &CompileReport::directory, "As it was given.")
      .def_readonly("files", &CompileReport::files,
                    "Paths of the files written, relative to `directory`.")
      .def_readonly("arena_bytes", &CompileReport::arena_bytes, "Of the caller's buffer.")
      .def_readonly("arena_lower_bound", &CompileReport::arena_lower_bound,
                    "The most bytes of tensors alive in one step.")
      .def_readonly(
          "footprint", &CompileReport::footprint,
          "Of one inference of the smoke test; absent where nothing here can build or simulate it.")
      .def_readonly(
          "exact", &CompileReport::exact,
          "Whether that inference gave the reference's bytes; absent as the footprint is.")
      .def_readonly("clock_hz", &CompileReport::clock_hz, "Of the device; absent on counters.")
      .def_readonly("layers_tuned", &CompileReport::layers_tuned,
                    "Layers whose schedule a record chose.")
      .def_readonly("layers_tunable", &CompileReport::layers_tunable,
                    "Layers that could have a record.");
  py::class_<SharedArenaReport>(module, "SharedArenaReport",
                                "Networks that run one after another in one arena.")
      .def_readonly("networks", &SharedArenaReport::networks,
                    "A CompileReport each, in the order of the models.")
      .def_readonly("arena_bytes", &SharedArenaReport::arena_bytes,
                    "Of the one arena: the largest network's.")
      .def_readonly("state_bytes", &SharedArenaReport::state_bytes,
                    "Of it, at its start: what networks keep between their calls.")
      .def_readonly("apart_bytes", &SharedArenaReport::apart_bytes,
                    "What arenas of their own would take in sum.")
      .def_readonly("footprint", &SharedArenaReport::footprint,
                    "Of all: the arena once, the deepest stack, sums of the rest. Absent as "
                    "CompileReport's.");
  py::class_<LayerCost>(module, "LayerCost")
      .def_readonly("index", &LayerCost::index, "Of the model's operator.")
      .def_readonly("op", &LayerCost::op, "TFLite's name.")
      .def_readonly("macs", &LayerCost::macs, "Multiply-accumulates of the model's operator.")
      .def_readonly("instructions", &LayerCost::instructions, "Of one inference.")
      .def_readonly("cycles", &LayerCost::cycles, "Of one inference.")
      .def_readonly("multiplies", &LayerCost::multiplies, "Of the instructions.")
      .def_readonly("loads", &LayerCost::loads, "Of the instructions.")
      .def_readonly("stores", &LayerCost::stores, "Of the instructions.")
      .def_readonly("tuned", &LayerCost::tuned, "Whether a record chose the schedule.");
  py::class_<RunReport>(module, "RunReport", py::dynamic_attr(),
                        "What one inference gave and took.")
      .def_readonly("exact", &RunReport::exact, "Only with verify.")
      .def_readonly("difference", &RunReport::difference,
                    "The first one, for people; empty unless exact is false.")
      .def_readonly("instructions", &RunReport::instructions,
                    "Of one whole invocation, as are the cycles of.")
      .def_readonly("overhead_instructions", &RunReport::overhead_instructions,
                    "What no operator owns.")
      .def_readonly("footprint", &RunReport::footprint, "As it ran.")
      .def_readonly("clock_hz", &RunReport::clock_hz, "Of the device; absent on counters.")
      .def_readonly("layers", &RunReport::layers, "By operator of the model.")
      .def_property_readonly(
          "outputs", [](const RunReport& report) { return all_bytes_of(report.outputs); },
          "Bytes of each output, in the model's order; `arrays` has them as numpy arrays.");
}

void bind_explanations(py::module_& module) {
  py::class_<KernelCost>(module, "KernelCost")
      .def_readonly("role", &KernelCost::role, "\"winner\", \"default\", \"best direct_nhwc\".")
      .def_readonly("schedule", &KernelCost::schedule, "As in the log.")
      .def_readonly("instructions", &KernelCost::instructions, "Of one call.")
      .def_readonly("cycles", &KernelCost::cycles, "Of one call.")
      .def_readonly("multiplies", &KernelCost::multiplies, "Instructions.")
      .def_readonly("loads", &KernelCost::loads, "Instructions.")
      .def_readonly("stores", &KernelCost::stores, "Instructions.");
  py::class_<KnobEffect>(module, "KnobEffect")
      .def_readonly("knob", &KnobEffect::knob, "The winner's.")
      .def_readonly("value", &KnobEffect::value, "The winner's.")
      .def_readonly("other", &KnobEffect::other, "The best record with another value has this one.")
      .def_readonly("slowdown", &KnobEffect::slowdown, "Of that record: 0.12 is 12 % more cycles.");
  py::class_<TaskExplanation>(module, "TaskExplanation")
      .def_readonly("task", &TaskExplanation::task, "That is explained.")
      .def_readonly("trials", &TaskExplanation::trials, "In the log; those that were exact.")
      .def_readonly("valid", &TaskExplanation::valid, "In the log; those that were exact.")
      .def_readonly("kernels", &TaskExplanation::kernels, "The winner first.")
      .def_readonly("knobs", &TaskExplanation::knobs,
                    "The dearest first; those that were never varied are absent.")
      .def_readonly("least_multiplies", &TaskExplanation::least_multiplies,
                    "Multiplications that the winner's way of computing cannot do without: no "
                    "kernel of its kind executes fewer instructions.");
  module.def(
      "explain_task",
      [](const Model& model, const std::string& device, const std::string& records, int task) {
        return value_of(explain_task(model, device, records, task));
      },
      py::arg("model"), py::arg("device"), py::arg("records"), py::arg("task"),
      "See tinytune.explain_task.");
}

}  // namespace

void bind_networks(py::module_& module) {
  bind_reports(module);
  module.def("compile_model", &compile, py::arg("model"), py::arg("device"), py::arg("directory"),
             py::kw_only(), py::arg("records") = py::none(), py::arg("require_tuned") = false,
             py::arg("layout") = "nhwc", py::arg("format") = "cmake",
             py::arg("limits") = MemoryLimits(), py::arg("on_message") = py::none(),
             "Writes the network as a C library.");
  module.def("compile_models", &compile_shared, py::arg("models"), py::arg("device"),
             py::arg("directory"), py::kw_only(), py::arg("records") = py::none(),
             py::arg("require_tuned") = false, py::arg("layout") = "nhwc",
             py::arg("format") = "cmake", py::arg("limits") = MemoryLimits(),
             py::arg("on_message") = py::none(), "Writes networks that share an arena.");
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
      py::arg("model"), py::arg("seed"), "See tinytune.generate_inputs.");
  bind_explanations(module);
}

}  // namespace tinytune::python
