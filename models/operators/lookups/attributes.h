// The options of functions of one value.
#pragma once

#include <array>
#include <cstdint>

namespace tinytune {

struct LeakyReluAttributes {
  float alpha = 0;
};

struct GeluAttributes {
  bool approximate = false;  ///< by tanh, else by erf
};

struct TableAttributes {  ///< QUANTIZE and functions of one byte: outputs by stored input byte
  std::array<uint8_t, 256> table{};
};

}  // namespace tinytune
