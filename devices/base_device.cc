#include "devices/base_device.h"

#include <algorithm>
#include <string>

#include "devices/device_reader.h"
#include "devices/embedded_devices.h"

namespace tinytune::internal {
namespace {

constexpr size_t kLongestLine = 4096;

/// Returns the table with the name of `wanted`; null: none.
toml::table* named(toml::array& tables, const toml::table& wanted) {
  const auto name = wanted["name"].value<std::string_view>();
  for (toml::node& table : tables)
    if (name && (*table.as_table())["name"].value<std::string_view>() == name)
      return table.as_table();
  return nullptr;
}

// Moves tables, because copies lose their line numbers.
void change(toml::array& base, toml::array&& own) {
  for (toml::node& element : own) {
    toml::table& table = *element.as_table();
    toml::table* const old = named(base, table);
    if (old == nullptr) {
      base.push_back(std::move(table));
      continue;
    }
    for (auto&& [key, value] : table) old->insert_or_assign(key, std::move(value));
  }
}

void take_over(toml::table&& base, toml::table& own) {
  for (auto&& [key, value] : base) {
    if (key == "name" || key == "description") continue;
    toml::node* const given = own.get(key);
    const bool named_tables = key == "memory" || key == "cache" || key == "arrival";
    if (given == nullptr) {
      own.insert(key, std::move(value));
    } else if (named_tables && value.is_array_of_tables() && given->is_array_of_tables()) {
      change(*value.as_array(), std::move(*given->as_array()));
      own.insert_or_assign(key, std::move(value));
    }
  }
}

}  // namespace

Result<toml::table> parse_tables(std::string_view text, std::string_view origin) {
  const auto refused = [&](size_t line, std::string_view what) {
    return Error(ErrorCode::kInvalidInput,
                 std::string(origin) + ":" + std::to_string(line) + ": " + printable(what, 500));
  };
  // Bounds the depth of dotted keys like a.a.a.a: the parser limits the nesting of values only.
  for (size_t line = 1, begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > kLongestLine) return refused(line, "a line of more than 4096 bytes");
    begin = end + 1;
  }
  try {
    return toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    return refused(error.source().begin.line, error.description());
  }
}

Result<toml::table> read_tables(std::string_view text, std::string_view origin) {
  TT_TRY_ASSIGN(toml::table own, parse_tables(text, origin));
  if (!own.contains("base")) return own;
  const Reader reader(origin);
  TT_TRY_ASSIGN(const std::string name, reader.get<std::string>(own, "the file", "base"));
  const auto& known = embedded_devices();
  const auto base =
      std::find_if(known.begin(), known.end(), [&](const auto& d) { return d.name == name; });
  if (base == known.end())
    return reader.error(*own.get("base"), "base '" + name + "' is not a known device");
  TT_TRY_ASSIGN(toml::table tables,
                parse_tables(base->toml, "built-in " + std::string(base->name) + ".toml"));
  if (tables.contains("base"))
    return reader.error(*own.get("base"), "base '" + name + "' has a base itself");
  take_over(std::move(tables), own);
  own.erase("base");
  return own;
}

}  // namespace tinytune::internal
