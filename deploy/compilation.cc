#include "deploy/compilation.h"

#include <filesystem>
#include <utility>

#include "base/printable.h"
#include "deploy/deployment/trial.h"
#include "deploy/knowledge/log_figures.h"
#include "deploy/model/model_state.h"
#include "models/integer_op.h"
#include "rpc_device/boards/open_board.h"
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

/// Records provenance and footprint, also in the network's header. Fails if the library does not
/// fit its device; without a compiler on this machine, only the firmware's own linker detects that.
/// Returns whether the outputs are exact, if the network ran.
Result<std::optional<bool>> state_facts_of(const Deployment& deployment,
                                           const Provenance& provenance, const SmokeTest& smoke,
                                           Candidate& candidate) {
  GeneratedNetwork& network = candidate.network;
  const Status ran = run_once(deployment, candidate);
  if (ran) {
    const RunReport& report = *candidate.ran;
    TT_TRY(check_footprint(deployment, report.footprint));
    if (const auto figures =
            compare_with_log(deployment.model.state().network, network, report, deployment.records);
        figures && deployment.sink)
      deployment.sink(figures->kind, figures->line);
    state_facts(network, deployment.device, provenance, report.footprint);
    return std::optional<bool>(report.outputs == smoke.outputs);
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

/// Returns the generator's first inputs with the reference's outputs.
Result<SmokeTest> make_smoke_test(const Model& model) {
  const Graph& graph = model.state().graph;
  SmokeTest smoke;
  TT_TRY_ASSIGN(smoke.inputs, generate_inputs(model, 1));
  TT_TRY_ASSIGN(const auto reference, model.state().reference(smoke.inputs));
  for (const int output : graph.outputs)
    smoke.outputs.push_back(reference.at(static_cast<size_t>(output)));
  return smoke;
}

CompileReport report_of(const GeneratedNetwork& network) {
  CompileReport report;
  report.arena_bytes = network.arena_bytes;
  report.arena_lower_bound = network.arena_lower_bound;
  report.footprint = network.footprint;
  for (const GeneratedLayer& layer : network.layers) {
    report.layers_tunable += layer.schedule ? 1 : 0;
    report.layers_tuned += layer.tuned ? 1 : 0;
  }
  return report;
}

Status takes_input(const CompileOptions& options) {
  if (options.input == InputArrival::kWhole) return ok_status();
  if (options.format == PackageFormat::kMlf)
    return Error(ErrorCode::kUnsupported,
                 "TVM's format knows no inputs that arrive in " +
                     std::string(options.input == InputArrival::kRows ? "rows" : "frames") +
                     "; other formats take them");
  if (options.bench)
    return Error(ErrorCode::kUnsupported,
                 "a network whose input arrives in rows has no layers to time one by one");
  return ok_status();
}

}  // namespace

Result<Ground> load_ground_for(const std::string& device_name, const std::string& arrival,
                               const MemoryLimits& limits, const std::optional<std::string>& path,
                               const MessageSink& sink, bool portable) {
  TT_TRY_ASSIGN(Ground ground, load_ground(device_name, limits, path, sink, portable));
  TT_TRY_ASSIGN(const std::optional<ArrivalWay> way, find_arrival(device_name, arrival));
  if (!way || !way->locks_flash || !ground.device.fast_code_memory.empty()) return ground;
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(device_name));
  TT_TRY_ASSIGN(const Device whole, load_device(address.device));
  ground.device.fast_code_memory = whole.fast_code_memory;
  ground.device.fast_code_section = whole.fast_code_section;
  return ground;
}

Result<Ground> load_ground_of(const Model& model, const std::string& device_name,
                              const RunOptions& options) {
  TT_TRY_ASSIGN(Ground ground,
                load_ground_for(device_name, options.arrival, options.limits, options.records,
                                options.on_message, options.portable));
  say_how_records_match(ground, model.state().tasks, options.records, options.on_message);
  return ground;
}

Result<Compilation> Compilation::prepare(const Model& model, const std::string& device_name,
                                         const Ground& ground, const CompileOptions& options) {
  say_how_records_match(ground, model.state().tasks, options.records, options.on_message);
  Compilation compilation(model, ground, options);
  TT_TRY_ASSIGN(compilation.programs_.smoke, make_smoke_test(model));
  TT_TRY(takes_input(options));
  TT_TRY_ASSIGN(compilation.arrival_, find_arrival(device_name, options.arrival));
  if (options.bench) {
    TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(device_name));
    TT_TRY_ASSIGN(compilation.programs_.bench, load_cycle_reading(address.device));
  }
  return compilation;
}

Deployment Compilation::deployment(const MessageSink& sink,
                                   const std::optional<ArenaShare>& share) const {
  return {.model = *model_,
          .device = ground_->device,
          .records = ground_->records,
          .limits = options_->limits,
          .sink = sink,
          .input = options_->input,
          .share = share,
          .cores = options_->cores,
          .compress_weights = options_->compress_weights,
          .arrival = arrival_};
}

Result<Candidate> Compilation::generate(const MessageSink& sink,
                                        const std::optional<ArenaShare>& share) const {
  LayoutChoice layouts(options_->layout, ground_->device, ground_->records);
  return deployment(sink, share).generate(layouts);
}

Result<Compilation::Package> Compilation::package(Candidate candidate) const {
  GeneratedNetwork& network = candidate.network;
  const MessageSink& sink = options_->on_message;
  const std::string untuned = untuned_layers(network);
  if (options_->require_tuned && !untuned.empty()) {
    return Error(ErrorCode::kFailed, "no usable record for layer(s) " + untuned +
                                         "; tune them first, or leave out --require-tuned");
  }
  TT_TRY_ASSIGN(const std::optional<bool> exact,
                state_facts_of(deployment(sink, {}), provenance_of(*model_, *options_),
                               *programs_.smoke, candidate));
  Package made;
  made.files = files_to_write(
      network,
      package_files(network, ground_->device, options_->format, programs_, options_->identity),
      options_->format);
  made.report = report_of(network);
  made.report.clock_hz = ground_->device.clock_hz;
  made.report.exact = exact;
  if (sink && options_->records && !untuned.empty())
    sink(MessageKind::kInfo, "default schedule for layer(s) " + untuned);
  return made;
}

}  // namespace tinytune
