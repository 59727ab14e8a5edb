#include "deploy/knowledge/log_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

#include "codegen/networks/network_memory.h"

namespace tinytune {
namespace {

// A larger relative difference cannot be explained by the network: it is another kernel.
constexpr double kSuspicious = 0.2;
// The simulator's own relative error against a board.
constexpr double kOfBoards = 0.1;

struct Pair {
  const GeneratedLayer* layer;
  uint64_t promised, took;
  double off() const {
    const auto of = static_cast<double>(std::max<uint64_t>(promised, 1));
    return static_cast<double>(took) / of - 1;
  }
};

std::string percent(double off) {
  if (std::fabs(off) < 5e-5) return off < 0 ? "-0.01 % at most" : "+0.01 % at most";
  char text[32];
  std::snprintf(text, sizeof text, "%+.*f %%", std::fabs(off) < 0.01 ? 2 : 1, 100 * off);
  return text;
}

/// Finds the record in either layout.
const Measurement* record_of(const Records& records, Workload workload, const Schedule& schedule) {
  for (const Layout layout : {Layout::kNhwc, Layout::kNchw}) {
    workload.layout = layout;
    if (const Measurement* found = records.find(to_text(workload), to_text(schedule))) return found;
  }
  return nullptr;
}

std::vector<Pair> pairs_of(const IntegerNetwork& executed, const GeneratedNetwork& network,
                           const RunReport& ran, const Records& records) {
  std::map<int, uint64_t> took;
  for (const LayerCost& cost : ran.layers) took[cost.index] = cost.cycles;
  const NetworkMemory memory = network_memory(executed, {network.name});
  std::map<int, const Workload*> workloads;
  for (const NetworkMemory::Layer& layer : memory.layers)
    workloads[layer.index] = &layer.op.workload;
  std::vector<Pair> pairs;
  for (const GeneratedLayer& layer : network.layers) {
    const auto workload = workloads.find(layer.index);
    if (!layer.tuned || !layer.schedule || layer.fused_into || workload == workloads.end())
      continue;
    const Measurement* record = record_of(records, *workload->second, *layer.schedule);
    const auto promised = record == nullptr ? std::nullopt : record->median_cycles();
    if (!promised || !took.contains(layer.index)) continue;
    const Pair pair{&layer, *promised, took[layer.index]};
    const bool of_board = record->fidelity == Fidelity::kBoard;
    if (of_board ? std::fabs(pair.off()) > kOfBoards : pair.took != pair.promised)
      pairs.push_back(pair);
  }
  return pairs;
}

std::string of_layer(const Pair& pair) {
  return "layer " + std::to_string(pair.layer->index) + " " + pair.layer->op + " takes " +
         std::to_string(pair.took) + " cycles, " + std::to_string(pair.promised) + " in the log (" +
         percent(pair.off()) + ")";
}

}  // namespace

std::optional<LogFigures> compare_with_log(const IntegerNetwork& executed,
                                           const GeneratedNetwork& network, const RunReport& ran,
                                           const Records& records) {
  std::vector<Pair> pairs = pairs_of(executed, network, ran, records);
  if (pairs.empty()) return std::nullopt;
  std::ranges::stable_sort(pairs, std::greater(), [](const Pair& p) { return std::fabs(p.off()); });
  const bool suspicious = std::fabs(pairs[0].off()) > kSuspicious;
  if (pairs.size() == 1)
    return LogFigures{suspicious ? MessageKind::kWarning : MessageKind::kInfo,
                      "in the network " + of_layer(pairs[0])};
  Pair all{nullptr, 0, 0};
  for (const Pair& pair : pairs) {
    all.promised += pair.promised;
    all.took += pair.took;
  }
  return LogFigures{suspicious ? MessageKind::kWarning : MessageKind::kInfo,
                    "in the network " + std::to_string(pairs.size()) +
                        " tuned layers take other cycles than the log has: " +
                        std::to_string(all.took) + ", not " + std::to_string(all.promised) + " (" +
                        percent(all.off()) + "); most of all " + of_layer(pairs[0])};
}

}  // namespace tinytune
