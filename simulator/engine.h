// One Unicorn instance over a Memory: runs code, and walks a BlockGraph while it does.
//
// An engine watches memory accesses or does not, for its whole life: Unicorn decides at translation
// whether accesses go through hooks. Unicorn keeps running old translations after code has
// changed, and its flush touches all of a 1 GiB code buffer (both seen in 2.0.1), so engines are
// thrown away instead; a new one costs 0.25 ms.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/device.h"
#include "simulator/block_graph.h"
#include "simulator/memory.h"
#include "simulator/riscv_execute.h"
#include "simulator/simulator.h"
#include "tinytune/result.h"

namespace tinytune {

/// Where calls return to: a page of its own that no device has and no code runs on.
constexpr uint32_t kReturnAddress = 0x0FFFF000;

/// Roles of a core's registers, as numbers of that core.
struct RegisterRoles {
  std::vector<int> arguments;
  std::vector<int> saved;  ///< by the callee, the stack pointer excluded
  std::vector<std::string> saved_names;
  int stack_pointer = 0, link = 0, result = 0;
};
const RegisterRoles& register_roles(CoreFamily family);

class Engine {
 public:
  enum class Watch {
    kNothing,
    kFetches,   ///< tell the memory timing what code runs
    kMemory,    ///< … and what is read from slow memories
    kAccesses,  ///< check every access; no memory timing
  };
  /// `filled`: where code may stand.
  static Result<std::unique_ptr<Engine>> create(const Target& target, const Memory& memory,
                                                std::span<const AddressRange> filled,
                                                BlockGraph& graph, MemoryTiming& timing,
                                                Watch watch);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  uint32_t get(int reg) const;
  void set(int reg, uint32_t value);
  /// Kept by reference for the next run; seen only by an engine that watches accesses.
  void set_off_limits(const std::vector<AddressRange>& ranges) { off_limits_ = &ranges; }

  /// Runs from `function` to kReturnAddress. The graph has been begun; counts are in it.
  BlockGraph::Stop run(uint32_t function);

 private:
  struct Hooks;
  Engine(CoreFamily family, BlockGraph& graph, MemoryTiming& timing, Watch watch)
      : family_(family), graph_(graph), timing_(timing), watch_(watch) {}
  uint32_t code_at(uint32_t address) const;
  std::optional<RegisterWrite> execute_by_hand() const;
  bool branch_holds(const Instruction& branch) const;
  /// Has signed divisions looked at while they run, where their cycles depend on the dividend.
  Status watch_dividends(std::span<const AddressRange> filled);
  bool touches_off_limits(uint64_t address, uint32_t size_bytes) const;
  Status open(const Target& target, const Memory& memory, std::span<const AddressRange> filled);
  /// "write of 1 byte at 0x… from pc 0x…"
  std::string describe_access(bool is_write, uint32_t address, uint32_t size_bytes) const;

  CoreFamily family_;
  const Memory* memory_ = nullptr;
  BlockGraph& graph_;
  MemoryTiming& timing_;
  void* unicorn_ = nullptr;  ///< uc_engine
  Watch watch_;
  size_t accesses_in_block_ = 0;
  const std::vector<AddressRange>* off_limits_ = nullptr;
  BlockGraph::Stop fault_;  ///< the first one seen by a hook
};

}  // namespace tinytune
