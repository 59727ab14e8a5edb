// Builds the LoopNest of a kernel from its loops and its four arrays: input, weights, output,
// params.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedules/loop_nest.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"
#include "templates/channel_params.h"
#include "templates/switches.h"

namespace tinytune {

class NestBuilder {
 public:
  /// Arguments: bytes of one element of each array, as the inner loop accesses it.
  NestBuilder(int input_bytes, int weight_bytes, int params_bytes) : params_bytes_(params_bytes) {
    nest_.accesses = {{"input", input_bytes, false, {}},
                      {"weights", weight_bytes, false, {}},
                      {"output", 1, true, {}},
                      {"params", params_bytes, false, {}}};
  }
  /// For a kernel that reads the words of channel_params.h after `start_words` other words.
  NestBuilder(const Workload& w, int input_bytes, int weight_bytes, int start_words)
      : NestBuilder(input_bytes, weight_bytes,
                    4 * (start_words + scaling_words(w.facts.requantise))) {
    nest_.macs = w.macs();
  }

  /// Omits loops of a single turn from here on: what they read then stays in registers over those
  /// surrounding loops that do not move its address.
  void drop_single_turns() { drops_single_turns_ = true; }

  /// The next loop inwards, and the bytes that each array's address moves per step of it.
  struct Strides {
    int64_t input = 0, weights = 0, output = 0, params = 0;
  };
  /// Whether turns are a loop or straight-line code, and whether they add to the same sums.
  enum Kind { kSerial, kUnrolled, kReduces, kReducesUnrolled };
  struct Step {
    const char* name;
    int64_t extent;
    Strides strides = {};
    Kind kind = kSerial;
    double taken = 1;  ///< fraction of the turns that run
  };
  void loop(const Step& s) { loop(s.name, s.extent, s.strides, s.kind, s.taken); }
  void loop(const char* name, int64_t extent, const Strides& s, Kind kind = kSerial,
            double taken = 1) {
    if (extent == 1 && taken == 1 && drops_single_turns_) return;
    const bool unrolled = kind == kUnrolled || kind == kReducesUnrolled;
    nest_.loops.push_back({name, extent, unrolled ? Loop::Kind::kUnrolled : Loop::Kind::kSerial,
                           kind >= kReduces, taken});
    const int64_t strides[] = {s.input, s.weights, s.output, s.params};
    for (size_t a = 0; a < 4; ++a) nest_.accesses[a].strides.push_back(strides[a]);
  }

  /// Bytes of one channel's parameters.
  int64_t params_bytes() const { return params_bytes_; }

  /// Adds the loop over tiles of channels, whose weights and parameters are contiguous.
  void channel_tiles(const Workload& w, int channels, int64_t weight_bytes) {
    loop("oc_outer", (w.out_c + channels - 1) / channels,
         {.weights = weight_bytes, .output = channels, .params = params_bytes_ * channels});
  }

  /// Adds the loop over groups of channels, if there are several, and in it the loop over the tiles
  /// of one `group`. `input_bytes`: the distance from a group's inputs to those of the next.
  void group_tiles(const Workload& w, const Workload& group, int channels, int64_t weight_bytes,
                   int64_t input_bytes = 0) {
    const int64_t tiles = (group.out_c + channels - 1) / channels;
    if (w.groups > 1)
      loop("group", w.groups,
           {.input = input_bytes,
            .weights = tiles * weight_bytes,
            .output = group.out_c,
            .params = params_bytes_ * group.out_c});
    channel_tiles(group, channels, weight_bytes);
  }

  /// Describes the loops of a tile that reads its arrays in memory order: weights [term][channel],
  /// inputs [term][pixel] or with pixels apart. The inner loops are unrolled.
  struct Products {
    int64_t terms;              ///< length of the reduction
    int step;                   ///< terms between tests of the loop
    int pixels, channels;       ///< size of the tile
    int64_t input_bytes;        ///< stride of inputs per term
    int64_t weight_bytes;       ///< stride of weights per term
    int64_t pixel_bytes;        ///< stride of inputs per pixel
    int64_t out_pixel_bytes;    ///< stride of outputs per pixel
    int element_bytes;          ///< stride of weights per channel
    const char* pair = "pair";  ///< the loop over the halves of a term, if `halves` > 0
    int halves = 0;             ///< values per load
  };
  void products(const Products& p) {
    const int64_t turns = (p.terms + p.step - 1) / p.step;
    loop("reduction", turns, {.input = p.input_bytes * p.step, .weights = p.weight_bytes * p.step},
         kReduces);
    loop("ku", p.step, {.input = p.input_bytes, .weights = p.weight_bytes}, kReducesUnrolled,
         share(p.terms, turns * p.step));
    if (p.halves > 0) loop(p.pair, p.halves, {}, kReducesUnrolled);
    loop("px", p.pixels, {.input = p.pixel_bytes, .output = p.out_pixel_bytes}, kUnrolled);
    loop("oc", p.channels, {.weights = p.element_bytes, .output = 1, .params = params_bytes_},
         kUnrolled);
    nest_.accumulators = p.channels * p.pixels;
    nest_.unrolled_body = int64_t{p.channels} * p.pixels * p.step;
  }

  /// Set the bytes that a body loads of an array, where they do not follow from the strides.
  void input_loads(double bytes) { nest_.accesses[0].body_bytes = bytes; }
  void weight_loads(double bytes) { nest_.accesses[1].body_bytes = bytes; }

  static double share(int64_t part, int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  }

  /// Returns the nest with its number of outputs (one for each turn of the loops that do not
  /// reduce) and the code generator's switches of `schedule`. The template sets all other features.
  LoopNest finish(const Schedule& schedule) {
    double outputs = 1;
    for (const Loop& l : nest_.loops)
      if (!l.reduction) outputs *= static_cast<double>(l.extent) * l.taken;
    nest_.outputs = std::llround(outputs);
    describe_switches(schedule, nest_);
    return std::move(nest_);
  }

 private:
  LoopNest nest_;
  int64_t params_bytes_;  // per channel
  bool drops_single_turns_ = false;
};

/// Returns 1, 2, ..., most.
inline std::vector<int> up_to(int most) {
  std::vector<int> all;
  for (int v = 1; v <= most; ++v) all.push_back(v);
  return all;
}

/// Returns the divisors of n up to `most`, ascending: the tile sizes that leave no remainder.
inline std::vector<int> divisors(int n, int most) {
  std::vector<int> all;
  for (int d = 1; d <= std::min(n, most); ++d)
    if (n % d == 0) all.push_back(d);
  return all;
}

}  // namespace tinytune
