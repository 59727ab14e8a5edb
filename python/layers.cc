// Bindings of layers and their kernels.
#include "python/bindings.h"

namespace tinytune::python {
namespace {

using Words = std::vector<int32_t>;

Layer describe(const std::string& description, const std::optional<py::bytes>& weights, Words bias,
               Words multiplier, Words shift, const std::vector<double>& scale, uint64_t seed) {
  LayerOptions options;
  options.seed = seed;
  if (weights) {
    const std::vector<uint8_t> bytes = vector_of(*weights);
    options.constants = LayerConstants{
        {bytes.begin(), bytes.end()}, std::move(bias), std::move(multiplier), std::move(shift)};
    for (const double real : scale) {
      const FixedPoint fixed = value_of(fixed_point(real));
      options.constants->multiplier.push_back(fixed.multiplier);
      options.constants->shift.push_back(fixed.shift);
    }
  }
  return value_of(Layer::describe(description, options));
}

TunedKernel compile(const Layer& layer, const std::string& device,
                    std::optional<std::string> records, std::optional<std::string> schedule,
                    std::string symbol, const py::object& on_message) {
  KernelOptions options;
  options.records = std::move(records);
  options.schedule = std::move(schedule);
  options.symbol = std::move(symbol);
  options.on_message = sink_of(on_message);
  // Keeps the interpreter's lock: only one kernel may be built at a time.
  return value_of(compile_workload(layer, device, options));
}

}  // namespace

void bind_layers(py::module_& module) {
  py::class_<Layer>(module, "Layer", "One operator: its workload and its constants.")
      .def_static("describe", &describe, py::arg("description"), py::kw_only(),
                  py::arg("weights") = py::none(), py::arg("bias") = Words(),
                  py::arg("multiplier") = Words(), py::arg("shift") = Words(),
                  py::arg("scale") = std::vector<double>(), py::arg("seed") = 1,
                  "\"conv2d 3x3 16->32 in24x24 s2 same relu\". Weights are int8 bytes, conv2d "
                  "[out][h][w][in / groups], depthwise [h][w][out], dense [out][in]; `scale` "
                  "(real, one per output channel) may stand for multiplier and shift. Without "
                  "weights they are generated from `seed`.")
      .def_property_readonly("name", &Layer::name, "For people.")
      .def_property_readonly("workload", &Layer::workload,
                             "One line that decides which kernels are legal; logs have it.")
      .def_property_readonly("model", &Layer::model, "The network of this layer alone.");

  py::class_<PackedArray>(module, "PackedArray")
      .def_readonly("name", &PackedArray::name, "\"weights\", \"params\", …: the parameter's name.")
      .def_readonly("c_type", &PackedArray::c_type, "\"int8_t\", \"int16_t\" or \"int32_t\".")
      .def_property_readonly(
          "bytes", [](const PackedArray& array) { return bytes_of(array.bytes); },
          "The elements, little-endian.");
  py::class_<TunedKernel>(module, "TunedKernel")
      .def_readonly("symbol", &TunedKernel::symbol, "The kernel's C name.")
      .def_readonly("prototype", &TunedKernel::prototype, "C, without the semicolon.")
      .def_readonly("workload", &TunedKernel::workload, "In text forms (doc/naming.md).")
      .def_readonly("schedule", &TunedKernel::schedule, "In text forms (doc/naming.md).")
      .def_readonly("tuned", &TunedKernel::tuned,
                    "The schedule is from the log and not the default.")
      .def_readonly("assembly", &TunedKernel::assembly, "A .S file for GNU-compatible assemblers.")
      .def_readonly("llvm_ir", &TunedKernel::llvm_ir,
                    "Of LLVM 14, typed pointers, optimised; with the device's triple.")
      .def_property_readonly(
          "object", [](const TunedKernel& k) { return bytes_of(k.object); },
          "An ELF object of the kernel.")
      .def_readonly("constants", &TunedKernel::constants, "Of the layer, in the prototype's order.")
      .def_readonly("header", &TunedKernel::header,
                    "C: the prototype, sizes, and SYMBOL_run(input, scratch, output).")
      .def_readonly("source", &TunedKernel::source,
                    "C: the constants, and SYMBOL_run() that passes them.")
      .def_readonly("input_bytes", &TunedKernel::input_bytes, "Of the caller's buffers.")
      .def_readonly("output_bytes", &TunedKernel::output_bytes, "Of the caller's buffers.")
      .def_readonly("scratch_bytes", &TunedKernel::scratch_bytes, "Of the caller's buffers.")
      .def_readonly("constant_bytes", &TunedKernel::constant_bytes, "Of all packed arrays.")
      .def_readonly("cycles", &TunedKernel::cycles,
                    "Of one call, as the log has them; absent for a schedule that it has not.")
      .def_readonly("instructions", &TunedKernel::instructions,
                    "Of one call, as the log has them; absent for a schedule that it has not.");

  module.def("compile_workload", &compile, py::arg("layer"), py::arg("device"), py::kw_only(),
             py::arg("records") = py::none(), py::arg("schedule") = py::none(),
             py::arg("symbol") = "tinytune_kernel", py::arg("on_message") = py::none(),
             "The best schedule of the log for the layer's workload, built.");
  module.def(
      "fixed_point",
      [](double scale) {
        const FixedPoint fixed = value_of(fixed_point(scale));
        return py::make_tuple(fixed.multiplier, fixed.shift);
      },
      py::arg("scale"), "(multiplier, shift) nearest to a real scale, as TFLite has it.");
}

}  // namespace tinytune::python
