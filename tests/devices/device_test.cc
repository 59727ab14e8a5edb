#include "devices/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tinytune {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& name) {
  std::ifstream file(TINYTUNE_SOURCE_DIR "/devices/" + name + ".toml");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The ESP32-C3's file with one passage replaced; the passage must be there.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = text_of("esp32c3");
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

int line_of(const std::string& text, const std::string& part) {
  const std::string before = text.substr(0, text.find(part));
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

std::string refusal(const std::string& text) {
  const auto device = parse_device(text, "board.toml");
  if (device) return "";
  EXPECT_EQ(device.error().code(), ErrorCode::kInvalidInput);
  return device.error().message();
}

TEST(Devices, EveryKnownDevice_LoadsUnderItsOwnName) {
  const auto names = known_devices();
  EXPECT_THAT(names, testing::IsSupersetOf({"esp32c3", "rv32imc"}));
  for (const std::string& name : names) {
    const auto device = load_device(name);
    ASSERT_TRUE(device) << device.error().message();
    EXPECT_EQ(device->name, name);
    EXPECT_FALSE(device->description.empty());
    EXPECT_FALSE(device->transports.empty());
  }
}

TEST(Devices, EveryTimingNumber_CitesASource) {
  for (const std::string& name : known_devices()) {
    const Device device = *load_device(name);
    for (const auto& [key, cycles] : device.timing.cycles) {
      EXPECT_TRUE(device.timing.sources.contains(key)) << name << " " << key;
    }
  }
}

TEST(Devices, Esp32c3_SharesNoByteBetweenItsTwoBuses) {
  const Device device = *load_device("esp32c3");
  EXPECT_EQ(device.clock_hz, 160'000'000u);
  EXPECT_EQ(device.target.isa, "rv32imc");
  const MemoryRegion& iram = device.memory("iram");
  const uint32_t seen_as_data = iram.address - 0x700000;
  for (const char* name : {"dram", "stack"}) {
    EXPECT_GE(device.memory(name).address, seen_as_data + iram.size_bytes) << name;
    EXPECT_LE(uint64_t{device.memory(name).address} + device.memory(name).size_bytes, 0x3FCE0000u);
  }
}

TEST(Devices, PathOfAFile_Loads) {
  const auto device = load_device(TINYTUNE_SOURCE_DIR "/devices/rv32imc.toml");
  ASSERT_TRUE(device) << device.error().message();
  EXPECT_EQ(device->hash, load_device("rv32imc")->hash);
  EXPECT_FALSE(device->clock_hz.has_value());
}

TEST(Devices, UnknownName_ListsTheKnownOnes) {
  for (const char* name : {"esp32c99", "/", "/nonexistent/board.toml", ""}) {
    const auto device = load_device(name);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code(), ErrorCode::kNotFound);
    EXPECT_THAT(device.error().message(), HasSubstr("esp32c3"));
    EXPECT_THAT(device.error().message(), HasSubstr("rv32imc"));
  }
}

TEST(DeviceFile, UnknownKey_IsNamedWithFileAndLine) {
  const std::string text = changed("clock_hz", "clok_hz");
  EXPECT_EQ(refusal(text), "board.toml:" + std::to_string(line_of(text, "clok_hz")) +
                               ": unknown key 'clok_hz' in the file");
  EXPECT_THAT(refusal(changed("isa = ", "isaa = ")), HasSubstr("unknown key 'isaa' in [target]"));
  EXPECT_THAT(refusal(changed("executable = true", "executabel = true")),
              HasSubstr("unknown key 'executabel' in [[memory]]"));
  EXPECT_THAT(refusal(changed("data = \"dram\"", "data = \"dram\"\nheap = \"dram\"")),
              HasSubstr("unknown key 'heap' in [placement]"));
  EXPECT_THAT(refusal(changed("model = ", "pipeline = 4\nmodel = ")),
              HasSubstr("unknown key 'pipeline' in [timing]"));
}

TEST(DeviceFile, MissingKey_IsNamed) {
  EXPECT_THAT(refusal(changed("\nname = ", "\n# ")), HasSubstr("missing key 'name' in the file"));
  EXPECT_THAT(refusal(changed("\ndescription = ", "\n# ")), HasSubstr("'description'"));
  EXPECT_THAT(refusal(changed("\ntransports = ", "\n# ")), HasSubstr("'transports'"));
  EXPECT_THAT(refusal(changed("abi = ", "# ")), HasSubstr("missing key 'abi' in [target]"));
  EXPECT_THAT(refusal(changed("rodata = ", "# ")), HasSubstr("missing key 'rodata'"));
  EXPECT_THAT(refusal(""), HasSubstr("board.toml:"));
}

TEST(DeviceFile, WrongType_IsNamed) {
  EXPECT_THAT(refusal(changed("160_000_000", "\"fast\"")), HasSubstr("must be an integer"));
  EXPECT_THAT(refusal(changed("executable = true", "executable = 1")),
              HasSubstr("must be true or false"));
  EXPECT_THAT(refusal(changed("\"+m,+c\"", "7")), HasSubstr("must be a string"));
  EXPECT_THAT(refusal(changed("[\"simulator\"]", "[1]")), HasSubstr("array of strings"));
  EXPECT_THAT(refusal(changed("address = 0x40380000", "address = -1")),
              HasSubstr("does not fit 32 bits"));
}

