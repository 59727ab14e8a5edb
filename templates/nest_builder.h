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
  struct Strides {
    int64_t input = 0, weights = 0, output = 0, params = 0;
  };
  struct Step {
    const char* name;
    int64_t extent;
    Loop::Kind kind = Loop::Kind::kSerial;
    bool reduces = false;
    Strides strides = {};
  };
  void loop(const Step& step);

  /// The nest, with the code generator's switches of `schedule`; the rest is the template's to
  /// fill.
  LoopNest finish(const Schedule& schedule);

 private:
  LoopNest nest_;
};

/// 1, 2, ..., most.
std::vector<int> up_to(int most);

/// The divisors of n up to `most`, ascending: what a tile may be without a remainder.
std::vector<int> divisors(int n, int most);

}  // namespace tinytune
