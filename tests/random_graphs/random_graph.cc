#include "tests/random_graphs/random_graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/rng.h"
#include "tests/random_graphs/grow.h"

namespace tinytune::bench {
namespace {

struct Row {
  OperatorKind kind;
  void (*grow)(GraphMaker&);
};

constexpr Row kRows[] = {
#define OPERATOR(kind, ...) {OperatorKind::k##kind, grow<OperatorKind::k##kind>},
#include "models/operators.inc"
#undef OPERATOR
};

constexpr Row kIntegerRows[] = {
#define INTEGER_OPERATOR(kind, ...) {OperatorKind::k##kind, grow<OperatorKind::k##kind>},
#include "models/integer_operators.inc"
#undef INTEGER_OPERATOR
};

// Sequences of operators that occur in real networks or that graph passes look for.
using K = OperatorKind;
const std::vector<std::vector<OperatorKind>> kMotifs = {
    {K::kPad, K::kConv2d},
    {K::kPad, K::kDepthwiseConv2d},
    {K::kPadV2, K::kConv2d},
    {K::kPad, K::kMaxPool2d},
    {K::kConv2d, K::kRelu},
    {K::kDepthwiseConv2d, K::kRelu6},
    {K::kFullyConnected, K::kRelu, K::kFullyConnected},
    {K::kAdd, K::kRelu},
    {K::kMul, K::kRelu6},
    {K::kAveragePool2d, K::kRelu},
    {K::kTransposeConv, K::kRelu},
    {K::kConv2d, K::kConv2d},
    {K::kConv2d, K::kDepthwiseConv2d, K::kConv2d},
    {K::kDepthwiseConv2d, K::kConv2d, K::kAdd},
    {K::kConv2d, K::kMaxPool2d, K::kConv2d},
    {K::kConv2d, K::kDepthwiseConv2d, K::kConv2d, K::kRelu, K::kDepthwiseConv2d, K::kConv2d},
    {K::kConv2d, K::kLeakyRelu, K::kConv2d},
    {K::kConv2d, K::kHardSwish, K::kMul},
    {K::kConv2d, K::kReshape, K::kFullyConnected, K::kSoftmax},
    {K::kDepthwiseConv2d, K::kMean, K::kFullyConnected},
    {K::kConv2d, K::kSplit, K::kConcatenation, K::kConv2d},
    {K::kUnpack, K::kFullyConnected, K::kPack},
    {K::kResizeNearestNeighbor, K::kConcatenation},
    {K::kConcatenation, K::kConv2d},
    {K::kReshape, K::kTranspose, K::kReshape},
    {K::kExpandDims, K::kConv2d, K::kSqueeze},
    {K::kQuantize, K::kQuantize},
    {K::kRelu, K::kTanh, K::kQuantize},
    {K::kFullyConnected, K::kGelu, K::kFullyConnected},
    {K::kLogistic, K::kMul, K::kDequantize},
    {K::kReshape, K::kAdd, K::kReshape},
    {K::kStridedSlice, K::kSub},
    {K::kMean, K::kSub, K::kSquaredDifference, K::kMean, K::kRsqrt, K::kMul},
    {K::kSpaceToDepth, K::kConv2d, K::kDepthToSpace},
    {K::kSpaceToBatchNd, K::kDepthwiseConv2d},
    {K::kMirrorPad, K::kConv2d},
    {K::kConv2d, K::kPrelu, K::kConv2d},
    {K::kEmbeddingLookup, K::kFullyConnected},
    {K::kGather, K::kFullyConnected},
    {K::kConv2d, K::kReduceMax, K::kFullyConnected},
    {K::kFullyConnected, K::kSlice, K::kDiv},
    {K::kSvdf, K::kSvdf, K::kFullyConnected, K::kSoftmax},
    {K::kUnidirectionalSequenceLstm, K::kUnidirectionalSequenceLstm, K::kFullyConnected},
    {K::kTranspose, K::kBatchMatMul, K::kSoftmax, K::kBatchMatMul},
    {K::kConv2d, K::kResizeBilinear, K::kAdd},
    {K::kConv2d, K::kVarHandle, K::kConv2d},
    {K::kDepthwiseConv2d, K::kReadVariable, K::kConv2d},
    {K::kConv2d, K::kIf, K::kFullyConnected},
    {K::kWhile, K::kIf, K::kRelu},
    {K::kCallOnce, K::kAssignVariable, K::kReadVariable, K::kAdd},
};

// Operators that have forms of int16.
constexpr OperatorKind kWideKinds[] = {K::kConv2d,
                                       K::kDepthwiseConv2d,
                                       K::kFullyConnected,
                                       K::kTransposeConv,
                                       K::kAdd,
                                       K::kSub,
                                       K::kMul,
                                       K::kMaximum,
                                       K::kMinimum,
                                       K::kAveragePool2d,
                                       K::kMaxPool2d,
                                       K::kMean,
                                       K::kSum,
                                       K::kSoftmax,
                                       K::kLogistic,
                                       K::kTanh,
                                       K::kRelu,
                                       K::kRelu6,
                                       K::kLeakyRelu,
                                       K::kPad,
                                       K::kPadV2,
                                       K::kReshape,
                                       K::kConcatenation,
                                       K::kTranspose,
                                       K::kSelectV2,
                                       K::kUnidirectionalSequenceLstm};

void grow(GraphMaker& m, OperatorKind kind) {
  std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
    return r.kind == kind;
  })->grow(m);
}

