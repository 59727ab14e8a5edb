#include "records/line_fields.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/hash.h"

namespace tinytune {
namespace {

using Json = nlohmann::json;  // sorts its keys: the canonical form

constexpr std::string_view kSum = "sum";

Error bad(const std::string& why) { return Error(ErrorCode::kInvalidInput, why); }
Error bad(std::string_view key, const char* why) { return bad(std::string(key) + why); }

std::string canonical(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string checksum(const Json& object) { return hex64(fnv1a(canonical(object))); }

/// Rejects deep nesting before the parser recurses into it; a valid line nests two deep.
bool nests_deeper_than(std::string_view line, int most) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

/// Parses a whole number in canonical form, without leading zeros.
bool plain_count(std::string_view digits, uint64_t& count) {
  if (digits.empty() || (digits[0] == '0' && digits.size() > 1)) return false;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return error == std::errc() && end == digits.data() + digits.size();
}

bool plain_counts(std::string_view list, std::vector<uint64_t>& counts) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (!plain_count(list.substr(0, comma), counts.emplace_back())) return false;
    if (comma + 1 == list.size()) return false;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return true;
}

/// Removes a quoted string from the front and returns it with its quotes; empty if it has escapes.
std::string_view take_quoted(std::string_view& rest) {
  if (rest.empty() || rest[0] != '"') return {};
  for (size_t i = 1; i < rest.size(); ++i) {
    const auto c = static_cast<unsigned char>(rest[i]);
    if (c == '"') {
      const std::string_view taken = rest.substr(0, i + 1);
      rest.remove_prefix(i + 1);
      return taken;
    }
    if (c < 0x20 || c >= 0x80 || c == '\\') return {};
  }
  return {};
}

std::string_view take_value(std::string_view& rest) {
  if (rest.empty() || rest[0] == '"') return take_quoted(rest);
  size_t end = rest.find_first_of(rest[0] == '[' ? "]" : ",}");
  if (end == std::string_view::npos) return {};
  if (rest[0] == '[') ++end;
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end);
  return taken;
}

std::string_view unquoted(std::string_view quoted) { return quoted.substr(1, quoted.size() - 2); }

struct Piece {
  std::string_view key, value;  // as in the line, with quotes
  uint64_t start = 0;           // the key's first 8 characters as a number, for fast sorting
};

uint64_t start_of(std::string_view key) {
  uint64_t start = 0;
  for (size_t i = 0; i < sizeof start; ++i)
    start = start << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0u);
  return start;
}

/// Returns the line's pieces sorted by key; none if the line is not plain.
std::vector<Piece> pieces_of(std::string_view line) {
  std::vector<Piece> pieces;
  pieces.reserve(24);
  if (line.empty() || line[0] != '{') return {};
  do {
    line.remove_prefix(1);
    const std::string_view key = take_quoted(line);
    if (key.empty() || line.empty() || line[0] != ':') return {};
    line.remove_prefix(1);
    const std::string_view value = take_value(line);
    if (value.empty() || line.empty()) return {};
    pieces.push_back({key, value, start_of(unquoted(key))});
  } while (line[0] == ',');
  if (line != "}") return {};
  const auto by_key = [](const Piece& a, const Piece& b) {
    return a.start != b.start ? a.start < b.start : unquoted(a.key) < unquoted(b.key);
  };
  std::sort(pieces.begin(), pieces.end(), by_key);
  const auto twice = std::adjacent_find(
      pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.key == b.key; });
  return twice == pieces.end() ? pieces : std::vector<Piece>();
}

}  // namespace

std::string checksum_of(std::string_view object) { return checksum(Json::parse(object)); }

bool LineFields::plain_value(std::string_view raw, Value& value) {
  if (raw[0] == '"') {
    value = unquoted(raw);
    return true;
  }
  if (raw[0] == '[') return plain_counts(unquoted(raw), value.emplace<std::vector<uint64_t>>());
  if (plain_count(raw, value.emplace<uint64_t>())) return true;
  double& real = value.emplace<double>();
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), real);
  return error == std::errc() && end == raw.data() + raw.size() && canonical(Json(real)) == raw;
}

bool LineFields::read_plain(std::string_view line) {
  const std::vector<Piece> pieces = pieces_of(line);
  if (pieces.empty()) return false;
  Fnv1a hash;
  char before = '{';
  std::string_view sum;
  fields_.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    if (unquoted(piece.key) == kSum) {
      sum = piece.value;
      continue;
    }
    hash.add(std::string_view(&before, 1)).add(piece.key).add(":").add(piece.value);
    before = ',';
    fields_.push_back({unquoted(piece.key), {}});
    if (!plain_value(piece.value, fields_.back().value)) return false;
  }
  hash.add("}");
  return before == ',' && sum == '"' + hex64(hash.value()) + '"';
}

Status LineFields::read_json(std::string_view line) {
  constexpr int kDeepest = 8;
  if (nests_deeper_than(line, kDeepest)) return bad("nests deeper than a record");
  Json object = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return bad("not a JSON object");
  const auto sum = object.find(kSum);
  if (sum == object.end() || !sum->is_string()) return bad(kSum, " is not a string");
  const auto claimed = sum->get<std::string>();
  object.erase(sum);
  if (claimed != checksum(object)) return bad("checksum differs");
  for (const auto& [key, value] : object.items()) {
    fields_.push_back({held_.emplace_back(key), {}});
    Value& field = fields_.back().value;
    const auto is_count = [](const Json& each) { return each.is_number_unsigned(); };
    if (value.is_string())
      field = std::string_view(held_.emplace_back(value.get<std::string>()));
    else if (is_count(value))
      field = value.get<uint64_t>();
    else if (value.is_number())
      field = value.get<double>();
    else if (value.is_array() && std::all_of(value.begin(), value.end(), is_count))
      field = value.get<std::vector<uint64_t>>();
  }
  return ok_status();
}

Result<LineFields> LineFields::read(std::string_view line) {
  LineFields plain;
  if (plain.read_plain(line)) return plain;
  LineFields parsed;
  TT_TRY(parsed.read_json(line));
  return parsed;
}

const LineFields::Value* LineFields::find(std::string_view key) const {
  for (const Field& field : fields_)  // linear: two dozen keys, most of different lengths
    if (field.key == key) return &field.value;
  return nullptr;
}

Result<std::string_view> LineFields::text(std::string_view key) const {
  const auto* value = find(key);
  const auto* text = value != nullptr ? std::get_if<std::string_view>(value) : nullptr;
  if (text == nullptr) return bad(key, " is not a string");
  return *text;
}

Result<uint64_t> LineFields::whole(std::string_view key) const {
  const auto* value = find(key);
  const auto* whole = value != nullptr ? std::get_if<uint64_t>(value) : nullptr;
  if (whole == nullptr) return bad(key, " is not a whole number");
  return *whole;
}

Result<double> LineFields::real(std::string_view key) const {
  const auto* value = find(key);
  if (value != nullptr && std::holds_alternative<double>(*value)) return std::get<double>(*value);
  const Result<uint64_t> count = whole(key);
  if (!count) return bad(key, " is not a number");
  return static_cast<double>(*count);
}

Result<std::vector<uint64_t>> LineFields::counts(std::string_view key) const {
  const auto* value = find(key);
  const auto* counts = value != nullptr ? std::get_if<std::vector<uint64_t>>(value) : nullptr;
  if (counts == nullptr) return bad(key, " is not an array of counts");
  return *counts;
}

}  // namespace tinytune
