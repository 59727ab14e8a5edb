#include "simulator/engine.h"

#include <fmt/format.h>
#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tinytune {

std::optional<RegisterWrite> Engine::execute_by_hand() const {
  const Instruction* last = graph_.last_instruction();
  if (last == nullptr || !last->by_hand) return std::nullopt;
  return execute_bit_manipulation(memory_.code_at(last->address),
                                  [&](unsigned reg) { return get(reg); });
}

bool Engine::touches_off_limits(uint64_t address, uint32_t size_bytes) const {
  for (const AddressRange& range : *off_limits_) {
    if (address < uint64_t{range.address} + range.size_bytes &&
        range.address < address + size_bytes) {
      return true;
    }
  }
  return false;
}

void Engine::count(bool is_write, uint32_t address, uint32_t size_bytes) {
  const uint32_t vector = vector_address_ == kNoVector ? 0 : vector_address_;
  for (uint32_t word = 0; flow_.follows() && word < size_bytes; word += 4)
    accesses_.push_back({address + word, std::min(size_bytes - word, 4u), is_write, vector});
  for (size_t i = 0; i < traffic_.size(); ++i) {
    const AddressRange& range = (*counted_)[i];
    if (address - range.address >= range.size_bytes) continue;
    (is_write ? traffic_[i].stored_bytes : traffic_[i].loaded_bytes) += size_bytes;
    return;
  }
}

// Tracks the current block of the graph; before the first block that has no instructions.
void Engine::follow_block() {
  if (flow_.follows())
    flow_.follow(graph_.instructions(), accesses_, [this](const Instruction& vector) {
      return vectors_->use(memory_.code_at(vector.address));
    });
  accesses_.clear();
}

std::string Engine::describe_access(bool is_write, uint32_t address, uint32_t size_bytes) const {
  // Unicorn does not update the program counter inside a block. With Watch::kAccesses the number of
  // accesses so far gives the instruction.
  const bool vector = vector_address_ != kNoVector;
  const uint32_t pc = vector ? vector_address_
                      : watch_ == Watch::kAccesses && accesses_in_block_ > 0
                          ? graph_.access_address(accesses_in_block_ - 1)
                          : graph_.block_address();
  return fmt::format("{} of {} byte{} at {:#010x} from {} {:#010x}", is_write ? "write" : "read",
                     size_bytes, size_bytes == 1 ? "" : "s", address,
                     vector || watch_ == Watch::kAccesses ? "pc" : "the block at pc", pc);
}

Result<std::unique_ptr<Engine>> Engine::create(const Target& target, const Memory& memory,
                                               std::span<const AddressRange> filled,
                                               BlockGraph& graph, MemoryTiming& timing,
                                               BankTiming& banks, CoreOverlap& cores,
                                               std::span<const AttachedPeripheral> peripherals,
                                               Arrival* arrival, Watch watch) {
  TT_TRY_ASSIGN(UnicornCore core, UnicornCore::open(target, memory));
  std::unique_ptr<Engine> engine(
      new Engine(std::move(core), memory, graph, timing, banks, cores, arrival, watch));
  engine->meets_banks_ = watch == Watch::kBanks || (watch == Watch::kCores && banks.meets(filled));
  engine->vectors_ = make_vector_unit(target);
  TT_TRY(engine->add_hooks(filled));
  TT_TRY(engine->attach(peripherals));
  if (arrival != nullptr) TT_TRY(engine->watch_arrivals());
  TT_TRY(engine->watch_dividends(filled));
  return engine;
}

// A unit may access what the core may, guards of buffers included.
std::span<uint8_t> Engine::moved(uint32_t address, uint32_t size_bytes, bool is_write) {
  const std::span<uint8_t> bytes = memory_.at(address, size_bytes);
  const bool allowed = !bytes.empty() && (!is_write || memory_.region(address)->writable) &&
                       (watch_ != Watch::kAccesses || !touches_off_limits(address, size_bytes));
  if (allowed) return bytes;
  fault(fmt::format("{} of {} bytes at {:#010x} by a peripheral", is_write ? "write" : "read",
                    size_bytes, address));
  return {};
}

std::span<const uint8_t> Engine::read(uint32_t address, uint32_t size_bytes) {
  return moved(address, size_bytes, false);
}

std::span<uint8_t> Engine::write(uint32_t address, uint32_t size_bytes) {
  return moved(address, size_bytes, true);
}

void Engine::fault(const std::string& why) {
  if (fault_.end == CallEnd::kReturned) fault_ = {CallEnd::kFault, why};
  stop();
}

void Engine::stop() { uc_emu_stop(core_.handle()); }

int Engine::start(uint32_t address) {
  trapped_ = false;
  const uint64_t begin = core_.is_arm() ? address | 1u : address;
  return uc_emu_start(core_.handle(), begin, kReturnAddress, 0, 0);
}

BlockGraph::Stop Engine::run(uint32_t function) {
  if (vectors_) vectors_->reset();
  mark_vectors();
  fault_ = BlockGraph::Stop();
  accesses_in_block_ = 0;
  accesses_.clear();
  graph_.set_registers([this](unsigned reg) { return get(reg); });
  int error = start(function);
  while (trapped_ || (vectors_ && core_.is_arm() && error == UC_ERR_INSN_INVALID)) {
    if (graph_.stopped_by().end != CallEnd::kReturned || graph_.vector_run().empty()) break;
    run_vectors();
    if (fault_.end != CallEnd::kReturned) break;
    error = start(resume_at_);
  }
  if (fault_.end != CallEnd::kReturned) return fault_;
  if (graph_.stopped_by().end != CallEnd::kReturned) return graph_.stopped_by();
  if (trapped_) {
    return {CallEnd::kIllegalInstruction,
            fmt::format("exception in the block at {:#010x}", graph_.block_address())};
  }
  if (error != UC_ERR_OK) {
    return {CallEnd::kIllegalInstruction,
            fmt::format("{} in the block at {:#010x}", uc_strerror(static_cast<uc_err>(error)),
                        graph_.block_address())};
  }
  follow_block();
  if (watch_ == Watch::kBanks) banks_.leave_for(kReturnAddress, graph_);
  graph_.finish(kReturnAddress);
  return BlockGraph::Stop();
}

}  // namespace tinytune
