// Two sections that stand for two cores: how long they take together, and what they must not touch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

// Each half adds 64 bytes of its own rows; the second begins at `row`.
std::string two_halves(int row) {
  return "__attribute__((noinline)) void first(volatile unsigned char *p) {\n"
         "  for (int i = 0; i < 64; ++i) p[i] = p[512 + i] + p[i + 513];\n}\n"
         "__attribute__((noinline)) void second(volatile unsigned char *p) {\n"
         "  for (int i = 0; i < 64; ++i) p[" +
         std::to_string(row) +
         " + i] = p[576 + i] + p[575 + i];\n}\n"
         "void f(volatile unsigned char *p) { first(p); second(p); p[0] = 1; }\n";
}

CallReport together(const Device& device, const std::string& source) {
  auto simulator = Simulator::create(device);
  const auto elf = simulator->load(compile_c(source, device));
  EXPECT_TRUE(elf) << elf.error().message();
  CallOptions options;
  options.sections = {elf->symbols.at("first").address & ~1u,
                      elf->symbols.at("second").address & ~1u};
  options.pairs = {{0, 1}};
  const uint32_t data = device.memory(device.data_memory).address;
  const auto report = simulator->call(elf->symbols.at("f").address, {&data, 1}, options);
  EXPECT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->end, CallEnd::kReturned) << report->detail;
  return *report;
}

TEST(CoreOverlap, RowsOfTheirOwn_TakeAsLongAsTheSlowerAndWhatTheyCollide) {
  const CallReport report = together(*load_device("rp2040"), two_halves(64));
  EXPECT_EQ(report.race, "");  // they read each other's halo
  ASSERT_EQ(report.joined.size(), 1u);
  const JoinedVisit& joined = report.joined[0];
  const uint64_t slower = std::max(report.sections[0].cycles, report.sections[1].cycles);
  EXPECT_EQ(joined.cycles, slower + joined.collision_cycles);
  EXPECT_GT(joined.collision_cycles, slower / 50);  // four banks hold code and data of both
  EXPECT_LT(joined.collision_cycles, slower / 5);
}

TEST(CoreOverlap, OneByteOfTheOthersRow_IsARace) {
  EXPECT_THAT(together(*load_device("rp2040"), two_halves(63)).race,
              HasSubstr("which the other core writes"));
  EXPECT_THAT(together(*load_device("rp2350"), two_halves(449)).race,
              HasSubstr("write at 0x20040200, which the other core reads"));
}

// One port: fills of both are behind each other, but what one has brought the other finds.
TEST(CoreOverlap, SharedCache_ServesBothWithOneFill) {
  const std::string source =
      "static const unsigned char weights[4096] = {1};\n"
      "static __attribute__((noinline)) unsigned sum(const volatile unsigned char *w) {\n"
      "  unsigned all = 0;\n  for (int i = 0; i < 4096; i += 4) all += w[i];\n  return all;\n}\n"
      "__attribute__((noinline)) void first(volatile unsigned *p) { p[0] = sum(weights); }\n"
      "__attribute__((noinline)) void second(volatile unsigned *p) { p[1] = sum(weights); }\n"
      "void f(volatile unsigned *p) { first(p); second(p); p[2] = 1; }\n";
  const CallReport report = together(in_flash("rp2040"), source);
  const Counts &first = report.sections[0], &second = report.sections[1];
  EXPECT_GT(first.read_wait_cycles, uint64_t{1024} * 48);
  EXPECT_LT(second.read_wait_cycles, first.read_wait_cycles / 4);  // it came when all was there
  EXPECT_EQ(report.race, "");
  ASSERT_EQ(report.joined.size(), 1u);
  EXPECT_GE(report.joined[0].cycles, first.cycles);
  EXPECT_LT(report.joined[0].cycles, first.cycles + second.cycles / 4);
}

TEST(CoreOverlap, WithoutPairs_NothingIsJoined) {
  Program program("rp2040", ".syntax unified\n.thumb\n.thumb_func\n.global f\nf: bx lr\n");
  const CallReport report = program.call();
  EXPECT_TRUE(report.joined.empty());
  EXPECT_EQ(report.race, "");
}

}  // namespace
}  // namespace tinytune