TEST(DeviceFile, TimingNumberWithoutASource_IsRefused) {
  EXPECT_THAT(refusal(changed(", source = \"niccle\" }", "}")),
              HasSubstr("missing key 'source' in timing.cycles.alu"));
  EXPECT_THAT(refusal(changed("source = \"niccle\"", "source = \"\"")), HasSubstr("cite"));
}

TEST(DeviceFile, BrokenToml_SaysWhere) {
  EXPECT_THAT(refusal("name = \"x\"\ndescription = \n"), HasSubstr("board.toml:2: "));
  EXPECT_THAT(refusal(std::string(64, '[')), HasSubstr("board.toml:1: "));
}

TEST(DeviceFile, ImpossibleMemory_IsRefused) {
  EXPECT_THAT(refusal(changed("0x00030000", "0x00030001")), HasSubstr("4 KiB pages"));
  EXPECT_THAT(refusal(changed("0x00030000", "0")), HasSubstr("4 KiB pages"));
  EXPECT_THAT(refusal(changed("address = 0x3FCDC000", "address = 0x3FCB1000")),
              HasSubstr("overlaps 'dram'"));
  EXPECT_THAT(refusal(changed("name = \"stack\"", "name = \"dram\"")),
              HasSubstr("two memories are named 'dram'"));
  EXPECT_THAT(refusal(changed("code = \"iram\"", "code = \"dram\"")),
              HasSubstr("must be executable"));
  EXPECT_THAT(refusal(changed("data = \"dram\"", "data = \"flash_code\"")),
              HasSubstr("must be writable"));
  EXPECT_THAT(refusal(changed("stack = \"stack\"", "stack = \"dram\"")), HasSubstr("different"));
  EXPECT_THAT(refusal(changed("rodata = \"flash_rodata\"", "rodata = \"flash_code\"")),
              HasSubstr("different"));
  EXPECT_THAT(refusal(changed("fast_rodata = \"dram\"", "fast_rodata = \"iram\"")),
              HasSubstr("memories of their own"));
  EXPECT_THAT(refusal(changed("code = \"iram\"", "code = \"rom\"")),
              HasSubstr("no memory is named 'rom'"));
}

TEST(DeviceFile, SlowMemory_NeedsAKnownCacheAndASource) {
  EXPECT_THAT(refusal(changed("fetch_cache = \"flash_cache\"", "fetch_cache = \"l2\"")),
              HasSubstr("no cache is named 'l2'"));
  EXPECT_THAT(refusal(changed("source = \"unsourced: derived", "# \"unsourced: derived")),
              HasSubstr("missing key 'source' in [[memory]]"));
  EXPECT_THAT(refusal(changed("fill_cycles = 168", "# fill_cycles")),
              HasSubstr("missing key 'fill_cycles' in [[memory]]"));
  EXPECT_THAT(refusal(changed("writable = true",
                              "writable = true\nread_cache = \"flash_cache\"\n"
                              "fill_cycles = 1\nsource = \"x\"")),
              HasSubstr("is writable and cannot have caches"));
}

TEST(DeviceFile, ImpossibleCache_IsRefused) {
  EXPECT_THAT(refusal(changed("line_bytes = 32", "line_bytes = 24")), HasSubstr("whole sets"));
  EXPECT_THAT(refusal(changed("ways = 8", "ways = 7")), HasSubstr("whole sets"));
  EXPECT_THAT(refusal(changed("fill_bytes = 32", "fill_bytes = 64")), HasSubstr("whole sets"));
  EXPECT_THAT(refusal(changed("\"fifo\"", "\"random\"")), HasSubstr("lru or fifo"));
  EXPECT_THAT(refusal(changed("[[cache]]\nname", "[[cache]]\nlatency = 2\nname")),
              HasSubstr("unknown key 'latency' in [[cache]]"));
}

TEST(DeviceHash, WordsDoNotMatter_NumbersDo) {
  const uint64_t hash = load_device("esp32c3")->hash;
  const auto hash_of = [](const std::string& text) {
    const auto device = parse_device(text, "board.toml");
    EXPECT_TRUE(device) << device.error().message();
    return device ? device->hash : 0;
  };
  EXPECT_EQ(hash_of(changed("Espressif ESP32-C3, RV32IMC", "Another text")), hash);
  EXPECT_EQ(hash_of(changed("source = \"niccle\"", "source = \"unsourced\"")), hash);
  EXPECT_EQ(hash_of(changed("[\"simulator\"]", "[\"simulator\", \"gdb\"]")), hash);
  EXPECT_NE(hash_of(changed("load_use         = { cycles = 1", "load_use = { cycles = 2")), hash);
  EXPECT_NE(hash_of(changed("\"+m,+c\"", "\"+m\"")), hash);
  EXPECT_NE(hash_of(changed("0x0002B000", "0x0002A000")), hash);
  EXPECT_NE(hash_of(changed("fast_code = \"iram\"\n", "\n")), hash);
  EXPECT_NE(hash_of(changed("ways = 8", "ways = 4")), hash);
  EXPECT_NE(hash_of(changed("fill_cycles = 168", "fill_cycles = 304")), hash);
}

}  // namespace
}  // namespace tinytune
