#include "codegen/kernels/issue_order.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "codegen/kernels/instruction_list.h"

namespace tinytune {

bool orders_instructions(const Device& device) { return device.timing.model == "dual_issue"; }

Result<std::string> in_issue_order(const std::string& assembly, const Device& device) {
  TT_TRY_ASSIGN(const TimingModel model, TimingModel::create(device.timing));
  constexpr size_t kMost = 400;  // lines of a list: pairs of them are compared
  std::string out;
  std::vector<ListedInstruction> list;
  bool by_template = false;
  const auto close = [&](const std::optional<Instruction>& end) {
    if (list.empty()) return;
    for (const std::string& line : fastest_order(list, end, model)) out.append(line) += '\n';
    list.clear();
  };
  for (size_t from = 0; from < assembly.size();) {
    const size_t end = std::min(assembly.find('\n', from), assembly.size());
    const std::string_view text = std::string_view(assembly).substr(from, end - from);
    from = end + 1;
    if (auto line = read_thumb_line(text)) {
      list.push_back({text, *std::move(line), by_template});
      if (list.size() >= kMost) close(std::nullopt);
      continue;
    }
    close(read_thumb_branch(text));
    if (text.find("@APP") != text.npos) by_template = true;
    if (text.find("@NO_APP") != text.npos) by_template = false;
    out.append(text) += '\n';
  }
  close(std::nullopt);
  return out;
}

}  // namespace tinytune
