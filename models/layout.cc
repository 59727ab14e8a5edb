#include "models/layout.h"

#include "base/check.h"

namespace tinytune {

std::vector<uint8_t> transposed(std::span<const uint8_t> bytes, const ImageShape& s, Layout from) {
  const size_t pixels = static_cast<size_t>(s.rows) * static_cast<size_t>(s.columns);
  const auto channels = static_cast<size_t>(s.channels);
  const size_t image = pixels * channels;
  TT_CHECK(bytes.size() == image * static_cast<size_t>(s.batch), "an image of its own shape");
  std::vector<uint8_t> result(bytes.size());
  for (size_t first = 0; first < bytes.size(); first += image)
    for (size_t p = 0; p < pixels; ++p)
      for (size_t c = 0; c < channels; ++c) {
        const size_t nhwc = first + p * channels + c, nchw = first + c * pixels + p;
        if (from == Layout::kNhwc)
          result[nchw] = bytes[nhwc];
        else
          result[nhwc] = bytes[nchw];
      }
  return result;
}

bool layout_is_free(const ImageShape& s) { return s.channels == 1 || s.rows * s.columns == 1; }

}  // namespace tinytune
