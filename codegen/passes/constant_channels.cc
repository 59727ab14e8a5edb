// Removes channels with one possible value, and channels from which only these are computed.
//
// Real networks have many. A channel's scale may be so small that every sum rounds to the zero
// point, or its RELU cuts off its whole range. Its contribution to a convolution that reads it is a
// known number, which goes into the bias; the channel is neither stored nor computed. Channels that
// only a removed depthwise channel reads are then not needed either.
//
// First every tensor's set of channels to keep is grown to a fixed point: an operator says which
// input channels the kept outputs need, and where it works channel by channel its input and output
// must keep the same ones. Then tensors, shapes and constants are cut to size.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "codegen/passes/channel_ranges.h"
#include "codegen/passes/rewriting.h"

namespace tinytune {
namespace {

using Kept = std::vector<bool>;  // by channel

size_t count(const Kept& kept) {
  return static_cast<size_t>(std::count(kept.begin(), kept.end(), true));
}

// How an operator's input and output channels depend on each other.
enum class Coupling {
  kNone,   // a full convolution: any set in, any set out
  kEqual,  // channel by channel (depthwise, pools, tables, RESHAPE): output o is made of
           // input o / multiplier % channels
  kAll,    // anything else: keeps every channel on both sides
};

Coupling coupling_of(const IntegerOp& form) {
  if (const auto* kernel = std::get_if<KernelOp>(&form)) {
    if (kernel->workload.op == OpKind::kDepthwiseConv2d) return Coupling::kEqual;
    return kernel->workload.groups == 1 ? Coupling::kNone : Coupling::kAll;
  }
  if (std::holds_alternative<PoolOp>(form) || std::holds_alternative<LookupOp>(form) ||
      std::holds_alternative<CopyOp>(form))
    return Coupling::kEqual;
  return Coupling::kAll;
}

class Folding {
 public:
  explicit Folding(IntegerNetwork& network)
      : network_(network), graph_(network.graph), ranges_(channel_ranges(network)) {}

  void run() {
    find_kept();
    for (size_t step = 0; step < network_.ops.size(); ++step) cut_operator(step);
    for (size_t t = 0; t < kept_.size(); ++t) {
      if (count(kept_[t]) == kept_[t].size()) continue;
      graph_.tensors[t].shape.back() = static_cast<int>(count(kept_[t]));
      network_.altered[t] = true;
    }
  }

 private:
  Kept& kept(int tensor) { return kept_[static_cast<size_t>(tensor)]; }

  void find_kept() {
    for (const Tensor& t : graph_.tensors)
      kept_.emplace_back(static_cast<size_t>(channels_of(t)), t.is_constant);
    for (const int t : graph_.inputs) keep_all(t);
    for (const int t : graph_.outputs) keep_all(t);
    do {
      changed_ = false;
      for (size_t step = network_.ops.size(); step-- > 0;) need(step);
      for (Kept& k : kept_)
        if (count(k) == 0 && !k.empty()) keep(k, 0);  // no tensor becomes empty
    } while (changed_);
  }

  void keep(Kept& kept, size_t channel) {
    changed_ = changed_ || !kept[channel];
    kept[channel] = true;
  }
  void keep_all(int tensor) {
    for (size_t c = 0; c < kept(tensor).size(); ++c) keep(kept(tensor), c);
  }

  void need(size_t step) {
    const Operator& op = graph_.operators[step];
    const IntegerOp& form = network_.ops[step];
    switch (is_cuttable(step) ? coupling_of(form) : Coupling::kAll) {
      case Coupling::kNone: {
        Kept& input = kept(op.inputs[0]);
        for (size_t c = 0; c < input.size(); ++c)
          if (!is_foldable(std::get<KernelOp>(form), op.inputs[0], c)) keep(input, c);
        break;
      }
      case Coupling::kEqual: {
        Kept &input = kept(op.inputs[0]), &output = kept(op.outputs[0]);
        for (size_t o = 0; o < output.size(); ++o)
          if (output[o]) keep(input, input_channel(step, o));
        for (size_t o = 0; o < output.size(); ++o)
          if (input[input_channel(step, o)]) keep(output, o);
        break;
      }
      case Coupling::kAll:
        for (const int t : op.inputs)
          if (t >= 0) keep_all(t);
        for (const int t : op.outputs) keep_all(t);
        break;
    }
  }

  // Ranges exist for int8 only, and rows that are no multiple of the channels (RESHAPE, dense
  // layers) mix them.
  bool is_cuttable(size_t step) const {
    const Operator& op = graph_.operators[step];
    if (op.inputs.empty() || op.outputs.empty()) return false;
    const Tensor &input = graph_.tensor(op.inputs[0]), &output = graph_.tensor(op.outputs[0]);
    if (input.is_constant || input.type != ElementType::kInt8 ||
        output.type != ElementType::kInt8 || input.shape.empty() || output.shape.empty())
      return false;
    const IntegerOp& form = network_.ops[step];
    if (const auto* kernel = std::get_if<KernelOp>(&form); kernel != nullptr)
      return kernel->workload.in_c % channels_of(input) == 0;
    return !std::holds_alternative<CopyOp>(form) || channels_of(output) % channels_of(input) == 0;
  }

