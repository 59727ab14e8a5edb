// Caches and slow memories: how many fills an access takes, and how runs wait for them.
#include "simulator/memory_timing.h"

#include <gtest/gtest.h>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

using Replacement = CacheModel::Replacement;

// Two sets of two lines, each of 16 bytes in two halves.
CacheModel small_cache(Replacement replacement = Replacement::kLru) {
  CacheModel model;
  model.size_bytes = 64;
  model.line_bytes = 16;
  model.ways = 2;
  model.fill_bytes = 8;
  model.replacement = replacement;
  return model;
}

TEST(Cache, EachHalfLine_IsFilledOnce) {
  Cache cache(small_cache());
  EXPECT_EQ(cache.touch(0x100, 4), 1u);
  EXPECT_EQ(cache.touch(0x104, 4), 0u);
  EXPECT_EQ(cache.touch(0x108, 1), 1u);
  EXPECT_EQ(cache.touch(0x100, 16), 0u);
}

TEST(Cache, AccessAcrossLines_FillsWhatItTouches) {
  Cache cache(small_cache());
  EXPECT_EQ(cache.touch(0x10C, 8), 2u) << "the end of one line, the start of the next";
  EXPECT_EQ(cache.touch(0x100, 32), 2u) << "the other two halves";
}

TEST(Cache, AddressesOfOneSet_PushOutTheLeastRecentlyUsed) {
  Cache cache(small_cache());
  cache.touch(0x000, 4);
  cache.touch(0x020, 4);
  cache.touch(0x000, 4);                 // 0x020 is now the older one
  EXPECT_EQ(cache.touch(0x040, 4), 1u);  // and is evicted
  EXPECT_EQ(cache.touch(0x000, 4), 0u);
  EXPECT_EQ(cache.touch(0x020, 4), 1u);
  EXPECT_EQ(cache.touch(0x010, 4), 1u) << "another set";
  EXPECT_EQ(cache.touch(0x000, 4), 0u);
}

TEST(Cache, FirstInFirstOut_IgnoresUse) {
  Cache cache(small_cache(Replacement::kFifo));
  cache.touch(0x000, 4);
  cache.touch(0x020, 4);
  cache.touch(0x000, 4);
  cache.touch(0x040, 4);
  EXPECT_EQ(cache.touch(0x020, 4), 0u);
  EXPECT_EQ(cache.touch(0x000, 4), 1u);
}

TEST(Cache, ReturningLine_IsEmpty) {
  Cache cache(small_cache());
  cache.touch(0x000, 16);
  cache.touch(0x020, 16);
  cache.touch(0x040, 16);
  EXPECT_EQ(cache.touch(0x000, 4), 1u);
  EXPECT_EQ(cache.touch(0x008, 4), 1u);
}

// 5 wait states, 64-bit fills: STM32F4 fetches 128 bits at a time.
class SlowCode : public testing::Test {
 protected:
  static std::string adds(int count) {
    std::string code;
    for (int i = 0; i < count; ++i) code += "adds r2,r2,r3\n";
    return code;
  }
  static CallReport run(const std::string& code, bool zero_wait = false) {
    Program program("stm32f4", code);
    CallOptions options;
    options.zero_wait = zero_wait;
    const CallReport report = program.call({program.data(), 4}, options);
    EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
    return report;
  }
};

TEST_F(SlowCode, StraightCode_WaitsForEachFillOnce) {
  const CallReport report = run("f: " + adds(31) + "bx lr\n");  // 64 bytes
  EXPECT_EQ(report.counts.fetch_wait_cycles, 4 * 5u);
  EXPECT_EQ(report.counts.read_wait_cycles, 0u);
  const CallReport core = run("f: " + adds(31) + "bx lr\n", true);
  EXPECT_EQ(core.counts.fetch_wait_cycles, 0u);
  EXPECT_EQ(core.counts.cycles + 20, report.counts.cycles);
}

