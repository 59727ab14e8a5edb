// Limits on a model's size. A file of some hundred bytes can declare tensors of gigabytes and years
// of computation, so import adds up a model's demands before it allocates or computes anything.
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

/// A model's demands so far. kInvalidInput once one exceeds its limit.
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
