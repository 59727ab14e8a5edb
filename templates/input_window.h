// The input as a kernel's loops see it, and the two ways to give a convolution its border.
//
// "copy": the input is copied once into scratch with the border in place (its value is the input's
// zero point, which adds nothing once the bias is folded), and no tap needs a test. The copy costs
// about 0.6 instructions a byte, and the RAM. "test": taps outside are found where they occur;
// loops are split so that only the edges pay. Which is faster depends on the layer, and the RAM is
// the network's to weigh, so it is a knob.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/config_space.h"
#include "schedules/workload.h"

namespace tinytune {

struct InputWindow {
  int height = 1, width = 1;  ///< of the buffer that the loops read
  bool copied = false;        ///< whether it is a padded copy in scratch
  bool tested = false;        ///< whether taps may fall outside and must be tested
  int64_t bytes = 0;          ///< of the copy, rounded up to 4; 0 unless copied
};

/// Whether taps reach outside the input.
bool needs_border(const Workload& workload);

/// "border": {"none"} for a workload without padding, else {"copy", "test"}.
Knob border_knob(const Workload& workload);

/// `border` is that knob's value.
InputWindow input_window(const Workload& workload, std::string_view border);

/// The name of the buffer that the loops read: "scratch" when copied, else "input".
const char* window_name(const InputWindow& window);

}  // namespace tinytune
