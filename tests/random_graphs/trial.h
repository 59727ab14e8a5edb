// One graph all the way: .tflite bytes → import → generate → clang and lld → simulator → compare.
//
// Expected bytes come from the graph as it was made, not as it was imported, so that import is
// under test too. How the network is generated is drawn like the graph itself: device, layouts and
// a legal schedule of every kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/networks/network.h"
#include "devices/device.h"
#include "examples/compressed_weights.h"
#include "models/graph.h"

namespace tinytune::bench {

enum class LayoutDraw { kNhwc, kNchw, kMixed };

struct Plan {
  Device device;
  LayoutDraw layouts = LayoutDraw::kNhwc;
  bool default_schedules = false;
  std::vector<std::string> disabled_passes;
  bool placed = false;  ///< some parts in fast memory, where the device has one
  bool strips = false;  ///< groups of layers run in strips, where they can
  bool early_shortcuts = false;
  std::optional<WeightCode> code;  ///< of the weights in the file, where it can hold them
  bool compress_weights = false;   ///< layers decode them
  bool twice = false;              ///< generate it twice, to compare the files
  uint64_t seed = 0;               ///< of layouts, schedules, strips and inputs

  std::string text() const;
};

/// A function of its arguments. `devices` are those to choose from.
Plan draw_plan(uint64_t seed, uint64_t index, const std::vector<Device>& devices);

/// Something to break on the way, to see whether it would be noticed. Each says whether there was
/// anything to break.
struct Damage {
  /// Kernels are drawn of templates whose names start so, where a workload has any.
  std::string family = "";
  std::function<bool(IntegerNetwork&)> network;  ///< before it is generated
  std::function<bool(GeneratedNetwork&)> files;  ///< before they are compiled
};

using Tally = std::map<std::string, int>;

struct Verdict {
  bool exact = false;
  bool differs = false;    ///< it ran, and computed other bytes
  bool damaged = false;    ///< the damage applied
  std::string difference;  ///< what failed, one line; empty when exact
  Tally tally;             ///< templates chosen, schedules refused
};

Verdict try_graph(const Graph& graph, const Plan& plan, const Damage& damage = {});

/// Operators and cases of a graph, for the table of what was generated.
void count_graph(const Graph& graph, Tally& tally);

}  // namespace tinytune::bench
