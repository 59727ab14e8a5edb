// Reads the fields of a log line and verifies its checksum.
//
// A night's log holds a million lines, and nearly all are exactly as to_log_line() wrote them:
// flat, without spaces or escapes, every number in its shortest form. Such a line is split into
// string views without copying, and its checksum is computed over the pieces sorted by key. Any
// other line goes through a JSON parser, which defines the format; both paths give the same fields.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// Returns the value of the key `sum` for a JSON object that lacks it, given as text; see
/// log_line.h.
std::string checksum_of(std::string_view object);

class LineFields {
 public:
  /// Reads a line; the fields may be views of `line`, which must outlive them. kInvalidInput: not a
  /// JSON object, nested deeper than a record, or the checksum differs.
  static Result<LineFields> read(std::string_view line);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Each getter fails with kInvalidInput if the field is missing or has another type.
  Result<std::string_view> text(std::string_view key) const;
  Result<uint64_t> whole(std::string_view key) const;
  Result<double> real(std::string_view key) const;  ///< also accepts whole numbers
  Result<std::vector<uint64_t>> counts(std::string_view key) const;

 private:
  struct Other {};
  using Value = std::variant<Other, std::string_view, uint64_t, double, std::vector<uint64_t>>;
  struct Field {
    std::string_view key;
    Value value;
  };
  const Value* find(std::string_view key) const;
  /// Fast path. Returns false unless the line is as to_log_line() writes it and its checksum holds.
  bool read_plain(std::string_view line);
  Status read_json(std::string_view line);
  static bool plain_value(std::string_view raw, Value& value);

  std::vector<Field> fields_;
  std::deque<std::string> held_;  ///< owns the strings that the JSON parser decoded
};

}  // namespace tinytune
