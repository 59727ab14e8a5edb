// A board with the least that boards have: a slow link, no memory protection, and no counter but
// cycles. A simulator does the work, but its other abilities are hidden from the caller.
#pragma once

#include <functional>
#include <memory>

#include "measure/board.h"
#include "rpc_device/boards/simulator_board.h"

namespace tinytune {

class PlainBoard final : public Board {
 public:
  explicit PlainBoard(const Device& device) : chip_(SimulatorBoard::create(device).value()) {}

  const Device& device() const override { return chip_->device(); }
  BoardIdentity identity() const override {
    BoardIdentity identity = chip_->identity();
    identity.id = "plain-0042";
    return identity;
  }
  BoardCapabilities capabilities() const override { return {.limits_time = true}; }

  Status keep(const Digest& digest, std::span<const uint8_t> bytes) override {
    link_bytes += bytes.size();
    constant_bytes += bytes.size();
    return chip_->keep(digest, bytes);
  }

  Result<LoadReport> load(const LoadRequest& request) override {
    link_bytes += request.elf.size();
    if (lost) return gone();
    return chip_->load(request);
  }

  Result<KernelRunReport> run(const RunRequest& asked) override {
    link_bytes += asked.input.bytes.size() + asked.output.bytes.size();
    ++runs;
    if (lost || (lose_run && runs == *lose_run)) {
      lost = true;
      return gone();
    }
    RunRequest request = asked;
    request.limits = {};  // it cannot enforce them
    if (request.watch.guard != Guard::kNone || request.watch.accesses)
      return Error(ErrorCode::kInvalidInput, "this board has no memory protection");
    if (too_slow) {
      KernelRunReport late;
      late.end = RunEnd::kTimeLimit;
      late.detail = "no answer in " + std::to_string(asked.limits.milliseconds.value()) + " ms";
      return late;
    }
    TT_TRY_ASSIGN(KernelRunReport report, chip_->run(request));
    report.stack_bytes = 0;
    report.registers_restored = report.inputs_unchanged = true;
    report.detail = report.end == RunEnd::kReturned ? "" : report.detail;
    for (Sample& sample : report.samples) {
      sample.instructions = 0;
      if (noise)
        sample.cycles = static_cast<uint64_t>(noise() * static_cast<double>(sample.cycles));
    }
    return report;
  }

  Result<std::vector<uint8_t>> read_output() override {
    ++reads;
    TT_TRY_ASSIGN(auto bytes, chip_->read_output());
    link_bytes += bytes.size();
    return bytes;
  }

  Status reset() override {
    ++resets;
    lost = false;
    return chip_->reset();
  }

  size_t link_bytes = 0, constant_bytes = 0;
  int runs = 0, reads = 0, resets = 0;
  std::optional<int> lose_run;  ///< the run during which the board gets lost
  bool lost = false, too_slow = false;
  std::function<double()> noise;  ///< factor on the cycles of a call

 private:
  static Error gone() { return Error(ErrorCode::kDeviceLost, "no answer"); }
  std::unique_ptr<SimulatorBoard> chip_;
};

}  // namespace tinytune
