// One graph all the way: .tflite bytes → import → generate → clang and lld → simulator → compare.
//
// Expected bytes come from the graph before import, so that import is under test too. How the
// network is generated is drawn like the graph itself: device, layouts and a legal schedule for
// every kernel.
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
  bool placed = false;  ///< some parts in fast memory, if the device has one
  bool strips = false;  ///< groups of layers run in strips, if they can
  bool early_shortcuts = false;
  std::optional<WeightCode> code;  ///< of compressed weights in the file, where possible
  bool compress_weights = false;   ///< layers decode their weights
  bool twice = false;              ///< generate twice and compare the files
  uint64_t seed = 0;               ///< for layouts, schedules, strips and inputs

  std::string text() const;
};

/// Draws a plan as a function of its arguments alone. `devices`: those to choose from.
Plan draw_plan(uint64_t seed, uint64_t index, const std::vector<Device>& devices);

/// A fault to inject on the way, to see whether the comparison detects it. The functions return
/// whether there was anything to break.
struct Damage {
  /// Prefix of template names: kernels are drawn from these templates, where a workload has any.
  std::string family = "";
  std::function<bool(IntegerNetwork&)> network;  ///< before it is generated
  std::function<bool(GeneratedNetwork&)> files;  ///< before they are compiled
};

using Tally = std::map<std::string, int>;

struct Verdict {
  bool exact = false;
  bool differs = false;    ///< it ran, and computed other bytes
  bool damaged = false;    ///< the damage applied
  std::string difference;  ///< first failure, one line; empty if exact
  Tally tally;             ///< templates chosen, schedules refused
};

Verdict try_graph(const Graph& graph, const Plan& plan, const Damage& damage = {});

/// Counts the operators and cases of a graph, for the table of generated cases.
void count_graph(const Graph& graph, Tally& tally);

}  // namespace tinytune::bench
