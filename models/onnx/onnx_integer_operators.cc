// Elementwise operators on plain integers: RequantShift, arithmetic, functions of one number.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "models/broadcast_shape.h"
#include "models/onnx/onnx_families.h"
#include "models/onnx/onnx_integers.h"
#include "models/operators/plain/division.h"

namespace tinytune {
namespace {

// Returns the shape with which an operand of RequantShift broadcasts: per channel if the data has
// over two axes and as many channels as the operand numbers; else its own, as in numpy.
std::vector<int> operand_shape(const OnnxTensor& tensor, const std::vector<int>& data) {
  const auto count = static_cast<int>(tensor.elements());
  if (count == 1) return {};
  std::vector<int> channels(data.size(), 1);
  if (data.size() <= 2 || data[1] != count) return tensor.shape;
  channels[1] = count;
  return channels;
}

Result<OnnxScaling> scaling_of(OnnxIntegers& integers, const OnnxNode& node,
                               const std::vector<int>& shape) {
  const OnnxTensor *multiplier = integers.constant(node, 1), *addend = integers.constant(node, 2);
  if (multiplier == nullptr || addend == nullptr)
    return OnnxValues::unsupported(node, "a multiplier or an addend that is no constant");
  const auto given = OnnxIntegers::attribute(node, "n_levels_out");
  int64_t levels = given.value_or(0);
  if (!given) {
    TT_TRY_ASSIGN(levels, OnnxIntegers::required(node, "n_levels"));
  }
  TT_TRY_ASSIGN(const int64_t is_signed, OnnxIntegers::required(node, "signed"));
  TT_TRY_ASSIGN(const int64_t divisor, OnnxIntegers::required(node, "div"));
  if (divisor < 1 || divisor > int64_t{1} << 31 || (divisor & (divisor - 1)) != 0)
    return OnnxValues::unsupported(node,
                                   fmt::format("div is {}, no power of two up to 2^31", divisor));
  if (levels < 2 || levels > int64_t{1} << 31)
    return OnnxValues::unsupported(node, fmt::format("{} levels", levels));
  OnnxScaling scaling{
      node, {}, {}, operand_shape(*multiplier, shape), operand_shape(*addend, shape)};
  TT_TRY_ASSIGN(scaling.multiplier, integers.numbers(node, *multiplier));
  TT_TRY_ASSIGN(scaling.addend, integers.numbers(node, *addend));
  scaling.shift = std::countr_zero(static_cast<uint64_t>(divisor));
  scaling.low = static_cast<int32_t>(is_signed != 0 ? -(levels / 2) : 0);
  scaling.high = static_cast<int32_t>((is_signed != 0 ? levels / 2 : levels) - 1);
  scaling.type = levels > 256     ? ElementType::kInt32
                 : is_signed != 0 ? ElementType::kInt8
                                  : ElementType::kUint8;
  if (scaling.multiplier.empty() || scaling.addend.empty())
    return OnnxValues::invalid(node, "no multiplier or no addend");
  return scaling;
}

OnnxWhole tensor_of(int id, ElementType type) { return {id, type, {}, nullptr}; }

// Brings both operands into one order of axes.
void line_up(OnnxGraph& graph, int& a, int& b) {
  if (graph.channels_last(a) == graph.channels_last(b) &&
      graph.tensor(a).shape == graph.tensor(b).shape)
    return;
  a = graph.to_onnx_order(a);
  b = graph.to_onnx_order(b);
}

Result<std::vector<int>> paired_shape(const OnnxNode& node, const std::vector<int>& a,
                                      const std::vector<int>& b) {
  const auto shape = broadcast_shape(a, b);
  if (!shape) return OnnxValues::invalid(node, "its operands do not fit");
  return *shape;
}

// Adds an operator on two tensors, each int32 or bytes; the result is int32.
Result<int> paired(OnnxIntegers& integers, const OnnxNode& node, OperatorKind kind, int a, int b,
                   std::vector<int> more = {}) {
  OnnxGraph& graph = integers.graph();
  line_up(graph, a, b);
  TT_TRY_ASSIGN(std::vector<int> shape,
                paired_shape(node, graph.tensor(a).shape, graph.tensor(b).shape));
  const int to =
      graph.add(node.outputs[0], ElementType::kInt32, std::move(shape), {}, graph.channels_last(a));
  std::vector<int> inputs = {a, b};
  inputs.insert(inputs.end(), more.begin(), more.end());
  graph.add_operator(kind, std::move(inputs), to);
  return to;
}

OperatorKind pair_kind(const OnnxNode& node) {
  return node.type == "Add"   ? OperatorKind::kIntegerAdd
         : node.type == "Sub" ? OperatorKind::kIntegerSub
                              : OperatorKind::kIntegerMul;
}

// a + b, a - b or a * b, where a and b are functions of a byte each. Followed by RequantShift, a
// sum becomes a table, and a product an operator that scales its result.
class BytePairs : public OnnxSums {
 public:
  BytePairs(const OnnxNode& node, OnnxWhole a, OnnxWhole b)
      : node_(node), operands_{std::move(a), std::move(b)} {}

