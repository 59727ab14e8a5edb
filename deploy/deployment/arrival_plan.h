// Plans the layers whose weights arrive: the number of blocks, and the step in which each transfer
// starts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "codegen/networks/executed_graph.h"
#include "codegen/networks/network.h"
#include "deploy/deployment/deployment.h"

namespace tinytune {

/// Returns the layers' costs by operator of the model.
std::map<int, LayerCost> costs_of(const RunReport& report);

/// Returns `one`, with the cost of each layer from `other` if it computed for fewer cycles there,
/// not counting waits.
RunReport without_waits(const RunReport& one, const RunReport& other);

/// Size of the blocks into which layers of one pixel are cut. Nothing hides the transfer of a
/// network's first block and the computation of its last, so blocks are small; transfers of larger
/// ones start earlier, while previous layers compute.
struct BlockSize {
  int least_channels;
  int64_t bytes;  ///< at most, as far as channels allow
};
inline constexpr int64_t kSmallBlock = 2048, kLargeBlock = 8192;

class ArrivalPlan {
 public:
  /// Plans all layers that waited for constants in flash. Those of one pixel on one core are cut
  /// into blocks. `way` must outlive the plan.
  ArrivalPlan(const LaidOutGraph& graph, const GeneratedNetwork& network, const RunReport& ran,
              const ArrivalWay& way, const BlockSize& size);
  /// Plans all layers with a kernel, without blocks, wherever their constants are.
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
  /// Returns the arrivals of these layers. Each transfer starts at the latest step that still hides
  /// it, but not before the previous arriving layer and, if the way locks flash, not before a layer
  /// that runs from flash.
  Arrivals arrivals() const;
  /// Keeps layers for which `wanted` holds.
  template <typename Wanted>
  void keep(Wanted wanted) {
    std::erase_if(layers_, [&](const ArrivingLayer& layer) { return !wanted(layer); });
  }
  /// Removes the layer that takes most RAM.
  void drop_largest();
  /// Keeps the layers with the largest total worth: `cycles_per_byte` for each byte that arrives,
  /// minus the cycles by which a transfer takes longer than the layers before it compute.
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
