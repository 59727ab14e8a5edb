// Two sections simulated as two cores: how long they take together, and what neither may touch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

// Each half writes 64 bytes, the second from `row` on.
std::string two_halves(int row) {
  return "__attribute__((noinline)) void first(volatile unsigned char *p) {\n"
         "  for (int i = 0; i < 64; ++i) p[i] = p[512 + i] + p[i + 513];\n}\n"
         "__attribute__((noinline)) void second(volatile unsigned char *p) {\n"
         "  for (int i = 0; i < 64; ++i) p[" +
         std::to_string(row) +
         " + i] = p[576 + i] + p[575 + i];\n}\n"
         "void f(volatile unsigned char *p) { first(p); second(p); p[0] = 1; }\n";
}

CallReport together(const Device& device, const std::string& source,
                    std::optional<ArrivalWay> arrival = {}) {
  auto simulator = Simulator::create(device);
  const auto elf = simulator->load(compile_c(source, device));
  EXPECT_TRUE(elf) << elf.error().message();
  CallOptions options;
  options.sections = {elf->symbols.at("first").address & ~1u,
                      elf->symbols.at("second").address & ~1u};
  options.pairs = {{0, 1}};
  options.arrival = std::move(arrival);
  const uint32_t data = device.memory(device.data_memory).address;
  const auto report = simulator->call(elf->symbols.at("f").address, {&data, 1}, options);
  EXPECT_TRUE(report) << report.error().message();
  if (!options.arrival) {
    EXPECT_EQ(report->end, CallEnd::kReturned) << report->detail;
  }
  return *report;
}

TEST(CoreOverlap, RowsOfTheirOwn_TakeAsLongAsTheSlowerAndWhatTheyCollide) {
  const CallReport report = together(*load_device("rp2040"), two_halves(64));
  EXPECT_EQ(report.race, "");  // both may read the halo
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

// The port is shared, so the fills of both queue, but each finds what the other has brought.
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
  EXPECT_LT(second.read_wait_cycles, first.read_wait_cycles / 4);  // most lines are there by then
  EXPECT_EQ(report.race, "");
  ASSERT_EQ(report.joined.size(), 1u);
  EXPECT_GE(report.joined[0].cycles, first.cycles);
  EXPECT_LT(report.joined[0].cycles, first.cycles + second.cycles / 4);
}

/// Two parts in assembly, each aligned to 16 bytes, with the data's address in a0.
struct Parts {
  std::string name, first, second;
  double eight_banks, four_banks;  ///< cycles until both have ended
};

uint64_t cycles_joined(const Device& device, const Parts& parts) {
  Program program(device, ".text\n.p2align 4\n.globl first\nfirst:\n" + parts.first +
                              "ret\n.p2align 4\n.globl second\nsecond:\n" + parts.second +
                              "ret\n.p2align 4\n.globl f\nf: addi sp,sp,-16\nsw ra,0(sp)\n"
                              "sw a0,4(sp)\njal first\nlw a0,4(sp)\njal second\nlw ra,0(sp)\n"
                              "addi sp,sp,16\nret\n");
  CallOptions options;
  options.sections = {program.symbol("first"), program.symbol("second")};
  options.pairs = {{0, 1}};
  const CallReport report = program.call({program.data()}, options);
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.joined.size(), 1u);
  return report.joined.empty() ? 0 : report.joined[0].cycles;
}

/// Code and data in the same banks.
Device with_four_banks() {
  Device device = *load_device("rp2350-riscv");
  for (MemoryRegion& memory : device.memories)
    if (!memory.banks.empty()) memory.banks = {"0", "1", "2", "3"};
  return device;
}

// The figures are those of two Hazard3 cores as RTL, over banks that serve their ports in turn; the
// second core starts seven cycles late: bench/cores/rtl/loops.py.
TEST(CoreOverlap, TwoPortsACore_LoseInBanksWhatTheRtlLoses) {
  const std::string products =
      "li a2,800\n1: lw a3,0(a0)\nlw a4,4(a0)\nlw a5,8(a0)\nlw a6,12(a0)\nmul a3,a3,a4\n"
      "mul a5,a5,a6\nadd a7,a7,a3\nadd t0,t0,a5\naddi a0,a0,16\naddi a2,a2,-1\nbnez a2,1b\n";
  const std::string wide = ".option norvc\n" + products;
  const auto stores = [](const std::string& at) {
    return "li a2,2000\n1: sw a3," + at + "(a0)\nsw a3," + at + "(a0)\naddi a2,a2,-1\nbnez a2,1b\n";
  };
  const std::string sums =
      "li a2,2000\n1: lw a3,0(a0)\nadd a4,a4,a3\naddi a0,a0,4\naddi a2,a2,-1\nbnez a2,1b\n";
  const std::string bytes =
      "li a2,1500\n1: lb a3,0(a0)\nlb a4,1(a0)\nlb a5,2(a0)\nmul a3,a3,a4\nadd a6,a6,a3\n"
      "addi a0,a0,1\naddi a2,a2,-1\nbnez a2,1b\n";
  const std::string words =
      "li a2,1900\n1: lw a3,0(a0)\nlw a4,4(a0)\nmul a3,a3,a4\nsrai a3,a3,3\nadd a6,a6,a3\n"
      "addi a0,a0,4\naddi a2,a2,-1\nbnez a2,1b\n";
  const std::string calls =
      ".option norvc\nmv t1,ra\nli a2,700\n1: jal 2f\naddi a2,a2,-1\nbnez a2,1b\nmv ra,t1\nj 3f\n"
      "2: lw a3,0(a0)\naddi a0,a0,8\nmul a4,a3,a3\nret\n3: nop\n";
  constexpr double kCall = 10;
  for (const Parts& parts : {Parts{"sums of one array", sums, sums, 12005, 12005},
                             Parts{"products of one array", products, products, 8805, 8805},
                             Parts{"the same, wide", wide, wide, 8805, 8809},
                             Parts{"stores of one bank", stores("64"), stores("128"), 10001, 10004},
                             Parts{"loops that differ", bytes, words, 17104, 17573},
                             Parts{"calls", calls, calls, 6310, 6311}}) {
    EXPECT_NEAR(cycles_joined(*load_device("rp2350-riscv"), parts), parts.eight_banks, kCall)
        << parts.name;
    EXPECT_NEAR(cycles_joined(with_four_banks(), parts), parts.four_banks, kCall) << parts.name;
  }
}