  std::vector<int> shape(OnnxIntegers& integers) const override {
    return broadcast_shape(integers.shape(operands_[0]), integers.shape(operands_[1])).value();
  }
  Result<int> stored(OnnxIntegers& integers) const override {
    TT_TRY_ASSIGN(const int a, integers.stored(node_, operands_[0]));
    TT_TRY_ASSIGN(const int b, integers.stored(node_, operands_[1]));
    return paired(integers, node_, pair_kind(node_), a, b);
  }
  Result<std::optional<int>> scaled(OnnxIntegers& integers,
                                    const OnnxScaling& scaling) const override {
    if (!scaling.is_single() || scaling.type == ElementType::kInt32) return std::optional<int>();
    return node_.type == "Mul" ? product(integers, scaling) : table_of_sums(integers, scaling);
  }
  std::shared_ptr<const OnnxSums> plus(const OnnxTensor&) const override { return nullptr; }

 private:
  Result<std::optional<int>> product(OnnxIntegers& integers, const OnnxScaling& scaling) const {
    if (scaling.multiplier[0] < 1) return std::optional<int>();
    TT_TRY_ASSIGN(const int a, integers.stored(node_, operands_[0]));
    TT_TRY_ASSIGN(const int b, integers.stored(node_, operands_[1]));
    TT_TRY_ASSIGN(const int id, add_operator(integers, scaling, OperatorKind::kIntegerMul, a, b,
                                             scaling.operands(integers.graph())));
    return std::optional(id);
  }

  Result<std::optional<int>> table_of_sums(OnnxIntegers& integers,
                                           const OnnxScaling& scaling) const {
    constexpr int64_t kMostSums = 2048;
    std::vector<int32_t> terms, table;
    int64_t least = 0, most = 0;
    for (size_t i = 0; i < 2; ++i) {
      std::vector<int64_t> values = integers.values_of(operands_[i]);
      for (int64_t& value : values) value *= i == 1 && node_.type == "Sub" ? -1 : 1;
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      if (*high - *low >= kMostSums) return std::optional<int>();
      for (const int64_t value : values) terms.push_back(static_cast<int32_t>(value - *low));
      least += *low;
      most += *high;
    }
    if (most - least >= kMostSums) return std::optional<int>();
    const Quantization q = plain_quantization(scaling.type);
    for (int64_t sum = least; sum <= most; ++sum)
      table.push_back(static_cast<int32_t>(scaling.scaled(sum)) + q.zero_points[0]);
    OnnxGraph& graph = integers.graph();
    const int of_terms = graph.add_numbers("terms", terms, {2, 256});
    const int of_sums = graph.add_numbers("table", table, {static_cast<int>(table.size())});
    TT_TRY_ASSIGN(const int id,
                  add_operator(integers, scaling, OperatorKind::kIntegerSumTable, operands_[0].id,
                               operands_[1].id, {of_terms, of_sums}));
    return std::optional(id);
  }

  // Adds an operator on two tensors and `more` that replaces the RequantShift.
  Result<int> add_operator(OnnxIntegers& integers, const OnnxScaling& scaling, OperatorKind kind,
                           int a, int b, const std::vector<int>& more) const {
    OnnxGraph& graph = integers.graph();
    line_up(graph, a, b);
    TT_TRY_ASSIGN(std::vector<int> shape,
                  paired_shape(node_, graph.tensor(a).shape, graph.tensor(b).shape));
    const int to = graph.add(scaling.node.outputs[0], ElementType::kInt8, std::move(shape),
                             plain_quantization(scaling.type), graph.channels_last(a));
    std::vector<int> inputs = {a, b};
    inputs.insert(inputs.end(), more.begin(), more.end());
    graph.add_operator(kind, std::move(inputs), to);
    return to;
  }

