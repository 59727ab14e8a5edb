// Layers that two cores share: each computes some rows of the output, from the rows that it needs;
// of a dense layer's only row or a convolution's only pixel some channels, with their weights; of
// matrix products some matrices.
//
// Both may read the same bytes of the input; they write disjoint bytes. A half is an operator with
// fewer rows, as a strip is (codegen/strips/rows.h), fewer channels or matrices, so templates and
// emitters know nothing of cores.
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

/// Both of which the cores find in the arena: what the other core is to do, and whether there is
/// one. Of any machine.
inline constexpr uint32_t kCoreWordBytes = 16;

/// Units that divide an output, in the order of its bytes.
enum class LayerPart { kRows, kChannels, kMatrices };

struct HalfLayer {
  IntegerOp form;
  LayerPart part = LayerPart::kRows;
  RowRange out;                    ///< of such parts
  std::vector<ArenaPlace> inputs;  ///< within the whole tensors; of constants nothing
  ArenaPlace output;
};

using SplitLayer = std::array<HalfLayer, 2>;

/// The first `count` parts and the others. Nothing where the operator does not compute part by
/// part, or where those of a half would not begin as kernels expect.
std::optional<SplitLayer> split_layer(const Graph& graph, const Operator& op, const IntegerOp& form,
                                      int count);

/// Where each layer that can be split would be, as equally as it can: by its model's index.
/// Operators of `flows` are left out.
std::vector<CoreSplit> even_splits(const LaidOutGraph& network, std::span<const StripFlow> flows);

/// By step. kInvalidInput: a split that cannot be, or that is of a group of strips.
Result<std::vector<std::optional<SplitLayer>>> split_layers(const LaidOutGraph& network,
                                                            std::span<const StripFlow> flows,
                                                            std::span<const CoreSplit> splits);

/// Where a half's operands are, given those of the whole.
LayerPrinter::Operands operands_of(const Operator& op, const HalfLayer& half,
                                   std::span<const std::optional<ArenaPlace>> places);

/// The buffer of the words that cores share.
ArenaBuffer core_words(size_t steps);

}  // namespace tinytune