  size_t input_channel(size_t step, size_t output_channel) const {
    const auto* kernel = std::get_if<KernelOp>(&network_.ops[step]);
    const int multiplier = kernel == nullptr ? 1 : kernel->workload.depth_multiplier;
    const int channels = channels_of(graph_.tensor(graph_.operators[step].inputs[0]));
    return output_channel / static_cast<size_t>(multiplier) % static_cast<size_t>(channels);
  }

  // A constant contributes the same everywhere unless some taps fall on padding, which contributes
  // nothing; then it must contribute nothing too.
  bool is_foldable(const KernelOp& op, int tensor, size_t channel) const {
    const ValueRange& range = ranges_[static_cast<size_t>(tensor)][channel];
    return range.is_constant() &&
           (range.low == op.workload.input_zero_point || !reads_padding(op.workload));
  }

  void cut_operator(size_t step) {
    const Operator& op = graph_.operators[step];
    if (!is_cuttable(step)) return;
    const Kept &input = kept(op.inputs[0]), &output = kept(op.outputs[0]);
    if (count(input) == input.size() && count(output) == output.size()) return;
    std::visit([&](auto& form) { cut(form, op, input, output); }, network_.ops[step]);
  }

  static int64_t scaled(int64_t elements, const Kept& kept) {
    return elements / static_cast<int64_t>(kept.size()) * static_cast<int64_t>(count(kept));
  }
  static void cut(PoolOp& form, const Operator&, const Kept& input, const Kept&) {
    form.channels = static_cast<int>(count(input));
  }
  static void cut(LookupOp& form, const Operator&, const Kept& input, const Kept&) {
    form.elements = scaled(form.elements, input);
  }
  static void cut(CopyOp& form, const Operator&, const Kept& input, const Kept&) {
    form.bytes = scaled(form.bytes, input);
  }
  void cut(KernelOp& form, const Operator& op, const Kept& input, const Kept& output) const {
    if (form.workload.op == OpKind::kDepthwiseConv2d)
      cut_depthwise(form, output);
    else
      cut_convolution(form, op.inputs[0], input, output);
  }
  template <typename Other>
  static void cut(Other&, const Operator&, const Kept&, const Kept&) {
    TT_CHECK(false, "an operator that keeps every channel");
  }

  template <typename T>
  static std::vector<T> selected(const std::vector<T>& values, const Kept& kept) {
    std::vector<T> some;
    for (size_t i = 0; i < values.size(); ++i)
      if (kept[i % kept.size()]) some.push_back(values[i]);
    return some;
  }

  static void cut_outputs(KernelOp& form, const Kept& output) {
    form.data.bias = selected(form.data.bias, output);
    form.data.multiplier = selected(form.data.multiplier, output);
    form.data.shift = selected(form.data.shift, output);
    form.data.addend = selected(form.data.addend, output);
    form.workload.out_c = static_cast<int>(count(output));
  }

  static void cut_depthwise(KernelOp& form, const Kept& output) {
    form.data.weights = selected(form.data.weights, output);
    cut_outputs(form, output);
    form.workload.in_c = form.workload.out_c / form.workload.depth_multiplier;
  }

  void cut_convolution(KernelOp& form, int tensor, const Kept& input, const Kept& output) const {
    Workload& w = form.workload;
    const auto reduction = static_cast<size_t>(w.reduction());
    std::vector<int8_t> weights;
    for (size_t o = 0; o < output.size(); ++o) {
      auto bias = static_cast<uint32_t>(form.data.bias[o]);  // wraps as the reference's sum does
      for (size_t i = 0; i < reduction; ++i) {
        const size_t channel = i % input.size();
        const int8_t weight = form.data.weights[o * reduction + i];
        if (input[channel]) {
          if (output[o]) weights.push_back(weight);
          continue;
        }
        const int value = ranges_[static_cast<size_t>(tensor)][channel].low;
        bias += static_cast<uint32_t>((value - w.input_zero_point) * weight);
      }
      form.data.bias[o] = static_cast<int32_t>(bias);
    }
    form.data.weights = std::move(weights);
    w.in_c = static_cast<int>(scaled(w.in_c, input));
    cut_outputs(form, output);
  }

  IntegerNetwork& network_;
  Graph& graph_;
  const std::vector<std::vector<ValueRange>> ranges_;
  std::vector<Kept> kept_;  // by tensor id
  bool changed_ = false;
};

}  // namespace

void fold_constant_channels(IntegerNetwork& network) { Folding(network).run(); }

}  // namespace tinytune
