#include "devices/cycle_reading.h"

#include <algorithm>

#include "devices/program_facts.h"

namespace tinytune {
namespace {

CycleCounter counter_of(const Target& target, const std::vector<CoreCounter>& counters) {
  if (target.family == CoreFamily::kArmM)
    return target.isa == "armv6-m" ? CycleCounter::kSysTick : CycleCounter::kDwt;
  return target.family == CoreFamily::kRiscv32 && !counters.empty() ? CycleCounter::kCsr
                                                                    : CycleCounter::kRunner;
}

}  // namespace

Result<CycleReading> load_cycle_reading(std::string_view name_or_path) {
  TT_TRY_ASSIGN(const Device device, load_device(name_or_path));
  TT_TRY_ASSIGN(ProgramFacts program, load_program_facts(name_or_path));
  std::erase_if(program.counters,
                [](const CoreCounter& counter) { return !counter.counts_cycles; });
  CycleReading reading;
  reading.counter = counter_of(device.target, program.counters);
  if (reading.counter == CycleCounter::kCsr) {
    const CoreCounter& counter = program.counters.front();
    reading.csr = counter.csrs.front();
    reading.inhibit_csr = counter.inhibit_csr;
    reading.inhibit_bit = counter.inhibit_bit;
  }
  const auto board = load_board_facts(name_or_path);
  if (!board && board.error().code() == ErrorCode::kUnsupported) return reading;
  if (!board) return board.error();
  if (device.target.family == CoreFamily::kArmM) reading.counter = board->counter;
  for (const SetupWrite& write : board->setup)
    if (write.is_csr) reading.setup.emplace_back(write.where, write.value);
  return reading;
}

}  // namespace tinytune
