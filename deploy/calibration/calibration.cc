#include "deploy/calibration/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "codegen/packages/library_digest.h"
#include "deploy/calibration/nnls.h"
#include "deploy/deployment/deployment.h"
#include "deploy/execution/network_simulation.h"
#include "deploy/knowledge/applicable_records.h"
#include "deploy/model/model_state.h"

namespace tinytune {
namespace {

constexpr int kMostRounds = 8;
// Weight of the equations that keep figures near their old values, for figures that the layers
// distinguish poorly or not at all.
constexpr double kPull = 1e-3;

Error invalid(std::string message) { return Error(ErrorCode::kInvalidInput, std::move(message)); }

using LayerCycles = std::map<int, uint64_t>;  // by operator of the model

struct Network {
  const Graph& graph;
  GeneratedNetwork generated;
  BuiltNetwork built;
  std::vector<std::vector<uint8_t>> inputs;

  /// Simulates the network on a device that differs only in costs from the one it was built for.
  Result<LayerCycles> simulate(const Device& device) const {
    TT_TRY_ASSIGN(auto simulation, NetworkSimulation::load(graph, generated, device, built));
    TT_TRY_ASSIGN(const RunReport report, simulation.invoke(inputs));
    LayerCycles cycles;
    for (const LayerCost& layer : report.layers)
      if (!layer.fused_into) cycles[layer.index] = layer.cycles;
    return cycles;
  }
};

class Fit {
 public:
  Fit(const Network& network, const LayerCycles& measured, Device device, std::vector<Cost> costs)
      : network_(network),
        measured_(measured),
        device_(std::move(device)),
        costs_(std::move(costs)),
        shows_in_(costs_.size(), 0) {}

  /// Repeats the fit, each time from the last figures, until they no longer change.
  Status run();
  double error_of(const LayerCycles& simulated) const;

  const LayerCycles& first() const { return first_; }
  const LayerCycles& best() const { return best_; }
  const Device& device() const { return best_device_; }
  int shows_in(size_t cost) const { return shows_in_[cost]; }

 private:
  Status add_equations();
  bool take_over(const std::vector<double>& fitted);

