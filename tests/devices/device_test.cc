#include "devices/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "tests/devices/device_file_text.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

int line_of(const std::string& text, const std::string& part) {
  const std::string before = text.substr(0, text.find(part));
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

TEST(Devices, EveryKnownDevice_LoadsUnderItsOwnName) {
  const auto names = known_devices();
  EXPECT_THAT(names, testing::IsSupersetOf({"esp32c3", "rv32imc"}));
  for (const std::string& name : names) {
    const auto device = load_device(name);
    ASSERT_TRUE(device) << device.error().message();
    EXPECT_EQ(device->name, name);
    EXPECT_FALSE(device->description.empty());
    EXPECT_TRUE(!device->transports.empty() ||
                device->description.find("untested") != std::string::npos)
        << name << " runs nowhere, which its description should say";
  }
}

/// Returns the comments of a known device's file, and of its base's, as one line.
std::string comments_of(const std::string& name) {
  const std::string key = "base = \"";
  std::string comments;
  std::istringstream lines(file_of(name));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) comments += line.substr(1);
    if (line.starts_with(key))
      comments += comments_of(line.substr(key.size(), line.rfind('"') - key.size()));
  }
  return comments;
}

// A source "Arm: 1 + P" cites what the file's comments introduce as "Arm".
TEST(Devices, EveryTimingNumber_CitesASourceThatItsFileIntroduces) {
  for (const std::string& name : known_devices()) {
    const std::string comments = comments_of(name);
    const Device device = *load_device(name);
    for (const auto& [key, source] : device.timing.sources) {
      const std::string cited = source.substr(0, source.find_first_of(",:;"));
      EXPECT_TRUE(cited == "unsourced" || comments.find('"' + cited + '"') != std::string::npos)
          << name << ", " << key << ": \"" << cited << "\" is introduced nowhere";
    }
  }
}

/// Returns the ESP32-C3's file as it was before optional keys were added.
std::string first_esp32c3() {
  std::istringstream lines(file_of("esp32c3"));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::string key = line.substr(0, line.find(' '));
    const bool is_new = key == "misaligned_target" || key == "store_data_late" ||
                        key == "branch_predicted" || key == "branch_mispredicted" ||
                        key == "divide_negative";
    if (!is_new) text += line + "\n";
  }
  return text;
}

// Logs name the hash, and these devices have records of version 0.1. Where timing was corrected
// since, those records count as another device's.
TEST(Devices, HashesStayThoseOfVersion01) {
  const std::pair<const char*, uint64_t> kHashes[] = {{"cortex-m4", 0xcc4e7490c9ff86f3},
                                                      {"rp2040", 0x0408138b3d7a1c85},
                                                      {"rv32imac", 0x4bfa0aca82eb7011},
                                                      {"rv32imc", 0xb67451ac88449b79}};
  for (const auto& [name, hash] : kHashes) EXPECT_EQ(load_device(name)->hash, hash) << name;
  EXPECT_EQ(parse_device(first_esp32c3(), "esp32c3.toml")->hash, 0xeb6a036611c6855b);
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
  for (const char* name : {"toaster", "/", "/nonexistent/board.toml", ""}) {
    const auto device = load_device(name);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code(), ErrorCode::kNotFound);
    EXPECT_THAT(device.error().message(), HasSubstr("esp32c3"));
    EXPECT_THAT(device.error().message(), HasSubstr("rv32imc"));
  }
}

TEST(Devices, NameThatIsNearlyKnown_IsSuggested) {
  for (const char* name : {"esp32-c3", "ESP32C33", "esp2c3"}) {
    const auto device = load_device(name);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code(), ErrorCode::kNotFound);
    EXPECT_THAT(device.error().message(), HasSubstr("did you mean esp32c3?"));
    EXPECT_THAT(device.error().message(), Not(HasSubstr("rv32imc")));
  }
}

