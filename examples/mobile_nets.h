// Networks in the shapes of the MobileNets that microcontrollers run, with made-up weights: what
// arenas of deep chains and of inverted residuals are tried with.
#pragma once

#include <cstdint>

#include "models/graph.h"

namespace tinytune {

/// MobileNetV1 of a quarter of the width on grey pictures of 96 x 96, two classes: the shape of
/// TensorFlow Lite Micro's person detection.
Graph make_person_detection(uint64_t seed);

/// MobileNetV2 of 0.35 of the width on pictures of 96 x 96 in colour, ten classes.
Graph make_mobilenet_v2(uint64_t seed);

}  // namespace tinytune
