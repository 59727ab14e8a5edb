#include "cli/task_list.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

namespace tinytune {
namespace {

std::optional<int> index_in(std::string_view text) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && stop == text.data() + text.size() && value >= 0;
  return whole ? std::optional<int>(value) : std::nullopt;
}

}  // namespace

Result<std::vector<int>> parse_task_list(std::string_view text, int count) {
  std::set<int> tasks;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t dash = item.find('-');
    const auto first = index_in(item.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : index_in(item.substr(dash + 1));
    if (!first || !last || *last < *first) {
      return Error(ErrorCode::kInvalidInput,
                   "'" + std::string(text) + "' is not a list of tasks; write it like 0,2-5");
    }
    if (*last >= count) {
      return Error(ErrorCode::kInvalidInput,
                   "there is no task " + std::to_string(*last) + "; the model's tasks are 0 to " +
                       std::to_string(count - 1) + " (see `tune inspect`)");
    }
    for (int task = *first; task <= *last; ++task) tasks.insert(task);
  }
  return std::vector<int>(tasks.begin(), tasks.end());
}

}  // namespace tinytune
