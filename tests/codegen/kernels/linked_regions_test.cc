// Error messages for programs that do not fit: bytes needed of each memory and advice, in one line
// whatever linker was asked.
#include "codegen/kernels/linked_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/kernels/c_compiler.h"
#include "codegen/kernels/kernel.h"
#include "simulator/simulator.h"

namespace tinytune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Links a program of `tables` sections of constants and one array of data.
Result<Image> link(const Device& device, int tables, int table_bytes, int data_bytes) {
  std::vector<std::vector<uint8_t>> objects;
  std::string sum = "extern unsigned char d[];\nint f(int i) { return d[i]";
  std::string declarations;
  for (int i = 0; i < tables; ++i) {
    const std::string name = "t" + std::to_string(i);
    auto object = compile_text(
        "const unsigned char " + name + "[" + std::to_string(table_bytes) + "] = {1};\n", device);
    if (!object) return object.error();
    objects.push_back(std::move(*object));
    declarations += "extern const unsigned char " + name + "[];\n";
    sum += " + " + name + "[i]";
  }
  auto main = compile_text(
      declarations + sum + "; }\nunsigned char d[" + std::to_string(data_bytes) + "];\n", device);
  if (!main) return main.error();
  objects.push_back(std::move(*main));
  return link_image(objects, device, "f");
}

TEST(LinkedRegions, SramOfCodeAndData_IsCodesFirstAndNoByteIsBoths) {
  for (const char* name : {"esp32c3", "esp32c6"}) {
    const Device device = with_open_boundary(*load_device(name));
    const std::string code = "__attribute__((section(\"" + device.fast_code_section +
                             "\"))) int f(int i) { extern unsigned char d[]; return d[i]; }\n";
    const uint32_t size = device.memory(device.data_memory).size_bytes;
    const auto linked = [&](uint32_t data_bytes) -> Result<Image> {
      auto object =
          compile_text(code + "unsigned char d[" + std::to_string(data_bytes) + "];\n", device);
      if (!object) return object.error();
      return link_image({{*object}}, device, "f");
    };
    const auto image = linked(size - 1024);  // more than either bus has where nobody limits RAM
    ASSERT_TRUE(image) << image.error().message();
    const auto info = Simulator::create(device)->load(image->elf);
    ASSERT_TRUE(info) << info.error().message();
    const SymbolRange &f = info->symbols.at("f"), &d = info->symbols.at("d");
    EXPECT_GE(d.address, f.address - *device.data_bus_below + f.size) << name;
    EXPECT_LE(d.address + d.size, device.memory(device.data_memory).address + size) << name;
    const auto too_large = linked(size - 4);
    ASSERT_FALSE(too_large) << name;
    EXPECT_EQ(too_large.error().code(), ErrorCode::kInvalidInput) << name;
  }
}

Device small_device() {
  Device device = *load_device("stm32f4");
  for (MemoryRegion& memory : device.memories) memory.size_bytes = 0x4000;
  return device;
}

TEST(LinkedRegions, FlashThatOverflows_IsCountedToTheLastSection) {
  const Device device = small_device();
  ASSERT_TRUE(link(device, 4, 1000, 16));
  // More sections than lld reports errors for before it gives up.
  const auto image = link(device, 26, 4000, 16);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), ErrorCode::kInvalidInput);
  const std::string& rodata = device.memory(device.rodata_memory).name;
  EXPECT_THAT(image.error().message(),
              AllOf(HasSubstr("it does not fit stm32f4: weights and other constants need 104000 "
                              "bytes of " +
                              rodata + ", which has 16384 (87616 too many)"),
                    HasSubstr("a device with more flash"), HasSubstr("--flash"),
                    Not(HasSubstr("ld")), Not(HasSubstr("\n"))));
}

TEST(LinkedRegions, RamThatOverflows_IsCalledRam) {
  const auto image = link(small_device(), 1, 10, 20000);
  ASSERT_FALSE(image);
  EXPECT_THAT(image.error().message(),
              AllOf(HasSubstr("tensors and data need 20000 bytes of "),
                    HasSubstr("which has 16384 (3616 too many)"), HasSubstr("--fast-ram 0"),
                    HasSubstr("--arena"), Not(HasSubstr("flash;"))));
}

TEST(LinkedRegions, GnuLdsWords_AreReadToo) {
  const Device device = *load_device("esp32");
  const auto text = overflow_text(
      "ld: out section `.rodata' will not fit in region `constants'\n"
      "ld: a section `.text' will not fit in region `code'\n"
      "ld: region `constants' overflowed by 17 bytes\nld: region `code' overflowed by 5 bytes\n"
      "collect2: error: ld returned 1 exit status\n",
      device);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, AllOf(HasSubstr("it does not fit esp32: code"), HasSubstr("(5 too many), "),
                           HasSubstr("(17 too many); take a device with more flash"),
                           Not(HasSubstr("\n"))));
  EXPECT_EQ(text->find("--flash"), text->rfind("--flash")) << "the same advice twice";
}

TEST(LinkedRegions, OtherErrors_AreNone) {
  const Device device = *load_device("stm32f4");
  EXPECT_FALSE(overflow_text("ld.lld: error: undefined symbol: g\n", device));
  EXPECT_FALSE(overflow_text("region 'code': overflowed by", device));
  EXPECT_FALSE(overflow_text("region 'elsewhere': overflowed by 4 bytes", device));
  EXPECT_FALSE(overflow_text("", device));
}

}  // namespace
}  // namespace tinytune
