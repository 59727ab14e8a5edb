#include "tests/random_graphs/graph_maker.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace tinytune::bench {

int64_t elements_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

bool is_moderate(double scale) { return scale > 0x1p-40 && scale < 0x1p40; }

GraphMaker::GraphMaker(const Rng& rng) : rng_(rng) {
  most_elements_ = one_of({256, 2048, 2048, 2048, 2048, 2048, 2048, 6000});
}

int GraphMaker::between(int low, int high) {
  return low + static_cast<int>(rng_.below(static_cast<uint64_t>(high - low) + 1));
}

double GraphMaker::uniform(double low, double high) { return low + (high - low) * rng_.uniform(); }

Shape GraphMaker::shape(int rank) {
  Shape shape;
  int64_t left = chance(50) ? most_elements_ : most_elements_ / 8;
  for (int axis = 0; axis < rank; ++axis) {
    // The first axis of a long shape is a batch more often than not.
    const int extent =
        axis == 0 && rank > 2 && chance(80)
            ? 1
            : one_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 19, 24, 32, 49, 64, 100});
    shape.push_back(static_cast<int>(std::clamp<int64_t>(extent, 1, left)));
    left /= shape.back();
  }
  return shape;
}

Quantization GraphMaker::quantization() {
  double scale = std::exp2(uniform(-9, -1));
  if (chance(10)) scale = std::exp2(between(-8, 0));
  if (chance(5)) scale = std::exp2(uniform(-24, 8));
  const int zero_point = one_of({-128, 0, 127, between(-128, 127), between(-128, 127)});
  return {{static_cast<float>(scale)}, {wide_ ? 0 : zero_point}, 0};
}

Quantization GraphMaker::scaled_to(double natural) {
  Quantization q = quantization();
  double factor = std::exp2(uniform(-1.5, 1.5));
  if (chance(8)) factor = 1;
  if (chance(8)) factor = std::exp2(between(-3, 3));
  if (chance(8)) factor = std::exp2(uniform(-12, 34));
  // Keeps scales normal floats, however many extreme factors a chain multiplies.
  if (!is_moderate(natural)) factor = 1;
  q.scales[0] = static_cast<float>(natural * factor);
  return q;
}

Activation GraphMaker::activation_function() {
  if (chance(60)) return Activation::kNone;
  return one_of({Activation::kRelu, Activation::kRelu, Activation::kRelu6, Activation::kReluN1To1});
}

Activation GraphMaker::activation_function(const Quantization& of) {
  const Activation drawn = activation_function();
  return of.scales[0] < 0x1p-28F ? Activation::kNone : drawn;
}

int GraphMaker::add(Tensor tensor) {
  tensor.id = static_cast<int>(graph_.tensors.size());
  tensor.name = "t" + std::to_string(tensor.id);
  graph_.tensors.push_back(std::move(tensor));
  hidden_.push_back(false);
  return graph_.tensors.back().id;
}

void GraphMaker::enter(bool alone) {
  scopes_.push_back({graph_.tensors.size(), alone, hidden_});
  if (alone) hidden_.assign(hidden_.size(), true);
  followed_ = -1;
}

void GraphMaker::leave() {
  const Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  std::copy(scope.hidden.begin(), scope.hidden.end(), hidden_.begin());
  std::fill(hidden_.begin() + static_cast<std::ptrdiff_t>(scope.first), hidden_.end(), true);
  for (const int id : graph_.inputs) hidden_[static_cast<size_t>(id)] = is_alone();
  followed_ = -1;
}

bool GraphMaker::is_alone() const {
  return std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return s.alone; });
}

void GraphMaker::show(const std::vector<int>& ids) {
  for (const int id : ids) hidden_[static_cast<size_t>(id)] = false;
}

int GraphMaker::result(ElementType type, Shape shape, Quantization quantization) {
  const bool quantised =
      type == ElementType::kInt8 || type == ElementType::kUint8 || type == ElementType::kInt16;
  if (!quantised) quantization = {};
  return add({.type = type, .shape = std::move(shape), .quantization = std::move(quantization)});
}

int GraphMaker::accumulator(Shape shape, Quantization quantization) {
  return add({.type = ElementType::kInt32,
              .shape = std::move(shape),
              .quantization = std::move(quantization)});
}

