// Builds the LoopNest of a kernel with the four arrays that every kernel here touches.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/loop_nest.h"
#include "schedules/schedule.h"
#include "schedules/workload.h"

namespace tinytune {

class NestBuilder {
 public:
  /// Bytes of one element of each array, as the inner loop accesses it.
  NestBuilder(int input_bytes, int weight_bytes, int params_bytes);
  /// Of a kernel that reads channel_params.h's words, behind `start_words` others.
  NestBuilder(const Workload& workload, int input_bytes, int weight_bytes, int start_words);

  /// The next loop inwards, and the bytes that each array's address moves per step of it.
  struct Strides {
    int64_t input = 0, weights = 0, output = 0, params = 0;
  };
  /// Of turns in a loop or in straight-line code, to outputs of their own or to the same sums.
  enum Kind { kSerial, kUnrolled, kReduces, kReducesUnrolled };
  struct Step {
    const char* name;
    int64_t extent;
    Strides strides = {};
    Kind kind = kSerial;
  };
  void loop(const Step& s) { loop(s.name, s.extent, s.strides, s.kind); }
  void loop(const char* name, int64_t extent, const Strides& strides, Kind kind = kSerial);

  /// Of a channel.
  int64_t params_bytes() const { return params_bytes_; }

  /// The loop over tiles of channels whose weights and parameters follow one another.
  void channel_tiles(int64_t tiles, int channels, int64_t weight_bytes);

  /// The loops of a tile whose arrays lie in the order in which it reads them: weights [term]
  /// [channel], inputs [term][pixel] or with pixels apart. The inner ones are unrolled.
  struct Products {
    int64_t terms;              ///< of the reduction, whole steps of them
    int step;                   ///< terms between tests of the loop
    int pixels, channels;       ///< of the tile
    int64_t input_bytes;        ///< from a term to the next
    int64_t weight_bytes;       ///< the same
    int64_t pixel_bytes;        ///< of inputs, from a pixel to the next
    int64_t out_pixel_bytes;    ///< of outputs
    int element_bytes;          ///< of a channel's weights
    const char* pair = "pair";  ///< the loop over the halves of a term, if `halves` > 0
    int halves = 0;
  };
  void products(const Products& p);

  /// The nest, with what products() and the workload say, and the code generator's switches of
  /// `schedule`; the rest is the template's to fill.
  LoopNest finish(const Schedule& schedule);

 private:
  LoopNest nest_;
  int64_t params_bytes_;  // of a channel
};

/// 1, 2, ..., most.
std::vector<int> up_to(int most);

/// The divisors of n up to `most`, ascending: what a tile may be without a remainder.
std::vector<int> divisors(int n, int most);

}  // namespace tinytune
