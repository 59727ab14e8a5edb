// Little-endian arrays for kernels, from vectors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "templates/kernel_template.h"

namespace tinytune {

PackedConstant bytes_constant(std::string name, const std::vector<int8_t>& values);
PackedConstant words_constant(std::string name, const std::vector<int32_t>& values);

/// Weights of `count` output channels from `first` on, each in reduction order.
std::vector<std::vector<int8_t>> weights_of_tile(const Workload& workload, const LayerData& data,
                                                 int first, int count);

/// All tiles of `channels` output channels; the last one moves back to fit, as ChannelLoop's.
std::vector<std::vector<std::vector<int8_t>>> tiles_of_weights(const Workload& workload,
                                                               const LayerData& data, int channels);

/// Two 16-bit values in a word.
int32_t halves(int low, int high);

}  // namespace tinytune
