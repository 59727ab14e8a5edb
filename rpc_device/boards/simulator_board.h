// A Board that is a simulator in this process.
//
// Unguarded buffers share the device's data memory, as on the chip. Guarded ones are in extra pages
// at addresses that the device does not use, each between unmapped pages, so that guarded runs work
// even if the buffers fill the device's memory.
//
// It limits cycles and not time: a simulator's results must not depend on the machine's load.
#pragma once

#include <memory>

#include "devices/device.h"
#include "measure/board.h"
#include "tinytune/result.h"

namespace tinytune {

class SimulatorBoard final : public Board {
 public:
  /// As Simulator::create.
  static Result<std::unique_ptr<SimulatorBoard>> create(const Device& device);
  ~SimulatorBoard() override;

  const Device& device() const override;
  BoardIdentity identity() const override;
  BoardCapabilities capabilities() const override;
  Status keep(const Digest& digest, std::span<const uint8_t> bytes) override;
  Result<LoadReport> load(const LoadRequest& request) override;
  /// Also kUnsupported: the device leaves no addresses for guarded buffers.
  Result<KernelRunReport> run(const RunRequest& request) override;
  Result<std::vector<uint8_t>> read_output() override;
  Status reset() override;

 private:
  struct State;
  explicit SimulatorBoard(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
