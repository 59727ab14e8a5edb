#include "codegen/networks/indexed_weights.h"

#include <map>

namespace tinytune {
namespace {

const char* const kComment =
    "/* Values whose indices stand one behind the other, the highest bit of a byte first. */";

const std::string kStart = R"(
  const uint32_t mask = (1u << bits) - 1u;
  uint32_t held = 0, have = 0;
)";
const std::string kPairsOfNibbles = R"(  if (bits == 4) {
    for (; count >= 2; count -= 2, values += 2) {
      held = *codes++;
      values[0] = table[held >> 4];
      values[1] = table[held & 15u];
    }
  }
)";
const std::string kOneByOne = R"(  for (; count > 0; --count) {
    if (have < bits) {
      held = held << 8 | *codes++;
      have += 8;
    }
    have -= bits;
    *values++ = table[held >> have & mask];
  }
)";
const std::string kBytesBody = kStart + kPairsOfNibbles + kOneByOne;
const std::string kHalvesBody = kStart + kOneByOne;

const SharedFunction kDecodeBytes = {
    "decode_bytes",
    kComment,
    "void @_decode_bytes(const uint8_t *codes, const int8_t *table, uint32_t bits,\n"
    "    uint32_t count, int8_t *values)",
    kBytesBody.c_str(),
    {}};

const SharedFunction kDecodeHalves = {
    "decode_halves",
    kComment,
    "void @_decode_halves(const uint8_t *codes, const int16_t *table, uint32_t bits,\n"
    "    uint32_t count, int16_t *values)",
    kHalvesBody.c_str(),
    {}};

}  // namespace

std::optional<IndexedValues> indexed(std::span<const uint8_t> bytes, size_t value_bytes) {
  constexpr size_t kMostValues = 128, kLeastSaved = 16;
  IndexedValues result;
  std::map<uint32_t, uint32_t> index;
  std::vector<uint32_t> values(bytes.size() / value_bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t byte = 0; byte < value_bytes; ++byte)
      values[i] |= static_cast<uint32_t>(bytes[i * value_bytes + byte]) << (8 * byte);
    index[values[i]] = 0;
    if (index.size() > kMostValues) return std::nullopt;
  }
  for (auto& [value, at] : index) {
    at = static_cast<uint32_t>(result.table.size() / value_bytes);
    for (size_t byte = 0; byte < value_bytes; ++byte)
      result.table.push_back(static_cast<uint8_t>(value >> (8 * byte)));
  }
  result.bits = 1;
  while ((size_t{1} << result.bits) < index.size()) ++result.bits;
  const size_t code_bytes = (values.size() * static_cast<size_t>(result.bits) + 7) / 8;
  if (code_bytes + result.table.size() + kLeastSaved > bytes.size()) return std::nullopt;
  uint32_t held = 0;
  int have = 0;
  for (const uint32_t value : values) {
    held = held << result.bits | index[value];
    for (have += result.bits; have >= 8; have -= 8)
      result.codes.push_back(static_cast<uint8_t>(held >> (have - 8)));
  }
  if (have > 0) result.codes.push_back(static_cast<uint8_t>(held << (8 - have)));
  return result;
}

std::string decode_argument(FunctionBody& body, const IndexedArgument& argument,
                            const ArenaPlace& place, const std::string& network,
                            SharedFunctions& shared) {
  const bool of_bytes = argument.value_bytes == 1;
  const SharedFunction& decode = of_bytes ? kDecodeBytes : kDecodeHalves;
  shared.need(decode);
  const std::string function = symbol_of(decode, network);
  const std::string codes = body.constant(argument.codes), table = body.constant(argument.table);
  Uses uses;
  uses.helpers = {function};
  body.append("", uses);
  body.writer().line(function + "(" + codes + ", " + table + ", " + std::to_string(argument.bits) +
                     "u, " + std::to_string(argument.bytes / argument.value_bytes) + "u, " +
                     body.written_to(place, of_bytes ? "int8_t" : "int16_t") + ");");
  return body.read_from(place, argument.type);
}

}  // namespace tinytune
