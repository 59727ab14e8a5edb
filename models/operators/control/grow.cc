// Adds IF or WHILE around other operators to a random graph, also nested.
#include "tests/random_graphs/grow.h"

#include <algorithm>

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

using K = OperatorKind;

constexpr int kDeepest = 2;

void grow_some(GraphMaker& m, int most) {
  for (int i = m.between(0, most); i > 0; --i) grow_something(m);
}

// Returns a tensor of one bool that depends on the inputs.
int condition(GraphMaker& m) {
  const auto one = [](const Tensor& t) { return t.elements() == 1; };
  const int known =
      m.existing([&](const Tensor& t) { return t.type == ElementType::kBool && one(t); });
  if (known >= 0 && m.chance(50)) return known;
  const auto moderate = [&](const Tensor& t) {
    return one(t) && is_moderate(t.quantization.scales[0]) && t.quantization.scales[0] < 1;
  };
  const int x = m.source(moderate, [] { return Shape{1}; });
  const int limit = m.random_constant(m.tensor(x).shape, m.tensor(x).quantization);
  const int c = m.result(ElementType::kBool, m.tensor(x).shape, {});
  m.op(m.one_of({K::kGreater, K::kLessEqual, K::kEqual}), {x, limit}, {c});
  return c;
}

// Returns a tensor of the same type and size that is visible in this branch or loop.
int alike(GraphMaker& m, const Tensor& like) {
  const auto fits = [&](const Tensor& t) {
    return t.type == like.type && t.bytes() == like.bytes();
  };
  const int known = m.chance(70) ? m.existing(fits) : -1;
  return known >= 0 ? known : m.random_constant(like.type, like.shape, like.quantization);
}

// Returns a constant for a counter of int32, or of int8 with a scale that keeps steps exact.
int counter(GraphMaker& m, ElementType type, int value) {
  if (type == ElementType::kInt32) return m.integers({1}, {value});
  return m.constant(ElementType::kInt8, {1}, {{0.5F}, {0}, 0}, {static_cast<uint8_t>(value)});
}

}  // namespace

template <>
void grow<OperatorKind::kIf>(GraphMaker& m) {
  if (m.depth() == kDeepest) return grow<K::kRelu>(m);
  const int c = condition(m);
  std::vector<int> results;
  m.op(K::kIf, {c}, {});
  m.enter(false);
  grow_some(m, 2);
  std::vector<int> computed;
  for (int i = m.between(1, 2); i > 0; --i) computed.push_back(any_source(m));
  for (const int x : computed) {
    results.push_back(like(m, x, m.tensor(x).shape));
    m.op(K::kCopy, {x}, {results.back()});
  }
  m.leave();
  m.op(K::kElse, {}, {});
  m.enter(false);
  grow_some(m, 2);
  computed.clear();
  for (const int y : results) computed.push_back(alike(m, Tensor(m.tensor(y))));
  for (size_t i = 0; i < results.size(); ++i) m.op(K::kCopy, {computed[i]}, {results[i]});
  m.leave();
  m.op(K::kEndIf, {}, {});
  m.show(results);
}

template <>
void grow<OperatorKind::kWhile>(GraphMaker& m) {
  if (m.depth() == kDeepest) return grow<K::kRelu>(m);
  const ElementType type = m.one_of({ElementType::kInt8, ElementType::kInt32});
  std::vector<int> given = {counter(m, type, m.between(-3, 3))};
  for (int i = m.between(1, 2); i > 0; --i) given.push_back(any_source(m));
  std::vector<int> carried;
  for (const int x : given) carried.push_back(like(m, x, m.tensor(x).shape));
  for (size_t i = 0; i < given.size(); ++i) m.op(K::kCopy, {given[i]}, {carried[i]});
  m.op(K::kWhile, {}, {});
  m.enter(true);
  m.show(carried);
  const int c = m.result(ElementType::kBool, {1}, {});
  m.op(K::kLess, {carried[0], counter(m, type, m.between(-3, 4))}, {c});
  m.leave();
  m.op(K::kDo, {c}, {});
  m.enter(true);
  m.show(carried);
  const int next = m.result(type, {1}, m.tensor(carried[0]).quantization);
  m.op(K::kAdd, {carried[0], counter(m, type, 1)}, {next}, ActivationAttributes{});
  grow_some(m, 2);
  std::vector<int> computed = {next};
  for (size_t i = 1; i < carried.size(); ++i) {
    const int x = alike(m, Tensor(m.tensor(carried[i])));
    const bool is_carried = std::find(carried.begin(), carried.end(), x) != carried.end();
    computed.push_back(is_carried ? carried[i] : x);
  }
  for (size_t i = 0; i < carried.size(); ++i)
    if (computed[i] != carried[i]) m.op(K::kCopy, {computed[i]}, {carried[i]});
  m.leave();
  m.op(K::kEndWhile, carried, {});
  m.show(carried);
}

}  // namespace tinytune::bench
