#include "rpc_device/boards/buffer_layout.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

std::vector<Argument> odd_buffers() {
  return {{BufferRole::kInput, 10, 4, {}},
          {BufferRole::kConstant, 4096, 1, {}},
          {BufferRole::kScratch, 5001, 8, {}},
          {BufferRole::kOutput, 7, 4, {}}};
}

const GuardedPages* pages_of(const BufferLayout& layout, size_t buffer, size_t bytes) {
  const GuardedPages& m = layout.mapped[buffer];
  const uint64_t at = layout.addresses[buffer];
  return at >= m.pages.address && at + bytes <= uint64_t{m.pages.address} + m.pages.size_bytes
             ? &m
             : nullptr;
}

std::optional<BufferLayout> placed(const Device& device, const std::vector<Argument>& buffers,
                                   uint32_t used_bytes, std::span<const AddressRange> segments,
                                   Overflow overflow = Overflow::kToFlash) {
  return place_as_firmware_does(device, buffers, used_bytes, segments, overflow);
}

// Whether `address` is outside every buffer and can be accessed without a fault.
bool is_slack(const BufferLayout& layout, uint64_t address) {
  for (const AddressRange& r : layout.slack)
    if (address >= r.address && address < uint64_t{r.address} + r.size_bytes) return true;
  return false;
}

TEST(BufferLayout, Guarded_EveryNeighbouringByteIsUnmappedOrSlack) {
  const auto buffers = odd_buffers();
  for (const std::string& name : known_devices()) {
    const Device device = load_device(name).value();
    if (device.target.family == CoreFamily::kAnyC) continue;  // no guards without a simulator
    const auto both = place_guarded(device, buffers);
    ASSERT_TRUE(both) << name;
    for (const BufferLayout* layout : {&both->at_end, &both->at_start}) {
      for (size_t i = 0; i < buffers.size(); ++i) {
        const size_t size = buffers[i].size_bytes;
        const GuardedPages* pages = pages_of(*layout, i, size);
        ASSERT_NE(pages, nullptr);
        EXPECT_EQ(pages->writable, is_written(buffers[i].role));
        const uint64_t begin = layout->addresses[i], end = begin + size;
        EXPECT_EQ(begin % buffers[i].alignment, 0u);
        EXPECT_TRUE(begin == pages->pages.address || is_slack(*layout, begin - 1));
        EXPECT_TRUE(end == uint64_t{pages->pages.address} + pages->pages.size_bytes ||
                    is_slack(*layout, end));
        for (size_t j = i + 1; j < buffers.size(); ++j)
          EXPECT_GE(layout->mapped[j].pages.address,
                    uint64_t{pages->pages.address} + pages->pages.size_bytes + 4096);
      }
    }
  }
}

TEST(BufferLayout, AtStart_BeginsWithItsPageAndAtEndEndsWithinItsAlignment) {
  const auto buffers = odd_buffers();
  const auto both = place_guarded(load_device("esp32c3").value(), buffers);
  ASSERT_TRUE(both);
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(both->at_start.addresses[i], both->at_start.mapped[i].pages.address);
    const AddressRange pages = both->at_end.mapped[i].pages;
    const uint64_t gap = uint64_t{pages.address} + pages.size_bytes - both->at_end.addresses[i] -
                         buffers[i].size_bytes;
    EXPECT_LT(gap, buffers[i].alignment);
  }
}

TEST(BufferLayout, DataMemory_IsFilledToItsLastByteAndNoFurther) {
  const Device device = load_device("esp32c3").value();
  const uint32_t size = device.memory(device.data_memory).size_bytes;
  std::vector<Argument> buffers = {{BufferRole::kInput, size - 8 - 3, 4, {}},
                                   {BufferRole::kOutput, 3, 1, {}}};
  EXPECT_TRUE(placed(device, buffers, 8, {}));
  ++buffers[1].size_bytes;
  EXPECT_FALSE(placed(device, buffers, 8, {}));
}

TEST(BufferLayout, ConstantsThatNobodyCopies_StayInFlash) {
  const Device device = load_device("stm32l4r5").value();
  const uint32_t flash = device.memory(device.rodata_memory).address;
  const std::vector<Argument> buffers = {{BufferRole::kInput, 16, 4, {}},
                                         {BufferRole::kConstant, 64, 4, {}},
                                         {BufferRole::kConstant, 8, 4, {}},
                                         {BufferRole::kOutput, 16, 4, {}}};
  const std::vector<AddressRange> image = {{flash, 10}};
  const auto copied = placed(device, buffers, 0, image);
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->addresses[1], copied->addresses[0] + 16);
  const auto stays = placed(in_flash(device), buffers, 0, image);
  ASSERT_TRUE(stays);
  EXPECT_EQ(stays->addresses[1], flash + 12);
  EXPECT_EQ(stays->addresses[2], flash + 12 + 64);
  EXPECT_EQ(stays->addresses[3], stays->addresses[0] + 16);
}

TEST(BufferLayout, ConstantsThatFindNoRoomBesideTensors_GoToTheNextMemory) {
  const Device device = load_device("stm32l4r5").value();
  const MemoryRegion &sram1 = device.memory("sram1"), &sram3 = device.memory("sram3");
  // Tensors get their room first, including those listed after the constants.
  std::vector<Argument> buffers = {{BufferRole::kInput, 16, 4, {}},
                                   {BufferRole::kConstant, 4, 4, {}},
                                   {BufferRole::kConstant, sram1.size_bytes - 24, 4, {}},
                                   {BufferRole::kConstant, 8, 4, {}},
                                   {BufferRole::kOutput, 16, 1, {}}};
  const auto layout = placed(device, buffers, 0, {});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->addresses,
            (std::vector<uint32_t>{sram1.address, sram1.address + 16, sram3.address,
                                   sram1.address + 20, sram1.address + 28}));
  // A constant larger than every memory for copied weights goes to flash, unless that is excluded.
  buffers[2].size_bytes = sram3.size_bytes + 1;
  EXPECT_FALSE(placed(device, buffers, 0, {}, Overflow::kNowhere));
  EXPECT_EQ(placed(device, buffers, 0, {})->addresses.at(2), device.memory("flash_rodata").address);
  buffers[2].size_bytes = device.memory("flash_rodata").size_bytes + 1;
  EXPECT_FALSE(placed(device, buffers, 0, {}));
}

TEST(BufferLayout, ConstantsInTheMemoryOfCode_StandBehindTheImage) {
  const Device device = load_device("rp2040").value();
  const MemoryRegion &data = device.memory("sram_data"), &code = device.memory("sram_code");
  const std::vector<Argument> buffers = {{BufferRole::kConstant, data.size_bytes - 16, 4, {}},
                                         {BufferRole::kConstant, 64, 4, {}},
                                         {BufferRole::kOutput, 8, 4, {}}};
  const std::vector<AddressRange> image = {{code.address, 1002}};
  const auto layout = placed(device, buffers, 0, image);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->addresses, (std::vector<uint32_t>{data.address, code.address + 1004,
                                                      data.address + data.size_bytes - 16}));
}

}  // namespace
}  // namespace tinytune
