// The fields of a record's line, its checksum proved.
//
// A night's log holds a million lines, and nearly all are as to_log_line() wrote them: flat,
// without spaces or escapes, every number in its shortest form. Such a line is cut into views of
// itself, and its checksum is that of the pieces in the order of their keys. A line that looks
// otherwise goes through a JSON parser, which is the format's definition; both ways give the same
// fields.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// What `sum` has to say of a JSON object without it, given as text: log_line.h says how.
std::string checksum_of(std::string_view object);

class LineFields {
 public:
  /// Views of `line`, which must outlive it. kInvalidInput: not a JSON object, nested deeper than a
  /// record, or a checksum that differs.
  static Result<LineFields> read(std::string_view line);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// kInvalidInput, also of the others: missing, or of another type.
  Result<std::string_view> text(std::string_view key) const;
  Result<uint64_t> whole(std::string_view key) const;
  Result<double> real(std::string_view key) const;  ///< of any number
  Result<std::vector<uint64_t>> counts(std::string_view key) const;

 private:
  struct Other {};
  using Value = std::variant<Other, std::string_view, uint64_t, double, std::vector<uint64_t>>;
  struct Field {
    std::string_view key;
    Value value;
  };
  const Value* find(std::string_view key) const;
  /// False where it is not as we write lines, or its checksum differs.
  bool read_plain(std::string_view line);
  Status read_json(std::string_view line);
  static bool plain_value(std::string_view raw, Value& value);

  std::vector<Field> fields_;
  std::deque<std::string> held_;  ///< what a JSON parser had to decode
};

}  // namespace tinytune
