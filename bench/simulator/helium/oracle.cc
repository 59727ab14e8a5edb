// Compares the executor of Helium instructions with QEMU's on random streams: all registers,
// predicates and memory. Usage: helium_oracle HARNESS INSTRUCTIONS [SEED [STREAM_LENGTH]]
// Exit code 77: no QEMU.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "bench/simulator/helium/qemu.h"

namespace tinytune::helium {
namespace {

constexpr uint32_t kComparedFlags = 0xF8000000;
constexpr uint32_t kVprBits = 0x00FFFFFF;  // QEMU keeps the other bits, which have no meaning

void print(const Stream& stream) {
  for (const uint32_t code : stream.code) {
    const Row* row = find_row(code);
    fmt::print("  {:04x} {:04x}  {}\n", code >> 16, code & 0xFFFF, row ? row->name : "mov");
  }
}

/// Describes the words that differ; empty if none does.
std::string difference(const Block& ours, const Block& theirs) {
  std::string text;
  const auto compare = [&](const std::string& name, uint32_t a, uint32_t b) {
    if (a != b) text += fmt::format("  {}: {:08x}, QEMU {:08x}\n", name, a, b);
  };
  for (size_t i = 0; i < ours.registers.size(); ++i)
    compare(i == 13 ? "lr" : fmt::format("r{}", i), ours.registers[i], theirs.registers[i]);
  compare("apsr", ours.apsr & kComparedFlags, theirs.apsr & kComparedFlags);
  compare("vpr", ours.vpr, theirs.vpr & kVprBits);
  compare("fpscr", ours.fpscr, theirs.fpscr);
  for (size_t i = 0; i < ours.vectors.size(); ++i)
    compare(fmt::format("q{} byte {}", i / 16, i % 16), ours.vectors[i], theirs.vectors[i]);
  for (size_t i = 0; i < ours.memory.size(); ++i)
    compare(fmt::format("memory byte {}", i), ours.memory[i], theirs.memory[i]);
  return text;
}

int run(const std::string& harness, size_t instructions, uint64_t seed, size_t length) {
  StreamMaker maker(seed);
  const std::string scratch =
      (std::filesystem::temp_directory_path() / fmt::format("helium_oracle_{}", getpid())).string();
  std::map<std::string_view, size_t> seen;
  size_t drawn = 0, differing = 0, streams_run = 0;
  while (drawn < instructions && differing < 5) {
    std::vector<Stream> streams;
    std::vector<uint32_t> addresses;
    uint32_t code = kCode;
    while (streams.size() < kMostStreams && drawn < instructions && code + 0x800 < kHeader) {
      const auto block = kFirstBlock + static_cast<uint32_t>(streams.size() * sizeof(Block));
      streams.push_back(maker.make(length, block, code));
      addresses.push_back(code);
      code += 4 * static_cast<uint32_t>(streams.back().code.size()) + 4;
      drawn += streams.back().drawn;
      for (const uint32_t one : streams.back().code)
        if (const Row* row = find_row(one)) ++seen[row->pattern];
    }
    const QemuResult result = run_in_qemu(streams, addresses, harness, scratch);
    if (!result.problem.empty()) {
      fmt::print("error: {}\n", result.problem);
      return 1;
    }
    for (size_t i = 0; i < streams.size() && differing < 5; ++i) {
      const std::string text = i < result.finished
                                   ? difference(streams[i].end, result.blocks[i])
                                   : fmt::format("  QEMU faults at {:#x}, stream at {:#x}\n",
                                                 result.fault_address, addresses[i]);
      if (text.empty()) continue;
      ++differing;
      fmt::print("stream {} differs\n{}", streams_run + i, text);
      print(streams[i]);
      if (i >= result.finished) return 1;
    }
    streams_run += streams.size();
  }
  fmt::print("{} instructions in {} streams, {} encodings, seed {}: {}\n", drawn, streams_run,
             seen.size(), seed, differing == 0 ? "all equal" : "DIFFERENCES");
  return differing == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tinytune::helium

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print("usage: helium_oracle HARNESS INSTRUCTIONS [SEED [STREAM_LENGTH]]\n");
    return 2;
  }
  if (!tinytune::helium::qemu_exists()) {
    fmt::print("skipped: there is no qemu-system-arm here\n");
    return 77;
  }
  return tinytune::helium::run(argv[1], std::strtoull(argv[2], nullptr, 10),
                               argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1,
                               argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 24);
}