int GraphMaker::constant(ElementType type, Shape shape, Quantization quantization,
                         std::vector<uint8_t> data) {
  return add({.type = type,
              .shape = std::move(shape),
              .quantization = std::move(quantization),
              .is_constant = true,
              .data = std::move(data)});
}

int GraphMaker::random_constant(ElementType type, Shape shape, Quantization quantization) {
  std::vector<uint8_t> data(static_cast<size_t>(elements_of(shape)) * size_of(type));
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(rng_.below(256));
  return constant(type, std::move(shape), std::move(quantization), std::move(data));
}

int GraphMaker::variable(ElementType type, Shape shape, Quantization quantization,
                         std::vector<uint8_t> initial) {
  return add({.type = type,
              .shape = std::move(shape),
              .quantization = std::move(quantization),
              .is_variable = true,
              .data = std::move(initial)});
}

int GraphMaker::integers(const std::vector<int32_t>& values) {
  return integers({static_cast<int>(values.size())}, values);
}

int GraphMaker::integers(Shape shape, const std::vector<int32_t>& values) {
  std::vector<uint8_t> data(values.size() * sizeof(int32_t));
  std::memcpy(data.data(), values.data(), data.size());
  if (chance(40))  // two operators may share a constant
    for (const Tensor& t : graph_.tensors)
      if (t.is_constant && t.type == ElementType::kInt32 && t.shape == shape && t.data == data)
        return t.id;
  return constant(ElementType::kInt32, std::move(shape), {}, std::move(data));
}

int GraphMaker::integer(int32_t value) {
  const int id = integers({value});
  return chance(50) ? id : constant(ElementType::kInt32, {}, {}, tensor(id).data);
}

int GraphMaker::input(ElementType type, Shape shape, Quantization quantization) {
  if (is_alone()) return random_constant(type, std::move(shape), std::move(quantization));
  const int id = result(type, std::move(shape), std::move(quantization));
  graph_.inputs.push_back(id);
  return id;
}

int GraphMaker::accumulator_input(Shape shape, Quantization quantization) {
  if (is_alone())
    return random_constant(ElementType::kInt32, std::move(shape), std::move(quantization));
  const int id = accumulator(std::move(shape), std::move(quantization));
  graph_.inputs.push_back(id);
  return id;
}

int GraphMaker::existing(const Fits& fits) {
  std::vector<int> candidates;
  for (const Tensor& t : graph_.tensors)
    if (!t.is_constant && !t.is_variable && !hidden_[static_cast<size_t>(t.id)] && fits(t))
      candidates.push_back(t.id);
  if (candidates.empty()) return -1;
  // Takes the newest half of the time, so that graphs have long chains as well as many branches.
  const int last = static_cast<int>(candidates.size()) - 1;
  return candidates[static_cast<size_t>(chance(50) ? last : between(0, last))];
}

void GraphMaker::follow() {
  const std::vector<int>& outputs = graph_.operators.back().outputs;
  if (outputs.empty()) return;
  followed_ = outputs[rng_.below(outputs.size())];
  if (tensor(followed_).is_variable) followed_ = -1;  // a handle, which has no value
}

bool GraphMaker::is_known(int id) const {
  if (tensor(id).is_constant) return true;
  const auto writer =
      std::find_if(graph_.operators.begin(), graph_.operators.end(), [&](const Operator& o) {
        return std::find(o.outputs.begin(), o.outputs.end(), id) != o.outputs.end();
      });
  if (writer == graph_.operators.end() || tensor(id).is_variable) return false;
  if (writer->kind == OperatorKind::kShape || writer->kind == OperatorKind::kZerosLike) return true;
  return std::all_of(writer->inputs.begin(), writer->inputs.end(),
                     [&](int input) { return input < 0 || is_known(input); });
}

int GraphMaker::source(const Fits& fits, const std::function<Shape()>& otherwise) {
  if (const int id = std::exchange(followed_, -1);
      id >= 0 && is_activation(tensor(id)) && fits(tensor(id)))
    return id;
  const int known = existing([&](const Tensor& t) { return is_activation(t) && fits(t); });
  if (known >= 0 && !chance(12)) return known;
  Tensor wanted;
  do {
    wanted.shape = otherwise();
    wanted.quantization = quantization();
  } while (!fits(wanted));
  return fresh(wanted.shape, wanted.quantization);
}

