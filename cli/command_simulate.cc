#include <cstdio>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/shared_options.h"
#include "cli/simulation_report.h"
#include "devices/device.h"
#include "simulator/program.h"

namespace tinytune {
namespace {

using namespace options;

struct SimulateArguments : Arguments {
  std::string program;   ///< an ELF file
  std::string function;  ///< function to call; empty: run from the entry
  uint64_t instruction_limit = 10'000'000'000;
};

constexpr uint64_t kLargestProgram = 256 << 20, kMostOutput = 64 << 20;

struct Simulation {
  Device device;
  ProgramReport report;
  std::string output;
};

Result<Simulation> simulate(const SimulateArguments& arguments) {
  Simulation simulation;
  TT_TRY_ASSIGN(simulation.device, load_device(arguments.device));
  TT_TRY_ASSIGN(const std::vector<uint8_t> elf, read_file(arguments.program, kLargestProgram));
  ProgramOptions options;
  options.function = arguments.function;
  options.instruction_limit = arguments.instruction_limit;
  uint64_t printed = 0;
  options.print = [&](std::string_view text) {
    // Limited, because a program that prints endlessly would fill the disk.
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

int run_simulate(const SimulateArguments& arguments, const Context& context) {
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

}  // namespace

Command simulate_command() {
  return {.name = "simulate",
          .summary = "Run any program on a simulated device and count its cycles",
          .options = {device(),
                      {.names = "PROGRAM",
                       .field = own(&SimulateArguments::program),
                       .help = "ELF file as a linker wrote it",
                       .required = true},
                      {.names = "--call",
                       .field = own(&SimulateArguments::function),
                       .value = "SYMBOL",
                       .help = "Call this function instead, without start-up code",
                       .otherwise = "run from the entry"},
                      {.names = "--limit",
                       .field = own(&SimulateArguments::instruction_limit),
                       .value = "N",
                       .help = "Limit on the instructions to run",
                       .otherwise = "10000000000",
                       .syntax = Syntax::kPositive},
                      json()},
          .examples =
              "A program ends by semihosting, at a breakpoint, at the device's exit port, or by\n"
              "returning; what it prints goes to stdout. An exit status other than 0 makes the\n"
              "exit code 1.\n"
              "\n"
              "Examples:\n"
              "  tune simulate --device hazard3 program.elf\n"
              "  tune simulate --device stm32f4 firmware.elf --call filter --json",
          .does = does<run_simulate>(),
          .interruption = Interruption::kEndsIt};
}

}  // namespace tinytune
