#include "base/hash.h"

#include <gtest/gtest.h>

#include <array>

namespace tinytune {
namespace {

TEST(Fnv1a, PublishedVectors_Agree) {
  // Test vectors of draft-eastlake-fnv, appendix C.
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8ULL);
}

TEST(Fnv1a, Pieces_HashLikeTheWholeAndBytesLikeText) {
  const std::array<uint8_t, 3> bar = {'b', 'a', 'r'};
  EXPECT_EQ(Fnv1a().add("foo").add(bar).value(), fnv1a("foobar"));
}

TEST(Fnv1a, HighBytes_AreNotSignExtended) {
  const std::array<uint8_t, 1> byte = {0xff};
  EXPECT_EQ(Fnv1a().add(byte).value(), fnv1a("\xff"));
  EXPECT_EQ(fnv1a("\xff"), 0xaf64724c8602eb6eULL);
}

TEST(Hex64, AlwaysHasSixteenLowerCaseDigits) {
  EXPECT_EQ(hex64(0), "0000000000000000");
  EXPECT_EQ(hex64(0xDEADBEEF01ULL), "000000deadbeef01");
  EXPECT_EQ(hex64(~uint64_t{0}), "ffffffffffffffff");
}

}  // namespace
}  // namespace tinytune
