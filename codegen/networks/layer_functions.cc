// Prints the functions of layers where every operand has its place, and lists the calls of them.
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "codegen/networks/generation.h"
#include "codegen/networks/layer_names.h"
#include "codegen/networks/layer_printer.h"
#include "codegen/networks/strip_printer.h"
#include "devices/core_table.h"
#include "models/control_flow.h"

namespace tinytune {
namespace {

bool has_slow_constants(const Device& device) {
  const MemoryRegion& flash = device.memory(device.rodata_memory);
  return !flash.read_cache.empty() && flash.fill_cycles > device.cache(flash.read_cache).fill_bytes;
}

CoreFacts facts_of(const Device& device) {
  const std::string& model = device.timing.model;
  return {.has_fpu = internal::has_fpu(device.target),
          .in_order = model == "in_order" || model == "cortex_m",
          .is_rv32 = device.target.family == CoreFamily::kRiscv32,
          .has_pairs = device.target.can(Capability::kDsp),
          .slow_constants = has_slow_constants(device)};
}

class LayerFunctions {
 public:
  LayerFunctions(const Generation& generation, const PlacedStorage& placed,
                 const ArrivingLayers& arriving, LayerKernels& kernels, NetworkParts& parts)
      : of_(generation),
        placed_(placed),
        arriving_(arriving),
        kernels_(kernels),
        parts_(parts),
        places_(placed.tensors(generation.graph())),
        printer_(parts.name, generation.graph(), places_, parts.constants, parts.shared,
                 facts_of(generation.device)) {}

  void print() {
    for (size_t step = 0; step < of_.laid_out.ops.size(); ++step)
      if (!placed_.storage.is_alias[step]) print(step);
    for (size_t f = 0; f < times_called_.size(); ++f)
      if (times_called_[f] > 1)
        parts_.functions[f].comment +=
            ", and " + std::to_string(times_called_[f] - 1) + " more like it";
  }

 private:
  void print(size_t step) {
    const Operator& op = of_.op(step);
    if (is_mark(op.kind)) {
      parts_.calls.push_back({"", op.kind, condition_of(op)});
      return;
    }
    const LayerSite site{of_.symbol_of(step), comment(step), op};
    const std::optional<KernelCall>& kernel = kernels_.calls[step].call;
    if (const auto f = flow_at(of_.flows, step)) {
      if (static_cast<int>(step) == of_.flows[*f].first_step)
        call(step, print_strips(printer_, of_.graph(), of_.flows[*f], strip_site(*f)));
    } else if (of_.splits[step]) {
      call_halves(step);
    } else if (arriving_.arrives(step)) {
      call(step, arriving_.print(step, site, *places_[static_cast<size_t>(op.inputs[0])],
                                 *places_[static_cast<size_t>(op.outputs[0])], scratch_of(step)));
    } else if (kernel) {
      call(step, printer_.kernel_layer(site, std::get<KernelOp>(of_.laid_out.ops[step]), *kernel,
                                       scratch_of(step)));
    } else {
      call(step, printer_.emitted_layer(site, of_.laid_out.ops[step]));
    }
  }

  std::string comment(size_t step) const {
    return comment_of_layer(of_.graph(), of_.op(step), kernels_.calls[step].call);
  }

  std::optional<ArenaPlace> scratch_of(size_t step) const {
    return placed_.place_of(kernels_.calls[step].scratch);
  }

  uint32_t condition_of(const Operator& op) const {
    const bool asks = op.kind == OperatorKind::kIf || op.kind == OperatorKind::kDo;
    return asks ? placed_.offset_of(op.inputs[0]) : 0;
  }

