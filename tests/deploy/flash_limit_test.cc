#include "deploy/selection/flash_limit.h"

#include <gtest/gtest.h>

#include <vector>

namespace tinytune {
namespace {

/// A choice of kernels: its bytes, those of the rest of its library, and the option's index.
struct SizedLibrary {
  uint64_t kernels, rest;
};

/// The fastest first.
FlashChoices sized_choices(const std::vector<SizedLibrary>& all, uint64_t limit,
                           bool links = true) {
  const auto choice = [all](size_t index, uint64_t other) {
    return KernelChoice{{index}, 0, all[index].kernels + other};
  };
  return {.fastest = [=](uint64_t other) -> Result<KernelChoice> {
            for (size_t i = 0; i < all.size(); ++i)
              if (all[i].kernels + other <= limit) return choice(i, other);
            return Error(ErrorCode::kFailed, "estimated to be too large");
          },
          .smallest = [=]() -> Result<KernelChoice> { return choice(all.size() - 1, 0); },
          .link = [=](const KernelChoice& chosen) -> Result<LinkedChoice> {
            LinkedChoice linked{chosen, {}, {}};
            linked.network.arena_bytes = static_cast<uint32_t>(chosen.chosen[0]);
            const SizedLibrary& library = all[chosen.chosen[0]];
            if (links) linked.flash = library.kernels + library.rest;
            return linked;
          }};
}

/// The index of the option that is chosen.
uint32_t chosen_within(const std::vector<SizedLibrary>& all, uint64_t limit, bool links = true) {
  const auto network = fastest_within_flash(sized_choices(all, limit, links), limit);
  EXPECT_TRUE(network) << network.error().message();
  return network ? network->arena_bytes : UINT32_MAX;
}

TEST(FlashLimit, RestOfTheLibrary_CountsToo) {
  EXPECT_EQ(chosen_within({{1000, 500}, {600, 500}}, 1500), 0U);
  EXPECT_EQ(chosen_within({{1000, 500}, {600, 500}}, 1499), 1U);
}

TEST(FlashLimit, FasterChoiceWithASmallerRest_IsFound) {
  EXPECT_EQ(chosen_within({{1000, 500}, {900, 300}, {600, 300}}, 1250), 1U);
}

TEST(FlashLimit, SmallestThatFitsThoughEstimatedTooLarge_IsChosen) {
  EXPECT_EQ(chosen_within({{1000, 500}, {900, 100}}, 1000), 1U);
}

TEST(FlashLimit, NothingFits_NamesWhatIsEnough) {
  const std::vector<SizedLibrary> all = {{1000, 500}, {600, 300}};
  for (const uint64_t limit : {uint64_t{1}, uint64_t{700}, uint64_t{899}}) {
    const auto refused = fastest_within_flash(sized_choices(all, limit), limit);
    ASSERT_FALSE(refused) << limit;
    EXPECT_NE(refused.error().message().find("smallest achievable is 900"), std::string::npos)
        << refused.error().message();
  }
  EXPECT_EQ(chosen_within(all, 900), 1U);
}

TEST(FlashLimit, WithoutACompiler_KernelsAloneCount) {
  EXPECT_EQ(chosen_within({{1000, 500}, {600, 500}}, 1000, false), 0U);
}

}  // namespace
}  // namespace tinytune
