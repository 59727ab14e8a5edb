// How large a model may be. A file of some hundred bytes can name shapes of gigabytes and sums of
// years, so import adds up what a model asks for before anything is allocated or computed for it.
//
// The limits lie far above what a microcontroller holds or computes, and low enough that oracle,
// packing and search stay within a few gigabytes of this machine's memory.
#pragma once

#include <cstdint>
#include <string>

#include "models/integer_op.h"
#include "tinytune/result.h"

namespace tinytune {

inline constexpr int64_t kMostFileBytes = int64_t{256} << 20;
inline constexpr int64_t kMostTensorBytes = int64_t{64} << 20;
inline constexpr int64_t kMostConstantBytes = int64_t{64} << 20;     ///< all constants together
inline constexpr int64_t kMostActivationBytes = int64_t{512} << 20;  ///< all other tensors together
inline constexpr int64_t kMostOperations = 10'000'000'000;           ///< 100 s of a core at 100 MHz
inline constexpr size_t kMostOperators = 65536;

/// Inner steps of an operator's loops: multiply-accumulates, taps of pools, else elements. Cannot
/// overflow for tensors within their limits.
int64_t operations_of(const IntegerOp& op);

/// What a model has asked for so far. kInvalidInput once it is too much.
class ModelSize {
 public:
  Status add_constant(int64_t bytes) {
    return add(constants_, bytes, kMostConstantBytes, "bytes of constants");
  }
  Status add_activation(int64_t bytes) {
    return add(activations_, bytes, kMostActivationBytes, "bytes of activations");
  }
  Status add_operations(int64_t count) {
    return add(operations_, count, kMostOperations, "operations an inference");
  }

 private:
  static Status add(int64_t& sum, int64_t more, int64_t most, const char* what);

  int64_t constants_ = 0, activations_ = 0, operations_ = 0;
};

}  // namespace tinytune
