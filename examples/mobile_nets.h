// Networks in the shapes of those that microcontrollers run on pictures, with made-up weights: they
// test the arenas of deep chains, residual blocks and inverted residuals.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

/// MobileNetV1 with a quarter of the width on grey pictures of 96 x 96, two classes: the shape of
/// TensorFlow Lite Micro's person detection.
Graph make_person_detection(uint64_t seed);

/// MobileNetV2 with 0.35 of the width on colour pictures of 96 x 96, ten classes.
Graph make_mobilenet_v2(uint64_t seed);

/// A face detector like BlazeFace on colour pictures of 96 x 96: residual blocks of 5 x 5 depthwise
/// filters, and two heads, each with scores and boxes of its anchors. A score is a logit. A box is
/// 16 numbers in pixels from the middle of its anchor's cell: middle, extent, six points. Outputs:
/// scores and boxes of 12 x 12 cells with 2 anchors, of 6 x 6 cells with 6.
Graph make_face_detection(uint64_t seed);

}  // namespace tinytune
