// A UF2 file, read back as a ROM reads it.
#include "rpc_device/boards/firmware/uf2.h"

#include <gtest/gtest.h>

#include <map>

#include "rpc_device/boards/firmware/firmware.h"

namespace tinytune::test {
namespace {

uint32_t word_at(std::span<const uint8_t> bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

// Returns the memory that a file fills, byte by byte; checks every field of every block.
std::map<uint32_t, uint8_t> filled_by(const std::vector<uint8_t>& file) {
  std::map<uint32_t, uint8_t> memory;
  EXPECT_EQ(file.size() % 512, 0u);
  const size_t blocks = file.size() / 512;
  for (size_t i = 0; i < blocks; ++i) {
    const auto block = std::span(file).subspan(512 * i, 512);
    EXPECT_EQ(word_at(block, 0), 0x0A324655u);
    EXPECT_EQ(word_at(block, 4), 0x9E5D5157u);
    EXPECT_EQ(word_at(block, 8), 0x2000u) << "it names its family and is not to be left out";
    EXPECT_EQ(word_at(block, 12) % 256, 0u);
    EXPECT_EQ(word_at(block, 16), 256u);
    EXPECT_EQ(word_at(block, 20), i);
    EXPECT_EQ(word_at(block, 24), blocks);
    EXPECT_EQ(word_at(block, 28), 0xE48BFF56u);
    EXPECT_EQ(word_at(block, 508), 0x0AB16F30u);
    for (uint32_t at = 0; at < 256; ++at)
      EXPECT_TRUE(memory.emplace(word_at(block, 12) + at, block[32 + at]).second) << "twice";
  }
  return memory;
}

TEST(Uf2, SegmentsInOneBlock_AreBothThere) {
  const std::vector<ImageSegment> segments = {{0x20000104, {1, 2, 3}}, {0x200001FE, {4, 5, 6, 7}}};
  const auto memory = filled_by(uf2_of(segments, kUf2Rp2040));
  EXPECT_EQ(memory.size(), 512u);
  EXPECT_EQ(memory.begin()->first, 0x20000100u);
  for (const ImageSegment& segment : segments)
    for (size_t i = 0; i < segment.bytes.size(); ++i)
      EXPECT_EQ(memory.at(segment.address + static_cast<uint32_t>(i)), segment.bytes[i]);
  EXPECT_EQ(memory.at(0x20000103), 0);
}

TEST(Uf2, RunnerOfTheRp2040_LiesInSramAndBeginsWithItsEntry) {
  const Device device = load_device("rp2040").value();
  const BoardFacts facts = load_board_facts("rp2040").value();
  const auto elf = build_firmware(device, facts);
  if (!elf && elf.error().code() == ErrorCode::kNotFound) GTEST_SKIP() << elf.error().message();
  ASSERT_TRUE(elf) << elf.error().message();
  const LoadableFirmware runner = loadable(*elf, device).value();
  const auto memory = filled_by(uf2_of(runner.segments, kUf2Rp2040));
  ASSERT_FALSE(memory.empty());
  EXPECT_EQ(memory.begin()->first, runner.entry & ~1u) << "where the ROM jumps to";
  EXPECT_GE(memory.begin()->first, 0x20000000u);
  EXPECT_LT(memory.rbegin()->first, 0x20042000u);
  EXPECT_GT(memory.size(), 2'000u);
  EXPECT_LE(memory.size(), 8'192u);
}

}  // namespace
}  // namespace tinytune::test
