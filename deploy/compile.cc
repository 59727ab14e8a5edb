// compile_model(): the network's files, written.
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "codegen/packages/package.h"
#include "codegen/packages/write_package.h"
#include "deploy/deployment.h"
#include "deploy/known_records.h"
#include "deploy/log_figures.h"
#include "deploy/model_state.h"
#include "models/integer_op.h"
#include "rpc_device/boards/open_board.h"
#include "tinytune/deploy.h"
#include "tinytune/tinytune.h"

namespace tinytune {
namespace {

std::string untuned_layers(const GeneratedNetwork& network) {
  constexpr size_t kMostListed = 8;
  std::vector<std::string> layers;
  for (const GeneratedLayer& layer : network.layers)
    if (layer.schedule && !layer.tuned)
      layers.push_back(std::to_string(layer.index) + " " + layer.op);
  return shortened_list(layers, kMostListed);
}

/// What it comes from and what it takes, in its header too. A library that does not fit its device
/// is no result. Without a compiler on this machine that is for the firmware's own linker to find.
/// Says whether it is exact, where that can be said.
Result<std::optional<bool>> state_facts_of(const Deployment& deployment,
                                           const Provenance& provenance, const SmokeTest& smoke,
                                           GeneratedNetwork& network) {
  const Result<RunReport> ran = deployment.try_out(network);
  if (ran) {
    TT_TRY(deployment.check(ran->footprint));
    if (const auto figures =
            compare_with_log(deployment.model.state().network, network, *ran, deployment.records);
        figures && deployment.sink)
      deployment.sink(figures->kind, figures->line);
    state_facts(network, deployment.device, provenance, ran->footprint);
    return std::optional<bool>(ran->outputs == smoke.outputs);
  }
  state_facts(network, deployment.device, provenance, std::nullopt);
  if (ran.error().code() == ErrorCode::kFailed) return ran.error();
  if (deployment.sink)
    deployment.sink(MessageKind::kInfo, "not checked whether it fits: " + ran.error().message());
  return std::optional<bool>();
}

Provenance provenance_of(const Model& model, const CompileOptions& options) {
  Provenance provenance{std::string("tinytune ") + version(), model.state().sha256, ""};
  if (options.records)
    provenance.records = std::filesystem::path(*options.records).filename().string();
  return provenance;
}

/// The generator's first inputs, and what the reference makes of them.
Result<SmokeTest> make_smoke_test(const Model& model) {
  const Graph& graph = model.state().graph;
  SmokeTest smoke;
  TT_TRY_ASSIGN(smoke.inputs, generate_inputs(model, 1));
  TT_TRY_ASSIGN(const auto reference, model.state().reference(smoke.inputs));
  for (const int output : graph.outputs)
    smoke.outputs.push_back(reference.at(static_cast<size_t>(output)));
  return smoke;
}

/// Only now is anything in the directory touched.
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

CompileReport report_of(const GeneratedNetwork& network, const std::string& directory) {
  CompileReport report;
  report.directory = directory;
  report.arena_bytes = network.arena_bytes;
  report.arena_lower_bound = network.arena_lower_bound;
  report.footprint = network.footprint;
  for (const GeneratedLayer& layer : network.layers) {
    report.layers_tunable += layer.schedule ? 1 : 0;
    report.layers_tuned += layer.tuned ? 1 : 0;
  }
  return report;
}

}  // namespace

Result<CompileReport> compile_model(const Model& model, const std::string& device_name,
                                    const std::string& directory, const CompileOptions& options) {
  const MessageSink& sink = options.on_message;
  TT_TRY_ASSIGN(const Ground ground,
                load_ground(device_name, options.limits, options.records, sink, options.portable));
  const auto& [device, records, in_log] = ground;
  say_how_records_match(ground, model.state().tasks, options.records, sink);
  LayoutChoice layouts(options.layout, device, records);
  TT_TRY_ASSIGN(const SmokeTest smoke, make_smoke_test(model));
  if (options.input != InputArrival::kWhole && options.format == PackageFormat::kMlf)
    return Error(ErrorCode::kUnsupported,
                 "TVM's format knows no inputs that arrive in " +
                     std::string(options.input == InputArrival::kRows ? "rows" : "frames") +
                     "; other formats take them");
  PackagePrograms programs{smoke};
  if (options.bench) {
    if (options.input != InputArrival::kWhole)
      return Error(ErrorCode::kUnsupported,
                   "a network whose input arrives in rows has no layers to time one by one");
    TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(device_name));
    TT_TRY_ASSIGN(programs.bench, load_cycle_reading(address.device));
  }
  const Deployment deployment{model, device, records, options.limits, sink, options.input};
  TT_TRY_ASSIGN(GeneratedNetwork network, deployment.generate(layouts));
  const std::string untuned = untuned_layers(network);
  if (options.require_tuned && !untuned.empty()) {
    return Error(ErrorCode::kFailed, "no usable record for layer(s) " + untuned +
                                         "; tune them first, or leave out --require-tuned");
  }
  TT_TRY_ASSIGN(const std::optional<bool> exact,
                state_facts_of(deployment, provenance_of(model, options), smoke, network));
  const auto files = files_to_write(
      network, package_files(network, device, options.format, programs), options.format);
  CompileReport report = report_of(network, directory);
  report.clock_hz = device.clock_hz;
  report.exact = exact;
  TT_TRY_ASSIGN(report.files, write_files(directory, files, sink));
  if (sink && options.records && !untuned.empty())
    sink(MessageKind::kInfo, "default schedule for layer(s) " + untuned);
  return report;
}

}  // namespace tinytune
