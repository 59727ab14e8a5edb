// Objects that LLVM makes in this process equal those that clang makes of a library's files.
#include "codegen/networks/library_parts.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/codegen/network_run.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

// Returns addresses, sizes and bytes of loaded segments; the rest is compilers' own notes.
std::vector<std::vector<uint8_t>> loaded(const std::vector<uint8_t>& elf) {
  Elf32_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  std::vector<std::vector<uint8_t>> segments;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf32_Phdr segment;
    std::memcpy(&segment, elf.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD) continue;
    const uint8_t* const bytes = elf.data() + segment.p_offset;
    segment.p_offset = 0;
    const auto* const words = reinterpret_cast<const uint8_t*>(&segment);
    segments.emplace_back(words, words + sizeof segment);
    segments.emplace_back(bytes, bytes + segment.p_filesz);
  }
  return segments;
}

class LibraryPartsOf : public testing::TestWithParam<const char*> {};

TEST_P(LibraryPartsOf, Devices_AreWhatItsFilesCompileTo) {
  const Device device = *load_device(GetParam());
  const Graph graph = test::residual_block(2);
  GeneratedNetwork network = *generate_network(test::executed(graph), device, {}, {.name = "net"});
  std::vector<std::vector<FastHome>> choices = {network.homes};
  if (!network.homes.empty()) choices.emplace_back(network.homes.size(), FastHome{1});
  for (const std::vector<FastHome>& homes : choices) {
    place(network, device, homes);
    ASSERT_TRUE(has_linked_parts(network, device));
    const auto linked = build_network(network, device);
    ASSERT_TRUE(linked.has_value()) << linked.error().message();
    GeneratedNetwork files = network;
    files.parts = nullptr;
    const auto compiled = build_network(files, device);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message();
    EXPECT_FALSE(loaded(linked->elf).empty());
    EXPECT_TRUE(loaded(linked->elf) == loaded(compiled->elf));
  }
}

INSTANTIATE_TEST_SUITE_P(Cores, LibraryPartsOf,
                         testing::Values("esp32c3", "rp2040", "cortex-m4", "stm32f7", "cortex-m55",
                                         "rv32imc_zve32x"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tinytune
