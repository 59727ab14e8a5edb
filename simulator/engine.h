// One Unicorn instance over a Memory: runs code, and walks a BlockGraph meanwhile.
//
// An engine's Watch is fixed for its life, because Unicorn decides at translation whether accesses
// go through hooks. When code changes, engines are replaced, because Unicorn keeps running old
// translations, and its flush touches all of a 1 GiB code buffer (both seen in 2.0.1); a new
// instance costs 0.25 ms.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "simulator/arrival.h"
#include "simulator/bank_timing.h"
#include "simulator/block_graph.h"
#include "simulator/core_overlap.h"
#include "simulator/data_flow.h"
#include "simulator/memory.h"
#include "simulator/peripheral.h"
#include "simulator/register_roles.h"
#include "simulator/riscv_execute.h"
#include "simulator/simulator.h"
#include "simulator/unicorn_core.h"
#include "simulator/vector_unit.h"
#include "tinytune/result.h"

namespace tinytune {

/// A unit beside the core, and the addresses of its registers.
struct AttachedPeripheral {
  AddressRange registers;
  Peripheral* unit = nullptr;
};

class Engine final : private PeripheralBus, private VectorUnit::Core {
 public:
  enum class Watch {
    kNothing,
    kFetches,   ///< times fetches from slow memories
    kMemory,    ///< … and reads from them
    kBanks,     ///< … and collisions of fetches with loads and stores in banks
    kCores,     ///< … and pairs of sections on two cores
    kAccesses,  ///< checks every access; no memory timing
  };
  /// `filled`: ranges that may have code.
  static Result<std::unique_ptr<Engine>> create(const Target& target, const Memory& memory,
                                                std::span<const AddressRange> filled,
                                                BlockGraph& graph, MemoryTiming& timing,
                                                BankTiming& banks, CoreOverlap& cores,
                                                std::span<const AttachedPeripheral> peripherals,
                                                Arrival* arrival, Watch watch);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  uint32_t get(unsigned reg) const override { return core_.get(reg); }
  void set(unsigned reg, uint32_t value) override { core_.set(reg, value); }
  /// Sets the ranges for the next run, kept by reference; used only with Watch::kAccesses.
  void set_watched(const std::vector<AddressRange>& off_limits,
                   const std::vector<AddressRange>& counted) {
    off_limits_ = &off_limits;
    counted_ = &counted;
    traffic_.assign(counted.size(), Traffic());
    flow_.begin(counted);
  }
  /// Returns whether the last run has preserved the callee-saved vectors (Helium's q4 to q7).
  bool vectors_restored() const;
  /// Returns the traffic of the last run, by `counted` range.
  const std::vector<Traffic>& traffic() const { return traffic_; }
  const FactorCounts& factors() const { return flow_.factors(); }
  const FactorLoads& factor_loads() const { return flow_.factor_loads(); }

  /// Runs from `function` to kReturnAddress. Requires BlockGraph::begin(); counts are in the graph.
  BlockGraph::Stop run(uint32_t function);

 private:
  static constexpr uint32_t kNoVector = 1;  ///< odd: no code address
  struct Hooks;
  Engine(UnicornCore core, const Memory& memory, BlockGraph& graph, MemoryTiming& timing,
         BankTiming& banks, CoreOverlap& cores, Arrival* arrival, Watch watch)
      : core_(std::move(core)),
        memory_(memory),
        graph_(graph),
        timing_(timing),
        banks_(banks),
        cores_(cores),
        arrival_(arrival),
        watch_(watch) {}
  std::optional<RegisterWrite> execute_by_hand() const;
  /// Hooks signed divisions if their cycles depend on the dividend.
  Status watch_dividends(std::span<const AddressRange> filled);
  bool touches_off_limits(uint64_t address, uint32_t size_bytes) const;
  void count(bool is_write, uint32_t address, uint32_t size_bytes);
  void follow_block();
  Status add_hooks(std::span<const AddressRange> filled);
  /// Hooks reads that may wait, and PLD in `filled`, for the memory timing.
  Status watch_memory(std::span<const AddressRange> filled);
  Status watch_arrivals();
  Status attach(std::span<const AttachedPeripheral> peripherals);
  void stop();
  void run_vectors();
  std::span<uint8_t> saved_vectors() const;
  void mark_vectors();
  /// Runs until the code returns, stops or, on Arm, reaches an instruction that the emulator lacks.
  /// Returns a uc_err.
  int start(uint32_t address);
  /// Returns whether the core may access that range, which begins in `region`.
  bool permits(const Memory::Region* region, bool is_write, uint32_t address,
               uint32_t size_bytes) const;
  /// Returns why it may not access an element; kReturned: it may.
  BlockGraph::Stop refusal_of(bool is_write, uint32_t address, uint32_t size_bytes) const;
  std::span<uint8_t> vector_access(uint32_t address, uint32_t size_bytes, uint32_t element_bytes,
                                   bool is_write) override;
  void jump(uint32_t address) override { resume_at_ = address; }
  std::span<uint8_t> moved(uint32_t address, uint32_t size_bytes, bool is_write);
  std::span<const uint8_t> read(uint32_t address, uint32_t size_bytes) override;
  std::span<uint8_t> write(uint32_t address, uint32_t size_bytes) override;
  void stall(uint64_t cycles) override { graph_.charge(cycles); }
  uint64_t now() override { return graph_.counts().cycles; }
  void fault(const std::string& why) override;
  /// "write of 1 byte at 0x… from pc 0x…"
  std::string describe_access(bool is_write, uint32_t address, uint32_t size_bytes) const;

  UnicornCore core_;
  const Memory& memory_;
  BlockGraph& graph_;
  MemoryTiming& timing_;
  BankTiming& banks_;
  CoreOverlap& cores_;
  Arrival* arrival_;  ///< null: no unit copies weights
  bool meets_banks_ = false;
  Watch watch_;
  std::unique_ptr<VectorUnit> vectors_;  ///< null: none
  uint32_t vector_address_ = kNoVector;  ///< of the instruction that the unit executes now
  uint32_t resume_at_ = 0;               ///< after a run of vector instructions
  bool trapped_ = false;                 ///< Arm: the emulator stopped before one of them
  size_t accesses_in_block_ = 0;
  const std::vector<AddressRange>*off_limits_ = nullptr, *counted_ = nullptr;
  std::vector<Traffic> traffic_;
  DataFlow flow_;
  std::vector<DataFlow::Access> accesses_;  ///< of the block that runs now, if flow_ follows any
  struct Port {
    Engine& engine;
    AttachedPeripheral peripheral;
  };
  std::vector<std::unique_ptr<Port>> ports_;  ///< user data of hooks on registers
  BlockGraph::Stop fault_;                    ///< the first one seen by a hook
};

}  // namespace tinytune
