#include "simulator/elf.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/rng.h"
#include "simulator/program.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

class ElfLoader : public testing::Test {
 protected:
  const Device device_ = *load_device("esp32c3");
  const std::vector<uint8_t> elf_ = assemble(
      "f: ret\n.rodata\n.word 1\n.data\n.globl d\n.type d,@object\n.size d,8\nd: .word 5,6\n"
      ".bss\n.globl b\n.type b,@object\n.size b,16\nb: .zero 16\n",
      device_);

  std::string refusal(const std::vector<uint8_t>& elf) {
    Simulator simulator = std::move(*Simulator::create(device_));
    const auto loaded = simulator.load(elf);
    if (loaded) return "";
    EXPECT_EQ(loaded.error().code(), ErrorCode::kInvalidInput);
    return loaded.error().message();
  }
};

TEST_F(ElfLoader, SymbolsAndSizes_AreThoseOfTheFile) {
  Simulator simulator = std::move(*Simulator::create(device_));
  const auto info = simulator.load(elf_);
  ASSERT_TRUE(info) << info.error().message();
  EXPECT_EQ(info->symbols.at("f").address, 0x40380000u);
  EXPECT_EQ(info->symbols.at("d").size, 8u);
  EXPECT_EQ(info->symbols.at("b").size, 16u);
  EXPECT_EQ(info->data_bytes, 8u);
  EXPECT_EQ(info->bss_bytes, 16u);
  EXPECT_GE(info->code_bytes, 2u);
  EXPECT_EQ((*simulator.read(info->symbols.at("d").address + 4, 1))[0], 6);
}

TEST_F(ElfLoader, NotAnElf_IsRefused) {
  EXPECT_NE(refusal({}), "");
  EXPECT_NE(refusal(std::vector<uint8_t>(4096, 0x7f)), "");
  auto elf = elf_;
  elf[4] = 2;  // 64 bit
  EXPECT_EQ(refusal(elf), "ELF: not 32-bit little-endian");
  elf = elf_;
  elf[16] = 1;  // relocatable
  EXPECT_EQ(refusal(elf), "ELF: not a linked executable");
  elf = elf_;
  elf[18] = 62;  // x86-64
  EXPECT_EQ(refusal(elf), "ELF: machine 62 where 243 is expected");
}

TEST_F(ElfLoader, SegmentOutsideTheDevice_IsRefused) {
  const auto foreign = assemble("f: ret\n", *load_device("rv32imc"));
  EXPECT_NE(refusal(foreign).find("outside the device's memories"), std::string::npos);
}

TEST_F(ElfLoader, OverlappingSegments_AreRefused) {
  auto elf = elf_;
  Elf32_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  std::vector<Elf32_Phdr> loaded;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf32_Phdr segment;
    std::memcpy(&segment, &elf[header.e_phoff + i * sizeof segment], sizeof segment);
    if (segment.p_type == PT_LOAD && segment.p_memsz > 0) loaded.push_back(segment);
  }
  ASSERT_FALSE(loaded.empty());
  const std::string at = fmt::format("{:#010x}", loaded[0].p_vaddr);  // the linker's choice
  const auto first = static_cast<uint32_t>(elf.size());
  for (int copy = 0; copy < 500; ++copy) {
    loaded[0].p_memsz = 0x10000;
    const auto* bytes = reinterpret_cast<const uint8_t*>(&loaded[0]);
    elf.insert(elf.end(), bytes, bytes + sizeof loaded[0]);
  }
  header.e_phoff = first;
  header.e_phnum = 500;
  std::memcpy(elf.data(), &header, sizeof header);
  const std::string overlap = fmt::format("ELF: segments at {} and at {} overlap", at, at);
  EXPECT_EQ(refusal(elf), overlap);
  ProgramOptions options;
  const auto ran = run_program(device_, *load_program_facts("esp32c3"), elf, options);
  EXPECT_EQ(ran.error().message(), overlap);
}

TEST_F(ElfLoader, EveryTruncation_IsRefusedOrLoads) {
  Simulator simulator = std::move(*Simulator::create(device_));
  size_t refused = 0;
  for (size_t size = 0; size < elf_.size(); ++size) {
    refused += !simulator.load(std::span(elf_).first(size)).has_value();
  }
  EXPECT_EQ(refused, elf_.size());  // the section headers are at the end
}

TEST_F(ElfLoader, DamagedBytes_NeverCrash) {
  Simulator simulator = std::move(*Simulator::create(device_));
  Rng rng(7);
  size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    auto elf = elf_;
    for (uint64_t i = 0; i <= rng.below(4); ++i) {
      elf[rng.below(elf.size())] = static_cast<uint8_t>(rng.next());
    }
    refused += !simulator.load(elf).has_value();
  }
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace tinytune