  const OnnxNode& node_;
  OnnxWhole operands_[2];
};

int64_t combined(const OnnxNode& node, int64_t a, int64_t b) {
  return node.type == "Add" ? a + b : node.type == "Sub" ? a - b : a * b;
}

}  // namespace

Result<OnnxWhole> import_requant_shift(OnnxIntegers& integers, const OnnxNode& node) {
  if (integers.constant(node, 0) != nullptr)
    return OnnxValues::unsupported(node, "of a constant; store its result instead");
  TT_TRY_ASSIGN(const OnnxWhole x, integers.operand(node, 0));
  TT_TRY_ASSIGN(const OnnxScaling scaling, scaling_of(integers, node, integers.shape(x)));
  if (x.sums && scaling.type != ElementType::kInt32) {
    TT_TRY_ASSIGN(const std::optional<int> id, x.sums->scaled(integers, scaling));
    if (id) return tensor_of(*id, scaling.type);
  }
  // The values of a function of a byte may be wider than a byte; it still becomes one table.
  if (!x.sums && (x.is_byte() || !x.values.empty()) && scaling.is_single())
    return integers.mapped(x, scaling.type, [&](int64_t v) { return scaling.scaled(v); });
  TT_TRY_ASSIGN(const int stored, integers.tensor(node, 0));
  OnnxGraph& graph = integers.graph();
  const int from = scaling.is_single() ? stored : graph.to_onnx_order(stored);
  const bool is_byte = scaling.type != ElementType::kInt32;
  const int to = graph.add(node.outputs[0], is_byte ? ElementType::kInt8 : ElementType::kInt32,
                           graph.tensor(from).shape, plain_quantization(scaling.type),
                           graph.channels_last(from));
  std::vector<int> inputs = {from};
  for (const int operand : scaling.operands(graph)) inputs.push_back(operand);
  graph.add_operator(OperatorKind::kRequantShift, std::move(inputs), to);
  return tensor_of(to, scaling.type);
}

// Add, Sub, Mul.
Result<OnnxWhole> import_integer_pair(OnnxIntegers& integers, const OnnxNode& node) {
  const OnnxTensor* constants[] = {integers.constant(node, 0), integers.constant(node, 1)};
  for (size_t i = 0; i < 2; ++i) {
    if (constants[1 - i] == nullptr) continue;
    TT_TRY_ASSIGN(const OnnxWhole x, integers.operand(node, i));
    if (x.sums && node.type == "Add") {
      if (auto sums = x.sums->plus(*constants[1 - i]))
        return OnnxWhole{-1, ElementType::kInt32, {}, std::move(sums)};
    }
    const std::vector<int> shape = integers.shape(x);
    const bool is_function = !x.sums && (x.is_byte() || !x.values.empty());
    if (!is_function || constants[1 - i]->elements() != 1 ||
        constants[1 - i]->shape.size() > shape.size())
      continue;
    TT_TRY_ASSIGN(const auto number, integers.numbers(node, *constants[1 - i]));
    return integers.mapped(x, ElementType::kInt32, [&](int64_t value) {
      return i == 0 ? combined(node, value, number[0]) : combined(node, number[0], value);
    });
  }
  TT_TRY_ASSIGN(OnnxWhole a, integers.operand(node, 0));
  TT_TRY_ASSIGN(OnnxWhole b, integers.operand(node, 1));
  if (!a.sums && !b.sums && a.is_byte() && b.is_byte()) {
    TT_TRY(paired_shape(node, integers.shape(a), integers.shape(b)));
    return OnnxWhole{
        -1, ElementType::kInt32, {}, std::make_shared<BytePairs>(node, std::move(a), std::move(b))};
  }
  TT_TRY_ASSIGN(const int left, integers.tensor(node, 0));
  TT_TRY_ASSIGN(const int right, integers.tensor(node, 1));
  TT_TRY_ASSIGN(const int id, paired(integers, node, pair_kind(node), left, right));
  return tensor_of(id, ElementType::kInt32);
}

// Relu of int32; for bytes, integer_relu() gives a table.
Result<OnnxWhole> import_integer_relu(OnnxIntegers& integers, const OnnxNode& node) {
  TT_TRY_ASSIGN(const int x, integers.tensor(node, 0));
  const int zero = integers.graph().add_numbers("zero", {0}, {});
  TT_TRY_ASSIGN(const int id, paired(integers, node, OperatorKind::kIntegerMax, x, zero));
  return tensor_of(id, ElementType::kInt32);
}

// Skips operands without elements; operands of different types become int32.
Result<OnnxWhole> import_integer_concat(OnnxIntegers& integers, const OnnxNode& node) {
  std::vector<int> parts;
  std::vector<ElementType> types;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const OnnxTensor* constant = integers.constant(node, i);
    if (constant != nullptr && constant->elements() == 0) continue;
    TT_TRY_ASSIGN(const int id, integers.tensor(node, i));
    parts.push_back(id);
    types.push_back(integers.type_of(id));
  }
  if (parts.empty()) return OnnxValues::unsupported(node, "a result without elements");
  const bool alike =
      std::all_of(types.begin(), types.end(), [&](ElementType t) { return t == types[0]; });
  for (int& id : parts)
    if (!alike) {
      TT_TRY_ASSIGN(id, integers.widened(node, id));
    }
  const ElementType type = alike ? types[0] : ElementType::kInt32;
  if (parts.size() == 1) return tensor_of(parts[0], type);
  TT_TRY_ASSIGN(const int id, import_concat(integers.import(), node, 0, parts));
  return tensor_of(id, type);
}

