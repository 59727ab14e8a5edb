// The input as a kernel's loops see it: padded, so that no tap needs a test.
//
// Layers with padding copy their input once into a scratch buffer that has the border in place (its
// value is the input's zero point, which adds nothing once the bias is folded). The copy moves
// words where rows allow it and costs about 0.6 instructions a byte, against several per tap for
// testing borders in the loops.
#pragma once

#include <cstdint>
#include <string>

#include "schedules/workload.h"

namespace Halide {
class Module;
}  // namespace Halide

namespace tinytune {

struct InputWindow {
  int height = 1, width = 1;  ///< of the buffer that the loops read
  bool copied = false;        ///< whether it is a padded copy in scratch
  int64_t bytes = 0;          ///< of the copy, rounded up to 4; 0 unless copied
};

InputWindow input_window(const Workload& workload);

/// The name of the buffer that the loops read: "scratch" when copied, else "input".
const char* window_name(const InputWindow& window);

/// Appends the copying stage (buffers "input", "scratch") to `module`, if there is one.
void append_padding(Halide::Module& module, const Workload& workload, const InputWindow& window,
                    const std::string& symbol);

}  // namespace tinytune
