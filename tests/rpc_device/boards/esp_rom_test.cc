// Loading a runner onto a chip without one, through its ROM loader and despite the loader's faults.
#include "rpc_device/boards/rom/esp_rom.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "devices/embedded_devices.h"
#include "rpc_device/boards/firmware/firmware.h"
#include "rpc_device/boards/open_board.h"
#include "simulator/elf_file.h"
#include "tests/measure/dense_task.h"
#include "tests/rpc_device/boards/board_runs.h"
#include "tests/rpc_device/boards/esp_rom_peer.h"

namespace tinytune::test {
namespace {

using Kind = RomFault::Kind;
constexpr uint32_t kBaud = 921'600;

Status load(const EspRomPeer& peer, std::span<const ImageSegment> segments) {
  auto link = open_serial_link(peer.path(), kBaud);
  EXPECT_TRUE(link) << link.error().message();
  return load_by_esp_rom(**link, segments, segments.front().address, kBaud);
}

// More than one block, with the bytes that SLIP escapes.
std::vector<ImageSegment> some_segments() {
  std::vector<ImageSegment> segments = {{0x80000000, std::vector<uint8_t>(0x1800 + 5, 0xC0)},
                                        {0x80010000, std::vector<uint8_t>(7, 0xDB)}};
  segments[0].bytes[3] = 0x42;
  return segments;
}

TEST(EspRom, BoardWithoutARunner_IsLoadedAndMeasures) {
  if (!QemuWithRunner::start(riscv_virt()))
    GTEST_SKIP() << "no qemu-system-riscv32, or no clang-14";
  const TemporaryDirectory directory = TemporaryDirectory::create("rom").value();
  const std::string file = directory.file("with-rom.toml");
  std::string text(internal::find_device_text("qemu-virt-rv32").value().text);
  const std::string uart = "uart = \"ns16550\"";
  ASSERT_NE(text.find(uart), std::string::npos);
  ASSERT_TRUE(write_file(file, text.insert(text.find(uart), "loader = \"esp_rom\"\n")));
  EspRomPeer peer(&riscv_virt(), {});
  const auto board = open(file + "@serial:" + peer.path());
  ASSERT_NE(board, nullptr);
  EXPECT_EQ(peer.entry(), 0x80000000u);
  const MeasureResult result = run(*board, dense_kernel("NONE", board->device()), dense_task());
  EXPECT_EQ(result.outcome, Outcome::kOk) << result.detail;
}

class RomWithAFault : public testing::TestWithParam<RomFault> {};

TEST_P(RomWithAFault, TransferIsBegunAnewAndEndsWhole) {
  EspRomPeer peer(nullptr, GetParam());
  const Status done = load(peer, some_segments());
  EXPECT_TRUE(done) << done.error().message();
  EXPECT_EQ(peer.entry(), 0x80000000u) << "the peer has compared sizes, numbers and checksums";
}

INSTANTIATE_TEST_SUITE_P(Faults, RomWithAFault,
                         testing::Values(RomFault{}, RomFault{Kind::kTalksBefore, kSync, 3},
                                         RomFault{Kind::kSilent, kSync, 3},
                                         RomFault{Kind::kTalksBefore, kMemData, 2},
                                         RomFault{Kind::kSilent, kMemData, 1},
                                         RomFault{Kind::kReceivesWrongly, kMemData, 1},
                                         RomFault{Kind::kRefuses, kMemBegin, 1},
                                         RomFault{Kind::kRefuses, kChangeBaud, 1}));

TEST(EspRom, RomThatGoesOnRefusing_SaysWhatAndWhy) {
  EspRomPeer peer(nullptr, {Kind::kReceivesWrongly, kMemData, 1000});
  const Status done = load(peer, some_segments());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::kFailed);
  EXPECT_EQ(done.error().message(),
            "the chip's ROM loader refuses MEM_DATA: a wrong checksum arrived");
  EXPECT_LT(peer.commands(), 50) << "it gives up";
  EXPECT_FALSE(peer.entry());
}

TEST(EspRom, ChipThatSaysNothing_IsLostWithWhatToDo) {
  EspRomPeer peer(nullptr, {Kind::kSilent, kSync, 1000});
  const Status done = load(peer, some_segments());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::kDeviceLost);
  EXPECT_NE(done.error().message().find("with its BOOT button held"), std::string::npos)
      << done.error().message();
}

TEST(EspRom, RunnerOfTheEsp32c3_LiesInSramThatTheRomLeavesAlone) {
  const Device device = load_device("esp32c3").value();
  const auto elf = build_firmware(device, load_board_facts("esp32c3").value());
  if (!elf && elf.error().code() == ErrorCode::kNotFound) GTEST_SKIP() << elf.error().message();
  ASSERT_TRUE(elf) << elf.error().message();
  const ElfFile file = ElfFile::open(*elf, device.target.family).value();
  uint32_t bytes = 0;
  for (const Elf32_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_LOAD || segment.p_filesz == 0) continue;
    bytes += segment.p_filesz;
    const uint32_t end = segment.p_paddr + segment.p_memsz;
    const bool is_code = segment.p_paddr >= 0x403AE000 && end <= 0x403B0000;
    const bool is_data = segment.p_paddr >= 0x3FCD8000 && end <= 0x3FCDB000;
    EXPECT_TRUE(is_code || is_data) << std::hex << segment.p_paddr << " to " << end;
    EXPECT_EQ(is_code, (segment.p_flags & PF_X) != 0) << "bytes of code cannot be read there";
  }
  EXPECT_GT(bytes, 2'000u);
  EXPECT_LE(bytes, 8'192u);
}

}  // namespace
}  // namespace tinytune::test
