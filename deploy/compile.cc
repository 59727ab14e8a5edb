// compile_model() and compile_models(): compile networks and write their files.
#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/networks/storage.h"
#include "codegen/operators/c_writer.h"
#include "codegen/packages/write_package.h"
#include "deploy/compilation.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/device_memory.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

/// Writes the files. Called last, so that errors of compiling leave the directory unchanged.
Result<std::vector<std::string>> write_files(const std::string& directory,
                                             std::span<const GeneratedFile> files,
                                             const MessageSink& sink) {
  TT_TRY_ASSIGN(const WrittenPackage written, write_package(directory, files));
  if (sink)
    for (const std::string& path : written.kept)
      sink(MessageKind::kWarning,
           directory + "/" + path + " kept: you modified it, and this package has no such file");
  std::vector<std::string> names;
  for (const GeneratedFile& file : files) names.push_back(file.name);
  return names;
}

/// Generates networks that share an arena, each at its place in the common plan. The arena is that
/// of the largest network; the others are generated again if it leaves less room for their copies.
Result<std::vector<Candidate>> generate_in_turn(std::span<const Compilation> compilations,
                                                const MessageSink& sink,
                                                SharedArenaReport& report) {
  std::vector<ArenaShare> shares;
  for (const Compilation& compilation : compilations) {
    ArenaShare share;
    share.networks = static_cast<int>(compilations.size());
    share.state.offset = report.state_bytes;
    report.state_bytes += state_bytes(compilation.model().state().network.graph);
    shares.push_back(share);
  }
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < shares.size(); ++i) {
    shares[i].state.bytes = report.state_bytes;
    TT_TRY_ASSIGN(Candidate candidate, compilations[i].generate(sink, shares[i]));
    const GeneratedNetwork& network = candidate.network;
    const uint32_t end = i + 1 < shares.size() ? shares[i + 1].state.offset : report.state_bytes;
    const uint32_t own_state = end - shares[i].state.offset;
    report.apart_bytes += network.arena_bytes - (report.state_bytes - own_state);
    report.arena_bytes = std::max(report.arena_bytes, network.arena_bytes);
    candidates.push_back(std::move(candidate));
  }
  for (size_t i = 0; i < shares.size(); ++i) {
    if (candidates[i].network.arena_bytes == report.arena_bytes) continue;
    shares[i].arena_bytes = report.arena_bytes;
    TT_TRY_ASSIGN(candidates[i], compilations[i].generate({}, shares[i]));
  }
  return candidates;
}

/// Returns the common footprint: the arena counts once, the stack is the largest one, everything
/// else is summed.
Footprint sum_of(const std::vector<CompileReport>& networks) {
  Footprint all = *networks.front().footprint;
  for (size_t i = 1; i < networks.size(); ++i) {
    const Footprint& next = *networks[i].footprint;
    all.weights_bytes += next.weights_bytes;
    all.weights_beside_arena_bytes += next.weights_beside_arena_bytes;
    all.code_bytes += next.code_bytes;
    all.data_bytes += next.data_bytes;
    all.flash_bytes += next.flash_bytes;
    all.cycles += next.cycles;
    all.stack_bytes = std::max(all.stack_bytes, next.stack_bytes);
  }
  return all;
}

Status check_sum(const Footprint& all, const Device& device, const MemoryLimits& limits) {
  const auto over = [&](uint64_t takes, uint64_t most, const std::string& of) -> Status {
    if (takes <= most) return ok_status();
    return Error(ErrorCode::kFailed, "together the networks take " + std::to_string(takes) +
                                         " bytes of " + of + ", there are " + std::to_string(most) +
                                         "; --fast-ram makes it less");
  };
  TT_TRY(over(all.ram_bytes(), limits.ram_bytes.value_or(ram_of(device)), "RAM"));
  TT_TRY(over(in_data_memory(all, device), device.memory(device.data_memory).size_bytes,
              device.data_memory));
  return over(all.flash_bytes, limits.flash_bytes.value_or(flash_of(device)), "flash");
}