// Grows a few operators on int16, sometimes followed by QUANTIZE or DEQUANTIZE.
void grow_wide(GraphMaker& m) {
  m.set_wide(true);
  for (int count = m.between(1, 4); count > 0; --count) {
    grow(m, kWideKinds[m.between(0, static_cast<int>(std::size(kWideKinds)) - 1)]);
    m.follow();
  }
  if (m.chance(50)) grow(m, m.one_of({K::kQuantize, K::kQuantize, K::kDequantize}));
  m.set_wide(false);
}

// Operators that may move bytes between operators on plain integers.
constexpr OperatorKind kMovesOfIntegers[] = {K::kReshape, K::kTranspose, K::kConcatenation,
                                             K::kSlice,   K::kPad,       K::kExpandDims};

void grow_integers(GraphMaker& m) {
  const auto rows = static_cast<int>(std::size(kIntegerRows));
  const auto moves = static_cast<int>(std::size(kMovesOfIntegers));
  if (m.chance(80)) return kIntegerRows[m.between(0, rows - 1)].grow(m);
  grow(m, kMovesOfIntegers[m.between(0, moves - 1)]);
}

// Returns the scale of the first QUANTIZE of a float tensor, so that inputs fall around its steps.
float float_step(const Graph& graph) {
  for (const Operator& op : graph.operators)
    if (op.kind == OperatorKind::kQuantize &&
        graph.tensor(op.inputs[0]).type == ElementType::kFloat32)
      return graph.tensor(op.outputs[0]).quantization.scales[0];
  return 0.05F;
}

float random_float(Rng& rng, float step, int variant) {
  const auto steps = static_cast<float>(static_cast<int>(rng.below(600)) - 300);
  switch (variant == 0 ? rng.below(4) : rng.below(6)) {
    case 0:
      return steps * step;
    case 1:
      return (steps + 0.5F) * step;  // a tie, or next to one
    case 4:  // from values below the normal numbers up to values whose quotient overflows
      return std::ldexp(steps, static_cast<int>(rng.below(260)) - 145);
    case 5: {
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      constexpr float kSpecial[] = {0, -0.0F, kInfinity, -kInfinity,
                                    std::numeric_limits<float>::quiet_NaN()};
      return kSpecial[rng.below(std::size(kSpecial))];
    }
    default:
      return (steps + static_cast<float>(rng.uniform())) * step;
  }
}

uint8_t random_byte(Rng& rng, int variant, int& walk) {
  switch (variant) {
    case 0:
      return static_cast<uint8_t>(rng.below(256));
    case 1:
      return 0x80;
    case 2:
      return 0x7f;
    case 3:
      return rng.below(2) == 0 ? 0x80 : 0x7f;
    default:
      walk = std::clamp(walk + static_cast<int>(rng.below(17)) - 8, -128, 127);
      return static_cast<uint8_t>(walk);
  }
}

