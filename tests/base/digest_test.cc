#include "base/digest.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

TEST(Digest, Text_ReadsBack) {
  const Digest digest = Digester().add("kernel").value();
  EXPECT_EQ(to_text(digest).size(), 32u);
  EXPECT_EQ(parse_digest(to_text(digest)), digest);
}

TEST(Digest, OtherTexts_AreRefused) {
  const std::string good = to_text(Digester().value());
  EXPECT_TRUE(parse_digest(good));
  EXPECT_FALSE(parse_digest(good.substr(1)));
  EXPECT_FALSE(parse_digest("-" + good.substr(1)));
  EXPECT_FALSE(parse_digest(good.substr(1) + "g"));
}

// The digest of no bytes: xxHash's own test vectors, XXH3_128bits with seed 0.
TEST(Digest, NothingAdded_IsThePublishedVector) {
  EXPECT_EQ(to_text(Digester().value()), "99aa06d3014798d86001c324468d497f");
}

TEST(Digest, PiecesThatJoinAlike_Differ) {
  EXPECT_NE(Digester().add("ab").add("c").value(), Digester().add("a").add("bc").value());
  EXPECT_NE(Digester().add("").value(), Digester().value());
}

TEST(Digest, OneBit_ChangesBothHalves) {
  std::vector<uint8_t> bytes(1000, 7);
  const Digest before = Digester().add(bytes).value();
  bytes[999] ^= 1;
  const Digest after = Digester().add(bytes).value();
  EXPECT_NE(before.high, after.high);
  EXPECT_NE(before.low, after.low);
}

}  // namespace
}  // namespace tinytune
