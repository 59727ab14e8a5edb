#include "templates/packing.h"

namespace tinytune {

PackedConstant bytes_constant(std::string name, const std::vector<int8_t>& values) {
  return {std::move(name), 1, std::vector<uint8_t>(values.begin(), values.end())};
}

PackedConstant words_constant(std::string name, const std::vector<int32_t>& values) {
  PackedConstant constant{std::move(name), 4, {}};
  for (int32_t value : values)
    for (int byte = 0; byte < 4; ++byte)
      constant.bytes.push_back(static_cast<uint8_t>(static_cast<uint32_t>(value) >> (8 * byte)));
  return constant;
}

}  // namespace tinytune
