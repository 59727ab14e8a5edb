// Typed access to the tables of a device file. Unknown keys are errors, and so are missing ones
// that are not optional: a misspelt timing key that kept its default would give wrong cycles
// unnoticed. Messages name the file and the line.
#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "devices/arrival_way.h"
#include "devices/board_facts.h"
#include "devices/device.h"
#include "devices/program_facts.h"
#include "devices/text_rules.h"

namespace tinytune::internal {

class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  Error error(const toml::node& where, const std::string& what) const {
    const auto& path = where.source().path;  // the file's own, or its base's
    return Error(ErrorCode::kInvalidInput, (path ? *path : origin_) + ":" +
                                               std::to_string(where.source().begin.line) + ": " +
                                               printable(what, 500));
  }

  /// Refuses keys outside `known`, naming the line of the key itself.
  Status only(const toml::table& table, const std::string& name,
              std::initializer_list<std::string_view> known) const {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
        return error(node, "unknown key '" + std::string(key.str()) + "' in " + name);
      }
    }
    return ok_status();
  }

  template <typename T>
  Result<T> get(const toml::table& table, const std::string& name, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return error(table, "missing key '" + std::string(key) + "' in " + name);
    }
    const auto value = node->value_exact<T>();
    if (!value) return error(*node, "key '" + std::string(key) + "' in " + name + wrong_type<T>());
    return *value;
  }

  Result<uint32_t> get_word(const toml::table& table, const std::string& name,
                            std::string_view key) const {
    TT_TRY_ASSIGN(const int64_t value, get<int64_t>(table, name, key));
    if (value < 0 || value > std::numeric_limits<uint32_t>::max()) {
      return error(*table.get(key),
                   "key '" + std::string(key) + "' in " + name + " does not fit 32 bits");
    }
    return static_cast<uint32_t>(value);
  }

  Result<std::vector<std::string>> get_strings(const toml::table& table, const std::string& name,
                                               std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return error(table, "missing key '" + std::string(key) + "' in " + name);
    }
    const Error wrong =
        error(*node, "key '" + std::string(key) + "' in " + name + " must be an array of strings");
    if (!node->is_array()) return wrong;
    std::vector<std::string> values;
    for (const toml::node& element : *node->as_array()) {
      const auto value = element.value_exact<std::string>();
      if (!value) return wrong;
      values.push_back(*value);
    }
    return values;
  }

  /// Returns text that passes `allowed`; messages describe that check by `rule`.
  Result<std::string> get_text(const toml::table& table, const std::string& name,
                               std::string_view key, bool (*allowed)(std::string_view),
                               std::string_view rule) const {
    TT_TRY_ASSIGN(const std::string value, get<std::string>(table, name, key));
    if (allowed(value)) return value;
    return error(*table.get(key),
                 "key '" + std::string(key) + "' in " + name + " must be " + std::string(rule));
  }
  Result<std::string> get_name(const toml::table& table, const std::string& name,
                               std::string_view key) const {
    return get_text(table, name, key, is_name, kNameRule);
  }
  Result<std::string> get_line(const toml::table& table, const std::string& name,
                               std::string_view key) const {
    return get_text(table, name, key, is_line, kLineRule);
  }

  Result<const toml::table*> get_table(const toml::table& table, const std::string& name,
                                       std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return error(table, "missing key '" + std::string(key) + "' in " + name);
    }
    if (!node->is_table()) {
      return error(*node, "key '" + std::string(key) + "' in " + name + " must be a table");
    }
    return node->as_table();
  }

 private:
  template <typename T>
  static std::string wrong_type() {
    if constexpr (std::is_same_v<T, bool>) return " must be true or false";
    if constexpr (std::is_same_v<T, int64_t>) return " must be an integer";
    return " must be a string";
  }

  std::string origin_;
};

Result<Target> read_target(const Reader& reader, const toml::table& table);

/// Reads the [[cache]] tables, which are optional.
Result<std::vector<CacheModel>> read_caches(const Reader& reader, const toml::table& root);

/// Reads the [[memory]] tables, which name their caches. `mapped`: memories must be whole 4 KiB
/// pages, because a transport maps them; else multiples of 16 bytes.
Result<std::vector<MemoryRegion>> read_memories(const Reader& reader, const toml::table& root,
                                                const std::vector<CacheModel>& caches, bool mapped);

/// Reads the [[arrival]] tables, which are optional and name a cache.
Result<std::vector<ArrivalWay>> read_arrivals(const Reader& reader, const toml::table& root,
                                              const std::vector<CacheModel>& caches);

/// Reads the [[port]], [[counter]], [[register]] and [program] tables of `device`'s file.
Result<ProgramFacts> read_program_facts(const Reader& reader, const toml::table& root,
                                        const Device& device);

/// Reads the [board] table of `device`'s file.
Result<BoardFacts> read_board_facts(const Reader& reader, const toml::table& root,
                                    const Device& device);

}  // namespace tinytune::internal
