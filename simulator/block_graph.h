// A program's walk over its basic blocks, with the cost of each step.
//
// A node is a block entered with one pipeline state; an edge leads to the block that ran next and
// carries the cycles of the block it leaves, with the jump taken or not. Hazards across blocks are
// therefore exact, while a step at run time is one comparison and one increment, without hashing.
// Totals are summed on demand, over the nodes that have run since the last sum: of ten thousand
// sections each pays only for its own blocks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/decoder.h"
#include "simulator/memory.h"
#include "simulator/memory_blocks.h"
#include "simulator/memory_timing.h"
#include "simulator/riscv_execute.h"
#include "simulator/simulator.h"
#include "simulator/timing_model.h"

namespace tinytune {

class BlockGraph {
 public:
  BlockGraph(const Device& device, Decoder decoder, TimingModel timing, const Memory* memory,
             const MemoryTiming::Waits* waits);

  /// Forgets all blocks, because the code has changed.
  void clear();

  /// Starts a call: counts at zero, the pipeline empty.
  void begin(uint64_t instruction_limit, std::span<const uint32_t> sections);

  enum class Step { kRun, kSectionEntry, kStop };

  /// Steps to a block that is about to run. kStop: it must not run, see stopped_by().
  /// kSectionEntry: call enter_section() before it runs.
  Step enter(uint32_t address, uint32_t size_bytes) {
    for (Edge& edge : at_->edges) {
      if (edge.address != address) continue;
      follow(edge);
      const Block& block = *at_->block;
      if (block.instruction_count > budget_ || block.special || address == section_return_) {
        return enter_specially();
      }
      budget_ -= block.instruction_count;
      return Step::kRun;
    }
    return enter_first_time(address, size_bytes);
  }
  void enter_section(uint32_t return_address);

  /// Returns the section that runs now, as an index of begin()'s sections; -1: none.
  int section() const { return section_; }

  /// Sets the reader of registers, which determine whether a branch to the instruction after it is
  /// taken, and which memory a load reads from. They are read before a block runs. Without a reader
  /// such a branch counts as not taken.
  void set_registers(RegisterReader registers) { registers_ = std::move(registers); }

  /// Returns the exit of the block that runs now if `address` runs next; and its entry state.
  BlockExit exit_to(uint32_t address) const;
  const PipelineState& entry() const { return at_->entry; }

  /// Adds cycles to the block that runs now, which depend on more than its instructions. May be
  /// negative, modulo 2^64, if only the sum of a run is meaningful.
  void charge(uint64_t cycles) {
    charged_ += cycles;
    clock_ += cycles;
    at_->block->cost.cycles += cycles;
  }
  /// Attributes waits, which counts() includes already, to the block that runs now.
  void attribute_wait(uint64_t cycles) { at_->block->cost.cycles += cycles; }
  /// Returns the cycles up to the block that runs now, without waits.
  uint64_t clock() const { return clock_; }

  /// Ends the call: the last block has left for `return_address`.
  void finish(uint32_t return_address);

  /// Returns the counts of blocks that ran to their end, without the one that faulted or was
  /// refused.
  Counts counts();
  const std::vector<SectionVisit>& visits() const { return visits_; }

  struct Stop {
    CallEnd end = CallEnd::kReturned;
    std::string detail;
    bool floating_point = false;  ///< an illegal instruction of an Arm core's optional FPU
  };
  const Stop& stopped_by() const { return stop_; }

  /// Returns the address of the instruction that makes access `index` (from 0) of the block that
  /// runs now; the block's if it makes fewer.
  uint32_t access_address(size_t index) const;

  /// Returns an instruction of the block that runs now; null: none at `address`.
  const Instruction* instruction_at(uint32_t address) const;
  /// Returns the instruction at any address, as an assembler writes it; empty: none.
  std::string text_at(uint32_t address);

  /// Returns whether the block that runs now has a floating-point instruction.
  bool uses_floats() const { return at_->block->floats; }
  uint32_t block_address() const { return at_->block->address; }
  uint32_t block_bytes() const { return at_->block->size_bytes; }

  /// Returns the instructions of the block that runs now.
  std::span<const Instruction> instructions() const { return at_->block->instructions; }
  /// Returns the last of them; null: the block has none.
  const Instruction* last_instruction() const {
    const std::vector<Instruction>& all = at_->block->instructions;
    return all.empty() ? nullptr : &all.back();
  }

