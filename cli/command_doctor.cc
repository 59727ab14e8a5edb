#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/shared_options.h"
#include "rpc_device/boards/doctor/doctor.h"

namespace tinytune {
namespace {

using namespace options;

Result<Examination> examine(const std::string& device_text) {
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(device_text));
  TT_TRY_ASSIGN(const Device device, load_device(address.device));
  if (address.is_simulator()) return examine_simulator(device);
  return examine_board(address, device);
}

std::string to_text(const std::string& device, const Examination& examination) {
  std::string text = (examination.board.empty() ? device : examination.board) + "\n";
  for (const Finding& finding : examination.findings)
    text += fmt::format("  {:<5} {:<8} {}\n", finding.good ? "ok" : "WRONG", finding.check,
                        finding.words);
  return text;
}

std::string to_json(const std::string& device, const Examination& examination) {
  auto checks = nlohmann::ordered_json::array();
  for (const Finding& finding : examination.findings)
    checks.push_back({{"check", finding.check}, {"good", finding.good}, {"words", finding.words}});
  return nlohmann::ordered_json{{"device", device},
                                {"board", examination.board},
                                {"healthy", examination.healthy()},
                                {"checks", std::move(checks)}}
      .dump(2);
}

int run_doctor(const Arguments& arguments, const Context& context) {
  const auto examination = examine(arguments.device);
  if (!examination) return context.console.fail(examination.error());
  const int told = context.console.result(arguments.json ? to_json(arguments.device, *examination)
                                                         : to_text(arguments.device, *examination));
  return examination->healthy() ? told : kExitFailed;
}

}  // namespace

Command doctor_command() {
  return {.name = "doctor",
          .summary = "Look at a board and say what is wrong with it",
          .options = {device(), json()},
          .examples =
              "Link, memory, counter, clock, noise, and the bytes and cycles of a kernel that is "
              "known.\n"
              "Exit code 1 when something is wrong. RAM is written, flash is not. A device without "
              "a place\n"
              "is its simulator: whether this machine builds for it.\n"
              "\n"
              "Example: tune doctor --device qemu-virt-rv32@gdb:localhost:3333",
          .does = does<run_doctor>(),
          .interruption = Interruption::kEndsIt};
}

}  // namespace tinytune
