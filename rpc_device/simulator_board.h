// A Board that is a simulator in this process.
//
// Unguarded buffers share the device's data memory, as they would on the chip. Guarded ones sit in
// extra pages where the device has nothing at all, each between unmapped pages, so that guarded
// runs work on a device whose memory the buffers just fill.
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
  bool can_verify() const override { return true; }
  Result<BoardReport> call(const BoardCall& call) override;

 private:
  struct State;
  explicit SimulatorBoard(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
