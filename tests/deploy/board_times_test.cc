// Parsing of times from consoles, which lose bytes, are opened late and show other output too.
#include "deploy/calibration/board_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "codegen/packages/times_text.h"

namespace tinytune::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kDigest = "0123456789abcdef0123456789abcdef";

std::string line(const std::string& what) {
  const std::string text = std::string(kTimesMark) + what;
  char sum[8];
  std::snprintf(sum, sizeof sum, " *%04x", times_checksum(text));
  return text + sum + "\r\n";
}

const std::string kRun = line("network kws esp32c3 " + kDigest) + line("layer 0 CONV_2D 10 12 11") +
                         line("transform 1 5 5 5") + line("layer 2 SOFTMAX 7 7 -") +
                         line("inference 40 41 40") + line("exact 0") + line("end 6");

struct Read {
  Result<BoardTimes> times;
  std::vector<std::string> warnings;
};

Read read(const std::string& text) {
  std::vector<std::string> warnings;
  auto times = read_board_times(
      text, "log", [&](MessageKind, const std::string& said) { warnings.push_back(said); });
  return {std::move(times), std::move(warnings)};
}

TEST(BoardTimes, Run_IsReadOutOfWhatIsAroundIt) {
  const Read got = read("ESP-ROM:esp32c3\n" + kRun + "PASS\n");
  ASSERT_TRUE(got.times) << got.times.error().message();
  EXPECT_EQ(got.times->network, "kws");
  EXPECT_EQ(got.times->device, "esp32c3");
  EXPECT_EQ(to_text(got.times->library), kDigest);
  ASSERT_EQ(got.times->layers.size(), 2u);
  EXPECT_EQ(got.times->layers[0].op, "CONV_2D");
  EXPECT_THAT(got.times->layers[0].cycles, ElementsAre(10, 12, 11));
  EXPECT_THAT(got.times->inference, ElementsAre(40, 41, 40));
  EXPECT_EQ(got.times->exact, true);
}

TEST(BoardTimes, LinesByThemselves_ReadTheSame) {
  const Read whole = read("noise\n" + kRun);
  const Read again = read(whole.times->lines);
  ASSERT_TRUE(again.times);
  EXPECT_EQ(again.times->lines, whole.times->lines);
  EXPECT_THAT(again.times->layers[0].cycles, ElementsAre(10, 12, 11));
}

TEST(BoardTimes, RoundThatTheCounterWasTooShortFor_IsSaidAndLeftOut) {
  const Read got = read(kRun);
  EXPECT_THAT(got.times->layers[1].cycles, ElementsAre(7, 7));
  EXPECT_THAT(got.warnings, ElementsAre(HasSubstr("too long for the chip's counter")));
}

TEST(BoardTimes, DamagedLine_IsNamedAndLeftOut) {
  std::string text = kRun;
  text.replace(text.find("10 12"), 5, "10 92");
  const Read got = read(text);
  ASSERT_TRUE(got.times);
  ASSERT_EQ(got.times->layers.size(), 1u);
  EXPECT_EQ(got.times->layers[0].index, 2);
  EXPECT_THAT(got.warnings, testing::Contains(HasSubstr("log: line 2 is damaged")));
  EXPECT_THAT(got.warnings, testing::Contains(HasSubstr("6 lines were printed and 5 are here")));
}

TEST(BoardTimes, LastOfSeveralRuns_Counts) {
  std::string later = kRun;
  const size_t at = later.find(line("layer 0 CONV_2D 10 12 11"));
  later.replace(at, line("layer 0 CONV_2D 10 12 11").size(), line("layer 0 CONV_2D 20 20 20"));
  EXPECT_THAT(read(kRun + later).times->layers[0].cycles, ElementsAre(20, 20, 20));
  EXPECT_THAT(read(kRun + line("network kws esp32c3 " + kDigest)).times->layers[0].cycles,
              ElementsAre(10, 12, 11))
      << "the board was switched off in the second";
}

TEST(BoardTimes, WrongBytesOnTheChip_AreSaid) {
  std::string text = kRun;
  text.replace(text.find(line("exact 0")), line("exact 0").size(), line("exact 2"));
  const Read got = read(text);
  EXPECT_EQ(got.times->exact, false);
  EXPECT_THAT(got.warnings, testing::Contains(HasSubstr("wrong bytes")));
}

TEST(BoardTimes, LogWithoutTimes_IsRefusedWithWhatToLookFor) {
  for (const std::string& text : {std::string("hello\n"), kRun.substr(kRun.find("\r\n") + 2)}) {
    const Read got = read(text);
    ASSERT_FALSE(got.times);
    EXPECT_EQ(got.times.error().code(), ErrorCode::kInvalidInput);
    EXPECT_THAT(got.times.error().message(), HasSubstr("@times1"));
  }
}

}  // namespace
}  // namespace tinytune::test
