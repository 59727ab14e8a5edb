#include "measure/contents.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

TEST(Contents, FillAndBytes_AreWhatTheySay) {
  EXPECT_EQ(bytes_of(Contents::filled_with(0x80), 3), (std::vector<uint8_t>{0x80, 0x80, 0x80}));
  EXPECT_EQ(bytes_of(Contents::of({1, 2, 3}), 3), (std::vector<uint8_t>{1, 2, 3}));
}

TEST(Contents, BytesOfAnotherSize_AreRefused) {
  std::vector<uint8_t> buffer(4);
  const Status written = write_contents(Contents::of({1, 2, 3}), buffer);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::kInvalidInput);
}

// Boards write these bytes themselves: SplitMix64 from 0 begins e220a8397b1dcdaf,
// 6e789e6aa1b965f4, 06c45d188009454f (Vigna's splitmix64.c).
TEST(Contents, Seed_GivesTheBytesThatBoardsWriteToo) {
  EXPECT_EQ(bytes_of(Contents::random_from(0), 3), (std::vector<uint8_t>{0xaf, 0xf4, 0x4f}));
}

}  // namespace
}  // namespace tinytune
