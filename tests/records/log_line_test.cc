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
  m.cycles = {~uint64_t{0}, 1};
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

// A line with an extra space is read by the JSON parser instead of the fast reader.
TEST(LogLine, Fractions_AreTheSameToBothReaders) {
  for (const double seconds : {0.25, 0.001, 0.0001, 1e-5, 1e-9, 0.1 + 0.2, 12345.678, 1e21, 5.0}) {
    Measurement m = sample();
    m.seconds = seconds;
    const std::string line = to_log_line(m);
    const auto plain = parse_log_line(line), parsed = parse_log_line("{ " + line.substr(1));
    ASSERT_TRUE(plain && parsed) << line;
    EXPECT_EQ(plain->seconds, seconds);
    EXPECT_EQ(parsed->seconds, seconds);
  }
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

TEST(LogLine, CallOfNoCycles_IsRefused) {
  Measurement m = sample();
  m.cycles = {1000, 0};
  EXPECT_FALSE(parse_log_line(to_log_line(m)));
}

TEST(LogLine, WhatProducedIt_RoundTrips) {
  Measurement m = sample();
  m.run = "0123456789abcdef0123456789abcdef";
  m.source = "esp32c3-7cdfa1";
  m.fidelity = Fidelity::kBoard;
  m.image = "fedcba9876543210fedcba9876543210";
  m.build = "0.2.0+abc";
  m.seconds = 0.25;
  m.code.constant_bytes = 4096;
  const auto parsed = parse_log_line(to_log_line(m));
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(parsed->run, m.run);
  EXPECT_EQ(parsed->source, m.source);
  EXPECT_EQ(parsed->fidelity, m.fidelity);
  EXPECT_EQ(parsed->image, m.image);
  EXPECT_EQ(parsed->build, m.build);
  EXPECT_EQ(parsed->seconds, m.seconds);
  EXPECT_EQ(parsed->code, m.code);
}

TEST(LogLine, LineOfVersion01_IsReadAsASimulatorsOfNoKnownRun) {
  const std::string line =
      R"({"v":1,"device":"esp32c3","device_hash":"eb6a036611c6855b")"
      R"(,"workload":"conv2d_s8 nhwc n1 in49x10x1 out25x5x64 k10x4 s2x2 d1x1 p4,1 g1 m1 zp83,-128 act-128,127 lane2 fused")"
      R"(,"schedule":"lanes_nhwc/2 oc=2 pairs=3 first=2 step=2 border=copy sched=source")"
      R"(,"outcome":"ok","cycles":[944611],"instructions":798339,"code_bytes":1690,"ram_bytes":1308)"
      R"(,"seed":1,"tuner":"xgb","tool":"tinytune 0.1.0","time":"2026-11-22T01:22:19Z","sum":"9b06316ea2e9c3a8"})";
  const auto parsed = parse_log_line(line);
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(parsed->source, kSimulatorSource);
  EXPECT_EQ(parsed->fidelity, Fidelity::kSimulate);
  EXPECT_EQ(parsed->run, "");
  EXPECT_EQ(parsed->tool, "tinytune 0.1.0");
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
