// Which layers' weights arrive, in how many blocks, and in which step each sets out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/network.h"
#include "deploy/deployment/deployment.h"

namespace tinytune {

/// By operator of the model.
std::map<int, LayerCost> costs_of(const RunReport& report);

/// The first, with what each layer took in the run in which it computed fewer cycles.
RunReport without_waits(const RunReport& one, const RunReport& other);

/// How finely layers of one pixel are cut. Nothing hides the transfer of a network's first block
/// and the computation of its last, so blocks are small; larger ones set out earlier, while layers
/// before theirs compute.
struct BlockSize {
  int least_channels;
  int64_t bytes;  ///< at most, as far as channels allow
};
inline constexpr int64_t kSmallBlock = 2048, kLargeBlock = 8192;

class ArrivalPlan {
 public:
  /// All layers that waited for constants in flash. Those of one pixel that one core computes are
  /// cut into blocks. `way` outlives it.
  ArrivalPlan(const LaidOutGraph& graph, const GeneratedNetwork& network, const RunReport& ran,
              const ArrivalWay& way, const BlockSize& size);
  /// All layers with a kernel, whole, wherever their constants are.
  static ArrivalPlan of_all(const LaidOutGraph& graph, const GeneratedNetwork& network,
                            const RunReport& ran, const ArrivalWay& way);

  bool empty() const { return layers_.empty(); }
  int index_of(const ArrivingLayer& layer) const {
    return indices_[static_cast<size_t>(layer.step)];
  }
  uint64_t cycles_of(const ArrivingLayer& layer) const { return costs_.at(index_of(layer)).cycles; }
  const std::vector<ArrivingLayer>& layers() const { return layers_; }
  std::vector<ArrivingLayer>& layers() { return layers_; }
  bool has_blocks() const {
    return std::any_of(layers_.begin(), layers_.end(),
                       [](const ArrivingLayer& layer) { return layer.blocks > 1; });
  }

  void cut(ArrivingLayer& layer, int blocks);
  /// Of these layers. Each sets out as late as still hides it, or where the one before it lets it;
  /// where the way locks flash, not before a layer that runs from there.
  Arrivals arrivals() const;
  /// Keeps layers for which `wanted` holds.
  template <typename Wanted>
  void keep(Wanted wanted) {
    std::erase_if(layers_, [&](const ArrivingLayer& layer) { return !wanted(layer); });
  }
  /// Gives up the one that takes most RAM.
  void drop_largest();
  /// Keeps those that are worth most together, where a byte that arrives is worth so many cycles,
  /// and each that its transfer takes longer than layers before it compute costs one.
  void keep_hidden(double cycles_per_byte);

 private:
  ArrivalPlan(const LaidOutGraph& graph, const GeneratedNetwork& network, const RunReport& ran,
              const ArrivalWay& way);
  int first_step() const;
  double computing_cycles(int step) const;
  double load_cycles(const ArrivingLayer& layer) const;

  const ArrivalWay& way_;
  std::map<int, LayerCost> costs_;
  std::vector<int> indices_;  // by step
  std::vector<bool> runs_;    // by step
  std::vector<ArrivingLayer> layers_;
  std::map<int, size_t> bytes_;  // of a block, by step
};

}  // namespace tinytune
