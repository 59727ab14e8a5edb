#include "search/unseen.h"

#include <gtest/gtest.h>

#include <set>

namespace tinytune {
namespace {

TEST(Unseen, TakenPoints_AreNeverDrawnAndTheRestEvenly) {
  Unseen unseen(10);
  for (size_t p : {0, 9, 4, 5}) EXPECT_TRUE(unseen.take(p));
  EXPECT_FALSE(unseen.take(4));
  EXPECT_EQ(unseen.size(), 6u);
  Rng rng(1);
  std::vector<int> count(10);
  for (int i = 0; i < 6000; ++i) ++count[unseen.draw(rng)];
  for (size_t p = 0; p < 10; ++p) {
    EXPECT_EQ(unseen.contains(p), count[p] > 0) << p;
    EXPECT_NEAR(count[p], unseen.contains(p) ? 1000 : 0, 150) << p;
  }
}

TEST(Unseen, DrawAndTake_ExhaustsTheSet) {
  Unseen unseen(500);
  Rng rng(2);
  std::set<size_t> drawn;
  while (!unseen.empty()) {
    const size_t p = unseen.draw(rng);
    ASSERT_TRUE(unseen.take(p));
    drawn.insert(p);
  }
  EXPECT_EQ(drawn.size(), 500u);
  EXPECT_EQ(unseen.space_size(), 500u);
}

}  // namespace
}  // namespace tinytune
