// What every pass asks of a network: who reads a tensor, and taking an operator out.
#pragma once

#include <cstddef>
#include <vector>

#include "models/integer_network.h"

namespace tinytune {

/// Steps that read the tensor, each once.
std::vector<size_t> readers_of(const IntegerNetwork& network, int tensor);
bool is_output(const IntegerNetwork& network, int tensor);
/// The step that writes the tensor; nothing for inputs and constants.
std::optional<size_t> writer_of(const IntegerNetwork& network, int tensor);

/// The one step that reads the tensor, if it is no output and nothing else reads it.
std::optional<size_t> only_reader_of(const IntegerNetwork& network, int tensor);

/// Takes step `step` out; `into` is the model's index of the operator that does its work now.
void absorb(IntegerNetwork& network, size_t step, std::optional<int> into);

}  // namespace tinytune
