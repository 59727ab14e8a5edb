// run_model(): builds the network's files and calls it in the simulator, once per step.
#include <algorithm>
#include <set>
#include <utility>

#include "deploy/compilation.h"
#include "deploy/deployment/deployment.h"
#include "deploy/deployment/fronts.h"
#include "deploy/deployment/trial.h"
#include "deploy/execution/network_on_board.h"
#include "deploy/execution/network_simulation.h"
#include "deploy/knowledge/applicable_records.h"
#include "deploy/model/model_state.h"
#include "models/integer_network.h"
#include "rpc_device/boards/open_board.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

// The inputs of every step: each input is given for all steps, or for one.
class StepInputs {
 public:
  static Result<StepInputs> create(const Model& model, std::vector<std::vector<uint8_t>> inputs,
                                   int steps, const MessageSink& sink) {
    const std::vector<TensorInfo>& tensors = model.info().inputs;
    if (inputs.size() != tensors.size()) {
      return Error(ErrorCode::kInvalidInput, std::to_string(inputs.size()) +
                                                 " inputs given, but the model has " +
                                                 std::to_string(tensors.size()));
    }
    bool repeats = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto size = static_cast<int64_t>(inputs[i].size());
      const int64_t one = tensors[i].bytes;
      if (size == one * steps) continue;
      if (size != one) {
        return Error(ErrorCode::kInvalidInput,
                     "input '" + tensors[i].name + "' takes " + std::to_string(one) + " bytes" +
                         (steps > 1 ? " a step, of 1 or " + std::to_string(steps) + " steps" : "") +
                         ", not " + std::to_string(size));
      }
      repeats = true;
    }
    if (repeats && sink)
      sink(MessageKind::kInfo,
           "the input holds one step; it is repeated for all " + std::to_string(steps) + " steps");
    return StepInputs(tensors, std::move(inputs));
  }

  std::vector<std::vector<uint8_t>> of(int step) const {
    std::vector<std::vector<uint8_t>> values;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const bool repeats = static_cast<int64_t>(inputs_[i].size()) == bytes_[i];
      const auto first =
          inputs_[i].begin() + static_cast<ptrdiff_t>(repeats ? 0 : bytes_[i] * step);
      values.emplace_back(first, first + static_cast<ptrdiff_t>(bytes_[i]));
    }
    return values;
  }

 private:
  StepInputs(const std::vector<TensorInfo>& tensors, std::vector<std::vector<uint8_t>> inputs)
      : inputs_(std::move(inputs)) {
    for (const TensorInfo& tensor : tensors) bytes_.push_back(tensor.bytes);
  }
  std::vector<std::vector<uint8_t>> inputs_;
  std::vector<int64_t> bytes_;  // of one step
};

void append(std::vector<std::vector<uint8_t>>& all, const std::vector<std::vector<uint8_t>>& step) {
  all.resize(step.size());
  for (size_t i = 0; i < step.size(); ++i)
    all[i].insert(all[i].end(), step[i].begin(), step[i].end());
}

/// Rejects external functions without a source: their stubs only allow the library to be built.
Status check_externals(const Graph& graph) {
  for (const ExternalFunction& function : graph.externals)
    if (!function.source)
      return Error(ErrorCode::kInvalidInput, "nothing to run as " + function.name + "(): write " +
                                                 function.name + ".c beside " + function.name +
                                                 ".h");
  return ok_status();
}

/// Describes the first wrong byte of output `index`.
std::string difference_in(size_t index, const std::vector<uint8_t>& got,
                          const std::vector<uint8_t>& expected) {
  const auto at = std::mismatch(expected.begin(), expected.end(), got.begin(), got.end());
  const auto offset = static_cast<size_t>(at.first - expected.begin());
  std::string text = "output " + std::to_string(index) + " byte " + std::to_string(offset);
  if (offset < expected.size() && offset < got.size()) {
    text += " is " + std::to_string(got[offset]) + ", the reference has " +
            std::to_string(expected[offset]);
  }
  return text;
}

/// Describes the first difference of any output from the reference; nothing if there is none.
std::optional<std::string> first_difference(const Graph& graph,
                                            const std::vector<std::vector<uint8_t>>& reference,
                                            const std::vector<std::vector<uint8_t>>& outputs) {
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::vector<uint8_t>& expected = reference.at(static_cast<size_t>(graph.outputs[i]));
    if (expected != outputs[i]) return difference_in(i, outputs[i], expected);
  }
  return std::nullopt;
}

/// Compares one step with the reference: sets `exact` and `difference`, also those of the board.
Status verify(const Model& model, std::span<const std::vector<uint8_t>> inputs, NetworkState& state,
              RunReport& report) {
  const Graph& graph = model.state().graph;
  TT_TRY_ASSIGN(const auto reference, model.state().reference(inputs, state));
  const auto wrong = first_difference(graph, reference, report.outputs);
  report.exact = !wrong;
  report.difference = wrong.value_or("");
  if (!report.board) return ok_status();
  const auto wrong_there = first_difference(graph, reference, report.board->outputs);
  report.board->exact = !wrong_there;
  report.board->difference = wrong_there.value_or("");
  return ok_status();
}

