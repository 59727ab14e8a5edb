#include "tuner/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

namespace tinytune {
namespace {

Error invalid(std::string message) { return Error(ErrorCode::kInvalidInput, std::move(message)); }

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty();
}

}  // namespace

Result<double> parse_duration(std::string_view text) {
  const Error error =
      invalid("'" + std::string(text) + "' is not a duration; write 90, 60s, 5m or 2h");
  std::string_view number = text;
  double unit = 1;
  if (!number.empty()) {
    switch (number.back()) {
      case 's':
        unit = 1;
        break;
      case 'm':
        unit = 60;
        break;
      case 'h':
        unit = 3600;
        break;
      default:
        unit = 0;
        break;
    }
    if (unit > 0) number.remove_suffix(1);
    if (unit == 0) unit = 1;
  }
  double value = 0;
  if (!parse_whole(number, value) || !std::isfinite(value) || value <= 0) return error;
  return value * unit;
}

Result<uint64_t> parse_count(std::string_view option, std::string_view text) {
  uint64_t value = 0;
  if (parse_whole(text, value)) return value;
  return invalid(std::string(option) + " takes a whole number, not '" + std::string(text) + "'");
}

Result<uint64_t> parse_bytes(std::string_view option, std::string_view text) {
  std::string_view digits = text;
  int shift = 0;
  if (digits.ends_with('K')) shift = 10;
  if (digits.ends_with('M')) shift = 20;
  if (shift > 0) digits.remove_suffix(1);
  uint64_t value = 0;
  if (!parse_whole(digits, value) || value == 0 || value > (uint64_t{1} << 40))
    return invalid(std::string(option) + " takes bytes like 98304, 96K or 1M, not '" +
                   std::string(text) + "'");
  return value << shift;
}

Result<MemoryLimits> parse_limits(const std::optional<std::string>& ram,
                                  const std::optional<std::string>& flash,
                                  const std::optional<std::string>& fast_ram) {
  MemoryLimits limits;
  if (ram) {
    TT_TRY_ASSIGN(limits.ram_bytes, parse_bytes("--ram", *ram));
  }
  if (flash) {
    TT_TRY_ASSIGN(limits.flash_bytes, parse_bytes("--flash", *flash));
  }
  if (fast_ram && *fast_ram == "0") {
    limits.fast_ram_bytes = 0;
  } else if (fast_ram) {
    TT_TRY_ASSIGN(limits.fast_ram_bytes, parse_bytes("--fast-ram", *fast_ram));
  }
  return limits;
}

Result<std::vector<int>> parse_task_list(std::string_view text, int count) {
  std::vector<int> tasks;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t dash = item.find('-');
    int first = 0, last = 0;
    const bool parsed =
        dash == std::string_view::npos
            ? parse_whole(item, first)
            : parse_whole(item.substr(0, dash), first) && parse_whole(item.substr(dash + 1), last);
    if (dash == std::string_view::npos) last = first;
    if (!parsed || first < 0 || last < first)
      return invalid("'" + std::string(text) + "' is not a list of tasks; write it like 0,2-5");
    if (last >= count) {
      return invalid("there is no task " + std::to_string(last) + "; the model's tasks are 0 to " +
                     std::to_string(count - 1) + " (see `tune inspect`)");
    }
    for (int task = first; task <= last; ++task) tasks.push_back(task);
  }
  std::sort(tasks.begin(), tasks.end());
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  return tasks;
}

Result<uint32_t> parse_seed(std::string_view text) {
  constexpr std::string_view kPrefix = "seed:";
  uint32_t seed = 0;
  if (!text.starts_with(kPrefix) || !parse_whole(text.substr(kPrefix.size()), seed))
    return invalid("'" + std::string(text) + "': write seed:N with N from 1 to 4294967295");
  if (seed == 0) return invalid("seed:0 is refused: the generator would only give zeros");
  return seed;
}

std::string shell_quoted(std::string_view argument) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(argument);
  std::string quoted = "'";
  for (char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_line(std::span<const std::string> arguments) {
  std::string line;
  for (const std::string& argument : arguments)
    line += (line.empty() ? "" : " ") + shell_quoted(argument);
  return line;
}

std::string stem_of(std::string_view path) { return std::filesystem::path(path).stem().string(); }

}  // namespace tinytune