// TrueIntegerDiv by a constant, IntegerDiv by an operand: Delta * eta * x / (eta * y + eps).
Result<OnnxWhole> import_integer_division(OnnxIntegers& integers, const OnnxNode& node) {
  const bool to_nearest = node.type == "IntegerDiv";
  TT_TRY_ASSIGN(const int64_t delta, OnnxIntegers::required(node, "Delta"));
  TT_TRY_ASSIGN(const int64_t eta, OnnxIntegers::required(node, "eta"));
  TT_TRY_ASSIGN(const int64_t eps, OnnxIntegers::required(node, "eps"));
  TT_TRY_ASSIGN(const OnnxWhole x, integers.operand(node, 0));
  const OnnxTensor* constant = integers.constant(node, 1);
  const auto given = OnnxIntegers::attribute(node, "y");
  if (!node.has_input(1) && !given)
    return OnnxValues::invalid(node, "neither a second input nor an attribute y");
  const bool is_single = !node.has_input(1) || (constant != nullptr && constant->elements() == 1);
  int64_t by = given.value_or(0);
  if (node.has_input(1) && is_single) {
    TT_TRY_ASSIGN(const auto number, integers.numbers(node, *constant));
    by = number[0];
  }
  const auto fits = [](int64_t n) { return std::abs(n) <= INT32_MAX; };
  if (!fits(delta) || !fits(eta) || !fits(eps) || !fits(by) ||
      std::abs(delta * eta) > int64_t{UINT32_MAX})
    return OnnxValues::unsupported(node, "Delta, eta or eps out of range");
  if (is_single && eta * by + eps == 0) return OnnxValues::invalid(node, "a division by 0");
  if (is_single && !x.sums && (x.is_byte() || !x.values.empty()))
    return integers.mapped(x, ElementType::kInt32, [&](int64_t value) {
      return plain_quotient(delta * eta * value, eta * by + eps, to_nearest);
    });
  TT_TRY_ASSIGN(const int from, integers.tensor(node, 0));
  OnnxGraph& graph = integers.graph();
  int divisor = -1;
  if (is_single) {
    divisor = graph.add_numbers("divisor", {static_cast<int32_t>(by)}, {});
  } else {
    TT_TRY_ASSIGN(divisor, integers.tensor(node, 1));
  }
  const int numbers = graph.add_numbers("numbers",
                                        {static_cast<int32_t>(delta), static_cast<int32_t>(eta),
                                         static_cast<int32_t>(eps), to_nearest ? 1 : 0},
                                        {4});
  TT_TRY_ASSIGN(const int id,
                paired(integers, node, OperatorKind::kIntegerDiv, from, divisor, {numbers}));
  return tensor_of(id, ElementType::kInt32);
}

int64_t integer_gelu(const OnnxNode& node, int64_t x) {
  const int64_t b = OnnxIntegers::attribute(node, "b").value_or(0);
  const int64_t one = OnnxIntegers::attribute(node, "one").value_or(0);
  const int64_t sign = (x > 0) - (x < 0), e = std::min(std::abs(x), -b) + b;
  return x * ((one + sign * (one - e * e)) >> 1);
}

int64_t integer_hardswish(const OnnxNode& node, int64_t x) {
  const int64_t three = OnnxIntegers::attribute(node, "three").value_or(0);
  const int64_t six = OnnxIntegers::attribute(node, "six").value_or(0);
  const int64_t by = OnnxIntegers::attribute(node, "one_over_six").value_or(0);
  return x * (std::clamp<int64_t>(x + three, 0, std::max<int64_t>(six, 0)) * by);
}

int64_t integer_relu(const OnnxNode&, int64_t x) { return std::max<int64_t>(x, 0); }

}  // namespace tinytune
