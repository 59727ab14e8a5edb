// Checks that generated networks give the golden vectors in every combination of switches.
//
// The matrix is models × devices × layouts × graph passes (all on, each one off, all off), with
// default schedules, and models × devices in strips, for an arena near the smallest that strips
// reach, with a whole input and with one that arrives in rows; every combination is built as a user
// would and run on every vector there is. Layout "auto" is the dynamic program over pseudo-random
// costs: any mixture that measurements could lead to must be right, and arbitrary costs reach more
// of them than one device's own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "codegen/networks/layout.h"
#include "codegen/passes/passes.h"
#include "deploy/execution/network_simulation.h"
#include "deploy/strip_plan/orders.h"
#include "models/tflite/tflite.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

struct Vector {
  std::string name;
  std::vector<uint8_t> input, output;
};

struct Subject {
  std::string name;
  Graph graph;
  std::vector<Vector> vectors;
};

struct Combination {
  const Subject* model = nullptr;
  std::string device, layout, without;      // `without`: "" for all passes, or what is disabled
  std::optional<InputArrival> strips = {};  // absent: layer by layer
  std::string text() const {
    const char* how = !strips                          ? ""
                      : *strips == InputArrival::kRows ? ", rows that arrive"
                                                       : ", strips";
    return fmt::format("{} {} {} {}{}", model->name, device, layout,
                       without.empty() ? "all passes" : "without " + without, how);
  }
};

std::vector<uint8_t> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Result<std::vector<Subject>> subjects_in(const fs::path& models, const fs::path& golden) {
  std::vector<Subject> subjects;
  std::error_code error;
  for (const auto& directory : fs::directory_iterator(golden, error)) {
    const std::string name = directory.path().filename().string();
    const fs::path file = models / (name + ".tflite");
    if (!fs::exists(file)) continue;
    Subject subject{name, {}, {}};
    TT_TRY_ASSIGN(subject.graph, import_tflite(file.string()));
    for (const auto& entry : fs::directory_iterator(directory.path())) {
      const std::string stem = entry.path().filename().string();
      if (!stem.ends_with(".in.bin")) continue;
      const std::string seed = stem.substr(0, stem.find('.'));
      subject.vectors.push_back(
          {seed, bytes_of(entry.path()), bytes_of(directory.path() / (seed + ".out.bin"))});
    }
    subjects.push_back(std::move(subject));
  }
  std::sort(subjects.begin(), subjects.end(),
            [](const Subject& a, const Subject& b) { return a.name < b.name; });
  if (subjects.empty())
    return Error(ErrorCode::kNotFound, "no model with golden vectors in " + golden.string());
  return subjects;
}

LayoutSource layouts_of(const std::string& layout) {
  if (layout == "nhwc") return {};
  LayoutCosts costs = all_nchw_costs();
  if (layout == "auto") {
    costs.kernel = [](const Workload& workload) -> std::optional<uint64_t> {
      return 1000 + fnv1a(to_text(workload)) % 1000;
    };
    costs.transform = [](const ImageShape&, Layout) -> uint64_t { return 100; };
  }
  return [costs](const Graph& graph, std::span<const IntegerOp> ops) {
    return choose_layouts(graph, ops, costs).layouts;
  };
}

/// Returns strips for an arena at most 5 % above the smallest.
Result<StripPlan> strips_of(const IntegerNetwork& network, const NetworkOptions& options,
                            const Device& device, InputArrival input) {
  const StripOrders search(network, options, device, input);
  const uint64_t smallest = search.smallest_arena();
  const auto plan = search.within(smallest + smallest / 20);
  if (!plan) return Error(ErrorCode::kFailed, "no strips for the smallest arena");
  return *plan;
}

/// Returns how many vectors are equal; 0 if the input cannot arrive in rows or the arena is too
/// large. An error's message says what differed.
Result<size_t> try_combination(const Combination& combination) {
  const Subject& model = *combination.model;
  if (model.vectors.empty()) return Error(ErrorCode::kNotFound, "it has no golden vectors");
  TT_TRY_ASSIGN(const Device device, load_device(combination.device));
  std::vector<std::string> disabled;
  if (!combination.without.empty()) disabled.push_back(combination.without);
  TT_TRY_ASSIGN(const IntegerNetwork network, executed_network(model.graph, disabled));
  NetworkOptions options;
  options.name = "net";
  options.layouts = layouts_of(combination.layout);
  if (combination.strips) {
    const bool in_rows = *combination.strips == InputArrival::kRows;
    if (in_rows && !streams_rows(network, options)) return size_t{0};  // dense layers alone
    TT_TRY_ASSIGN(const StripPlan plan, strips_of(network, options, device, *combination.strips));
    plan.apply_to(options);
  }
  TT_TRY_ASSIGN(const GeneratedNetwork generated, generate_network(network, device, {}, options));
  // Random layouts need transforms for which small devices have no room.
  if (generated.arena_bytes > device.memory(device.data_memory).size_bytes) return size_t{0};
  TT_TRY_ASSIGN(NetworkSimulation simulation,
                NetworkSimulation::load(model.graph, generated, device));
  for (const Vector& vector : model.vectors) {
    TT_TRY_ASSIGN(const RunReport report,
                  simulation.invoke(std::vector<std::vector<uint8_t>>{vector.input}));
    if (report.outputs.at(0) != vector.output)
      return Error(ErrorCode::kFailed, "vector " + vector.name + " differs");
  }
  return model.vectors.size();
}

