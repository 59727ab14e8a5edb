#include "cost_model/nest_facts.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace tinytune {
namespace {

using Row = Eigen::Array<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, 24>;
constexpr Eigen::Index kMostLoops = 24;  // keeps every array on the stack

Role role_of(const Access& access) {
  if (access.is_write) return kOutput;
  if (access.tensor == "input") return kInput;
  if (access.tensor == "weights") return kWeights;
  return kOther;
}

// Returns the distinct elements accessed by the loops from `first` on: the product of the trips of
// loops with a stride, bounded by the elements between the first and the last address. The bound
// accounts for the overlap of sliding windows.
double distinct(const Row& extents, const Row& strides, Eigen::Index first, double element_bytes) {
  const Eigen::Index n = extents.size() - first;
  if (n <= 0) return 1;
  const auto e = extents.tail(n);
  const auto s = strides.tail(n).abs();
  const double combinations = (s > 0).select(e, 1.0).prod();
  const double span = 1 + (s * (e - 1)).sum() / element_bytes;
  return std::min(combinations, span);
}

}  // namespace

NestFacts facts_of(const LoopNest& nest) {
  NestFacts facts;
  facts.nest = &nest;
  std::vector<size_t> kept;
  for (size_t l = 0; l < nest.loops.size(); ++l)
    if (nest.loops[l].extent > 1) kept.push_back(l);
  const auto n = static_cast<Eigen::Index>(kept.size());
  TT_CHECK(n <= kMostLoops, "a nest of this depth");

  Row extents = Row::Ones(n);
  Eigen::Index body = 0, outermost_reduction = n;
  for (Eigen::Index i = 0; i < n; ++i) {
    const Loop& loop = nest.loops[kept[static_cast<size_t>(i)]];
    extents[i] = static_cast<double>(loop.extent);
    const bool serial = loop.kind == Loop::Kind::kSerial;
    if (serial) body = i + 1;
    if (serial && loop.reduction) outermost_reduction = std::min(outermost_reduction, i);
    if (loop.reduction) facts.reduction *= extents[i];
  }
  facts.steps = extents.prod();
  for (const Loop& loop : nest.loops) facts.steps *= loop.taken;
  facts.body_steps = extents.tail(n - body).prod();
  for (Eigen::Index i = 0; i < n; ++i) {
    const Loop& loop = nest.loops[kept[static_cast<size_t>(i)]];
    if (loop.reduction && i >= body) facts.body_reduction *= extents[i];
    if (!loop.reduction && i >= std::min(outermost_reduction, body))
      facts.accumulated *= extents[i];
  }

  std::vector<double> bytes_inside(static_cast<size_t>(n), 0);
  for (const Access& access : nest.accesses) {
    TT_CHECK(access.strides.size() == nest.loops.size(), "a stride per loop for " + access.tensor);
    Row strides(n);
    for (Eigen::Index i = 0; i < n; ++i)
      strides[i] = static_cast<double>(access.strides[kept[static_cast<size_t>(i)]]);
    const double element = std::max(1, access.element_bytes);
    AccessFacts& sum = facts.access[role_of(access)];
    const double all = distinct(extents, strides, 0, element);
    const double in_body = access.body_bytes > 0 ? access.body_bytes / element
                                                 : distinct(extents, strides, body, element);
    sum.elements += all;
    sum.bytes += all * element;
    sum.body_elements += in_body;
    if (!access.is_write) facts.body_loads += in_body;
    for (Eigen::Index i = n; i-- > 0 && sum.step_bytes == 0;) sum.step_bytes = std::abs(strides[i]);
    double reuse = 1;
    for (Eigen::Index i = body; i-- > 0 && strides[i] == 0;) reuse *= extents[i];
    sum.reuse = std::max(sum.reuse, reuse);
    for (Eigen::Index i = 0; i < n; ++i)
      bytes_inside[static_cast<size_t>(i)] += element * distinct(extents, strides, i + 1, element);
  }
  for (Eigen::Index i = body; i-- > 0;) {
    const Loop& loop = nest.loops[kept[static_cast<size_t>(i)]];
    if (loop.kind != Loop::Kind::kSerial) continue;
    facts.serial.push_back(
        {extents[i], loop.reduction ? 1.0 : 0.0, bytes_inside[static_cast<size_t>(i)]});
  }
  return facts;
}

}  // namespace tinytune
