// Without arguments: prints a Markdown table of simulated against published cycles and the error of
// each. Exits with 1 if a micro-kernel has any error but its known one, if a vector layer is more
// than 5 % off the cycles of the core's RTL, or if the cost of a unit beside a core is outside the
// range derived from documents.
//
// fidelity --device D --program FILE --published CYCLES [--call SYMBOL]: compares the cycles that
// `tune simulate` counts for a user's program with a published figure, which must be that of the
// whole run, or of the function called.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "base/files.h"
#include "bench/fidelity/beside_core.h"
#include "bench/fidelity/micro_kernels.h"
#include "simulator/program.h"
#include "tests/simulator/pointwise_rvv.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

constexpr int kIterations = 64;
// Cycles per iteration are rounded to sixteenths, with a run's start and end spread over them.
constexpr double kRounding = 1.0 / 32;

uint64_t cycles_of(const MicroKernel& kernel, const std::string& body) {
  Device device = *load_device(kernel.device);
  if (kernel.slow == Slow::kCode) device.fast_code_memory.clear();
  const bool arm = device.target.family == CoreFamily::kArmM;
  const std::string align = ".p2align 5\n";
  Program program(device, (arm ? "f: push {r4-r7}\nmovs r6,#0\nnop\n" + align + body +
                                     "\nnop\nnop\npop {r4-r7}\nbx lr\n"
                               : ".option norvc\nf: nop\n" + align + body + "\nnop\nret\n"));
  CallOptions options;
  options.zero_wait = kernel.slow == Slow::kNothing;
  uint32_t pointer = program.data();
  if (kernel.slow == Slow::kData) {
    pointer = device.memory(device.rodata_memory).address;
    if (!program.simulator().write(pointer, std::vector<uint8_t>(4096))) std::exit(1);
  }
  const CallReport report = program.call({pointer, pointer + 64, 3, 5}, options);
  if (report.end == CallEnd::kReturned) return report.counts.cycles;
  fmt::print(stderr, "{}\n", report.detail);
  std::exit(1);
}

/// Cycles per iteration, from 64 in a row, so that the first and the last hardly matter.
double iteration_cycles(const MicroKernel& kernel) {
  std::string body;
  for (int i = 0; i < kIterations; ++i) body += std::string(kernel.body) + "\n";
  const auto with = static_cast<double>(cycles_of(kernel, body));
  return std::round((with - static_cast<double>(cycles_of(kernel, ""))) * 16 / kIterations) / 16;
}

bool print_micro_kernels() {
  bool all_hold = true;
  std::map<std::string_view, std::pair<int, int>> exact_of_all;
  fmt::print(
      "| device | code | published | simulated | error | source |\n|---|---|--:|--:|--:|---|\n");
  for (const MicroKernel& kernel : micro_kernels()) {
    const double simulated = iteration_cycles(kernel);
    const double nearest = std::clamp(simulated, kernel.published_low, kernel.published_high);
    const double error = simulated - nearest;
    const std::string published =
        kernel.published_low == kernel.published_high
            ? fmt::format("{}", kernel.published_low)
            : fmt::format("{}–{}", kernel.published_low, kernel.published_high);
    fmt::print("| {} | {} | {} | {} | {:+.1f} | {} |\n", kernel.device, kernel.name, published,
               simulated, error, kernel.source);
    auto& [exact, all] = exact_of_all[kernel.device];
    exact += std::abs(error) < 1e-9;
    ++all;
    if (std::abs(error - kernel.known_error) > kRounding) {
      all_hold = false;
      fmt::print(stderr, "{}, {}: off by {:+.3f} cycles, known is {:+.3f}\n", kernel.device,
                 kernel.name, error, kernel.known_error);
    }
  }
  fmt::print("\n");
  for (const auto& [device, counts] : exact_of_all) {
    fmt::print("{}: {} of {} exact\n", device, counts.first, counts.second);
  }
  return all_hold;
}

bool print_vector_kernels() {
  constexpr double kMostPercent = 5;
  bool all_hold = true;
  fmt::print(
      "\n| device | 1x1, 64 to 64 channels at 10 pixels | RTL | simulated | error |\n"
      "|---|---|--:|--:|--:|\n");
  for (const PointwiseRvv& kernel : pointwise_rvv()) {
    const auto rtl = static_cast<double>(kernel.rtl_cycles);
    const auto simulated = static_cast<double>(kernel.cycles());
    const double percent = 100 * (simulated - rtl) / rtl;
    fmt::print("| vicuna | {} | {} | {} | {:+.1f} % |\n", kernel.name, rtl, simulated, percent);
    all_hold = all_hold && std::abs(percent) <= kMostPercent;
  }
  return all_hold;
}

template <typename T>
T expect(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(result).value();
}

void compare_program(std::map<std::string, std::string> options) {
  for (const char* name : {"--device", "--program", "--published"})
    if (options[name].empty()) throw std::runtime_error(std::string("missing ") + name);
  char* end = nullptr;
  const double published = std::strtod(options["--published"].c_str(), &end);
  if (*end != 0 || published <= 0) throw std::runtime_error("--published takes cycles above zero");
  const Device device = expect(load_device(options["--device"]));
  ProgramOptions run;
  run.function = options["--call"];
  const ProgramReport report =
      expect(run_program(device, expect(load_program_facts(options["--device"])),
                         expect(read_file(options["--program"])), run));
  const auto simulated = static_cast<double>(report.counts.cycles);
  fmt::print("| device | program | published | simulated | error |\n|---|---|--:|--:|--:|\n");
  fmt::print("| {} | {} | {} | {} | {:+.2f} % |\n", device.name,
             options["--program"] + (run.function.empty() ? "" : ":" + run.function), published,
             report.counts.cycles, 100 * (simulated - published) / published);
}

int print(int argc, char** argv) {
  if (argc == 1) {
    const bool micro = print_micro_kernels(), vectors = print_vector_kernels();
    return print_beside_core() && micro && vectors ? 0 : 1;
  }
  std::map<std::string, std::string> options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const bool known =
        name == "--device" || name == "--program" || name == "--published" || name == "--call";
    if (!known || i + 1 == argc)
      throw std::runtime_error(known ? name + " needs a value" : "unknown option " + name);
    options[name] = argv[i + 1];
  }
  compare_program(options);
  return 0;
}

}  // namespace
}  // namespace tinytune

int main(int argc, char** argv) {
  try {
    return tinytune::print(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
