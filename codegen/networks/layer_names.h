// Names and comments of the layers' functions.
#pragma once

#include <optional>
#include <string>

#include "codegen/networks/kernel_set.h"
#include "codegen/networks/split_layers.h"
#include "models/graph.h"

namespace tinytune {

/// "kws_layer_3", "kws_transform_4_40".
std::string symbol_of_layer(const std::string& network, const Operator& op);
/// "kws_rows_3_0_12": of layer 3, rows 0 to 11.
std::string symbol_of_half(const std::string& network, const Operator& op, const HalfLayer& half);

/// "kws_weights_3": the function that waits for the weights of shared layer 3.
std::string symbol_of_weights(const std::string& network, const Operator& op);

/// "3: CONV_2D 1x25x5x64 -> 1x25x5x64, tuned". Without `call` no kernel computes it.
std::string comment_of_layer(const Graph& graph, const Operator& op,
                             const std::optional<KernelCall>& call);
/// To append to the layer's comment: ", rows 0 to 11".
std::string comment_of_half(const HalfLayer& half);

}  // namespace tinytune