  const Network& network_;
  const LayerCycles& measured_;
  Device device_, best_device_;
  const std::vector<Cost> costs_;
  std::vector<int> shows_in_;
  LayerCycles now_, first_, best_;
  std::vector<Equation> equations_;
};

double Fit::error_of(const LayerCycles& simulated) const {
  double sum = 0;
  for (const auto& [layer, cycles] : measured_)
    sum += std::abs(static_cast<double>(simulated.at(layer)) / static_cast<double>(cycles) - 1);
  return sum / static_cast<double>(measured_.size());
}

// Adds one equation per layer, relative to its cycles, so that short layers weigh as much as long
// ones.
Status Fit::add_equations() {
  equations_.clear();
  for (const auto& [layer, cycles] : measured_)
    equations_.push_back({std::vector<double>(costs_.size()),
                          1 - static_cast<double>(now_.at(layer)) / static_cast<double>(cycles)});
  std::ranges::fill(shows_in_, 0);
  for (size_t i = 0; i < costs_.size(); ++i) {
    Device more = device_;
    const uint32_t value = value_of(device_, costs_[i]);
    set_value(more, costs_[i], value + 1);
    const double step = static_cast<double>(value_of(more, costs_[i])) - value;
    if (step == 0) continue;  // the figure is already the largest that a device file allows
    TT_TRY_ASSIGN(const LayerCycles changed, network_.simulate(more));
    size_t row = 0;
    for (const auto& [layer, cycles] : measured_) {
      const double change =
          static_cast<double>(changed.at(layer)) - static_cast<double>(now_.at(layer));
      Equation& equation = equations_[row++];
      equation.factors[i] = change / step / static_cast<double>(cycles);
      equation.value += equation.factors[i] * value;
      shows_in_[i] += change != 0 ? 1 : 0;
    }
  }
  for (size_t i = 0; i < costs_.size(); ++i) {
    double square = 0;
    for (size_t row = 0; row < measured_.size(); ++row)
      square += std::pow(equations_[row].factors[i], 2);
    Equation stay{std::vector<double>(costs_.size())};
    stay.factors[i] = kPull * std::sqrt(square);
    stay.value = stay.factors[i] * value_of(device_, costs_[i]);
    equations_.push_back(std::move(stay));
  }
  return ok_status();
}

// Takes over the fitted figures and returns whether any changed. In the order of costs_of(): a
// memory's first fill, then its next.
bool Fit::take_over(const std::vector<double>& fitted) {
  const Device before = device_;
  for (size_t i = 0; i < costs_.size(); ++i)
    if (shows_in_[i] > 0)
      set_value(device_, costs_[i], static_cast<uint32_t>(std::lround(std::min(fitted[i], 1e6))));
  return std::ranges::any_of(
      costs_, [&](const Cost& cost) { return value_of(before, cost) != value_of(device_, cost); });
}

Status Fit::run() {
  TT_TRY_ASSIGN(now_, network_.simulate(device_));
  first_ = best_ = now_;
  best_device_ = device_;
  for (int round = 0; round < kMostRounds; ++round) {
    TT_TRY(add_equations());
    if (!take_over(fit_nonnegative(equations_, costs_.size()))) break;
    TT_TRY_ASSIGN(now_, network_.simulate(device_));
    if (error_of(now_) >= error_of(best_)) break;
    best_ = now_;
    best_device_ = device_;
  }
  return ok_status();
}

Result<std::vector<Cost>> chosen_costs(const Device& device,
                                       const std::vector<std::string>& names) {
  std::vector<Cost> chosen;
  std::string known;
  for (const Cost& cost : costs_of(device)) {
    known += (known.empty() ? "" : ", ") + name_of(cost);
    if (std::ranges::find(names, name_of(cost)) != names.end()) chosen.push_back(cost);
  }
  for (const std::string& name : names)
    if (std::ranges::none_of(chosen, [&](const Cost& cost) { return name_of(cost) == name; }))
      return invalid(device.name + " has no figure '" + name + "'; it has " +
                     (known.empty() ? "none" : known));
  if (names.empty()) chosen = uncertain_costs(device);
  if (chosen.empty())
    return invalid("every figure of " + device.name +
                   " has a source; name those to fit with --fit" +
                   (known.empty() ? "" : ": " + known));
  return chosen;
}

Result<Network> network_of(const Model& model, const Ground& ground, const RunOptions& options) {
  const auto& [device, records, in_log] = ground;
  LayoutChoice layouts(options.layout, device, records);
  const Deployment deployment = deployment_of(model, device, records, options, {});
  TT_TRY_ASSIGN(Candidate found, deployment.generate(layouts));
  GeneratedNetwork& generated = found.network;
  TT_TRY_ASSIGN(BuiltNetwork built, build_library(generated, device));
  TT_TRY_ASSIGN(auto inputs, generate_inputs(model, 1));  // the same as in the bench program
  return Network{model.state().graph, std::move(generated), std::move(built), std::move(inputs)};
}

Status check_same(const BoardTimes& times, const GeneratedNetwork& network, const Device& device) {
  if (times.device != device.name)
    return invalid("the times are of device " + times.device + ", not of " + device.name);
  if (times.library == library_digest(network)) return ok_status();
  return invalid(
      "the times are of another library than these options make: compile with the same "
      "model, records and limits, and time that");
}

// Returns the cycles of layers of kernels, which have the same instructions with any compiler; of
// the first round, in which caches are cold as in the simulator.
LayerCycles comparable(const BoardTimes& times, const GeneratedNetwork& network) {
  LayerCycles measured;
  for (const BoardTimes::Layer& layer : times.layers) {
    const bool is_kernel = std::ranges::any_of(network.layers, [&](const GeneratedLayer& known) {
      return known.index == layer.index && known.schedule && !known.fused_into;
    });
    if (is_kernel && !layer.cycles.empty() && layer.cycles.front() > 0)
      measured[layer.index] = layer.cycles.front();
  }
  return measured;
}

}  // namespace

Result<Calibration> calibrate(const Model& model, const std::string& device_name,
                              const BoardTimes& times, const CalibrationOptions& options) {
  TT_TRY_ASSIGN(const Ground ground,
                load_ground(device_name, options.network.limits, options.network.records,
                            options.network.on_message, options.network.portable));
  TT_TRY_ASSIGN(const std::vector<Cost> costs, chosen_costs(ground.device, options.costs));
  TT_TRY_ASSIGN(const Network network, network_of(model, ground, options.network));
  TT_TRY(check_same(times, network.generated, ground.device));
  const std::vector<LayerCost> known = layers_of(network.generated);
  const LayerCycles measured = comparable(times, network.generated);
  if (measured.empty()) return invalid("no layer of the times has cycles of a kernel");
  Fit fit(network, measured, ground.device, costs);
  TT_TRY(fit.run());
  Calibration result;
  result.device = fit.device();
  for (size_t i = 0; i < costs.size(); ++i)
    result.costs.push_back({costs[i], value_of(ground.device, costs[i]),
                            value_of(fit.device(), costs[i]), fit.shows_in(i)});
  for (const LayerCost& layer : known)
    if (const auto at = measured.find(layer.index); at != measured.end())
      result.layers.push_back({layer.index, layer.op, at->second, fit.first().at(layer.index),
                               fit.best().at(layer.index)});
  result.error_before = fit.error_of(fit.first());
  result.error_after = fit.error_of(fit.best());
  return result;
}

}  // namespace tinytune
