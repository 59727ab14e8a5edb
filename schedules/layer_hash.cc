#include "schedules/layer_hash.h"

#include <functional>
#include <string_view>

namespace tinytune {
namespace {

template <typename T>
std::string hash_of(const std::vector<T>& values) {
  const auto* const bytes = reinterpret_cast<const char*>(values.data());
  return std::to_string(std::hash<std::string_view>()({bytes, values.size() * sizeof(T)}));
}

}  // namespace

std::string hash_text(const LayerData& data) {
  return hash_of(data.weights) + " " + hash_of(data.bias) + " " + hash_of(data.multiplier) + " " +
         hash_of(data.shift) + " " + hash_of(data.addend);
}

}  // namespace tinytune
