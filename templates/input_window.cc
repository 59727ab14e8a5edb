#include "templates/input_window.h"

namespace tinytune {

namespace {

struct Extent {
  int height, width;
};

// What the taps reach, from the first one of the first output.
Extent reach(const Workload& w) {
  return {(w.out_h - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1,
          (w.out_w - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1};
}

}  // namespace

bool needs_border(const Workload& w) {
  const Extent extent = reach(w);
  return w.pad_top > 0 || w.pad_left > 0 || extent.height > w.in_h || extent.width > w.in_w;
}

Knob border_knob(const Workload& w) {
  if (!needs_border(w)) return {"border", {"none"}};
  return {"border", {"copy", "test"}};
}

InputWindow input_window(const Workload& w, std::string_view border) {
  InputWindow window{w.in_h, w.in_w, border == "copy", border == "test", 0};
  if (!window.copied) return window;
  const Extent extent = reach(w);
  window.height = extent.height;
  window.width = extent.width;
  window.bytes = (int64_t{w.batch} * extent.height * extent.width * w.in_c + 3) / 4 * 4;
  return window;
}

const char* window_name(const InputWindow& window) { return window.copied ? "scratch" : "input"; }

}  // namespace tinytune