std::vector<Combination> matrix(const std::vector<Subject>& subjects,
                                const std::vector<std::string>& devices) {
  std::vector<std::string> without = {""};
  for (const GraphPass& pass : graph_passes()) without.emplace_back(pass.name);
  without.emplace_back("all");
  std::vector<Combination> all;
  for (const Subject& subject : subjects)
    for (const std::string& device : devices)
      for (const char* layout : {"nhwc", "nchw", "auto"})
        for (const std::string& pass : without) all.push_back({&subject, device, layout, pass});
  for (const Subject& subject : subjects)
    for (const std::string& device : devices)
      for (const InputArrival input : {InputArrival::kWhole, InputArrival::kRows})
        all.push_back({&subject, device, "nhwc", "", input});
  return all;
}

std::vector<std::string> simulated_devices() {
  std::vector<std::string> names = known_devices();
  std::erase_if(names, [](const std::string& name) {
    const std::vector<std::string> transports = load_device(name)->transports;
    return std::find(transports.begin(), transports.end(), "simulator") == transports.end();
  });
  return names;
}

int run(const fs::path& models, const fs::path& golden, std::vector<std::string> devices,
        size_t every) {
  const auto subjects = subjects_in(models, golden);
  if (!subjects) {
    fmt::print(stderr, "exactness: {}\n", subjects.error().message());
    return 2;
  }
  if (devices.empty()) devices = simulated_devices();
  const std::vector<Combination> all = matrix(*subjects, devices);
  size_t built = 0, left_out = 0, vectors = 0, wrong = 0;
  std::map<std::string, std::pair<size_t, size_t>> by_row;  // combinations, vectors
  for (size_t i = 0; i < all.size(); i += every) {
    const Result<size_t> right = try_combination(all[i]);
    ++built;
    fmt::print(stderr, "\r{}/{} {:<70}", built, (all.size() + every - 1) / every, all[i].text());
    if (!right) {
      ++wrong;
      fmt::print("WRONG {}: {}\n", all[i].text(), right.error().message());
      continue;
    }
    if (*right == 0) ++left_out;
    vectors += *right;
    auto& row = by_row[all[i].model->name + " | " + all[i].device];
    row.first += 1;
    row.second += *right;
  }
  fmt::print(stderr, "\r{:<90}\r", "");
  fmt::print("| model | device | combinations | vectors, all equal |\n|---|---|--:|--:|\n");
  for (const auto& [row, count] : by_row)
    fmt::print("| {} | {} | {} |\n", row, count.first, count.second);
  fmt::print(
      "{} of {} combinations built, {} of them left out (no rows to stream, or too large for the "
      "device), {} vectors equal, {} combinations wrong\n",
      built, all.size(), left_out, vectors, wrong);
  if (vectors == 0) fmt::print("nothing was compared\n");
  return wrong == 0 && vectors > 0 ? 0 : 1;
}

}  // namespace
}  // namespace tinytune

/// Exit code that ctest counts as skipped.
constexpr int kSkipped = 77;

int main(int argc, char** argv) {
  const std::string shared = TINYTUNE_SOURCE_DIR "/../shared";
  std::string models = shared + "/models", golden = shared + "/golden";
  std::vector<std::string> devices;
  size_t every = 1;
  CLI::App app("Runs generated networks on golden vectors, in every combination of switches.");
  app.add_option("--models", models, "Where the .tflite files are");
  app.add_option("--golden", golden, "Where <model>/<seed>.in.bin and .out.bin are");
  app.add_option("--device", devices, "Only these [all known]");
  app.add_option("--every", every, "Only every Nth combination [1]")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (const std::string& folder : {models, golden}) {
    if (std::filesystem::is_directory(folder)) continue;
    fmt::print("skipped: there is no folder {}\n", folder);
    return kSkipped;
  }
  return tinytune::run(models, golden, std::move(devices), every);
}
