// The integer type of twice a lane's bits and the same signedness, for widening instructions.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tinytune {

template <typename T, typename Of8, typename Of16, typename Of32>
using BySize =
    std::conditional_t<sizeof(T) == 1, Of8, std::conditional_t<sizeof(T) == 2, Of16, Of32>>;

template <typename T>
using Wider = std::conditional_t<std::is_signed_v<T>, BySize<T, int16_t, int32_t, int64_t>,
                                 BySize<T, uint16_t, uint32_t, uint64_t>>;

}  // namespace tinytune
