// The doctor: looks at a board before anything is believed of it, and says in words what is wrong.
//
// Each check relies on those before it, from the link to a whole kernel, so it ends with the first
// that cannot be done. What it knows beforehand are functions of two or three instructions, whose
// cycles must grow as their iterations do, and what the simulator says of a small convolution. A
// count that differs from the simulator's by more than its error has a reason that would also
// spoil a search: caches that are off, wait states, a counter of another clock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/board_facts.h"
#include "devices/device.h"
#include "rpc_device/boards/open_board.h"
#include "rpc_device/boards/remote_core.h"
#include "tinytune/result.h"

namespace tinytune {

struct Finding {
  std::string check;  ///< "link", "memory", "counter", "clock", "kernel", "noise"
  bool good = false;
  std::string words;  ///< one line
};

struct Examination {
  std::string board;  ///< its id; empty where no link opened
  std::vector<Finding> findings;

  bool healthy() const;
};

/// Takes hold of a board as measurements do: its RAM is written, its flash never. A few seconds.
/// Whatever is wrong with the board is a finding. Errors: the device has no [board] in its file;
/// this machine cannot build kernels.
Result<Examination> examine_board(const BoardAddress& address, const Device& device);

/// This machine, where a simulator stands for the device: a kernel is built, and is exact there.
/// Whatever is wrong is a finding.
Examination examine_simulator(const Device& device);

/// The same of a core that is open already.
Result<Examination> examine_core(std::unique_ptr<RemoteCore> core, const Device& device,
                                 const BoardFacts& facts);

}  // namespace tinytune