TEST(Devices, WhatIsNoSmallRegularFile_IsRefusedUnread) {
  const TemporaryDirectory folder = *TemporaryDirectory::create("device");
  const std::string pipe = folder.file("pipe"), large = folder.file("large");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);  // opening it would wait for a writer
  ASSERT_TRUE(write_file(large, file_of("rv32imc") + std::string(1 << 20, '\n')));
  EXPECT_THAT(load_device(pipe).error().message(), HasSubstr("not a regular file"));
  EXPECT_THAT(load_device("/dev/zero").error().message(), HasSubstr("not a regular file"));
  EXPECT_THAT(load_device(large).error().message(), HasSubstr("larger than 1048576 bytes"));
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
  EXPECT_THAT(refusal(changed("[\"simulator\", \"gdb\", \"serial\"]", "[1]")),
              HasSubstr("array of strings"));
  EXPECT_THAT(refusal(changed("address = 0x40380000", "address = -1")),
              HasSubstr("does not fit 32 bits"));
}

TEST(DeviceFile, Capabilities_AreReadByName) {
  EXPECT_TRUE(load_device("cortex-m4")->target.can(Capability::kDsp));
  EXPECT_FALSE(load_device("rp2040")->target.can(Capability::kMulHigh));
  EXPECT_TRUE(load_device("rv32imc")->target.can(Capability::kMulHigh));
  EXPECT_FALSE(load_device("rv32imc")->target.can(Capability::kDsp));
  EXPECT_TRUE(load_device("cortex-m55")->target.can(Capability::kMve));
  EXPECT_FALSE(load_device("qemu-mps2-m33")->target.can(Capability::kMve));
}

// Files of version 0.1 have no such key.
TEST(DeviceFile, CapabilitiesLeftOut_AreAllThatTheCoreGives) {
  const std::string text = changed("capabilities = [\"mul_high\", \"divide\"]\n", "");
  EXPECT_EQ(parse_device(text, "board.toml")->target.capabilities,
            load_device("esp32c3")->target.capabilities);
}

TEST(DeviceFile, UnknownOrForeignCapability_IsRefused) {
  const std::string listed = "[\"mul_high\", \"divide\"]";
  EXPECT_THAT(refusal(changed(listed, "[\"simd\"]")), HasSubstr("unknown capability 'simd'"));
  EXPECT_THAT(refusal(changed(listed, "[\"dsp\"]")),
              HasSubstr("generic-rv32 has no capability 'dsp'"));
  EXPECT_THAT(refusal(changed(listed, "[\"mve\"]")),
              HasSubstr("generic-rv32 has no capability 'mve'"));
}

// Logs name the hash: a device whose file gains a key that changes no cycle keeps its records.
TEST(Devices, CapabilitiesAreNotPartOfTheHash) {
  const Device without = *parse_device(changed("[\"mul_high\", \"divide\"]", "[]"), "board.toml");
  EXPECT_EQ(without.hash, load_device("esp32c3")->hash);
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
  EXPECT_THAT(refusal(changed("fast_rodata = \"dram\"", "fast_rodata = \"flash_code\"")),
              HasSubstr("memories of their own"));
  EXPECT_THAT(refusal(changed("code = \"iram\"", "code = \"rom\"")),
              HasSubstr("no memory is named 'rom'"));
}

