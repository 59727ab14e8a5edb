#include "cost_model/ranker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/rng.h"

namespace tinytune {
namespace {

struct Sample {
  FeatureMatrix rows{4};
  std::vector<float> merit;
};

// The merit depends on two of four columns and on a product with a third one.
Sample sample(uint64_t seed, size_t rows, float scale, float offset) {
  Rng rng(seed);
  Sample s;
  for (size_t r = 0; r < rows; ++r) {
    float x[4];
    for (float& v : x) v = static_cast<float>(rng.uniform());
    s.rows.add(x);
    s.merit.push_back(offset + scale * (2 * x[0] - x[1] + 3 * x[0] * x[2]));
  }
  return s;
}

// Share of the pairs that the scores order like the merits.
double agreement(const std::vector<float>& scores, const std::vector<float>& merit) {
  double right = 0, pairs = 0;
  for (size_t i = 0; i < scores.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (merit[i] != merit[j]) ++pairs, right += (merit[i] < merit[j]) == (scores[i] < scores[j]);
  return right / pairs;
}

Ranker train(const Sample& s, std::vector<RankedGroup> groups = {}, RankerOptions options = {}) {
  if (groups.empty()) groups = {{s.rows.rows()}};
  auto ranker = Ranker::train(s.rows, s.merit, groups, options);
  EXPECT_TRUE(ranker.has_value()) << (ranker ? "" : ranker.error().message());
  return std::move(ranker).value();
}

TEST(Ranker, UnseenRows_ComeInTheirOrder) {
  const Sample seen = sample(1, 300, 1, 0), unseen = sample(2, 200, 1, 0);
  const auto scores = train(seen).scores(unseen.rows);
  ASSERT_TRUE(scores.has_value());
  EXPECT_GT(agreement(*scores, unseen.merit), 0.9);
}

TEST(Ranker, SameRowsAndSeed_GiveTheSameBits) {
  const Sample seen = sample(3, 200, 1, 0), unseen = sample(4, 50, 1, 0);
  EXPECT_EQ(*train(seen).scores(unseen.rows), *train(seen).scores(unseen.rows));
}

// Enough rows for several threads; every third value is missing.
TEST(Ranker, ManyRows_ScoreAsTheyDoAlone) {
  const Ranker ranker = train(sample(5, 200, 1, 0));
  Rng rng(6);
  FeatureMatrix all(4);
  std::vector<float> alone;
  for (size_t r = 0; r < 45'000; ++r) {
    float x[4];
    for (size_t c = 0; c < 4; ++c)
      x[c] = (4 * r + c) % 3 == 0 ? std::numeric_limits<float>::quiet_NaN()
                                  : static_cast<float>(rng.uniform());
    all.add(x);
    if (r % 1'000 != 0) continue;
    FeatureMatrix one(4);
    one.add(x);
    alone.push_back(ranker.scores(one)->front());
  }
  const auto together = ranker.scores(all);
  ASSERT_TRUE(together.has_value());
  ASSERT_EQ(together->size(), all.rows());
  for (size_t i = 0; i < alone.size(); ++i) EXPECT_EQ((*together)[1'000 * i], alone[i]);
}

TEST(Ranker, OnlyTheOrderOfMeritsCounts) {
  Sample seen = sample(5, 100, 1, 0);
  const auto before = *train(seen).scores(seen.rows);
  for (float& m : seen.merit) m = std::exp(m) * 1000;
  EXPECT_EQ(*train(seen).scores(seen.rows), before);
}

TEST(Ranker, GroupsOfOtherScales_HelpAndAreNotCompared) {
  // The second task's merits are all far above the first's: in one group, the offset would drown
  // the order. Column 3 tells the tasks apart.
  const Sample few = sample(6, 16, 1, 0), other = sample(7, 400, 50, 1e4f);
  const Sample unseen = sample(8, 200, 1, 0);
  Sample both = few;
  for (size_t r = 0; r < other.rows.rows(); ++r) both.rows.add(other.rows.row(r));
  both.merit.insert(both.merit.end(), other.merit.begin(), other.merit.end());
  const double alone = agreement(*train(few).scores(unseen.rows), unseen.merit);
  const double helped = agreement(*train(both, {{16}, {400}}).scores(unseen.rows), unseen.merit);
  EXPECT_GT(helped, alone);
  EXPECT_GT(helped, 0.9);
}

TEST(Ranker, NoNews_TrainsAndPrefersNothing) {
  const Sample equal = sample(9, 20, 0, 1);
  const std::vector<float> scores = *train(equal).scores(equal.rows);
  for (float score : scores) EXPECT_EQ(score, scores[0]);
  const Sample one = sample(10, 1, 1, 0);
  EXPECT_EQ(train(one).scores(one.rows)->size(), 1u);
}

TEST(Ranker, MissingValues_AreUnderstood) {
  Sample s{FeatureMatrix(2), {}};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int i = 0; i < 60; ++i) {
    const float missing[] = {nan, static_cast<float>(i % 7)},
                present[] = {1, static_cast<float>(i % 7)};
    s.rows.add(i % 2 ? missing : present);
    s.merit.push_back(i % 2 ? 1 : 0);
  }
  EXPECT_EQ(agreement(*train(s).scores(s.rows), s.merit), 1);
}

TEST(Ranker, NoCandidates_NoScores) {
  const Sample seen = sample(11, 20, 1, 0);
  EXPECT_TRUE(train(seen).scores(FeatureMatrix(4))->empty());
}

TEST(Ranker, MeritThatIsNoNumber_IsAnErrorAndNoCrash) {
  Sample bad = sample(12, 20, 1, 0);
  bad.merit[3] = std::numeric_limits<float>::quiet_NaN();
  const RankedGroup all{20};
  const auto r = Ranker::train(bad.rows, bad.merit, {&all, 1}, {});
  ASSERT_FALSE(r.has_value());
  EXPECT_EQ(r.error().code(), ErrorCode::kInvalidInput);
}

TEST(RankerDeathTest, GroupsThatDoNotCoverTheRows_AreOurBug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Sample s = sample(13, 20, 1, 0);
  EXPECT_DEATH(train(s, {{19}}), "the groups cover the rows");
}

}  // namespace
}  // namespace tinytune
