// The input as a kernel's loops see it, and the two ways to pad a convolution.
//
// "copy": the input is copied once into scratch with its padding (the input's zero point, which
// adds nothing once the bias is folded), and no tap needs a test. The copy costs about 0.6
// instructions a byte, and the RAM. "test": the loops test for taps outside the input, and are
// split so that only the edges pay. Which is faster depends on the layer, and whether its RAM is
// worth it depends on the network, so it is a knob.
#pragma once

#include <cstdint>
#include <string_view>

#include "schedules/config_space.h"
#include "schedules/workload.h"

namespace tinytune {

struct InputWindow {
  int height = 1, width = 1;  ///< size of the buffer that the loops read
  bool copied = false;        ///< whether it is a padded copy in scratch
  bool tested = false;        ///< whether taps may fall outside the input and must be tested
  int64_t bytes = 0;          ///< size of the copy, rounded up to 4; 0 unless copied
};

/// Returns the extent that the taps of all outputs cover, from the first tap of the first output.
inline InputWindow reach_of_taps(const Workload& w) {
  return {(w.out_h - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1,
          (w.out_w - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1};
}

/// Returns whether taps reach outside the input.
inline bool needs_border(const Workload& w) {
  const InputWindow reach = reach_of_taps(w);
  return w.pad_top > 0 || w.pad_left > 0 || reach.height > w.in_h || reach.width > w.in_w;
}

/// "border": {"none"} for a workload without padding, else {"copy", "test"}.
inline Knob border_knob(const Workload& w) {
  if (!needs_border(w)) return {"border", {"none"}};
  return {"border", {"copy", "test"}};
}

/// `border` is the value of border_knob().
inline InputWindow input_window(const Workload& w, std::string_view border) {
  if (border != "copy") return {.height = w.in_h, .width = w.in_w, .tested = border == "test"};
  InputWindow window = reach_of_taps(w);
  window.copied = true;
  window.bytes = (int64_t{w.batch} * window.height * window.width * w.in_c + 3) / 4 * 4;
  return window;
}

}  // namespace tinytune
