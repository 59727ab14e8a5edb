#include "cli/npy_file.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "base/little_endian.h"

namespace tinytune {
namespace {

struct ElementName {
  std::string_view numpy, ours;
  int64_t bytes;
};
constexpr ElementName kElements[] = {{"|i1", "int8", 1},   {"|u1", "uint8", 1}, {"<i2", "int16", 2},
                                     {"<i4", "int32", 4},  {"<i8", "int64", 8}, {"|b1", "bool", 1},
                                     {"<f4", "float32", 4}};

constexpr int64_t kMostBytes = int64_t{1} << 32;

Error invalid(const std::string& origin, const std::string& why) {
  return Error(ErrorCode::kInvalidInput, origin + ": " + why);
}

/// Returns the text after 'key': in the description.
std::optional<std::string_view> value_of(std::string_view description, std::string_view key) {
  const size_t at = description.find("'" + std::string(key) + "':");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = description.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::optional<std::vector<int64_t>> parse_shape(std::string_view text) {
  std::vector<int64_t> shape;
  const size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) return std::nullopt;
  int64_t elements = 1;
  for (const char *at = text.data() + 1, *stop = text.data() + end; at < stop;) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, stop, extent);
    if (error != std::errc() || extent < 0 || extent > kMostBytes) return std::nullopt;
    elements *= extent;
    if (elements > kMostBytes) return std::nullopt;
    shape.push_back(extent);
    at = next;
  }
  return shape;
}

}  // namespace

Result<NpyArray> parse_npy(std::span<const uint8_t> file, const std::string& origin) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic) || file.size() < 12)
    return invalid(origin, "not an array of NumPy (.npy)");
  const size_t width = file[6] == 1 ? 2 : 4;  // bytes of the length field, by version
  const size_t length =
      width == 2 ? little_endian_at<uint16_t>(file, 8) : little_endian_at<uint32_t>(file, 8);
  const size_t begin = 8 + width;
  if (length > file.size() - begin) return invalid(origin, "its header is cut off");
  const std::string_view description = text.substr(begin, length);

  const auto type = value_of(description, "descr"), order = value_of(description, "fortran_order");
  const auto extents = value_of(description, "shape");
  if (!type || !order || !extents) return invalid(origin, "its header describes no array");
  if (!order->starts_with("False"))
    return invalid(origin, "in Fortran's order; save numpy.ascontiguousarray(a)");
  const auto element = std::find_if(
      std::begin(kElements), std::end(kElements),
      [&](const ElementName& e) { return type->starts_with("'" + std::string(e.numpy) + "'"); });
  if (element == std::end(kElements))
    return invalid(origin, "elements of type " + std::string(type->substr(0, type->find(','))) +
                               "; int8, uint8, int16, int32, int64 and float32 are read");
  const auto shape = parse_shape(*extents);
  if (!shape) return invalid(origin, "its shape cannot be read");

  NpyArray array{std::string(element->ours), *shape, {}};
  int64_t bytes = element->bytes;
  for (const int64_t extent : *shape) bytes *= extent;
  const auto elements = file.subspan(begin + length);
  if (static_cast<int64_t>(elements.size()) != bytes)
    return invalid(origin, std::to_string(elements.size()) +
                               " bytes of elements, but its shape has " + std::to_string(bytes));
  array.bytes.assign(elements.begin(), elements.end());
  return array;
}

}  // namespace tinytune
