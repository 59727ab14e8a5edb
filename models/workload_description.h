// A workload as a person or a compiler writes it: "conv2d 3x3 16->32 in24x24 s2 same relu".
//
// A record's workload is one line of every field (schedules/workload.h); who has an operator in
// hand knows a few of them, and the rest follows. What `tune inspect` prints as a task's name is
// such a description, and so is a workload's own line.
#pragma once

#include <string>
#include <string_view>

#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune {

struct WorkloadDescription {
  Workload workload;
  /// Whether `workload.facts` were stated, and so must hold of the layer's constants; otherwise
  /// they are proved from them.
  bool states_facts = false;
};

/// Words in any order behind the first:
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
///     lane2 fused     what is proved of constants that are not at hand (WeightFacts)
///
/// Where `in` and `@` are both given they have to agree. Of inputs that give one output, `@` alone
/// stands for the largest with the fewest bytes of padding: of `same` the output times the stride.
/// kInvalidInput: a word of another kind, one that is missing, or sizes that do not fit together.
Result<WorkloadDescription> describe_workload(std::string_view text);

/// "conv2d 1x1 64->64 @25x5", a description but for what is usual: for people.
std::string short_name(const Workload& workload);

}  // namespace tinytune
