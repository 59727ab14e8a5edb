// random_graphs --count N --seed S [--first I] [--device D]… [--disable-pass P]…
//               [--keep DIR] [--jobs N]
// random_graphs --faults|--vector-faults [--named WORD]
//
// Generates valid models, takes each through the whole pipeline and compares every byte it computes
// with the reference operators. A graph is a function of its seed and index: `--first I --count 1`
// repeats one, and --disable-pass, which replaces the passes drawn for it, shows which pass is at
// fault. With --faults, generated code is broken on purpose in many ways, and the comparison must
// find every one of them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

#include "base/files.h"
#include "codegen/passes/passes.h"
#include "devices/device.h"
#include "examples/tflite_writer.h"
#include "tests/random_graphs/faults.h"
#include "tests/random_graphs/random_graph.h"
#include "tests/random_graphs/trial.h"
#include "tests/random_graphs/workers.h"

namespace tinytune::bench {
namespace {

struct Arguments {
  uint64_t count = 50, seed = 1, first = 0;
  std::vector<std::string> devices, disabled_passes;
  std::string keep, named;
  int jobs = 2;
  bool faults = false, vector_faults = false;
};

Result<std::vector<Device>> simulated_devices(const Arguments& arguments) {
  std::vector<Device> devices;
  for (const std::string& name : arguments.devices.empty() ? known_devices() : arguments.devices) {
    TT_TRY_ASSIGN(Device device, load_device(name));
    const auto& transports = device.transports;
    if (std::find(transports.begin(), transports.end(), "simulator") != transports.end())
      devices.push_back(std::move(device));
    else if (!arguments.devices.empty())
      return Error(ErrorCode::kInvalidInput, name + " has no simulator");
  }
  return devices;
}

// Returns a worker's answer: the difference in the first line, then one line for each count.
std::string to_text(const std::string& difference, const Tally& tally) {
  std::string text = difference + "\n";
  for (const auto& [what, count] : tally) text += fmt::format("{} {}\n", count, what);
  return text;
}

std::string from_text(const std::string& text, Tally& tally) {
  std::istringstream lines(text);
  std::string difference, what;
  std::getline(lines, difference);
  int count = 0;
  while (lines >> count && std::getline(lines >> std::ws, what)) tally[what] += count;
  return difference;
}

void print(const Tally& tally) {
  std::string group;
  for (const auto& [what, count] : tally) {
    const std::string first = what.substr(0, what.find(' '));
    if (first != group) fmt::print("\n{:<40}{:>8}\n", first, "times");
    group = first;
    fmt::print("  {:<38}{:>8}\n", what.substr(first.size() + 1), count);
  }
}

Status keep(const std::string& directory, const std::string& stem, const Graph& graph,
            const std::string& report) {
  if (directory.empty()) return ok_status();
  const std::vector<uint8_t> file = write_tflite(graph);
  TT_TRY(write_file(directory + "/" + stem + ".tflite", text_of(file)));
  return write_file(directory + "/" + stem + ".txt", report);
}

Plan plan_of(const Arguments& arguments, uint64_t index, const std::vector<Device>& devices) {
  Plan plan = draw_plan(arguments.seed, index, devices);
  if (!arguments.disabled_passes.empty()) plan.disabled_passes = arguments.disabled_passes;
  return plan;
}

int run_graphs(const Arguments& arguments, const std::vector<Device>& devices) {
  uint64_t failures = 0;
  Tally tally;
  const auto work = [&](uint64_t index) {
    const Graph graph = random_graph(arguments.seed, index);
    const Plan plan = plan_of(arguments, index, devices);
    Verdict verdict = try_graph(graph, plan);
    count_graph(graph, verdict.tally);
    ++verdict.tally["device " + plan.device.name];
    return to_text(verdict.difference, verdict.tally);
  };
  work_in_processes(arguments.first, arguments.count, arguments.jobs, work,
                    [&](uint64_t index, const Answer& answer) {
                      const std::string difference =
                          answer.lost ? answer.text : from_text(answer.text, tally);
                      if (difference.empty()) return;
                      ++failures;
                      const Graph graph = random_graph(arguments.seed, index);
                      const std::string report = fmt::format(
                          "seed {} graph {} ({}): {}\n{}", arguments.seed, index,
                          plan_of(arguments, index, devices).text(), difference, summary_of(graph));
                      fmt::print("{}", report);
                      std::fflush(stdout);
                      const std::string stem = fmt::format("graph_{}_{}", arguments.seed, index);
                      if (const Status kept = keep(arguments.keep, stem, graph, report); !kept)
                        fmt::print(stderr, "{}\n", kept.error().message());
                    });
  print(tally);
  for (const auto& [what, times] : tally)
    if (times == 0) fmt::print("never: {}\n", what);
  fmt::print("\nseed {}, graphs {} to {}: {} of {} differ from the reference\n", arguments.seed,
             arguments.first, arguments.first + arguments.count - 1, failures, arguments.count);
  return failures == 0 ? 0 : 1;
}

// Breaks graph after graph until the comparison detects it. Not every graph shows every fault: an
// output may saturate, or a table entry may never be read.
std::string find_fault(const Fault& fault, uint64_t seed, const std::vector<Device>& devices) {
  constexpr int kMostBroken = 60;
  constexpr uint64_t kMostGraphs = 1'000;
  int broken = 0;
  for (uint64_t index = 0; index < kMostGraphs && broken < kMostBroken; ++index) {
    const Graph graph = random_graph(seed, index);
    const Verdict verdict = try_graph(graph, draw_plan(seed, index, devices), fault.damage);
    broken += verdict.damaged ? 1 : 0;
    if (verdict.damaged && verdict.differs)
      return fmt::format("found in graph {}, the {}. broken: {}", index, broken,
                         verdict.difference);
  }
  return fmt::format("NOT found in {} broken graphs", broken);
}

int run_faults(const Arguments& arguments, const std::vector<Device>& devices) {
  int missed = 0;
  std::vector<Fault> asked;
  for (const Fault& fault : arguments.vector_faults ? vector_faults() : faults())
    if (std::string_view(fault.name).find(arguments.named) != std::string_view::npos)
      asked.push_back(fault);
  const auto work = [&](uint64_t i) {
    const Fault& fault = asked[i];
    if (fault.device == nullptr) return find_fault(fault, arguments.seed, devices);
    return find_fault(fault, arguments.seed, {*load_device(fault.device)});
  };
  work_in_processes(0, asked.size(), arguments.jobs, work, [&](uint64_t i, const Answer& answer) {
    missed += answer.lost || answer.text.starts_with("NOT") ? 1 : 0;
    fmt::print("{}: {}\n", asked[i].name, answer.text);
    std::fflush(stdout);
  });
  fmt::print("{} of {} injected faults found\n", asked.size() - static_cast<size_t>(missed),
             asked.size());
  return missed == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Random models against the reference operators");
  app.add_option("--count", arguments.count, "how many graphs");
  app.add_option("--seed", arguments.seed, "of graphs, schedules and inputs");
  app.add_option("--first", arguments.first, "index of the first graph");
  app.add_option("--device", arguments.devices, "draw from these; default: all simulated ones");
  app.add_option("--disable-pass", arguments.disabled_passes,
                 "a pass, or all, instead of those drawn");
  app.add_option("--keep", arguments.keep, "a directory for models that differ");
  app.add_option("--jobs", arguments.jobs, "processes")->check(CLI::Range(1, 256));
  app.add_flag("--faults", arguments.faults, "break generated code and see that it is noticed");
  app.add_flag("--vector-faults", arguments.vector_faults, "the same with kernels of vectors");
  app.add_option("--named", arguments.named, "of the faults, those with this in their names");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (const Status known = check_pass_names(arguments.disabled_passes); !known) {
    fmt::print(stderr, "{}\n", known.error().message());
    return 2;
  }
  const auto devices = simulated_devices(arguments);
  if (!devices) {
    fmt::print(stderr, "{}\n", devices.error().message());
    return 2;
  }
  return arguments.faults || arguments.vector_faults ? run_faults(arguments, *devices)
                                                     : run_graphs(arguments, *devices);
}

}  // namespace
}  // namespace tinytune::bench

int main(int argc, char** argv) { return tinytune::bench::run(argc, argv); }
