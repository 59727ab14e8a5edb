// Builds the LoopNest of a kernel with the four arrays that every kernel here touches.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/loop_nest.h"
#include "schedules/schedule.h"

namespace tinytune {

class NestBuilder {
 public:
  /// Bytes of one element of each array, as the inner loop accesses it.
  NestBuilder(int input_bytes, int weight_bytes, int params_bytes);

  /// The next loop inwards, and the bytes that each array's address moves per step of it.
  void loop(const char* name, int64_t extent, Loop::Kind kind, bool reduces, int64_t input,
            int64_t weights, int64_t output, int64_t params);

  /// The nest, with the code generator's switches of `schedule`; the rest is the template's to
  /// fill.
  LoopNest finish(const Schedule& schedule);

 private:
  LoopNest nest_;
};

/// The divisors of n up to `most`, ascending: what a tile may be without a remainder.
std::vector<int> divisors(int n, int most);

}  // namespace tinytune