  /// Returns the vector instructions at the end of the block that runs now.
  std::span<const Instruction> vector_run() const;

  /// Returns the counts up to, but without, an instruction of the block that runs now: the value of
  /// a counter that it reads. Includes all of the block if it has no instruction at `address`.
  Counts counts_before(uint32_t address);

  /// Cost of a block; 0 if it never ran to its end.
  struct BlockCost {
    uint32_t address = 0;
    uint64_t instructions = 0, cycles = 0;
    uint64_t calls = 0;  ///< calls of the block
  };
  std::vector<BlockCost> costs();

  const TimingModel& timing() const { return timing_; }

 private:
  struct Block {
    uint32_t address = 0, size_bytes = 0;
    uint32_t instruction_count = 0;
    bool to_next = false;  ///< ends in a branch to the instruction after it
    bool floats = false;   ///< has a floating-point instruction
    bool special = false;  ///< starts a section, or is refused
    std::vector<Instruction> instructions;
    uint64_t loads = 0, stores = 0, multiplies = 0;
    BlockCost cost;              ///< without the counts of edges from `touched_`
    uint8_t* history = nullptr;  ///< of the branch at its end, see TimingModel::branch_histories
    int section = -1;            ///< index of the section that starts here
    std::string refusal;
    bool refused_floating_point = false;
  };
  struct Node;
  struct Edge {
    uint32_t address = 0;  ///< of the block it leads to; see key_of()
    uint32_t cycles = 0;   ///< of the block it leaves
    uint64_t count = 0;
    Node* to = nullptr;
    bool branch_taken = false;
    uint8_t mispredicted = 0;  ///< extra cycles of a misprediction; 0: never mispredicted
  };
  struct Node {
    Block* block = nullptr;
    PipelineState entry;
    std::vector<Edge> edges;  ///< few: two for a branch, one per call site for a return
    bool touched = false;     ///< has counts that are not in the totals yet
  };

  void touch(Node& node) {
    if (node.touched) return;
    node.touched = true;
    touched_.push_back(&node);
  }
  void follow(Edge& edge) {
    if (edge.count++ == 0) touch(*at_);
    clock_ += edge.cycles;
    if (edge.mispredicted != 0) learn(edge);
    at_ = edge.to;
  }
  void settle();
  void learn(const Edge& edge);
  void forget(Block& block) const;

  Step enter_first_time(uint32_t address, uint32_t size_bytes);
  Step enter_specially();
  uint32_t key_of(const Block& left, uint32_t address) const;
  static bool is_taken(const Block& left, uint32_t key, uint32_t address);
  void leave_section();
  void mark_section(Block& block) const;
  Edge& add_edge(Node& from, uint32_t key, uint32_t address);
  Block& block_at(uint32_t address, uint32_t size_bytes);
  uint32_t state_number(const PipelineState& state);
  Node& node_at(Block& block, const PipelineState& entry);

  static constexpr uint32_t kNowhere = 1;  ///< odd: no code address

  Decoder decoder_;
  TimingModel timing_;
  MemoryBlocks memory_blocks_;
  const Memory* memory_;
  const MemoryTiming::Waits* waits_;
  std::map<uint32_t, Block> blocks_;
  std::unordered_map<uint32_t, uint8_t> histories_;  ///< by branch: several blocks may end in it
  std::unordered_multimap<uint64_t, uint32_t> state_index_;  ///< hash to position
  std::deque<PipelineState> states_;
  std::unordered_map<uint64_t, Node*> node_index_;
  std::deque<Node> nodes_;
  Block root_block_;
  Node root_;
  Node* at_ = &root_;
  std::vector<Node*> touched_;
  Counts totals_;  ///< without the counts of edges from `touched_`
  uint64_t budget_ = 0;
  uint64_t charged_ = 0, clock_ = 0;
  RegisterReader registers_;
  std::vector<uint32_t> section_addresses_;
  std::vector<SectionVisit> visits_;
  int section_ = -1;
  uint32_t section_return_ = kNowhere;
  Counts section_start_;
  Stop stop_;
};

}  // namespace tinytune