TEST(Devices, SramOfBothBuses_IsSharedUntilTheBoundaryIsDrawn) {
  const Device device = *load_device("esp32c3");
  const Device open = with_open_boundary(device);
  EXPECT_EQ(open.hash, device.hash);
  EXPECT_TRUE(code_is_beside_data(open));
  EXPECT_FALSE(code_is_beside_data(device));
  const MemoryRegion &iram = open.memory("iram"), &dram = open.memory("dram");
  EXPECT_EQ(iram.address - 0x700000, dram.address);
  EXPECT_EQ(iram.size_bytes, dram.size_bytes);
  EXPECT_EQ(dram.size_bytes, device.memory("iram").size_bytes + device.memory("dram").size_bytes);
  const Device drawn = with_boundary_behind(open, 1000);
  EXPECT_EQ(drawn.memory("iram").size_bytes, 1024u);
  EXPECT_EQ(drawn.memory("dram").address, dram.address + 1024);
  EXPECT_EQ(drawn.memory("dram").size_bytes, dram.size_bytes - 1024);
  EXPECT_FALSE(code_is_beside_data(drawn));
  // Where code and data have the same addresses, both become one memory.
  const Device one = with_open_boundary(*load_device("esp32c6"));
  EXPECT_EQ(one.fast_code_memory, one.data_memory);
  EXPECT_TRUE(one.memory("dram").executable);
  EXPECT_TRUE(code_is_beside_data(one));
  EXPECT_FALSE(code_is_beside_data(with_open_boundary(*load_device("rp2040"))));
}

TEST(DeviceFile, DataBus_ShowsDataBehindFastCode) {
  EXPECT_THAT(refusal(changed("data_bus_below = 0x700000", "data_bus_below = 0x600000")),
              HasSubstr("the data memory must follow that of fast_code"));
  EXPECT_THAT(refusal(changed("fast_code = \"iram\"\n", "\n")),
              HasSubstr("the data memory must follow that of fast_code"));
}

TEST(DeviceFile, FastRodata_IsOneMemoryOrAListInOrderOfPreference) {
  EXPECT_EQ(load_device("esp32c3")->fast_rodata_memories, (std::vector<std::string>{"dram"}));
  const Device device = *load_device("stm32l4r5");
  EXPECT_EQ(device.fast_rodata_memories, (std::vector<std::string>{"sram1", "sram3"}));
  EXPECT_TRUE(in_flash(device).fast_rodata_memories.empty());
  // A list of one name equals the name.
  const std::string key = "fast_rodata = ";
  EXPECT_EQ(parse_device(changed(key + "\"dram\"", key + "[\"dram\"]"), "x")->hash,
            load_device("esp32c3")->hash);
  EXPECT_THAT(refusal(changed(key + "\"dram\"", key + "[\"dram\", \"dram\"]")),
              HasSubstr("each named once"));
  EXPECT_THAT(refusal(changed(key + "\"dram\"", key + "[\"dram\", \"stack\"]")),
              HasSubstr("memories of their own"));
  EXPECT_THAT(refusal(changed(key + "\"dram\"", key + "[\"dram\", \"rom\"]")),
              HasSubstr("no memory is named 'rom'"));
  EXPECT_THAT(refusal(changed(key + "\"dram\"", key + "[3]")), HasSubstr("array of strings"));
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
  const std::string uncached = "writable = true\nsource = \"x\"\n";
  EXPECT_THAT(refusal(changed("writable = true", uncached + "fill_cycles = 101")),
              HasSubstr("has no cache: fill_cycles, 100 at most"));
  EXPECT_THAT(
      refusal(changed("writable = true", uncached + "fill_cycles = 2\nnext_fill_cycles = 1")),
      HasSubstr("no next_fill_cycles"));
}

TEST(DeviceFile, Banks_ArePowersOfTwoOfDifferentNames) {
  const auto with = [](const std::string& banks) {
    return changed("writable = true", "writable = true\nbanks = " + banks);
  };
  EXPECT_TRUE(parse_device(with("[\"a\", \"b\"]"), "x"));
  EXPECT_THAT(refusal(with("[\"a\", \"b\", \"c\"]")), HasSubstr("must be 1, 2, 4, 8 or 16 names"));
  EXPECT_THAT(refusal(with("[\"a\", \"a\"]")), HasSubstr("must be 1, 2, 4, 8 or 16 names"));
  EXPECT_THAT(refusal(with("[]")), HasSubstr("must be 1, 2, 4, 8 or 16 names"));
  EXPECT_THAT(refusal(with("4")), HasSubstr("must be an array of strings"));
}

