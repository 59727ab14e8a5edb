// [board]: its facts, their effect, and the refusal of wrong or incomplete tables.
#include "devices/board_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/devices/device_file_text.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

TEST(BoardFacts, Esp32c3_CountsWithItsOwnRegisterAndWritesSramOnly) {
  const Device device = load_device("esp32c3").value();
  const BoardFacts facts = load_board_facts("esp32c3").value();
  EXPECT_EQ(facts.counter, CycleCounter::kCsr);
  EXPECT_EQ(facts.counter_csr, 0x7E2u);
  ASSERT_FALSE(facts.setup.empty());
  EXPECT_TRUE(facts.setup.front().is_csr);
  EXPECT_TRUE(facts.may_write(device, 0x40380000, 0x30000));
  EXPECT_FALSE(facts.may_write(device, 0x40380000, 0x30001));
  EXPECT_FALSE(facts.may_write(device, 0x42000000, 4)) << "flash";
  EXPECT_FALSE(facts.may_write(device, 0xFFFFFFFF, 2)) << "beyond the last address";
}

TEST(BoardFacts, CounterOfAnArmCore_IsWhatItsArchitectureHas) {
  EXPECT_EQ(load_board_facts("rp2040").value().counter, CycleCounter::kSysTick);
  EXPECT_EQ(load_board_facts("stm32f7").value().counter, CycleCounter::kDwt);
  EXPECT_EQ(load_board_facts("qemu-mps2-m4").value().counter, CycleCounter::kSysTick);
}

TEST(BoardFacts, DeviceWithoutABoard_IsSimulatedOnly) {
  const auto facts = load_board_facts("cortex-m4");
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(facts.error().message(), HasSubstr("simulated only"));
}

TEST(BoardFacts, DeviceThatAnotherFileDrives_NamesThatOne) {
  EXPECT_THAT(load_board_facts("stm32f4").error().message(), HasSubstr("as a board it is stm32f4-sram"));
  EXPECT_EQ(load_board_facts("stm32f4-sram").value().runner->core_clock_hz, 16'000'000u);
}

TEST(BoardFacts, WrongTables_AreRefusedWithTheirLine) {
  const std::string ram = "ram = [\"iram\", \"dram\", \"stack\"]";
  EXPECT_THAT(refusal(changed(ram, "ram = [\"irom\"]")), HasSubstr("no memory is named 'irom'"));
  EXPECT_THAT(refusal(changed(ram, "")), HasSubstr("missing key 'ram'"));
  EXPECT_THAT(refusal(changed(ram, ram + "\nramm = 1")), HasSubstr("unknown key 'ramm'"));
  EXPECT_THAT(refusal(changed(ram, ram + "\ncounter = \"dwt\"")), HasSubstr("[[counter]] table"));
  EXPECT_THAT(refusal(changed("{ csr = 0x7E0, value = 1 }", "{ csr = 4096, value = 1 }")),
              HasSubstr("setup must be"));
  EXPECT_THAT(refusal(changed("{ csr = 0x7E0, value = 1 }", "{ csr = 1, address = 4, value = 1 }")),
              HasSubstr("setup must be"));
  EXPECT_THAT(refusal(changed("0x6001F064, value", "0x6001F065, value")),
              HasSubstr("setup must be"));
  EXPECT_THAT(refusal(changed("loader = \"esp_rom\"", "plic_address = 0x0C000000")),
              HasSubstr("plic_address and a uart_interrupt"));
  EXPECT_THAT(refusal(changed("loader = \"esp_rom\"", "loader = 7")), HasSubstr("loader"));
  EXPECT_THAT(refusal(changed("size_bytes = 6 }", "size_bytes = 0 }")), HasSubstr("1 to 32 bytes"));
  EXPECT_THAT(refusal(changed("counts = \"cycles\"", "counts = \"instructions\"")),
              HasSubstr("counts cycles"));
}

TEST(BoardFacts, BoardTable_ChangesNoHash) {
  const std::string text = file_of("esp32c3");
  const std::string without =
      text.substr(0, text.find("[board]")) + text.substr(text.find("[timing]"));
  EXPECT_EQ(parse_device(without, "a.toml").value().hash, load_device("esp32c3").value().hash);
}

}  // namespace
}  // namespace tinytune
