#include "schedules/loop_nest.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tinytune {
namespace {

/// Returns the first loop inside the innermost serial one: from there on code is straight-line.
size_t body_of(const LoopNest& nest) {
  size_t body = nest.loops.size();
  while (body > 0 && nest.loops[body - 1].kind != Loop::Kind::kSerial) --body;
  return body;
}

/// Returns the number of distinct bytes that one body accesses.
int64_t bytes_in_body(const LoopNest& nest, const Access& access, size_t body) {
  std::set<int64_t> places = {0};
  for (size_t l = body; l < nest.loops.size(); ++l) {
    const std::set<int64_t> before = places;
    for (int64_t turn = 1; access.strides[l] != 0 && turn < nest.loops[l].extent; ++turn)
      for (const int64_t place : before) places.insert(place + turn * access.strides[l]);
  }
  int64_t bytes = 0, end = *places.begin();
  for (const int64_t place : places) {
    bytes += place + access.element_bytes - std::max(place, end);
    end = place + access.element_bytes;
  }
  return bytes;
}

int64_t loaded_bytes(const LoopNest& nest, const Access& access) {
  const size_t body = body_of(nest);
  size_t visited = body;
  while (visited > 0 && access.strides[visited - 1] == 0) --visited;
  const bool is_told = access.body_bytes > 0;
  double bytes =
      is_told ? access.body_bytes : static_cast<double>(bytes_in_body(nest, access, body));
  for (size_t l = 0; l < nest.loops.size(); ++l) {
    const Loop& loop = nest.loops[l];
    if (l < visited) bytes *= static_cast<double>(loop.extent);
    if ((l < visited || (l >= body && !is_told)) && access.strides[l] != 0) bytes *= loop.taken;
  }
  return std::llround(bytes);
}

}  // namespace

NestCounts counts_of(const LoopNest& nest) {
  NestCounts counts;
  double steps = 1;
  for (const Loop& loop : nest.loops) steps *= static_cast<double>(loop.extent) * loop.taken;
  counts.products = std::llround(steps * nest.macs_per_step * nest.multiplies_per_mac);
  counts.stored_bytes = nest.outputs;
  for (const Access& access : nest.accesses) {
    if (access.tensor == "input") counts.input_bytes += loaded_bytes(nest, access);
    if (access.tensor == "weights") counts.weight_bytes += loaded_bytes(nest, access);
  }
  return counts;
}

}  // namespace tinytune
