// Cycles of unaligned accesses on Cortex-M4: a load is split into parts, a store waits in the write
// buffer.
#include <gtest/gtest.h>

#include <string>

#include "simulator/program.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

uint64_t cycles(const std::string& access) {
  const Device device = *load_device("stm32l4r5");
  const auto elf = assemble("f: ldr r0,=data\n.balign 4\n" + access +
                                "\nnop\nbx lr\n.ltorg\n.data\n.balign 4\ndata: .zero 16\n",
                            device);
  ProgramOptions options;
  options.function = "f";
  const auto report = run_program(device, *load_program_facts(device.name), elf, options);
  EXPECT_TRUE(report) << report.error().message();
  return report ? report->counts.cycles : 0;
}

TEST(UnalignedAccess, LoadOfTwoParts_TakesOneMore) {
  EXPECT_EQ(cycles("ldr r1,[r0,#2]"), cycles("ldr r1,[r0,#4]") + 1);
  EXPECT_EQ(cycles("ldrh.w r1,[r0,#1]"), cycles("ldrh.w r1,[r0,#2]") + 1);
}

TEST(UnalignedAccess, WordOnAnOddAddress_IsLoadedInThree) {
  EXPECT_EQ(cycles("ldr r1,[r0,#3]"), cycles("ldr r1,[r0,#4]") + 2);
}

TEST(UnalignedAccess, Store_WaitsInTheBuffer) {
  EXPECT_EQ(cycles("str r1,[r0,#3]"), cycles("str r1,[r0,#4]"));
}

}  // namespace
}  // namespace tinytune
