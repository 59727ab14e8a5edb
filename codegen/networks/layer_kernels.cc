// Chooses the kernels of all layers: one, or one for each half or each variant of a strip.
#include <fmt/core.h>

#include <algorithm>

#include "codegen/networks/carriers.h"
#include "codegen/networks/generation.h"
#include "codegen/networks/layer_names.h"
#include "codegen/networks/network_memory.h"
#include "codegen/operators/operator_emitter.h"
#include "models/integer_op.h"

namespace tinytune {
namespace {

class KernelChoice {
 public:
  KernelChoice(const Generation& generation, Storage& storage, ArrivingLayers& arriving,
               ConstantPool& constants)
      : of_(generation),
        storage_(storage),
        arriving_(arriving),
        constants_(constants),
        kernels_(generation.device, generation.schedules, generation.options.name,
                 generation.options.builds) {}

  Result<LayerKernels> run() {
    const size_t steps = of_.laid_out.ops.size();
    chosen_.calls.resize(steps);
    chosen_.halves.resize(steps);
    for (const StripFlow& flow : of_.flows) chosen_.strip_calls.emplace_back(flow.variants.size());
    for (size_t step = 0; step < steps; ++step) TT_TRY(choose(step));
    name_carriers_of_aliases(of_.graph(), storage_.is_alias, chosen_.layers);
    for (const StripFlow& flow : of_.flows)
      for (int step = flow.first_step + 1; step <= flow.last_step; ++step)
        chosen_.layers[static_cast<size_t>(step)].fused_into = flow.group.first;
    list_absorbed(of_.network, chosen_.layers);
    chosen_.kernels = kernels_.kernels();
    chosen_.warnings = kernels_.warnings();
    if (undecoded_layers_ > 0)
      chosen_.warnings.push_back(fmt::format(
          "weights of {} layer(s) are not compressed: to decode them takes an arena of at "
          "least {} bytes",
          undecoded_layers_, undecoded_arena_bytes_));
    return std::move(chosen_);
  }

 private:
  Status choose(size_t step) {
    const Operator& op = of_.op(step);
    GeneratedLayer layer;
    layer.index = op.index;
    layer.op = std::string(name_of(op.kind));
    if (!op.outputs.empty())
      layer.layout = of_.laid_out.layout_of[static_cast<size_t>(op.outputs[0])];
    layer.macs_executed = macs_executed_in(step);
    if (op.index != kTransformIndex)
      layer.macs = of_.network.model_macs[static_cast<size_t>(op.index)];
    if (std::holds_alternative<KernelOp>(of_.laid_out.ops[step]))
      if (const Status chosen = choose_kernels_of(step, layer); !chosen)
        return chosen.error().within("operator " + std::to_string(op.index) + " (" + layer.op +
                                     ")");
    chosen_.layers.push_back(std::move(layer));
    return ok_status();
  }

  // Returns the MACs of an inference; if frames arrive, of a step.
  int64_t macs_executed_in(size_t step) const {
    const auto f = flow_at(of_.flows, step);
    if (!f || of_.flows[*f].hop == 0) return macs_of(of_.laid_out.ops[step]);
    int64_t macs = 0;
    for (const RowCall& call : of_.flows[*f].strips.back().calls)
      if (call.step == step) macs += macs_of(of_.flows[*f].variants[call.variant].form);
    return macs;
  }

  // Reports the facts of the variant that is called most. Weights of halves and strips are not
  // compressed, because each call would decode them again.
  Status choose_kernels_of(size_t step, GeneratedLayer& layer) {
    uint32_t scratch = 0;
    int most_calls = 0;
    const auto flow = flow_at(of_.flows, step);
    const auto& split = of_.splits[step];
    uint64_t live = 0;
    std::optional<uint64_t> decoding_bytes;
    if (of_.options.compress_weights && !flow && !split) {
      live = live_bytes(storage_.buffers, static_cast<int>(step));
      const uint64_t most = of_.options.decoding_arena_bytes;
      decoding_bytes = most - std::min(most, live);
    }
    const auto add = [&](const IntegerOp& form, int calls) -> Result<KernelCall> {
      TT_TRY_ASSIGN(KernelCall call, kernels_.add(std::get<KernelOp>(form), layer.index,
                                                  decoding_bytes, constants_));
      scratch = std::max(scratch, call.scratch_bytes);
      if (call.undecoded_bytes > 0) {
        ++undecoded_layers_;
        undecoded_arena_bytes_ = std::max(undecoded_arena_bytes_, live + call.undecoded_bytes);
      }
      if (calls > most_calls) {
        most_calls = calls;
        layer.tuned = call.tuned;
        layer.schedule = call.schedule;
        layer.forbidden = call.forbidden;
      }
      return call;
    };
    if (split && arriving_.arrives(step)) {
      TT_TRY_ASSIGN(const auto calls, arriving_.choose(step, *split, of_.symbol_of(step), kernels_,
                                                       constants_, layer));
      for (size_t core = 0; core < 2; ++core)
        chosen_.halves[step][core] = {calls[core], scratch_buffer(step, calls[core].scratch_bytes)};
      return ok_status();
    }
    if (split) {
      for (size_t core = 0; core < 2; ++core) {
        const int calls = core == 0 ? 1 : 2;  // the second has no fewer rows
        ScratchedCall& half = chosen_.halves[step][core];
        TT_TRY_ASSIGN(half.call, add((*split)[core].form, calls));
        half.scratch = scratch_buffer(step, half.call->scratch_bytes);
      }
      return ok_status();
    }
    auto& [call, buffer] = chosen_.calls[step];
    const IntegerOp& form = of_.laid_out.ops[step];
    if (arriving_.arrives(step)) {
      TT_TRY_ASSIGN(call, arriving_.choose(step, std::get<KernelOp>(form), of_.symbol_of(step),
                                           kernels_, constants_, layer));
      scratch = call->scratch_bytes;
    } else if (!flow) {
      TT_TRY_ASSIGN(call, add(form, 1));
    } else {
      const std::vector<StripVariant>& variants = of_.flows[*flow].variants;
      for (size_t v = 0; v < variants.size(); ++v) {
        if (variants[v].step != step) continue;
        TT_TRY_ASSIGN(chosen_.strip_calls[*flow][v], add(variants[v].form, variants[v].calls));
      }
    }
    buffer = scratch_buffer(step, scratch);
    return ok_status();
  }

  std::optional<size_t> scratch_buffer(size_t step, uint32_t bytes) {
    if (bytes == 0) return std::nullopt;
    const int at = static_cast<int>(step);
    storage_.buffers.push_back({bytes, at, at});
    return storage_.buffers.size() - 1;
  }

  const Generation& of_;
  Storage& storage_;
  ArrivingLayers& arriving_;
  ConstantPool& constants_;
  KernelSet kernels_;
  LayerKernels chosen_;
  int undecoded_layers_ = 0;
  uint64_t undecoded_arena_bytes_ = 0;  // of an arena with room to decode their weights
};

}  // namespace

std::string Generation::symbol_of(size_t step) const {
  return symbol_of_layer(options.name, op(step));
}

Result<LayerKernels> choose_kernels(const Generation& generation, Storage& storage,
                                    ArrivingLayers& arriving, ConstantPool& constants) {
  return KernelChoice(generation, storage, arriving, constants).run();
}

}  // namespace tinytune
