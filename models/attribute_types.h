// Types of options that several operators have.
#pragma once

namespace tinytune {

enum class Padding { kSame, kValid };
enum class Activation { kNone, kRelu, kRelu6, kReluN1To1 };

}  // namespace tinytune
