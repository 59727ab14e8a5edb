#include "cli/report_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/units.h"
#include "deploy/selection/layouts.h"

namespace tinytune {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json named_or_null(const std::string& name) { return name.empty() ? Json(nullptr) : Json(name); }

Json json_of(const TensorInfo& tensor) {
  return {{"id", tensor.id},
          {"name", tensor.name},
          {"type", tensor.type},
          {"shape", tensor.shape},
          {"bytes", tensor.bytes}};
}

Json json_of(const std::vector<TensorInfo>& tensors) {
  Json all = Json::array();
  for (const TensorInfo& tensor : tensors) all.push_back(json_of(tensor));
  return all;
}

Json json_of(const TensorDetails& tensor) {
  Json json = json_of(tensor.info);
  json["constant"] = tensor.is_constant;
  json["scales"] = tensor.scales;
  json["zero_points"] = tensor.zero_points;
  if (tensor.scales.size() > 1) json["axis"] = tensor.axis;
  return json;
}

/// Returns the model's inputs or outputs, with their quantisation.
Json json_of(const std::vector<TensorInfo>& border, std::span<const TensorDetails> tensors) {
  Json all = Json::array();
  for (const TensorInfo& tensor : border)
    all.push_back(json_of(tensors[static_cast<size_t>(tensor.id)]));
  return all;
}

Json json_of(const LayoutTotal& total) {
  return {{"cycles", or_null(total.cycles)},
          {"transform_cycles", total.transform_cycles},
          {"transforms", total.transforms}};
}

Json json_of(const LayoutComparison& comparison) {
  Json layers = Json::array();
  for (const LayoutComparison::Layer& layer : comparison.layers) {
    layers.push_back({{"index", layer.index},
                      {"layout", name_of(layer.layout)},
                      {"nhwc_cycles", or_null(layer.nhwc_cycles)},
                      {"nchw_cycles", or_null(layer.nchw_cycles)}});
  }
  return {{"layers", std::move(layers)},
          {"chosen", json_of(comparison.chosen)},
          {"nhwc", json_of(comparison.all_nhwc)},
          {"nchw", json_of(comparison.all_nchw)}};
}

Json arena_ratio(const RunReport& report) {
  if (report.arena_lower_bound == 0) return nullptr;
  const auto ratio = static_cast<double>(report.footprint.arena_bytes) / report.arena_lower_bound;
  return std::round(ratio * 1e4) / 1e4;
}

void add(Json& to, const Footprint& footprint, std::optional<uint64_t> clock_hz) {
  to["cycles"] = footprint.cycles;
  to["milliseconds"] = or_null(milliseconds(footprint.cycles, clock_hz));
  to["ram_bytes"] = footprint.ram_bytes();
  to["ram"] = {{"arena", footprint.arena_bytes},
               {"weights", footprint.weights_bytes},
               {"code", footprint.code_bytes},
               {"data", footprint.data_bytes},
               {"stack", footprint.stack_bytes}};
  to["arena_bytes"] = footprint.arena_bytes;
  to["stack_bytes"] = footprint.stack_bytes;
  to["flash_bytes"] = footprint.flash_bytes;
}

Json json_of(const BoardRun& run) {
  Json layers = Json::array();
  for (const auto& [index, cycles] : run.layer_cycles)
    layers.push_back({{"index", index}, {"cycles", cycles}});
  return {{"id", run.id},
          {"cycles", run.cycles},
          {"exact", or_null(run.exact)},
          {"layers", std::move(layers)}};
}

Json json_of(const ArenaTimeline& arena) {
  Json tenants = Json::array();
  for (const ArenaTimeline::Tenant& t : arena.tenants)
    tenants.push_back({{"tensor", t.tensor},
                       {"offset", t.offset},
                       {"bytes", t.bytes},
                       {"first_step", t.first_step},
                       {"last_step", t.last_step}});
  return {{"steps", arena.steps}, {"tensors", std::move(tenants)}};
}

Json json_of(const RunReport& report) {
  // Null on boards, which count only cycles. A layer's 0 is a count if the network has
  // instructions.
  const auto counted = [&](uint64_t instructions) {
    return report.instructions > 0 ? Json(instructions) : Json(nullptr);
  };
  Json layers = Json::array();
  for (const LayerCost& layer : report.layers) {
    layers.push_back({{"index", layer.index},
                      {"op", layer.op},
                      {"macs", layer.macs},
                      {"macs_executed", layer.macs_executed},
                      {"instructions", counted(layer.instructions)},
                      {"cycles", layer.cycles},
                      {"tuned", layer.tuned},
                      {"cores", layer.cores},
                      {"arriving_blocks", layer.arriving_blocks},
                      {"fused_into", or_null(layer.fused_into)},
                      {"layout", name_of(layer.layout)},
                      {"fetch_wait_cycles", layer.fetch_wait_cycles},
                      {"read_wait_cycles", layer.read_wait_cycles},
                      {"code_memory", named_or_null(layer.code_memory)},
                      {"weights_memory", named_or_null(layer.weights_memory)}});
  }
  Json all = {{"exact", or_null(report.exact)}, {"instructions", counted(report.instructions)}};
  add(all, report.footprint, report.clock_hz);
  all["arena_lower_bound"] = report.arena_lower_bound;
  all["arena_to_lower_bound"] = arena_ratio(report);
  all["fast_code_bytes"] = report.footprint.code_bytes;
  all["fast_weights_bytes"] = report.footprint.weights_bytes;
  all["mean_cycles"] = report.mean_cycles;
  all["fetch_wait_cycles"] = report.fetch_wait_cycles;
  all["read_wait_cycles"] = report.read_wait_cycles;
  all["overhead_instructions"] = counted(report.overhead_instructions);
  all["layers"] = std::move(layers);
  all["arena"] = json_of(report.arena);
  if (report.layouts) all["layouts"] = json_of(*report.layouts);
  if (report.board) all["board"] = json_of(*report.board);
  for (const FlashPoint& point : report.flash_front)
    all["flash_front"].push_back({{"flash_bytes", point.flash_bytes}, {"cycles", point.cycles}});
  for (const ArenaPoint& point : report.arena_front)
    all["arena_front"].push_back({{"arena_bytes", point.arena_bytes}, {"cycles", point.cycles}});
  return all;
}

}  // namespace