TEST_F(SlowCode, LoopInsideTheCache_WaitsInItsFirstPassOnly) {
  const std::string loop = "f: movs r1,#10\n1: " + adds(100) + "subs r1,#1\nbne 1b\nbx lr\n";
  EXPECT_EQ(run(loop).counts.fetch_wait_cycles, 13 * 5u);  // 208 bytes
}

TEST_F(SlowCode, LoopLargerThanTheCache_WaitsInEveryPass) {
  // 1204 bytes in 76 lines, 64 of which fit: the least recently used is always the next one.
  const std::string loop = "f: movs r1,#10\nnop\n1: " + adds(598) + "subs r1,#1\nbne.w 1b\nbx lr\n";
  const uint64_t waits = run(loop).counts.fetch_wait_cycles;
  EXPECT_GE(waits, 10 * 75 * 5u);
  EXPECT_LE(waits, 10 * 77 * 5u);
}

TEST_F(SlowCode, Literal_IsReadThroughTheDataCache) {
  Program program(in_flash("stm32l4r5"), "f: ldr r2,1f\nldr r2,1f\nbx lr\n.align 2\n1: .word 7\n");
  EXPECT_EQ(program.call().counts.read_wait_cycles, 5u);
}

TEST_F(SlowCode, EveryCall_StartsCold) {
  Program program("stm32f4", "f: " + adds(31) + "bx lr\n");
  EXPECT_EQ(program.call({}).counts.cycles, program.call({}).counts.cycles);
  EXPECT_EQ(program.call({}).counts.fetch_wait_cycles, 20u);
}

TEST_F(SlowCode, Sections_CarryTheirOwnWaits) {
  Program program(
      "stm32f4",
      ".type g,%function\n.globl g\nf: push {r4,lr}\nbl g\npop {r4,pc}\n.p2align 4\ng: " +
          adds(31) + "bx lr\n");
  CallOptions options;
  options.sections = {program.symbol("g")};
  const CallReport report = program.call({}, options);
  EXPECT_EQ(report.sections.at(0).fetch_wait_cycles, 20u);
  EXPECT_EQ(report.counts.fetch_wait_cycles, 25u);
  EXPECT_EQ(report.sections.at(0).cycles, 31 + 3 + 20u);
}

TEST_F(SlowCode, PrefetchBuffer_HidesPartOfWhatIsRunInto) {
  // 30 words of code in 16-byte reads: one is jumped to, the seven others follow in sequence.
  const std::string body = "f: " + adds(59) + "bx lr\n";
  Program program(in_flash("stm32l4r5"), body);
  const Device device = *load_device("stm32l4r5");
  const MemoryRegion& flash = device.memory(device.code_memory);
  EXPECT_LT(flash.next_fill_cycles, flash.fill_cycles);
  EXPECT_EQ(program.call().counts.fetch_wait_cycles,
            flash.fill_cycles + 7 * flash.next_fill_cycles);
}

TEST(SlowData, WeightsInFlash_CostOneFillForEachSixteenBytes) {
  const Device device = *load_device("stm32l4r5");
  Program program("stm32l4r5", "f: movs r1,#64\n1: ldr r2,[r0],#4\nsubs r1,#1\nbne 1b\nbx lr\n");
  const uint32_t weights = device.memory(device.rodata_memory).address;
  ASSERT_TRUE(program.simulator().write(weights, std::vector<uint8_t>(256)));
  const Counts slow = program.call({weights}).counts;
  EXPECT_EQ(slow.read_wait_cycles, 256 / 16 * 8u);
  const Counts fast = program.call({program.data()}).counts;
  EXPECT_EQ(fast.read_wait_cycles, 0u);
  EXPECT_EQ(fast.cycles + slow.read_wait_cycles, slow.cycles);
}