  void call_halves(size_t step) {
    const Operator& op = of_.op(step);
    std::array<std::string, 2> symbols;
    std::string before;
    if (auto first = arriving_.print_before_halves(
            step, {symbol_of_weights(parts_.name, op), comment(step), op}))
      before = function_for(std::move(*first));
    for (size_t core = 0; core < 2; ++core) {
      const HalfLayer& half = (*of_.splits[step])[core];
      const auto& [kernel, scratch] = kernels_.halves[step][core];
      LayerPrinter::Operands operands = operands_of(op, half, places_);
      operands.scratch = placed_.place_of(scratch);
      const LayerSite site{symbol_of_half(parts_.name, op, half),
                           comment(step) + comment_of_half(half), op};
      symbols[core] = function_for(arriving_.arrives(step)
                                       ? arriving_.print_half(step, core, site, operands.inputs[0],
                                                              operands.output, operands.scratch)
                                       : printer_.placed_layer(site, half.form, kernel, operands));
    }
    kernels_.layers[step].before_symbol = before;
    kernels_.layers[step].symbol = symbols[0];
    kernels_.layers[step].other_symbol = symbols[1];
    parts_.calls.push_back({symbols[0], {}, 0, symbols[1], before});
  }

  void call(size_t step, LayerFunction function) {
    if (!arriving_.arrives(step)) arriving_.begin_in(step, function);
    kernels_.layers[step].symbol = function_for(std::move(function));
    parts_.calls.push_back({kernels_.layers[step].symbol});
  }

  // Returns the symbol of a function with this body; prints equal bodies only once.
  const std::string& function_for(LayerFunction function) {
    const auto [same, is_new] = function_of_.try_emplace(function.body, times_called_.size());
    if (is_new) {
      parts_.functions.push_back(std::move(function));
      times_called_.push_back(0);
    }
    ++times_called_[same->second];
    return parts_.functions[same->second].symbol;
  }

  StripSite strip_site(size_t f) const {
    const StripFlow& flow = of_.flows[f];
    const Storage& storage = placed_.storage;
    const std::string from = std::to_string(flow.group.first), to = std::to_string(flow.group.last);
    StripSite site{parts_.name + "_layers_" + from + "_" + to,
                   from + " to " + to + ", " + std::to_string(flow.strips.size()) +
                       " strips of up to " + std::to_string(flow.group.rows) + " rows",
                   {},
                   kernels_.strip_calls[f],
                   {},
                   places_};
    for (int at = flow.first_step; at <= flow.last_step; ++at) {
      const auto step = static_cast<size_t>(at);
      site.layer_symbols.push_back(of_.symbol_of(step));
      site.scratch.push_back(scratch_of(step));
      site.comment += "; " + comment(step);
    }
    if (flow.streamed)
      site.progress = {placed_.plan.offsets[*storage.progress], RowProgress::kBytes};
    if (const auto& moved = storage.moved[f]) {
      std::optional<ArenaPlace>& place = site.places[static_cast<size_t>(moved->tensor)];
      const ArenaPlace there{placed_.plan.offsets[moved->buffer], place->bytes};
      site.first = {*place, there};
      place = there;
    }
    return site;
  }

  const Generation& of_;
  const PlacedStorage& placed_;
  const ArrivingLayers& arriving_;
  LayerKernels& kernels_;
  NetworkParts& parts_;
  const std::vector<std::optional<ArenaPlace>> places_;
  LayerPrinter printer_;
  std::unordered_map<std::string, size_t> function_of_;  // by body
  std::vector<size_t> times_called_;                     // by function
};

}  // namespace

uint32_t PlacedStorage::offset_of(int tensor) const {
  const auto& buffer = storage.buffer_of[static_cast<size_t>(tensor)];
  TT_CHECK(buffer.has_value(), "tensor " + std::to_string(tensor) + " is not in the arena");
  return plan.offsets[*buffer];
}

std::optional<ArenaPlace> PlacedStorage::place_of(const std::optional<size_t>& buffer) const {
  if (!buffer) return std::nullopt;
  return ArenaPlace{plan.offsets[*buffer], storage.buffers[*buffer].bytes};
}

std::vector<std::optional<ArenaPlace>> PlacedStorage::tensors(const Graph& graph) const {
  std::vector<std::optional<ArenaPlace>> places(graph.tensors.size());
  for (size_t t = 0; t < places.size(); ++t)
    if (const auto& buffer = storage.buffer_of[t])
      places[t] = {plan.offsets[*buffer], static_cast<uint32_t>(graph.tensors[t].bytes())};
  return places;
}

void print_layers(const Generation& generation, const PlacedStorage& placed,
                  const ArrivingLayers& arriving, LayerKernels& kernels, NetworkParts& parts) {
  LayerFunctions(generation, placed, arriving, kernels, parts).print();
}

}  // namespace tinytune