int GraphMaker::fresh(const Shape& shape, const Quantization& q) {
  const int dice = between(1, 100);
  if (dice <= 60) return input(activations(), shape, q);
  if (wide_) {
    const Quantization narrow{{q.scales[0] * 256}, {between(-128, 127)}, 0};
    const int outside = chance(50) ? input(ElementType::kFloat32, shape, {})
                                   : input(ElementType::kInt8, shape, narrow);
    const int wide = result(shape, q);
    op(OperatorKind::kQuantize, {outside}, {wide});
    return wide;
  }
  int from = 0;
  if (dice <= 85) {
    from = input(ElementType::kFloat32, shape, {});
  } else {
    Quantization unsigned_q = q;
    unsigned_q.zero_points[0] += 128;
    if (chance(30)) unsigned_q = quantization(), unsigned_q.zero_points[0] += 128;
    from = input(ElementType::kUint8, shape, unsigned_q);
  }
  const int to = result(shape, q);
  op(OperatorKind::kQuantize, {from}, {to});
  return to;
}

void GraphMaker::op(OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs,
                    Attributes attributes) {
  graph_.operators.push_back({static_cast<int>(graph_.operators.size()), kind, std::move(inputs),
                              std::move(outputs), std::move(attributes)});
}

template <typename T>
void GraphMaker::shuffle(std::vector<T>& values) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[rng_.below(i)]);
}

// Tensor ids need not follow the order of execution.
void GraphMaker::renumber() {
  std::vector<int> new_id(graph_.tensors.size());
  std::iota(new_id.begin(), new_id.end(), 0);
  shuffle(new_id);
  std::vector<Tensor> tensors(graph_.tensors.size());
  for (Tensor& t : graph_.tensors) {
    t.id = new_id[static_cast<size_t>(t.id)];
    tensors[static_cast<size_t>(t.id)] = std::move(t);
  }
  graph_.tensors = std::move(tensors);
  const auto apply = [&](std::vector<int>& ids) {
    for (int& id : ids)
      if (id >= 0) id = new_id[static_cast<size_t>(id)];
  };
  apply(graph_.inputs);
  apply(graph_.outputs);
  for (Operator& o : graph_.operators) apply(o.inputs), apply(o.outputs);
}

std::vector<int> GraphMaker::last_results() const {
  const auto gives_values = [this](const Operator& o) {
    return !o.outputs.empty() && !tensor(o.outputs[0]).is_variable;
  };
  const auto last = std::find_if(graph_.operators.rbegin(), graph_.operators.rend(), gives_values);
  return last->outputs;
}

Graph GraphMaker::finish() {
  std::vector<bool> read(graph_.tensors.size(), false), computed = read;
  for (const Operator& o : graph_.operators) {
    // Being assigned to state, or carried to a loop's next round, does not count as being read.
    if (o.kind == OperatorKind::kAssignVariable) continue;
    for (const int id : o.inputs)
      if (id >= 0) read[static_cast<size_t>(id)] = o.kind != OperatorKind::kEndWhile;
    for (const int id : o.outputs) computed[static_cast<size_t>(id)] = true;
  }
  std::vector<int> leaves;
  for (const Tensor& t : graph_.tensors) {
    const auto at = static_cast<size_t>(t.id);
    if (t.is_variable || hidden_[at]) continue;
    if (computed[at] && !read[at]) leaves.push_back(t.id);
    // Makes an inner tensor, or rarely an input, an output as well.
    if ((computed[at] && read[at] && chance(12)) || (!computed[at] && !t.is_constant && chance(2)))
      graph_.outputs.push_back(t.id);
  }
  shuffle(leaves);
  for (size_t i = 0; i < leaves.size(); ++i)  // now and then leaves a result unused
    if (i == 0 || !chance(6)) graph_.outputs.push_back(leaves[i]);
  if (graph_.outputs.empty()) graph_.outputs = last_results();  // all that it computes is kept
  shuffle(graph_.outputs);
  if (chance(50)) shuffle(graph_.inputs);
  if (chance(50)) renumber();
  graph_.name = "net";
  return std::move(graph_);
}

}  // namespace tinytune::bench
