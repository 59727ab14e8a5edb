#include "cli/network_cycles.h"

#include <charconv>

#include "base/forked_work.h"
#include "deploy/selection/layouts.h"
#include "rpc_device/boards/open_board.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

constexpr char kError = '!';  // prefix of an error's message

/// Serialises the answer of a forked process; cycles_in() parses it.
std::string text_of(const Result<RunReport>& run) {
  return run ? std::to_string(run->footprint.cycles) : kError + run.error().message();
}

Result<uint64_t> cycles_in(const Result<std::string>& answer) {
  if (!answer) return answer.error();
  if (answer->starts_with(kError)) return Error(ErrorCode::kFailed, answer->substr(1));
  uint64_t cycles = 0;
  std::from_chars(answer->data(), answer->data() + answer->size(), cycles);
  return cycles;
}

}  // namespace

Result<std::optional<NetworkCycles>> network_cycles(const Model& model, const Arguments& arguments,
                                                    const std::string& log) {
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(arguments.device));
  if (address.is_program()) return std::optional<NetworkCycles>();
  RunOptions options;
  TT_TRY_ASSIGN(options.layout, parse_layout_policy(arguments.layout));
  options.limits = arguments.limits();
  options.portable = arguments.portable;
  const auto answers =
      divide_work(2, address.is_simulator() ? 2 : 1, [&](size_t tuned) {  // boards: one at a time
        RunOptions one = options;
        if (tuned != 0) one.records = log;
        return text_of(run_model(model, arguments.device, one));
      });
  TT_TRY_ASSIGN(const uint64_t by_default, cycles_in(answers[0]));
  TT_TRY_ASSIGN(const uint64_t tuned, cycles_in(answers[1]));
  return std::optional(NetworkCycles{by_default, tuned});
}

}  // namespace tinytune
