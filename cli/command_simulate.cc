#include <cstdio>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/simulation_report.h"
#include "devices/device.h"
#include "simulator/program.h"

namespace tinytune {
namespace {

constexpr uint64_t kLargestProgram = 256 << 20, kMostOutput = 64 << 20;

struct Simulation {
  Device device;
  ProgramReport report;
  std::string output;
};

Result<Simulation> simulate(const Arguments& arguments) {
  Simulation simulation;
  TT_TRY_ASSIGN(simulation.device, load_device(arguments.device));
  TT_TRY_ASSIGN(const std::vector<uint8_t> elf, read_file(arguments.program, kLargestProgram));
  ProgramOptions options;
  options.function = arguments.function;
  options.instruction_limit = arguments.instruction_limit;
  uint64_t printed = 0;
  options.print = [&](std::string_view text) {
    // A program that only prints would fill the disk.
    printed += text.size();
    if (printed > kMostOutput) return;
    if (arguments.json) {
      simulation.output += text;
    } else {
      std::fwrite(text.data(), 1, text.size(), stdout);
      if (!text.empty()) simulation.output.assign(1, text.back());
    }
  };
  TT_TRY_ASSIGN(const ProgramFacts facts, load_program_facts(arguments.device));
  auto report = run_program(simulation.device, facts, elf, options);
  if (!report) {
    std::fflush(stdout);
    return report.error().within(arguments.program);
  }
  simulation.report = std::move(*report);
  return simulation;
}

}  // namespace

int run_simulate(const Arguments& arguments, const Context& context) {
  const Console& console = context.console;
  const Result<Simulation> simulation = simulate(arguments);
  if (!simulation) return console.fail(simulation.error());
  const ProgramReport& report = simulation->report;
  std::string text;
  if (arguments.json) {
    text = simulation_json(report, simulation->output);
  } else {
    const bool open_line = !simulation->output.empty() && simulation->output.back() != '\n';
    text = (open_line ? "\n" : "") + simulation_text(report, simulation->device.clock_hz);
  }
  const int told = console.result(text);
  return told == 0 && report.exit_status != 0 ? kExitFailed : told;
}

}  // namespace tinytune