/// Moves the window of frames on by the first `hop` rows of `next`.
void slide(std::vector<uint8_t>& window, const std::vector<uint8_t>& next,
           const RowStream& stream) {
  const auto bytes = static_cast<std::ptrdiff_t>(stream.hop) * stream.row_bytes;
  window.insert(window.end(), next.begin(), next.begin() + bytes);
  window.erase(window.begin(), window.begin() + bytes);
}

std::vector<int> fused_away(const Graph& graph, std::span<const TensorDump> dumped) {
  std::set<int> ids;
  for (const Operator& op : graph.operators)
    for (int output : op.outputs)
      if (!graph.tensor(output).is_variable) ids.insert(output);
  for (const TensorDump& tensor : dumped) ids.erase(tensor.id);
  return {ids.begin(), ids.end()};
}

}  // namespace

Result<RunReport> run_model(const Model& model, const std::string& device_name,
                            const RunOptions& options) {
  if (options.steps < 1)
    return Error(ErrorCode::kInvalidInput,
                 "steps must be at least 1, not " + std::to_string(options.steps));
  TT_TRY_ASSIGN(const Ground ground, load_ground_of(model, device_name, options));
  const auto& [device, records, in_log] = ground;
  const bool frames = options.input == InputArrival::kFrames;
  const int steps = options.steps + (frames ? 1 : 0);  // one more fills the first window
  if (options.input != InputArrival::kWhole && (options.on || options.dump_tensors))
    return Error(ErrorCode::kUnsupported,
                 "an input that arrives in " + std::string(frames ? "frames" : "rows") +
                     " is run in the simulator alone, as a whole network: no "
                     "board, no dump of tensors");
  std::vector<std::vector<uint8_t>> given = options.inputs;
  if (given.empty()) {
    TT_TRY_ASSIGN(given, generate_inputs(model, 1, steps));
  }
  TT_TRY_ASSIGN(const StepInputs all_inputs,
                StepInputs::create(model, std::move(given), steps,
                                   frames ? MessageSink() : options.on_message));
  TT_TRY(check_externals(model.state().graph));
  TT_TRY_ASSIGN(const auto arrival, find_arrival(device_name, options.arrival));
  LayoutChoice layouts(options.layout, device, records);
  const Deployment deployment = deployment_of(model, device, records, options, arrival);
  TT_TRY_ASSIGN(const Candidate deployed, deployment.generate(layouts));
  const GeneratedNetwork& network = deployed.network;
  const Graph& graph = model.state().graph;
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(device_name));
  std::optional<NetworkSimulation> simulation;
  if (!address.is_program()) {
    TT_TRY_ASSIGN(simulation, NetworkSimulation::load(graph, network, device));
  }
  if ((options.on || !simulation) && has_state(graph))
    return Error(ErrorCode::kUnsupported, "a network that keeps state does not run on boards yet");
  NetworkState state = initial_state(graph);
  RunReport report;
  std::vector<std::vector<uint8_t>> inputs, outputs;  // of this step; of all steps
  uint64_t cycles = 0, counted = 0;                   // over steps, without a first window
  for (int step = 0; step < steps && report.exact != false; ++step) {
    std::vector<std::vector<uint8_t>> next = all_inputs.of(step);
    if (step > 0 && frames)
      slide(inputs[0], next[0], *network.stream);
    else
      inputs = std::move(next);
    TT_TRY_ASSIGN(report, simulation
                              ? simulation->invoke(inputs)
                              : invoke_on_board(device_name, graph, network, device, inputs));
    if (options.on) {
      TT_TRY_ASSIGN(report.board, run_on_board(*options.on, graph, network, device, inputs));
    }
    if (options.verify) TT_TRY(verify(model, inputs, state, report));
    if (report.exact == false && steps > 1)
      report.difference = "step " + std::to_string(step) + ", " + report.difference;
    if (step == 0 && frames) continue;
    append(outputs, report.outputs);
    cycles += report.footprint.cycles;
    ++counted;
  }
  report.mean_cycles = counted > 0 ? cycles / counted : 0;
  report.outputs = std::move(outputs);
  TT_TRY(check_footprint(deployment, report.footprint));
  if (options.layout != LayoutPolicy::kNhwc) report.layouts = layouts.comparison();
  if (options.flash_front && !options.limits.flash_bytes) {
    TT_TRY_ASSIGN(report.flash_front, flash_front(deployment, layouts, network, report.footprint));
  }
  if (options.arena_front) {
    TT_TRY_ASSIGN(report.arena_front, arena_front(deployment, layouts, network, report.footprint));
  }
  if (options.dump_tensors) {
    if (!simulation)
      return Error(ErrorCode::kUnsupported,
                   "tensors are dumped by simulators only, and " + device.name + " has none");
    TT_TRY_ASSIGN(report.tensors, simulation->dump(inputs));
    report.fused_tensors = fused_away(graph, report.tensors);
  }
  return report;
}

}  // namespace tinytune
