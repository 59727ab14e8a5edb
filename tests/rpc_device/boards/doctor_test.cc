// The doctor on QEMU machines: a healthy one, and the same machine with one fault injected.
#include "rpc_device/boards/doctor/doctor.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "tests/rpc_device/boards/qemu.h"

namespace tinytune::test {
namespace {

/// A fault to inject into a core.
struct Ailment {
  std::function<void(CoreReturn&)> after_call = [](CoreReturn&) {};
  uint32_t memory_end = ~0u;  ///< writes from this address on are lost
  std::optional<uint64_t> clock_hz;
};

/// A real core with an injected fault.
class AilingCore final : public RemoteCore {
 public:
  AilingCore(std::unique_ptr<RemoteCore> core, Ailment ailment)
      : core_(std::move(core)), ailment_(std::move(ailment)), traits_(core_->traits()) {
    traits_.queues_calls = false;
    if (ailment_.clock_hz) traits_.clock_hz = ailment_.clock_hz;
  }
  const CoreTraits& traits() const override { return traits_; }
  Status write(uint32_t address, std::span<const uint8_t> bytes) override {
    return address < ailment_.memory_end ? core_->write(address, bytes) : ok_status();
  }
  Status fill(uint32_t address, uint32_t size_bytes, const Contents& contents) override {
    return core_->fill(address, size_bytes, contents);
  }
  Status copy(uint32_t from, uint32_t to, uint32_t size_bytes) override {
    return core_->copy(from, to, size_bytes);
  }
  Result<std::vector<uint8_t>> read(uint32_t address, uint32_t size_bytes) override {
    return core_->read(address, size_bytes);
  }
  Result<std::vector<Digest>> digests(std::span<const AddressRange> ranges) override {
    return core_->digests(ranges);
  }
  Result<CoreReturn> call(const CoreCall& call) override {
    TT_TRY_ASSIGN(CoreReturn done, core_->call(call));
    ailment_.after_call(done);
    return done;
  }
  Status reset() override { return core_->reset(); }

 private:
  const std::unique_ptr<RemoteCore> core_;
  const Ailment ailment_;
  CoreTraits traits_;
};

/// Returns the checks that found something wrong, in order.
std::vector<std::string> wrong(const Examination& examination) {
  std::vector<std::string> checks;
  for (const Finding& finding : examination.findings)
    if (!finding.good) checks.push_back(finding.check);
  return checks;
}

std::string words(const Examination& examination) {
  std::string all;
  for (const Finding& finding : examination.findings)
    all += finding.check + ": " + finding.words + "\n";
  return all;
}

Examination examine(const QemuWithGdb& qemu, Ailment ailment) {
  const BoardAddress address = parse_board_address(qemu.address()).value();
  const Device device = load_device(address.device).value();
  auto core = open_core(address, device);
  EXPECT_TRUE(core) << core.error().message();
  return examine_core(std::make_unique<AilingCore>(std::move(*core), std::move(ailment)), device,
                      load_board_facts(address.device).value())
      .value();
}

using Checks = std::vector<std::string>;

void expect_healthy(const std::string& address_text) {
  const BoardAddress address = parse_board_address(address_text).value();
  const auto examination = examine_board(address, load_device(address.device).value());
  ASSERT_TRUE(examination) << examination.error().message();
  EXPECT_TRUE(examination->healthy()) << words(*examination);
  EXPECT_EQ(examination->findings.size(), 6u) << words(*examination);
}

TEST(Doctor, BoardBehindADebugger_IsHealthy) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  expect_healthy(qemu->address());
}

TEST(Doctor, BoardWithTheRunner_IsHealthy) {
  START_RUNNER_OR_SKIP(qemu, mps2_an386());
  expect_healthy(qemu->address());
}

TEST(Doctor, ClockThatIsNotTheOneSaid_IsTold) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  Ailment ailment;
  ailment.clock_hz = 1'000;
  const Examination examination = examine(*qemu, ailment);
  EXPECT_EQ(wrong(examination), Checks{"clock"}) << words(examination);
}

TEST(Doctor, CounterThatStands_IsTold) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  Ailment ailment;
  ailment.after_call = [](CoreReturn& done) { done.cycles = 1; };
  const Examination examination = examine(*qemu, ailment);
  ASSERT_GE(examination.findings.size(), 3u);
  EXPECT_FALSE(examination.findings[2].good);
  EXPECT_NE(examination.findings[2].words.find("not switched on"), std::string::npos);
}

TEST(Doctor, MemorySmallerThanTheFileSays_IsToldWithItsAddress) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  Ailment ailment;
  ailment.memory_end = 0x80900000;
  const Examination examination = examine(*qemu, ailment);
  ASSERT_GE(examination.findings.size(), 2u);
  EXPECT_EQ(wrong(examination), Checks{"memory"}) << words(examination);
  EXPECT_NE(examination.findings[1].words.find("'data' at 0x8"), std::string::npos)
      << words(examination);
}

TEST(Doctor, TwiceTheSimulatorsCycles_AreTold) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  Ailment ailment;
  ailment.after_call = [](CoreReturn& done) { done.cycles *= 2; };
  const Examination examination = examine(*qemu, ailment);
  EXPECT_EQ(wrong(examination), Checks{"kernel"}) << words(examination);
}

TEST(Doctor, CyclesThatVary_AreTold) {
  START_QEMU_OR_SKIP(qemu, riscv_virt());
  Ailment ailment;
  uint64_t calls = 0;
  ailment.after_call = [&calls](CoreReturn& done) {
    done.cycles += done.cycles / 200 * (++calls % 6);
  };
  const Examination examination = examine(*qemu, ailment);
  EXPECT_EQ(wrong(examination), Checks{"noise"}) << words(examination);
}

TEST(Doctor, NobodyThere_IsAFindingOfTheLink) {
  const auto examination = examine_board({"qemu-virt-rv32", "gdb", "127.0.0.1:1"},
                                         load_device("qemu-virt-rv32").value());
  ASSERT_TRUE(examination) << examination.error().message();
  EXPECT_EQ(wrong(*examination), Checks{"link"});
  EXPECT_FALSE(examination->healthy());
}

TEST(Doctor, AnotherChip_IsToldWithWhatWasExpectedAndWhatIsThere) {
  const auto said_of = [](const std::string& device, const std::string& place) {
    const auto examination = examine_board({device, "gdb", place}, load_device(device).value());
    EXPECT_TRUE(examination) << examination.error().message();
    return examination ? examination->findings.at(0).words : "";
  };
  START_QEMU_OR_SKIP(arm, mps2_an386());
  const std::string place = arm->place();
  EXPECT_NE(said_of("esp32c3", place).find("expected esp32c3 (rv32imc), found a Cortex-M core"),
            std::string::npos)
      << said_of("esp32c3", place);
  EXPECT_NE(said_of("rp2040", place).find("expected rp2040 (Cortex-M0+), found a Cortex-M4"),
            std::string::npos)
      << said_of("rp2040", place);
  START_QEMU_OR_SKIP(riscv, riscv_virt());
  EXPECT_NE(said_of("rp2040", riscv->place()).find("found a RISC-V core"), std::string::npos)
      << said_of("rp2040", riscv->place());
}

}  // namespace
}  // namespace tinytune::test
