// Device files that name a base device and change some of its keys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/device.h"
#include "tests/devices/device_file_text.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

constexpr const char* kHead = "name = \"mine\"\ndescription = \"Mine\"\nbase = \"stm32l4r5\"\n";

Device mine(const std::string& rest) {
  const auto device = parse_device(kHead + rest, "mine.toml");
  EXPECT_TRUE(device) << device.error().message();
  return *device;
}

TEST(BaseDevice, FileThatChangesNothing_IsTheBaseByAnotherName) {
  const Device device = mine("");
  EXPECT_EQ(device.name, "mine");
  EXPECT_EQ(device.description, "Mine");
  EXPECT_EQ(device.hash, load_device("stm32l4r5")->hash);
}

TEST(BaseDevice, MemoryOfAKnownName_ChangesKeyByKeyInItsPlace) {
  const Device base = *load_device("stm32l4r5");
  const Device device = mine("[[memory]]\nname = \"sram1\"\nsize_bytes = 0x20000\n");
  ASSERT_EQ(device.memories.size(), base.memories.size());
  for (size_t i = 0; i < base.memories.size(); ++i) {
    EXPECT_EQ(device.memories[i].name, base.memories[i].name);
    EXPECT_EQ(device.memories[i].address, base.memories[i].address);
    const bool changed = base.memories[i].name == "sram1";
    EXPECT_EQ(device.memories[i].size_bytes, changed ? 0x20000u : base.memories[i].size_bytes);
  }
}

TEST(BaseDevice, MemoryOfANewName_IsAdded) {
  const Device device = mine(
      "[[memory]]\nname = \"psram\"\naddress = 0x90000000\nsize_bytes = 0x100000\n"
      "executable = false\nwritable = true\n");
  EXPECT_EQ(device.memory("psram").address, 0x90000000u);
  EXPECT_EQ(device.memories.size(), load_device("stm32l4r5")->memories.size() + 1);
}

TEST(BaseDevice, TablesThatBelongTogether_AreReplacedAsAWhole) {
  const Device device = mine("[timing]\nmodel = \"unit\"\n");
  EXPECT_EQ(device.timing.model, "unit");
  EXPECT_TRUE(device.timing.cycles.empty());
  EXPECT_THAT(refusal(std::string(kHead) + "[target]\nfamily = \"arm-m\"\n"),
              HasSubstr("missing key 'isa' in [target]"));
}

TEST(BaseDevice, DualBankL4r5_ReadsHalfAsMuchOfItsFlashAtATime) {
  const Device device = *load_device("stm32l4r5-dual-bank"), base = *load_device("stm32l4r5");
  EXPECT_EQ(device.cache("art_code").fill_bytes * 2, base.cache("art_code").fill_bytes);
  EXPECT_EQ(device.cache("art_data").fill_bytes * 2, base.cache("art_data").fill_bytes);
  EXPECT_EQ(device.memory("flash_rodata").fill_cycles * 2, base.memory("flash_rodata").fill_cycles);
  EXPECT_EQ(device.memory("flash").next_fill_cycles, device.memory("flash").fill_cycles);
}

TEST(BaseDevice, CoreWithLongerVectors_IsOneFile) {
  const std::string head = "name = \"mine\"\ndescription = \"Mine\"\nbase = \"vicuna\"\n";
  const Device base = *load_device("vicuna");
  const auto device =
      parse_device(head +
                       "[target]\nfamily = \"riscv32\"\nisa = \"rv32imc_zve32x\"\n"
                       "triple = \"riscv32-unknown-elf\"\ncpu = \"generic-rv32\"\nabi = \"ilp32\"\n"
                       "features = \"+m,+c,+zve32x\"\nvlen = 512\n",
                   "mine.toml");
  ASSERT_TRUE(device) << device.error().message();
  EXPECT_EQ(base.target.vector_bits, 128u);
  EXPECT_EQ(device->target.vector_bits, 512u);
  EXPECT_EQ(device->timing.cycles, base.timing.cycles);
  EXPECT_NE(device->hash, base.hash);
}

TEST(BaseDevice, ChipWithACortexM55_IsOneFile) {
  const auto device = parse_device(
      "name = \"mine\"\ndescription = \"Mine\"\nbase = \"corstone300\"\nclock_hz = 400_000_000\n"
      "[[memory]]\nname = \"itcm\"\naddress = 0x50000000\n"
      "[[memory]]\nname = \"itcm_rodata\"\naddress = 0x80000000\nsize_bytes = 0x500000\n"
      "fill_cycles = 6\n",
      "mine.toml");
  ASSERT_TRUE(device) << device.error().message();
  EXPECT_EQ(device->timing.model, "helium");
  EXPECT_EQ(device->memory("itcm_rodata").fill_cycles, 6u);
  EXPECT_TRUE(device->target.can(Capability::kMve));
}

TEST(BaseDevice, NameAndDescription_AreNotTheBases) {
  EXPECT_THAT(refusal("base = \"stm32l4r5\"\n"),
              HasSubstr("board.toml:1: missing key 'name' in the file"));
}

TEST(BaseDevice, BaseThatIsNoneOrHasOne_IsRefused) {
  const std::string name = "name = \"mine\"\ndescription = \"Mine\"\n";
  EXPECT_EQ(refusal(name + "base = \"stm32l9\"\n"),
            "board.toml:3: base 'stm32l9' is not a known device");
  EXPECT_EQ(refusal(name + "base = \"stm32l4r5-dual-bank\"\n"),
            "board.toml:3: base 'stm32l4r5-dual-bank' has a base itself");
  EXPECT_THAT(refusal(name + "base = \"../other.toml\"\n"), HasSubstr("is not a known device"));
  EXPECT_THAT(refusal(name + "base = 7\n"), HasSubstr("must be a string"));
}

TEST(BaseDevice, Mistakes_AreNamedWithTheFileTheyAreIn) {
  EXPECT_EQ(refusal(std::string(kHead) + "[[memory]]\nname = \"sram1\"\nlatency = 2\n"),
            "board.toml:6: unknown key 'latency' in [[memory]]");
}

}  // namespace
}  // namespace tinytune
