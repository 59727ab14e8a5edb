// A workload as a person or a compiler writes it: "conv2d 3x3 16->32 in24x24 s2 same relu".
//
// A record's workload is one line of every field (schedules/workload.h). A description gives a few
// of them; the others are derived or take defaults. The task names that `tune inspect` prints are
// descriptions, and so are workload lines.
#pragma once

#include <string>
#include <string_view>

#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

struct WorkloadDescription {
  Workload workload;
  /// Whether the text stated `workload.facts`, which must then hold for the layer's constants;
  /// otherwise they are proved from the constants.
  bool states_facts = false;
};

/// Parses a description. Words, in any order after the first:
///
///     conv2d | depthwise | dense    the operator (conv2d_s8 and so on, too)
///     3x3, k3x3       window                          default 1x1
///     16->32          input and output channels       required
///     in24x24         the input's height and width    one of them, but for dense
///     @12x12          the output's
///     s2, s2x1, /2x2  strides                         1
///     d2, d2x1        dilations                       1
///     same, valid, p1,1    padding: TFLite's, or rows above and columns left     same
///     n1  g2          batch, groups                   1
///     nhwc, nchw      layout                          nhwc
///     zp-128,-128     zero points, input and output   -128, where a ReLU left them
///     act-128,127     clamp                           -128, 127
///     relu            clamps below at the output's zero point
///     lane2 fused     WeightFacts, for constants that are not available
///
/// `in` and `@` must agree if both are given. `@` alone implies the input: with `same` the output
/// times the stride (the largest such input, with the least padding), else the smallest such input.
/// kInvalidInput: an unknown word, a missing one, or sizes that contradict each other.
Result<WorkloadDescription> describe_workload(std::string_view text);

/// Returns a short name for people: "conv2d 1x1 64->64 @25x5", with strides unless they are 1.
std::string short_name(const Workload& workload);

}  // namespace tinytune
