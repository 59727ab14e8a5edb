#include "records/log_line.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/records/sample.h"

namespace tinytune {
namespace {

void expect_equal(const Measurement& a, const Measurement& b) {
  EXPECT_EQ(to_log_line(a), to_log_line(b));
  EXPECT_EQ(a.device_hash, b.device_hash);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.detail, b.detail);
}

TEST(LogLine, EveryOutcome_RoundTrips) {
  for (Outcome outcome :
       {Outcome::kOk, Outcome::kDoesNotFit, Outcome::kBuildFailed, Outcome::kBuildTimeout,
        Outcome::kRunTimeout, Outcome::kCrashed, Outcome::kWrongOutput, Outcome::kLost}) {
    Measurement m = sample();
    m.outcome = outcome;
    if (outcome != Outcome::kOk) {
      m.cycles.clear();
      m.detail = "why \"not\"\nand\twhere";
    }
    const std::string line = to_log_line(m);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line.substr(0, kLogLineStart.size()), kLogLineStart);
    const auto parsed = parse_log_line(line);
    ASSERT_TRUE(parsed) << parsed.error().message();
    expect_equal(*parsed, m);
  }
}

TEST(LogLine, LargestNumbers_RoundTrip) {
  Measurement m = sample();
  m.device_hash = ~uint64_t{0};
  m.seed = ~uint64_t{0};
  m.cycles = {~uint64_t{0}, 0, 1};
  const auto parsed = parse_log_line(to_log_line(m));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->seed, m.seed);
  EXPECT_EQ(parsed->cycles, m.cycles);
}

TEST(LogLine, DetailThatIsNotUtf8_IsKeptReadable) {
  Measurement m = sample();
  m.outcome = Outcome::kBuildFailed;
  m.cycles.clear();
  m.detail = "clang said \xff\xfe";
  const auto parsed = parse_log_line(to_log_line(m));
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(parsed->detail, "clang said \xef\xbf\xbd\xef\xbf\xbd");
}

TEST(LogLine, ReorderedKeysAndSpaces_StillCount) {
  const std::string line = to_log_line(sample());
  std::string moved = "{ " + line.substr(line.find("\"device\""));
  moved.insert(moved.size() - 1, ", \"v\" : 1 ");
  EXPECT_TRUE(parse_log_line(moved)) << moved;
}

TEST(LogLine, OneChangedCharacterAnywhere_IsRefused) {
  const std::string line = to_log_line(sample());
  for (size_t i = 0; i < line.size(); ++i) {
    std::string changed = line;
    changed[i] = changed[i] == '7' ? '8' : '7';
    EXPECT_FALSE(parse_log_line(changed)) << changed;
  }
}

TEST(LogLine, EveryTruncation_IsRefused) {
  const std::string line = to_log_line(sample());
  for (size_t length = 0; length < line.size(); ++length)
    EXPECT_FALSE(parse_log_line(std::string_view(line).substr(0, length))) << length;
}

TEST(LogLine, OkWithoutCycles_IsRefused) {
  Measurement m = sample();
  m.cycles.clear();
  EXPECT_FALSE(parse_log_line(to_log_line(m)));
  m = sample();
  m.outcome = Outcome::kCrashed;
  EXPECT_FALSE(parse_log_line(to_log_line(m)));
}

TEST(LogLine, RandomMutations_NeverCrashAndNeverPass) {
  constexpr uint64_t kSeed = 20260101;
  Rng rng(kSeed);
  const std::string line = to_log_line(sample());
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = line;
    for (uint64_t edits = 1 + rng.below(4); edits > 0; --edits) {
      const size_t at = rng.below(bytes.size());
      switch (rng.below(3)) {
        case 0:
          bytes[at] = static_cast<char>(rng.below(256));
          break;
        case 1:
          bytes.erase(at, 1 + rng.below(8));
          break;
        default:
          bytes.insert(at, bytes.substr(rng.below(bytes.size()), rng.below(8)));
          break;
      }
      if (bytes.empty()) bytes = "{";
    }
    const auto parsed = parse_log_line(bytes);
    // A mutation may cancel itself out; then the meaning is unchanged.
    if (!parsed) continue;
    EXPECT_EQ(to_log_line(*parsed), line) << "seed " << kSeed << ": " << bytes;
  }
}

TEST(Measurement, MedianOfRepeats_IsTheLowerMiddle) {
  Measurement m = sample();
  m.cycles = {9, 1, 5};
  EXPECT_EQ(m.median_cycles(), 5u);
  m.cycles = {9, 1, 5, 7};
  EXPECT_EQ(m.median_cycles(), 5u);
  m.outcome = Outcome::kCrashed;
  EXPECT_FALSE(m.median_cycles());
}

TEST(Measurement, OutcomeNames_RoundTripAndRefuseOthers) {
  EXPECT_EQ(parse_outcome("wrong_output"), Outcome::kWrongOutput);
  EXPECT_EQ(name_of(Outcome::kDoesNotFit), "does_not_fit");
  EXPECT_FALSE(parse_outcome("OK"));
  EXPECT_FALSE(parse_outcome(""));
}

}  // namespace
}  // namespace tinytune