std::string error_json(const std::string& message) { return dump(Json{{"error", message}}); }

std::string to_json(const Inspection& inspection, const std::optional<RunReport>& on_device) {
  const ModelInfo& model = inspection.info;
  Json operators = Json::array();
  for (const OperatorInfo& op : model.operators) {
    operators.push_back({{"index", op.index},
                         {"op", op.op},
                         {"inputs", json_of(op.inputs)},
                         {"outputs", json_of(op.outputs)},
                         {"macs", op.macs},
                         {"macs_executed", op.macs_executed},
                         {"task", or_null(op.task)}});
  }
  Json tasks = Json::array();
  for (const TaskInfo& task : model.tasks) {
    tasks.push_back({{"index", task.index},
                     {"name", task.name},
                     {"layers", task.layers},
                     {"macs", task.macs},
                     {"workload", task.workload}});
  }
  Json details = Json::array();
  for (const TensorDetails& tensor : inspection.tensors) details.push_back(json_of(tensor));
  Json unsupported = Json::array();
  for (const UnsupportedInfo& what : inspection.unsupported) {
    unsupported.push_back({{"index", what.index < 0 ? Json(nullptr) : Json(what.index)},
                           {"op", what.op},
                           {"reason", what.reason}});
  }
  Json all = {{"name", model.name},
              {"operators", std::move(operators)},
              {"inputs", json_of(model.inputs, inspection.tensors)},
              {"outputs", json_of(model.outputs, inspection.tensors)},
              {"tensors", std::move(details)},
              {"tasks", std::move(tasks)},
              {"macs", model.macs},
              {"macs_executed", model.macs_executed},
              {"unsupported", std::move(unsupported)}};
  if (inspection.unsupported.empty()) all["arena_lower_bound"] = model.arena_lower_bound;
  if (on_device) add(all, on_device->footprint, on_device->clock_hz);
  if (!inspection.refusal.empty()) all["error"] = inspection.refusal;
  return dump(all);
}

namespace {

Json json_of(const CompileReport& report) {
  Json all = {
      {"directory", report.directory},       {"files", report.files},
      {"layers_tuned", report.layers_tuned}, {"layers_tunable", report.layers_tunable},
      {"arena_bytes", report.arena_bytes},   {"arena_lower_bound", report.arena_lower_bound}};
  all["exact"] = or_null(report.exact);
  if (report.footprint) add(all, *report.footprint, report.clock_hz);
  return all;
}

}  // namespace

std::string to_json(const CompileReport& report) { return dump(json_of(report)); }