// Long parts are followed in windows.
TEST(CoreOverlap, LongParts_LoseTheShareThatShortOnesLose) {
  const auto stores = [](const std::string& count, const std::string& at) {
    return "li a2," + count + "\n1: sw a3," + at + "(a0)\nsw a3," + at +
           "(a0)\naddi a2,a2,-1\nbnez a2,1b\n";
  };
  const auto joined = [&](const std::string& count) {
    return static_cast<double>(cycles_joined(
        *load_device("rp2350-riscv"), {"", stores(count, "64"), stores(count, "128"), 0, 0}));
  };
  EXPECT_NEAR(joined("1000000") / joined("2000"), 500, 5);
}

// Two parts of some 1800 cycles each, and more code: before both, and at the end of either.
// start() streams 64 words to RAM in 2816 cycles; f() waits for them.
struct Besides {
  std::string in_f = {}, in_first = {}, in_second = {};
};

CallReport beside_a_stream(const Besides& also) {
  const std::string source = R"(
typedef unsigned int word;
static const word weights[64] = {1};
static __attribute__((noinline)) void start(volatile word *to) {
  volatile word *const xip = (volatile word *)0x14000000u;
  volatile word *const dma = (volatile word *)(0x50000000u + 16u * 4u * 11u);
  xip[5] = (word)weights;
  xip[6] = 64u;
  dma[0] = 0x50400000u;
  dma[1] = (word)to;
  dma[2] = 64u;
  dma[3] = 1u | 2u << 2 | 1u << 5 | 11u << 11 | 37u << 15 | 1u << 21;
}
static __attribute__((noinline)) void wait(void) {
  while ((*(volatile word *)(0x50000000u + 16u * 4u * 11u + 12u) & 1u << 24) != 0u) {
  }
}
static __attribute__((noinline)) void compute(volatile word *p) {
  for (int i = 0; i < 350; ++i) *p += 1u;
}
__attribute__((noinline)) void first(volatile word *p) { compute(p); )" +
                             also.in_first + R"( }
__attribute__((noinline)) void second(volatile word *p) { compute(p + 1); )" +
                             also.in_second + R"( }
void f(volatile word *p) { )" +
                             also.in_f + R"( first(p); second(p); wait(); }
)";
  return together(*load_device("rp2040"), source, load_arrival_ways("rp2040")->front());
}

TEST(CoreOverlap, UnitThatBringsWeights_GoesOnForAsLongAsBothTakeTogether) {
  const CallReport report = beside_a_stream({.in_f = "start(p + 2);"});
  ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
  ASSERT_EQ(report.joined.size(), 1u);
  const uint64_t apart = report.sections[0].cycles + report.sections[1].cycles;
  EXPECT_GT(apart, 64u * 44u) << "one after the other they would hide all of it";
  EXPECT_LT(report.joined[0].cycles, 64u * 44u);
  EXPECT_NEAR(static_cast<double>(report.counts.cycles - apart + report.joined[0].cycles), 64 * 44,
              100);
}

TEST(CoreOverlap, BytesThatAUnitBrings_AreMissedByBothParts) {
  const std::string last = "p[0] = p[65];";
  for (const Besides& reads :
       {Besides{"start(p + 2);", last, ""}, Besides{"start(p + 2);", "", last}}) {
    const CallReport report = beside_a_stream(reads);
    EXPECT_EQ(report.end, CallEnd::kFault);
    EXPECT_THAT(report.detail, HasSubstr("where weights are still arriving"));
  }
}

TEST(CoreOverlap, TransferThatSetsOutInAPart_IsAFault) {
  const CallReport report = beside_a_stream({.in_first = "start(p + 2);"});
  EXPECT_EQ(report.end, CallEnd::kFault);
  EXPECT_THAT(report.detail, HasSubstr("started while two cores share a layer"));
}

TEST(CoreOverlap, WithoutPairs_NothingIsJoined) {
  Program program("rp2040", ".syntax unified\n.thumb\n.thumb_func\n.global f\nf: bx lr\n");
  const CallReport report = program.call();
  EXPECT_TRUE(report.joined.empty());
  EXPECT_EQ(report.race, "");
}

}  // namespace
}  // namespace tinytune
