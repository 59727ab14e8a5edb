#include "cli/constants_file.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/files.h"

namespace tinytune {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMostBytes = uint64_t{256} << 20;

Error bad(const std::string& path, const std::string& why) {
  return Error(ErrorCode::kInvalidInput, path + ": " + why);
}

template <typename T>
Status read_integers(const Json& object, const char* key, std::vector<T>& to) {
  const auto at = object.find(key);
  if (at == object.end()) return ok_status();
  const Error wrong(ErrorCode::kInvalidInput,
                    std::string(key) + " is no list of " + (sizeof(T) == 1 ? "int8" : "int32"));
  if (!at->is_array()) return wrong;
  for (const Json& element : *at) {
    if (!element.is_number_integer()) return wrong;
    const auto value = element.get<int64_t>();
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
      return wrong;
    to.push_back(static_cast<T>(value));
  }
  return ok_status();
}

Status read_scales(const Json& object, LayerConstants& constants) {
  const auto at = object.find("scale");
  if (at == object.end()) return ok_status();
  if (!at->is_array() || !constants.multiplier.empty())
    return Error(ErrorCode::kInvalidInput, "scale is a list, instead of multiplier and shift");
  for (const Json& element : *at) {
    if (!element.is_number()) return Error(ErrorCode::kInvalidInput, "scale is no list of numbers");
    TT_TRY_ASSIGN(const FixedPoint fixed, fixed_point(element.get<double>()));
    constants.multiplier.push_back(fixed.multiplier);
    constants.shift.push_back(fixed.shift);
  }
  return ok_status();
}

Status read_all(const Json& object, LayerConstants& constants) {
  for (const auto& [key, value] : object.items())
    if (key != "weights" && key != "bias" && key != "multiplier" && key != "shift" &&
        key != "scale")
      return Error(ErrorCode::kInvalidInput, "unknown key " + key);
  TT_TRY(read_integers(object, "weights", constants.weights));
  TT_TRY(read_integers(object, "bias", constants.bias));
  TT_TRY(read_integers(object, "multiplier", constants.multiplier));
  TT_TRY(read_integers(object, "shift", constants.shift));
  return read_scales(object, constants);
}

}  // namespace

Result<LayerConstants> read_constants(const std::string& path) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_file(path, kMostBytes));
  const Json object = Json::parse(bytes.begin(), bytes.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return bad(path, "not a JSON object with weights, bias, multiplier and shift");
  LayerConstants constants;
  const Status read = read_all(object, constants);
  if (!read) return bad(path, read.error().message());
  return constants;
}

}  // namespace tinytune