int16_t random_wide(Rng& rng, int variant, int& walk) {
  switch (variant) {
    case 0:
      return static_cast<int16_t>(rng.below(65536));
    case 1:
      return INT16_MIN;
    case 2:
      return INT16_MAX;
    case 3:
      return rng.below(2) == 0 ? INT16_MIN : INT16_MAX;
    default:
      return static_cast<int16_t>(static_cast<int8_t>(random_byte(rng, variant, walk)) * 256 +
                                  static_cast<int>(rng.below(256)));
  }
}

// Returns an index that is mostly inside a tensor, and sometimes far outside.
int32_t random_index(Rng& rng, int variant) {
  if (variant == 1) return std::numeric_limits<int32_t>::min();
  if (variant == 2) return std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(rng.below(variant == 3 ? 30 : 8)) - (variant == 3 ? 3 : 0);
}

std::string text_of(const Tensor& t) {
  std::string text;
  for (const int extent : t.shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  if (t.shape.empty()) text = "scalar";
  return "t" + std::to_string(t.id) + " " + text + " " + std::string(name_of(t.type));
}

}  // namespace

// Grows a kernel (the kinds that have templates and schedules), any operator, or a motif.
void grow_something(GraphMaker& m) {
  if (m.chance(6)) return grow_twin(m);
  if (m.chance(8)) return grow_wide(m);
  if (m.chance(25)) return grow(m, m.one_of({K::kConv2d, K::kDepthwiseConv2d, K::kFullyConnected}));
  if (m.chance(50)) return kRows[m.between(0, static_cast<int>(std::size(kRows)) - 1)].grow(m);
  for (const OperatorKind kind :
       kMotifs[static_cast<size_t>(m.between(0, static_cast<int>(kMotifs.size()) - 1))]) {
    grow(m, kind);
    m.follow();
  }
}

Graph random_graph(uint64_t seed, uint64_t index) {
  GraphMaker maker(Rng(seed).fork("graph " + std::to_string(index)));
  const auto wanted = static_cast<size_t>(maker.one_of({1, 1, 2, 2, 3, 4, 5, 6, 8, 12}));
  const bool of_integers = Rng(seed).fork("integers " + std::to_string(index)).below(12) == 0;
  while (maker.operators().size() < wanted || !maker.has_inputs())
    of_integers ? grow_integers(maker) : grow_something(maker);
  return maker.finish();
}

std::vector<std::vector<uint8_t>> random_inputs(const Graph& graph, uint64_t seed, int variant) {
  Rng rng = Rng(seed).fork("inputs " + std::to_string(variant));
  const float step = float_step(graph);
  int walk = 0;
  std::vector<std::vector<uint8_t>> inputs;
  for (const int id : graph.inputs) {
    const Tensor& t = graph.tensor(id);
    std::vector<uint8_t> bytes(static_cast<size_t>(t.bytes()));
    if (t.type == ElementType::kFloat32) {
      for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
        const float value = random_float(rng, step, variant);
        std::memcpy(bytes.data() + i, &value, sizeof value);
      }
    } else if (t.type == ElementType::kInt16) {
      for (size_t i = 0; i < bytes.size(); i += sizeof(int16_t)) {
        const int16_t value = random_wide(rng, variant, walk);
        std::memcpy(bytes.data() + i, &value, sizeof value);
      }
    } else if (t.type == ElementType::kInt32) {
      for (size_t i = 0; i < bytes.size(); i += sizeof(int32_t)) {
        const int32_t value = random_index(rng, variant);
        std::memcpy(bytes.data() + i, &value, sizeof value);
      }
    } else {
      for (uint8_t& byte : bytes) byte = random_byte(rng, variant, walk);
      if (t.type == ElementType::kBool)
        for (uint8_t& byte : bytes) byte &= 1;
    }
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

std::string summary_of(const Graph& graph) {
  std::string text;
  const auto list = [&](const std::vector<int>& ids) {
    std::string all;
    for (const int id : ids)
      all += (all.empty() ? "" : ", ") + (id < 0 ? "-" : text_of(graph.tensor(id)));
    return all;
  };
  for (const Operator& op : graph.operators)
    text += "  " + std::string(name_of(op.kind)) + "  " + list(op.inputs) + "  ->  " +
            list(op.outputs) + "\n";
  return text + "  inputs: " + list(graph.inputs) + "; outputs: " + list(graph.outputs) + "\n";
}

}  // namespace tinytune::bench
