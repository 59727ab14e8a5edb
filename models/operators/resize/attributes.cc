// Reads the options of RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR from TensorFlow Lite files.
#include "models/operators/resize/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

Result<Attributes> read_resize_bilinear(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_ResizeBilinearOptions();
  if (o == nullptr) return Attributes(ResizeAttributes{});
  return Attributes(ResizeAttributes{o->align_corners(), o->half_pixel_centers()});
}

Result<Attributes> read_resize(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_ResizeNearestNeighborOptions();
  if (o == nullptr) return Attributes(ResizeAttributes{});
  return Attributes(ResizeAttributes{o->align_corners(), o->half_pixel_centers()});
}

}  // namespace tinytune::tflite
