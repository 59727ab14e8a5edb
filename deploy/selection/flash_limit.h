// Fits the linked library into a limit on flash.
//
// A library has other bytes than its kernels: C code, tables, alignment, code that copies. Their
// number depends on the kernels and is known only once a choice is linked, so choices are linked
// until one fits; then faster ones are tried with smaller numbers, because some need less.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "codegen/networks/network.h"
#include "deploy/selection/kernel_choice.h"
#include "tinytune/result.h"

namespace tinytune {

/// Kernels, their network, and the flash of its library; nothing without a compiler.
struct LinkedChoice {
  KernelChoice choice;
  GeneratedNetwork network;
  std::optional<uint64_t> flash;
};

struct FlashChoices {
  /// Returns the fastest kernels for this many other bytes.
  std::function<Result<KernelChoice>(uint64_t other_flash)> fastest;
  std::function<Result<KernelChoice>()> smallest;
  std::function<Result<LinkedChoice>(const KernelChoice&)> link;
};

/// Returns the fastest network found within `limit` bytes of flash. kFailed: even the smallest
/// kernels exceed it; the message names their library's flash, which is enough. Other errors: those
/// of `choices`.
Result<GeneratedNetwork> fastest_within_flash(const FlashChoices& choices, uint64_t limit);

}  // namespace tinytune
