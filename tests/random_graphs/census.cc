// Counts what graphs contain, so that a kind that is never generated is noticed.
#include <algorithm>
#include <tuple>
#include <variant>

#include "codegen/passes/passes.h"
#include "models/integer_network.h"
#include "tests/random_graphs/trial.h"

namespace tinytune::bench {
namespace {

void count_kernel(const KernelOp& op, const Graph& graph, const Operator& from, Tally& tally) {
  const Workload& w = op.workload;
  const std::string prefix = "case kernel ";
  const auto count = [&](const char* what, bool holds) { tally[prefix + what] += holds ? 1 : 0; };
  count("without bias", from.inputs.size() < 3 || from.inputs[2] < 0);
  count("with a scale per channel", graph.tensor(from.inputs[1]).quantization.per_channel());
  count("dilated", w.dilation_h > 1 || w.dilation_w > 1);
  count("grouped", w.groups > 1);
  count("depth multiplier", w.depth_multiplier > 1);
  count("larger than its input", w.kernel_h > w.in_h || w.kernel_w > w.in_w);
  count("1xN or Nx1", (w.kernel_h == 1) != (w.kernel_w == 1));
  count("with padding", w.pad_top > 0 || w.pad_left > 0);
  count("with a batch", w.op != OpKind::kDense && w.batch > 1);
  bool zero = false, no_shift = false, left = false, far = false, dead = false;
  for (size_t c = 0; c < op.data.multiplier.size(); ++c) {
    zero = zero || op.data.multiplier[c] == 0;
    no_shift = no_shift || (op.data.multiplier[c] != 0 && op.data.shift[c] == 0);
    left = left || op.data.shift[c] > 0;
    far = far || op.data.shift[c] < -20;
    dead = dead || op.data.bias[c] == 1 << 30 || op.data.bias[c] == -(1 << 30);
  }
  count("with a multiplier of 0", zero);
  count("with a shift of 0", no_shift);
  count("with a left shift", left);
  count("with a right shift beyond 20", far);
  count("with a bias of 2^30", dead);
  ++tally[prefix + "requantisation " + std::string(name_of(w.facts.requantise))];
}

// Counts variants that have no kernel and that only generated loops compute.
void count_forms_of_loops(const IntegerOp& op, Tally& tally) {
  const auto* dense = std::get_if<ComputedDenseOp>(&op);
  const auto* transposed = std::get_if<TransposeConvOp>(&op);
  const auto* mean = std::get_if<MeanOp>(&op);
  const auto* rescale = std::get_if<RescaleOp>(&op);
  const auto count = [&](const char* what, bool holds) {
    tally[std::string("case ") + what] += holds ? 1 : 0;
  };
  count("computed weights of int8", dense != nullptr && dense->type == ElementType::kInt8);
  count("computed weights of int16", dense != nullptr && dense->type == ElementType::kInt16);
  count("TRANSPOSE_CONV with an activation",
        transposed != nullptr && transposed->activation_min > -128);
  count("TRANSPOSE_CONV of int16", std::holds_alternative<WideTransposeConvOp>(op));
  count("MEAN or SUM of int16", mean != nullptr && mean->wide);
  count("QUANTIZE to int32", rescale != nullptr && rescale->to == ElementType::kInt32);
  count("QUANTIZE from int32", rescale != nullptr && rescale->from == ElementType::kInt32);
  count("QUANTIZE from int16 with a zero point", rescale != nullptr &&
                                                     rescale->from == ElementType::kInt16 &&
                                                     rescale->input_zero_point != 0);
  count("rectifier of int16", rescale != nullptr && !(rescale->positive == rescale->negative));
}

// Counts passes that changed the network: operators, tensor bytes, copies in place or permissions.
void count_passes(IntegerNetwork network, Tally& tally) {
  const auto state = [&] {
    int64_t bytes = 0, renamed = 0;
    for (const Tensor& t : network.graph.tensors) bytes += t.bytes();
    for (const IntegerOp& op : network.ops)
      if (const auto* copy = std::get_if<CopyOp>(&op)) renamed += copy->in_place ? 1 : 0;
    return std::tuple(network.ops.size(), bytes, renamed, network.may_run_in_strips,
                      network.may_reorder);
  };
  for (const GraphPass& pass : graph_passes()) {
    const auto before = state();
    pass.run(network);
    tally["pass " + std::string(pass.name)] += state() != before ? 1 : 0;
  }
}

}  // namespace

void count_graph(const Graph& graph, Tally& tally) {
#define OPERATOR(kind, name, ...) tally["operator " #name] += 0;
#include "models/operators.inc"
#undef OPERATOR
#define INTEGER_OPERATOR(kind, name, ...) tally["operator " #name] += 0;
#include "models/integer_operators.inc"
#undef INTEGER_OPERATOR
  for (const Operator& op : graph.operators) {
    ++tally["operator " + std::string(name_of(op.kind))];
    for (const int id : op.outputs)
      ++tally["case rank " + std::to_string(graph.tensor(id).shape.size())];
  }
  auto network = integer_network(graph);
  if (!network || !prove_facts(*network)) return;  // the trial reports it
  count_passes(*network, tally);
  for (size_t i = 0; i < network->ops.size(); ++i) {
    if (const auto* kernel = std::get_if<KernelOp>(&network->ops[i]))
      count_kernel(*kernel, graph, network->graph.operators[i], tally);
    const auto* lstm = std::get_if<LstmOp>(&network->ops[i]);
    const auto* softmax = std::get_if<SoftmaxOp>(&network->ops[i]);
    tally["case LSTM of int16"] += lstm != nullptr && lstm->wide ? 1 : 0;
    tally["case SOFTMAX of int8 to int16"] += softmax != nullptr && softmax->wide_output ? 1 : 0;
    count_forms_of_loops(network->ops[i], tally);
  }
  tally["case several inputs"] += graph.inputs.size() > 1 ? 1 : 0;
  tally["case several outputs"] += graph.outputs.size() > 1 ? 1 : 0;
  for (const std::vector<int>* border : {&graph.inputs, &graph.outputs})
    for (const int id : *border)
      ++tally[std::string("case ") + (border == &graph.inputs ? "input " : "output ") +
              std::string(name_of(graph.tensor(id).type))];
  for (const int id : graph.outputs)
    for (const Operator& op : graph.operators)
      if (std::find(op.inputs.begin(), op.inputs.end(), id) != op.inputs.end()) {
        ++tally["case output also read inside"];
        break;
      }
}

}  // namespace tinytune::bench