std::string to_json(const SharedArenaReport& report) {
  Json all = Json::object();
  if (report.footprint) add(all, *report.footprint, report.networks.front().clock_hz);
  all["arena_bytes"] = report.arena_bytes;
  all["state_bytes"] = report.state_bytes;
  all["apart_arena_bytes"] = report.apart_bytes;
  all["networks"] = Json::array();
  for (const CompileReport& network : report.networks) all["networks"].push_back(json_of(network));
  return dump(all);
}

std::string to_json(std::span<const DeviceInfo> devices) {
  Json all = Json::array();
  for (const DeviceInfo& device : devices) {
    all.push_back({{"name", device.name},
                   {"description", device.description},
                   {"isa", device.isa},
                   {"clock_hz", or_null(device.clock_hz)},
                   {"transports", device.transports},
                   {"fast_memory", named_or_null(device.fast_memory)}});
  }
  return dump(Json{{"devices", std::move(all)}});
}

std::string to_json(const TuneReport& report, const std::optional<NetworkCycles>& network) {
  Json tasks = Json::array();
  for (const TaskResult& task : report.tasks) {
    tasks.push_back({{"index", task.index},
                     {"name", task.name},
                     {"layers", task.layers},
                     {"default_cycles", or_null(task.default_cycles)},
                     {"best_cycles", or_null(task.best_cycles)},
                     {"trials", task.trials},
                     {"valid", task.valid}});
  }
  std::optional<uint64_t> by_default = report.default_cycles, tuned = report.best_cycles;
  if (network) by_default = network->by_default, tuned = network->tuned;
  return dump(
      Json{{"tasks", std::move(tasks)},
           {"network", {{"default_cycles", or_null(by_default)}, {"best_cycles", or_null(tuned)}}},
           {"records", report.records},
           {"seconds", report.seconds},
           {"times",
            {{"lower", report.times.lower},
             {"llvm", report.times.llvm},
             {"link", report.times.link},
             {"run", report.times.run},
             {"verify", report.times.verify},
             {"idle", report.times.idle},
             {"search", report.times.search}}}});
}

std::string to_json(const TaskExplanation& explanation) {
  Json kernels = Json::array(), knobs = Json::array();
  for (const KernelCost& kernel : explanation.kernels) {
    kernels.push_back({{"role", kernel.role},
                       {"schedule", kernel.schedule},
                       {"instructions", kernel.instructions},
                       {"cycles", kernel.cycles},
                       {"multiplies", kernel.multiplies},
                       {"loads", kernel.loads},
                       {"stores", kernel.stores},
                       {"branches_taken", kernel.branches_taken},
                       {"others", kernel.others()},
                       {"stalls", kernel.stalls()}});
    if (const KernelCost::InFlash& flash = kernel.in_flash; flash.cycles > 0)
      kernels.back()["in_flash"] = {{"cycles", flash.cycles},
                                    {"fetch_wait_cycles", flash.fetch_wait_cycles},
                                    {"code_bytes", flash.code_bytes},
                                    {"read_wait_cycles", flash.read_wait_cycles},
                                    {"constant_bytes", flash.constant_bytes}};
  }
  for (const KnobEffect& effect : explanation.knobs) {
    knobs.push_back({{"knob", effect.knob},
                     {"value", effect.value},
                     {"other", effect.other},
                     {"slowdown", effect.slowdown}});
  }
  return dump(Json{{"task", explanation.task.index},
                   {"name", explanation.task.name},
                   {"workload", explanation.task.workload},
                   {"macs", explanation.task.macs},
                   {"trials", explanation.trials},
                   {"valid", explanation.valid},
                   {"least_multiplies", explanation.least_multiplies},
                   {"kernels", std::move(kernels)},
                   {"knobs", std::move(knobs)}});
}

std::string to_json(const NetworkExplanation& explanation) {
  Json moves = Json::array();
  for (const MoveOutcome& move : explanation.moves) {
    moves.push_back({{"name", move.name},
                     {"depth", move.depth},
                     {"times", move.times},
                     {"networks", move.networks},
                     {"kept", move.kept}});
    if (move.cycles) moves.back()["cycles"] = *move.cycles;
    if (!move.why.empty()) moves.back()["why"] = move.why;
  }
  return dump(Json{{"moves", std::move(moves)}, {"deployed", json_of(explanation.deployed)}});
}

std::string to_json(const RunReport& report) { return dump(json_of(report)); }

std::string to_json(const RunReport& by_default, const RunReport& tuned) {
  return dump(Json{{"default", json_of(by_default)}, {"tuned", json_of(tuned)}});
}

}  // namespace tinytune
