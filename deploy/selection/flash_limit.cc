#include "deploy/selection/flash_limit.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tinytune {
namespace {

constexpr int kRounds = 4;

Result<GeneratedNetwork> smallest_within(const FlashChoices& choices, uint64_t limit) {
  TT_TRY_ASSIGN(const KernelChoice kernels, choices.smallest());
  TT_TRY_ASSIGN(LinkedChoice smallest, choices.link(kernels));
  const uint64_t takes = smallest.flash.value_or(kernels.flash_bytes);
  if (takes <= limit) return std::move(smallest.network);
  return Error(ErrorCode::kFailed, "the library does not fit: --flash allows " +
                                       std::to_string(limit) + "; the smallest achievable is " +
                                       std::to_string(takes));
}

/// Tries faster choices than `best`, which fits if `other` bytes are left for the rest.
Result<LinkedChoice> faster_within(const FlashChoices& choices, uint64_t limit, LinkedChoice best,
                                   uint64_t other) {
  constexpr uint64_t kDiffers = 512;  // bytes by which the rests of similar choices differ
  const uint64_t own = other + *best.flash - best.choice.flash_bytes;
  uint64_t least = own - std::min(own, kDiffers);
  for (int round = 0; round < kRounds && least < other; ++round) {
    const uint64_t between = round == 0 ? least : least + (other - least) / 2;
    const Result<KernelChoice> more = choices.fastest(between);
    if (!more) break;
    if (more->chosen == best.choice.chosen) {
      other = between;
      continue;
    }
    TT_TRY_ASSIGN(LinkedChoice faster, choices.link(*more));
    if (*faster.flash > limit) {
      least = between + 1;
    } else {
      best = std::move(faster);
      other = between;
    }
  }
  return best;
}

}  // namespace

Result<GeneratedNetwork> fastest_within_flash(const FlashChoices& choices, uint64_t limit) {
  uint64_t other = 0;
  for (int round = 0; round <= kRounds; ++round) {
    const Result<KernelChoice> fastest = choices.fastest(other);
    if (!fastest) break;
    TT_TRY_ASSIGN(LinkedChoice linked, choices.link(*fastest));
    if (!linked.flash || (round == 0 && *linked.flash <= limit)) return std::move(linked.network);
    if (*linked.flash <= limit) {
      TT_TRY_ASSIGN(LinkedChoice best, faster_within(choices, limit, std::move(linked), other));
      return std::move(best.network);
    }
    other += *linked.flash - fastest->flash_bytes;
  }
  return smallest_within(choices, limit);
}

}  // namespace tinytune
