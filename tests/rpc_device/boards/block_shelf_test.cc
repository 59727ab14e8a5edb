#include "rpc_device/boards/block_shelf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace tinytune::test {
namespace {

Digest digest(uint64_t number) { return {number, ~number}; }

TEST(BlockShelf, Block_IsFoundByWhatItIs) {
  BlockShelf shelf(0x1000, 0x2000);
  const auto at = shelf.add(digest(1), 100);
  ASSERT_TRUE(at);
  EXPECT_EQ(*at % 8, 0u);
  EXPECT_EQ(shelf.find(digest(1), 100), at);
  EXPECT_FALSE(shelf.find(digest(2), 100));
  EXPECT_FALSE(shelf.find(digest(1), 99));
  shelf.clear();
  EXPECT_FALSE(shelf.find(digest(1), 100));
}

TEST(BlockShelf, NoRoom_TakesThatOfTheBlockUsedLongestAgo) {
  BlockShelf shelf(0x1000, 0x1000 + 3 * 64);
  for (uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(shelf.add(digest(i), 64));
  ASSERT_TRUE(shelf.find(digest(1), 64));
  ASSERT_TRUE(shelf.add(digest(4), 64));
  EXPECT_TRUE(shelf.find(digest(1), 64));
  EXPECT_FALSE(shelf.find(digest(2), 64));
  EXPECT_TRUE(shelf.find(digest(3), 64));
}

TEST(BlockShelf, LargerThanTheRoom_IsNotKept) {
  BlockShelf shelf(0x1000, 0x1100);
  EXPECT_FALSE(shelf.add(digest(1), 0x101));
  EXPECT_FALSE(BlockShelf(0x1000, 0x1000).add(digest(1), 1));
}

TEST(BlockShelf, KernelThatNeedsMore_TakesItFromTheBlocksThere) {
  BlockShelf shelf(0x1000, 0x1000 + 2 * 64);
  const auto high = shelf.add(digest(1), 64), low = shelf.add(digest(2), 64);
  ASSERT_TRUE(high && low);
  ASSERT_LT(*low, *high);
  shelf.give_up_below(*low + 1);
  EXPECT_FALSE(shelf.find(digest(2), 64));
  EXPECT_TRUE(shelf.find(digest(1), 64));
  EXPECT_FALSE(shelf.add(digest(3), 128));
  shelf.give_up_below(0x1000);
  EXPECT_TRUE(shelf.add(digest(4), 128));
}

TEST(BlockShelf, AnySequence_KeepsBlocksApartAndInTheirRoom) {
  Rng rng(5);
  BlockShelf shelf(0x1000, 0x5000);
  uint32_t free_from = 0x1000;
  for (uint64_t step = 0; step < 3000; ++step) {
    if (rng.below(8) == 0) {
      free_from = 0x1000 + static_cast<uint32_t>(rng.below(0x3000));
      shelf.give_up_below(free_from);
    }
    const auto size_of = [](uint64_t number) {
      return static_cast<uint32_t>(1 + number * 997 % 0x800);
    };
    const uint64_t number = rng.below(60);
    if (!shelf.find(digest(number), size_of(number))) shelf.add(digest(number), size_of(number));
    std::vector<std::pair<uint32_t, uint32_t>> there;
    for (uint64_t i = 0; i < 60; ++i)
      if (const auto at = shelf.find(digest(i), size_of(i))) there.emplace_back(*at, size_of(i));
    std::sort(there.begin(), there.end());
    uint32_t end = free_from;
    for (const auto& [at, size] : there) {
      ASSERT_GE(at, end) << step;
      end = at + size;
    }
    ASSERT_LE(end, 0x5000u) << step;
  }
}

}  // namespace
}  // namespace tinytune::test