std::string readme_of(const SharedArenaReport& report) {
  std::string names, includes, calls;
  for (const CompileReport& network : report.networks) {
    const std::string name = network.directory.substr(network.directory.rfind('/') + 1);
    names += "* `" + name + "/`\n";
    includes += "#include \"" + name + ".h\"\n";
    calls += "  /* ... fill " + name + "_input_0(arena) ... */\n  (void)" + name +
             "_invoke(arena);\n  /* ... read " + name + "_output_0(arena) ... */\n";
  }
  const std::string first = report.networks.front().directory;
  const std::string upper = c_upper(first.substr(first.rfind('/') + 1));
  return "# Networks that share an arena\n\nEach folder is a package of its own, with its own "
         "README:\n\n" +
         names + "\nThey run one after another in the same " + std::to_string(report.arena_bytes) +
         " bytes, never at the same time:\n\n```c\n" + includes + "\n" + upper +
         "_STATIC_ARENA(arena);\n\nvoid run_all(void) {\n" + calls +
         "}\n```\n\nA call overwrites the inputs and outputs of the other networks: read an "
         "output before the next network's input is written." +
         (report.state_bytes > 0
              ? " What a network keeps between its calls is in the first " +
                    std::to_string(report.state_bytes) +
                    " bytes, which no other network touches; reset each network once before its "
                    "first call."
              : "") +
         " Compile all of these packages again together when one changes.\n";
}

}  // namespace

Result<CompileReport> compile_model(const Model& model, const std::string& device,
                                    const std::string& directory, const CompileOptions& options) {
  const MessageSink& sink = options.on_message;
  TT_TRY_ASSIGN(const Ground ground, load_ground_for(device, options.arrival, options.limits,
                                                     options.records, sink, options.portable));
  TT_TRY_ASSIGN(const Compilation compilation,
                Compilation::prepare(model, device, ground, options));
  TT_TRY_ASSIGN(Candidate candidate, compilation.generate(sink));
  TT_TRY_ASSIGN(Compilation::Package made, compilation.package(std::move(candidate)));
  made.report.directory = directory;
  TT_TRY_ASSIGN(made.report.files, write_files(directory, made.files, sink));
  return std::move(made.report);
}

Result<SharedArenaReport> compile_models(std::span<const Model> models, const std::string& device,
                                         const std::string& directory,
                                         const CompileOptions& options) {
  const MessageSink& sink = options.on_message;
  if (models.size() < 2)
    return Error(ErrorCode::kInvalidInput, "an arena is shared by two networks or more");
  if (options.input != InputArrival::kWhole)
    return Error(ErrorCode::kUnsupported,
                 "a network whose input arrives in rows keeps them in its arena, and shares none");
  std::set<std::string> names;
  for (const Model& model : models)
    if (!names.insert(model.info().name).second)
      return Error(ErrorCode::kInvalidInput, "two networks are called " + model.info().name +
                                                 ": rename a file, symbols begin with its name");
  TT_TRY_ASSIGN(const Ground ground,
                load_ground(device, options.limits, options.records, sink, options.portable));
  std::vector<Compilation> compilations;
  for (const Model& model : models) {
    TT_TRY_ASSIGN(Compilation compilation, Compilation::prepare(model, device, ground, options));
    compilations.push_back(std::move(compilation));
  }
  SharedArenaReport report;
  TT_TRY_ASSIGN(std::vector<Candidate> candidates, generate_in_turn(compilations, sink, report));
  std::vector<GeneratedFile> files;
  for (size_t i = 0; i < models.size(); ++i) {
    TT_TRY_ASSIGN(Compilation::Package made, compilations[i].package(std::move(candidates[i])));
    made.report.directory = (std::filesystem::path(directory) / models[i].info().name).string();
    for (GeneratedFile& file : made.files) {
      made.report.files.push_back(file.name);
      file.name = models[i].info().name + "/" + file.name;
      files.push_back(std::move(file));
    }
    report.networks.push_back(std::move(made.report));
  }
  if (std::all_of(report.networks.begin(), report.networks.end(),
                  [](const CompileReport& network) { return network.footprint.has_value(); })) {
    report.footprint = sum_of(report.networks);
    TT_TRY(check_sum(*report.footprint, ground.device, options.limits));
  }
  files.push_back({"README.md", readme_of(report), FileRole::kDocument});
  TT_TRY(write_files(directory, files, sink));
  return report;
}

}  // namespace tinytune