TEST(DeviceHash, Banks_MatterOnlyWhereFetchesWaitForThem) {
  const auto striped = changed("writable = true", "writable = true\nbanks = [\"a\"]");
  EXPECT_EQ(parse_device(striped, "x")->hash, load_device("esp32c3")->hash);
}

TEST(DeviceFile, ImpossibleCache_IsRefused) {
  EXPECT_THAT(refusal(changed("line_bytes = 32", "line_bytes = 24")), HasSubstr("whole sets"));
  EXPECT_THAT(refusal(changed("ways = 8", "ways = 7")), HasSubstr("whole sets"));
  EXPECT_THAT(refusal(changed("fill_bytes = 32", "fill_bytes = 64")), HasSubstr("whole sets"));
  EXPECT_THAT(refusal(changed("\"fifo\"", "\"random\"")), HasSubstr("lru or fifo"));
  EXPECT_THAT(refusal(changed("[[cache]]\nname", "[[cache]]\nlatency = 2\nname")),
              HasSubstr("unknown key 'latency' in [[cache]]"));
}

TEST(DeviceHash, DeviceInFlash_IsAnotherUnlessItHasNoFastMemory) {
  const Device fast = *load_device("stm32l4r5");
  const Device slow = in_flash(fast);
  EXPECT_NE(slow.hash, fast.hash);
  EXPECT_EQ(slow.kernel_memory(), fast.code_memory);
  const Device flat = *load_device("rv32imc");
  EXPECT_EQ(in_flash(flat).hash, flat.hash);
}

TEST(Devices, Cores_AreOneUnlessTheFileSaysMore) {
  EXPECT_EQ(load_device("esp32c3")->cores, 1);
  for (const char* name : {"rp2040", "rp2350", "rp2350-riscv"}) {
    EXPECT_EQ(load_device(name)->cores, 2) << name;
    EXPECT_EQ(load_device(name)->fork_join_cycles, 35u) << name;
  }
  EXPECT_EQ(load_device("rp2040")->core_ports, 1);
  EXPECT_EQ(load_device("rp2350")->core_ports, 2);
  const auto ports = parse_device(
      changed("[target]",
              "[cores]\ncount = 2\nports = 3\nfork_join_cycles = 1\nsource = \"-\"\n\n[target]"),
      "board.toml");
  ASSERT_FALSE(ports);
  EXPECT_THAT(ports.error().message(), HasSubstr("ports of [cores] must be 1 or 2"));
  const std::string three = "[cores]\ncount = 3\nfork_join_cycles = 1\nsource = \"-\"\n\n[target]";
  const auto device = parse_device(changed("[target]", three), "board.toml");
  ASSERT_FALSE(device);
  EXPECT_THAT(device.error().message(), HasSubstr("count of [cores] must be 1 or 2"));
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
  EXPECT_EQ(hash_of(changed("[\"simulator\", \"gdb\", \"serial\"]", "[\"simulator\"]")), hash);
  EXPECT_NE(hash_of(changed("load_use         = { cycles = 1", "load_use = { cycles = 2")), hash);
  EXPECT_NE(hash_of(changed("\"+m,+c\"", "\"+m\"")), hash);
  EXPECT_NE(hash_of(changed("0x0002B000", "0x0002A000")), hash);
  // Without fast code, and without the key of the bus that shows it as data.
  std::string without = changed("fast_code = \"iram\"\n", "\n");
  const size_t bus = without.find("data_bus_below");
  EXPECT_NE(hash_of(without.erase(bus, without.find('\n', bus) - bus)), hash);
  EXPECT_EQ(hash_of(changed("data_bus_below = 0x700000", "")), hash);
  EXPECT_NE(hash_of(changed("ways = 8", "ways = 4")), hash);
  EXPECT_NE(hash_of(changed("fill_cycles = 168", "fill_cycles = 304")), hash);
}

}  // namespace
}  // namespace tinytune