TEST(SlowData, RestOfALine_ComesWhileTheCoreGoesOn) {
  const Device device = *load_device("ra8d1");
  const MemoryRegion& flash = device.memory(device.rodata_memory);
  const auto rest = static_cast<uint32_t>(device.timing.cycles.at("fill_rest"));
  ASSERT_GT(rest, 0u);
  const auto waited = [&](const std::string& between) {
    Program program("ra8d1", "f: ldr r1,[r0]\n" + between + "ldr r2,[r0,#32]\nbx lr\n");
    return program.call({flash.address}).counts.read_wait_cycles;
  };
  EXPECT_EQ(waited(""), 2 * flash.fill_cycles - rest);
  EXPECT_EQ(waited("movs r3,#30\n1: subs r3,#1\nbne 1b\n"), 2 * (flash.fill_cycles - rest));
}

// Cycles that `code` waits for constants, whose address is in r0.
uint64_t waited_for_constants(const std::string& device, const std::string& code) {
  Program program(device, "f: " + code + "bx lr\n");
  const Device& of = program.device();
  const uint32_t constants = of.memory(of.rodata_memory).address;
  EXPECT_TRUE(program.simulator().write(constants, std::vector<uint8_t>(128)));
  return program.call({constants}).counts.read_wait_cycles;
}

TEST(Prefetch, Line_ComesWhileTheCoreGoesOn) {
  const Device device = *load_device("stm32h7");
  const uint32_t fill = device.memory(device.rodata_memory).fill_cycles;
  const std::string busy = "movs r3,#30\n1: subs r3,#1\nbne 1b\n";
  EXPECT_EQ(waited_for_constants("stm32h7", "ldr r1,[r0]\n"), fill);
  EXPECT_EQ(waited_for_constants("stm32h7", "pld [r0]\nldr r1,[r0]\n"), fill) << "still coming";
  EXPECT_EQ(waited_for_constants("stm32h7", "pld [r0]\n" + busy + "ldr r1,[r0]\n"), 0u);
  EXPECT_EQ(
      waited_for_constants("stm32h7", "adds r0,#64\npld [r0,#-64]\n" + busy + "ldr r1,[r0,#-64]\n"),
      0u);
  EXPECT_EQ(waited_for_constants("stm32h7", "pld [r0,#32]\n" + busy + "ldr r1,[r0]\n"), fill)
      << "another line";
  EXPECT_EQ(waited_for_constants("stm32h7", "pld [r0]\nldr r1,[r0,#32]\n"), 2 * fill)
      << "lines come one after another";
}

TEST(Prefetch, ThirdLine_WaitsForABuffer) {
  const Device device = *load_device("stm32h7");
  const uint32_t fill = device.memory(device.rodata_memory).fill_cycles;
  const std::string two = "pld [r0]\npld [r0,#32]\n";
  EXPECT_EQ(waited_for_constants("stm32h7", two), 0u);
  EXPECT_EQ(waited_for_constants("stm32h7", two + "pld [r0,#64]\n"), fill);
  EXPECT_EQ(waited_for_constants("stm32h7", two + "pld [r0,#32]\n"), 0u) << "it is on its way";
}

TEST(SlowData, SharedCache_HoldsCodeAndData) {
  // ESP32-C3, code in SRAM: 20 KiB of constants do not fit its 16 KiB cache, 8 KiB do.
  for (const auto& [bytes, passes] : {std::pair{20480u, 2u}, std::pair{8192u, 1u}}) {
    Program program("esp32c3",
                    "f: li a2,2\n1: mv a3,a0\nadd a4,a0,a1\n2: lw a5,0(a3)\naddi a3,a3,4\n"
                    "bltu a3,a4,2b\naddi a2,a2,-1\nbnez a2,1b\nret\n");
    const uint32_t weights = program.device().memory("flash_rodata").address;
    ASSERT_TRUE(program.simulator().write(weights, std::vector<uint8_t>(bytes)));
    EXPECT_EQ(program.call({weights, bytes}).counts.read_wait_cycles, passes * bytes / 32 * 168);
  }
}

}  // namespace
}  // namespace tinytune
