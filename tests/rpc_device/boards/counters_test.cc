// The program that measures on an RP2040 what its device file derives: it builds, its loader
// accepts it, and its flash transfers and bank loads run in the simulator at the file's rates.
// Neither the start of the other core nor the bus fabric's counters are simulated.
#include <gtest/gtest.h>

#include <numeric>

#include "devices/arrival_way.h"
#include "rpc_device/boards/firmware/firmware.h"
#include "rpc_device/boards/firmware/uf2.h"
#include "simulator/simulator.h"

namespace tinytune::test {
namespace {

class Counters : public testing::Test {
 protected:
  void SetUp() override {
    const auto elf = build_firmware(device_, facts_, FirmwareProgram::kCounters);
    if (!elf && elf.error().code() == ErrorCode::kNotFound) GTEST_SKIP() << elf.error().message();
    ASSERT_TRUE(elf) << elf.error().message();
    elf_ = *elf;
  }

  struct Called {
    CallReport report;
    std::vector<uint8_t> moved;
  };
  /// Calls `function(kRam, kFlash, words)`. kRam is RAM that the program does not occupy.
  Called call(const std::string& function, uint32_t words, const std::string& way = "") const {
    auto simulator = Simulator::create(device_);
    const auto image = simulator->load(elf_);
    EXPECT_TRUE(image) << image.error().message();
    std::vector<uint8_t> flash(4096);
    std::iota(flash.begin(), flash.end(), uint8_t{7});
    EXPECT_TRUE(simulator->write(kFlash, flash));
    CallOptions options;
    const std::vector<ArrivalWay> ways = *load_arrival_ways("rp2040");
    for (const ArrivalWay& known : ways)
      if (known.name == way) options.arrival = known;
    const uint32_t arguments[] = {kRam, kFlash, words};
    Called called{*simulator->call(image->symbols.at(function).address, arguments, options), {}};
    called.moved = *simulator->read(kRam, size_t{words} * 4);
    EXPECT_EQ(called.report.end, CallEnd::kReturned) << called.report.detail;
    flash.resize(size_t{words} * 4);
    if (!way.empty()) {
      EXPECT_EQ(called.moved, flash);
    }
    return called;
  }
  /// Cycles per word, without the start-up cost.
  double rate(const std::string& function, const std::string& way) const {
    const uint64_t few = call(function, 256, way).report.counts.cycles;
    return static_cast<double>(call(function, 1024, way).report.counts.cycles - few) / 768;
  }

  static constexpr uint32_t kFlash = 0x10100000, kRam = 0x20020000;
  const Device device_ = *load_device("rp2040");
  const BoardFacts facts_ = *load_board_facts("rp2040");
  std::vector<uint8_t> elf_;
};

TEST_F(Counters, LoaderTakesThem) {
  const LoadableFirmware program = loadable(elf_, device_).value();
  ASSERT_FALSE(program.segments.empty());
  EXPECT_EQ(program.segments[0].address, program.entry & ~1u) << "where the ROM jumps to";
  EXPECT_FALSE(uf2_of(program.segments, kUf2Rp2040).empty());
}

TEST_F(Counters, WordsComeOutOfFlashByBothWays) {
  EXPECT_NEAR(rate("stream_words", "stream"), 44, 0.1);
  EXPECT_NEAR(rate("burst_words", "burst"), 16, 0.1);
}

// bench/fidelity times the same loops.
TEST_F(Counters, LoopsOverBanks_DifferByTwoCyclesATurn) {
  const uint64_t short_loop = call("short_loop", 1).report.counts.cycles;
  const uint64_t long_loop = call("long_loop", 1).report.counts.cycles;
  EXPECT_NEAR(static_cast<double>(short_loop), 4096 * 11, 100);
  EXPECT_NEAR(static_cast<double>(long_loop), 4096 * 13, 100);
}

TEST(CounterProgram, OtherChips_HaveNone) {
  EXPECT_TRUE(has_counters(*load_board_facts("rp2040")));
  EXPECT_FALSE(has_counters(*load_board_facts("esp32c3")));
  const auto files = firmware_files(*load_device("rp2040"), *load_board_facts("rp2040"));
  EXPECT_NE(files->back().contents.find("\ncounters.elf: "), std::string::npos);
}

}  // namespace
}  // namespace tinytune::test
