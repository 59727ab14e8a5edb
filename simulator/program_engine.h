// One Unicorn instance that runs a whole program.
//
// In contrast to the engine for kernels (engine.h) it simulates traps, control registers,
// semihosting, the core's own peripherals and the device's ports. RISC-V code runs in user mode, so
// that every instruction that accesses the machine's state traps and is executed here, with the
// model's counts; only the counters for user mode do not trap, and are corrected afterwards. On Arm
// every instruction is hooked, because nothing else tells which of a block's loads reads a counter.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/device.h"
#include "simulator/arm_system.h"
#include "simulator/bank_timing.h"
#include "simulator/block_graph.h"
#include "simulator/csr_file.h"
#include "simulator/memory.h"
#include "simulator/memory_timing.h"
#include "simulator/program.h"
#include "simulator/program_image.h"
#include "simulator/semihosting.h"
#include "simulator/unicorn_core.h"
#include "simulator/vector_unit.h"
#include "tinytune/result.h"

namespace tinytune {

class ProgramEngine final : private VectorUnit::Core {
 public:
  struct Parts {
    const Device& device;
    const ProgramFacts& facts;
    const ProgramImage& image;
    const Memory& memory;
    BlockGraph& graph;
    MemoryTiming& timing;
    BankTiming& banks;
    Semihosting& semihosting;
    const Semihosting::Print& print;
  };
  static Result<std::unique_ptr<ProgramEngine>> create(const Parts& parts);
  ProgramEngine(const ProgramEngine&) = delete;
  ProgramEngine& operator=(const ProgramEngine&) = delete;
  ~ProgramEngine();  // defined where Page is complete

  struct Outcome {
    ProgramReport::End end = ProgramReport::End::kReturn;
    uint32_t address = 0;
    int status = 0;
    uint32_t return_value = 0;
  };
  /// Runs from `start` with the given stack pointer; requires BlockGraph::begin().
  Result<Outcome> run(uint32_t start, uint32_t stack_pointer);

 private:
  struct Hooks;
  struct Page;
  ProgramEngine(const Parts& parts, UnicornCore core);

  Status map_pages();
  Status add_hooks();
  Status enter_user_mode();
  bool is_arm() const { return core_.is_arm(); }
  uint32_t get(unsigned reg) const override { return core_.get(reg); }
  void set(unsigned reg, uint32_t value) override { core_.set(reg, value); }
  uint32_t current_address() const;
  void stop();
  void refuse_floats();
  void fail(ErrorCode code, const std::string& what);
  void finish(ProgramReport::End end, int status);

  void check_alignment(bool is_write, uint32_t address, uint32_t size_bytes);
  void check_divisor();
  std::string described(uint32_t instruction_address);

  /// Returns the address of the program's trap handler; nothing: it has none.
  std::optional<uint32_t> trap_handler() const;
  void set_trap(uint32_t cause, uint32_t at);
  uint32_t take_fault();

  void trap();  ///< handles a trap at the last instruction of the block that runs now
  void trap_arm(const Instruction& at, uint32_t code);
  void trap_riscv(const Instruction& at, uint32_t code);
  void run_vectors();
  void hand_vectors_over();
  void take_vectors_back();
  void execute_mistaken(uint32_t code);
  void correct_mistaken();
  std::span<uint8_t> vector_access(uint32_t address, uint32_t size_bytes, uint32_t element_bytes,
                                   bool is_write) override;
  void jump(uint32_t address) override { resume_at_ = address; }
  void access_csr(const Instruction& at, uint32_t code);
  void environment_call(const Instruction& at);
  void call_host(uint32_t operation_register, uint32_t parameter_register, uint32_t next);
  void finish_native_csr();
  void store_to_port(uint32_t address, uint32_t value);

  const Device& device_;
  const ProgramFacts& facts_;
  const ProgramImage& image_;
  const Memory& memory_;
  BlockGraph& graph_;
  MemoryTiming& timing_;
  BankTiming* banks_;  ///< null: fetches and data never share a bank
  Semihosting& semihosting_;
  const Semihosting::Print& print_;
  CsrFile csrs_;
  ArmSystem system_;
  std::unique_ptr<VectorUnit> vectors_;  ///< null: none
  uint32_t vector_address_ = 0;          ///< of the instruction that the unit executes now
  bool vectors_are_native_ = false;      ///< the current values are in the emulator's registers
  uint32_t resume_at_ = 0;               ///< after a run of vector instructions
  /// The correct results of an instruction that the emulator takes for another, until it has run:
  /// core registers by number, and the flags.
  std::optional<std::array<uint32_t, 17>> corrected_;
  std::vector<std::unique_ptr<Page>> pages_;  ///< outlive the core
  UnicornCore core_;
  uint32_t program_break_ = 0;  ///< end of the heap, moved by environment calls

  /// A load or store that the core reports to the program's handler. The emulator runs on to the
  /// end of the block; its changes are undone. No initialisers, because clang does not see them
  /// before the end of this class: fault_.emplace() zero-initialises.
  struct Fault {
    uint32_t cause, at;
    std::array<uint32_t, 32> registers;
    std::vector<std::pair<uint32_t, std::vector<uint8_t>>> overwritten;  ///< in order of stores
  };
  std::optional<Fault> fault_;
  std::string handled_;  ///< the last fault, while its handler has not returned

  uint32_t address_ = 0;     ///< Arm: of the instruction that runs now
  size_t accesses_ = 0;      ///< loads and stores of the block so far
  uint32_t last_block_ = 1;  ///< address of the block entered last
  bool executed_ = false;    ///< the block's last instruction was executed by this class
  bool trapped_ = false;
  std::optional<uint32_t> next_;
  std::optional<Outcome> outcome_;
  std::optional<Error> error_;
};

}  // namespace tinytune
