// Splits layers between two cores: by rows of the output; by channels, with their weights, if there
// is only one row (dense layers) or one pixel (convolutions); by matrices (matrix products).
//
// Both cores may read the same bytes of the input; they write disjoint bytes. A half is an ordinary
// operator with fewer rows, like a strip (codegen/strips/rows.h), channels or matrices, so
// templates and emitters need no notion of cores.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codegen/networks/layer_printer.h"
#include "codegen/networks/layout.h"
#include "codegen/networks/memory_plan.h"
#include "codegen/networks/network.h"
#include "codegen/strips/rows.h"
#include "codegen/strips/strip_flow.h"
#include "models/integer_op.h"

namespace tinytune {

/// Bytes of two words in the arena, on any machine: the other core's job, and whether there is
/// another core.
inline constexpr uint32_t kCoreWordBytes = 16;

/// Units by which an output is split; each is contiguous in memory.
enum class LayerPart { kRows, kChannels, kMatrices };

struct HalfLayer {
  IntegerOp form;
  LayerPart part = LayerPart::kRows;
  RowRange out;                    ///< rows, channels or matrices that the half computes
  std::vector<ArenaPlace> inputs;  ///< places within the whole tensors; empty for constants
  ArenaPlace output;
};

using SplitLayer = std::array<HalfLayer, 2>;

/// Returns the halves with the first `count` parts and with the others. Nothing if the operator
/// cannot be split, or if a half has no kernel or would not be aligned as kernels expect.
std::optional<SplitLayer> split_layer(const Graph& graph, const Operator& op, const IntegerOp& form,
                                      int count);

/// Returns the most even split of each layer that can be split, except for operators of `flows`.
std::vector<CoreSplit> even_splits(const LaidOutGraph& network, std::span<const StripFlow> flows);

/// Splits layers; by step. kInvalidInput: an impossible split, or one in a group of strips.
Result<std::vector<std::optional<SplitLayer>>> split_layers(const LaidOutGraph& network,
                                                            std::span<const StripFlow> flows,
                                                            std::span<const CoreSplit> splits);

/// Returns the places of a half's operands, given those of the whole layer.
LayerPrinter::Operands operands_of(const Operator& op, const HalfLayer& half,
                                   std::span<const std::optional<ArenaPlace>> places);

/// The buffer of the words that cores share.
ArenaBuffer core_words(size_t steps);

}  // namespace tinytune
