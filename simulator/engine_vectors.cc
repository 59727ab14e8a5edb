// The part of an engine for instructions that its vector unit executes instead of Unicorn.
#include <fmt/format.h>

#include <utility>

#include "simulator/engine.h"

namespace tinytune {

void Engine::run_vectors() {
  const std::span<const Instruction> run = graph_.vector_run();
  resume_at_ = run.back().address + run.back().size_bytes;
  const uint32_t stepped_to = run.front().address + run.front().size_bytes;
  const auto outcome = execute_run(*vectors_, run, *this, vector_address_);
  const uint32_t last = std::exchange(vector_address_, kNoVector);
  if (outcome == VectorUnit::Outcome::kIllegal)
    fault_ = {CallEnd::kIllegalInstruction,
              fmt::format("{} at {:#010x}: {}", graph_.text_at(last), last, vectors_->reason())};
  if (outcome != VectorUnit::Outcome::kExecuted) return stop();
  if (!core_.is_arm() && resume_at_ != stepped_to) core_.resume_at(resume_at_);
}

bool Engine::permits(const Memory::Region* region, bool is_write, uint32_t address,
                     uint32_t size_bytes) const {
  return region != nullptr && region->contains(address, size_bytes) &&
         (!is_write || region->writable) &&
         !(watch_ == Watch::kAccesses && touches_off_limits(address, size_bytes));
}

BlockGraph::Stop Engine::refusal_of(bool is_write, uint32_t address, uint32_t size_bytes) const {
  const std::string what = describe_access(is_write, address, size_bytes);
  if (!permits(memory_.region(address), is_write, address, size_bytes))
    return {CallEnd::kFault, what};
  if (watch_ == Watch::kAccesses && address % size_bytes != 0)
    return {CallEnd::kMisaligned, "misaligned " + what};
  return {};
}

// Accesses all elements at once; if that is refused, reports the first element that is refused.
std::span<uint8_t> Engine::vector_access(uint32_t address, uint32_t size_bytes,
                                         uint32_t element_bytes, bool is_write) {
  for (const std::unique_ptr<Port>& port : ports_) {
    const AddressRange& registers = port->peripheral.registers;
    if (is_write && address - registers.address < registers.size_bytes) {
      fault("vectors write registers of a peripheral");
      return {};
    }
  }
  const Memory::Region* region = memory_.region(address);
  const bool aligned = watch_ != Watch::kAccesses || address % element_bytes == 0;
  if (!aligned || !permits(region, is_write, address, size_bytes)) {
    for (uint32_t i = 0; fault_.end == CallEnd::kReturned && i < size_bytes; i += element_bytes)
      fault_ = refusal_of(is_write, address + i, element_bytes);
    return {};
  }
  if ((watch_ == Watch::kMemory || watch_ == Watch::kBanks) && !is_write)
    timing_.read(address, size_bytes, graph_.clock());
  if (watch_ == Watch::kAccesses) count(is_write, address, size_bytes);
  return {region->host + (address - region->address), size_bytes};
}

// Returns the callee-saved registers of Helium, 16 bytes each; none on RISC-V.
std::span<uint8_t> Engine::saved_vectors() const {
  constexpr size_t kFirst = 4, kCount = 4, kBytes = 16;
  const std::span<uint8_t> all = vectors_ ? vectors_->registers() : std::span<uint8_t>();
  return all.empty() ? all : all.subspan(kFirst * kBytes, kCount * kBytes);
}

void Engine::mark_vectors() {
  uint8_t next = 0x41;
  for (uint8_t& byte : saved_vectors()) byte = next++;
}

bool Engine::vectors_restored() const {
  uint8_t next = 0x41;
  for (const uint8_t byte : saved_vectors())
    if (byte != next++) return false;
  return true;
}

}  // namespace tinytune
