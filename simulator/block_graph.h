// The walk of a program over its basic blocks, and what each step cost.
//
// A node is a block entered with one pipeline state; an edge leads to the block that ran next and
// carries the cycles of the block it leaves, with the jump taken or not. Hazards across blocks are
// therefore exact, while a step at run time is one comparison and one increment: no hashing, no
// arithmetic on cycles. Totals are summed when somebody asks, over what has run since the last sum:
// a program of ten thousand sections pays for each section's own blocks.
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

  /// Forgets every block: the code has changed.
  void clear();

  /// Starts a call: counts at zero, the pipeline empty.
  void begin(uint64_t instruction_limit, std::span<const uint32_t> sections);

  enum class Step { kRun, kSectionEntry, kStop };

  /// A block is about to run. kStop: it must not, see stopped_by(). kSectionEntry: run it, but
  /// call enter_section first.
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

  /// The one that runs now, an index of those that begin() was given; -1: none.
  int section() const { return section_; }

  /// Whether a branch to the instruction after it is taken, and what memory a load reads from, only
  /// registers tell. They are read before a block runs. Without them such a branch is not taken.
  void set_registers(RegisterReader registers) { registers_ = std::move(registers); }

  /// How the block that runs now would leave for `address`, which runs next; and how it was
  /// entered.
  BlockExit exit_to(uint32_t address) const;
  const PipelineState& entry() const { return at_->entry; }

  /// More cycles of the block that runs now, which its instructions alone do not tell. Fewer,
  /// modulo 2^64, where it is the sum of a run that is meant.
  void charge(uint64_t cycles) {
    charged_ += cycles;
    clock_ += cycles;
    at_->block->cost.cycles += cycles;
  }
  /// Of the waits that counts() has anyway: these fell on the block that runs now.
  void attribute_wait(uint64_t cycles) { at_->block->cost.cycles += cycles; }
  /// Cycles up to the block that runs now but for those that wait.
  uint64_t clock() const { return clock_; }

  /// The last block left for `return_address`, and the call is over.
  void finish(uint32_t return_address);

  /// Of blocks run to their end; the block that faulted or was refused is not among them.
  Counts counts();
  const std::vector<SectionVisit>& visits() const { return visits_; }

  struct Stop {
    CallEnd end = CallEnd::kReturned;
    std::string detail;
    bool floating_point = false;  ///< an illegal instruction, of an Arm core's optional unit
  };
  const Stop& stopped_by() const { return stop_; }

  /// Address of the `index`-th (from 0) load or store of the block that runs now; of the block
  /// itself when it has fewer.
  uint32_t access_address(size_t index) const;

  /// Of the block that runs now; null if it has no instruction at `address`.
  const Instruction* instruction_at(uint32_t address) const;
  /// Of any address, as an assembler writes it; empty where no instruction stands.
  std::string text_at(uint32_t address);

  /// Whether the block that runs now has an instruction of the floating-point unit.
  bool uses_floats() const { return at_->block->floats; }
  uint32_t block_address() const { return at_->block->address; }
  uint32_t block_bytes() const { return at_->block->size_bytes; }

  /// Of the block that runs now.
  std::span<const Instruction> instructions() const { return at_->block->instructions; }
  /// The last instruction of the block that runs now; null if it has none.
  const Instruction* last_instruction() const {
    const std::vector<Instruction>& all = at_->block->instructions;
    return all.empty() ? nullptr : &all.back();
  }

  /// The vector instructions that end the block that runs now.
  std::span<const Instruction> vector_run() const;

  /// Counts up to an instruction of the block that runs now, that one left out: what a counter says
  /// when it is read there. All of the block if it holds no such address.
  Counts counts_before(uint32_t address);

  /// What each block has cost, 0 if it never ran to its end.
  struct BlockCost {
    uint32_t address = 0;
    uint64_t instructions = 0, cycles = 0;
    uint64_t calls = 0;  ///< that led here
  };
  std::vector<BlockCost> costs();

  const TimingModel& timing() const { return timing_; }

 private:
  struct Block {
    uint32_t address = 0, size_bytes = 0;
    uint32_t instruction_count = 0;
    bool to_next = false;  ///< ends in a branch to the instruction after it
    bool floats = false;   ///< has an instruction of the floating-point unit
    bool special = false;  ///< starts a section, or is refused
    std::vector<Instruction> instructions;
    uint64_t loads = 0, stores = 0, multiplies = 0;
    BlockCost cost;              ///< but for what `touched_` counts
    uint8_t* history = nullptr;  ///< of the branch at its end, see TimingModel::branch_histories
    int section = -1;            ///< index of the section that starts here
    std::string refusal;
    bool refused_floating_point = false;
  };
  struct Node;
  struct Edge {
    uint32_t address = 0;  ///< of the block it leads to; see key_of
    uint32_t cycles = 0;   ///< of the block it leaves
    uint64_t count = 0;
    Node* to = nullptr;
    bool branch_taken = false;
    uint8_t mispredicted = 0;  ///< more cycles unless the branch was foreseen; 0: it always is
  };
  struct Node {
    Block* block = nullptr;
    PipelineState entry;
    std::vector<Edge> edges;  ///< few: two for a branch, one per call site for a return
    bool touched = false;     ///< counted something that is not in the totals yet
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
  std::unordered_map<uint32_t, uint8_t> histories_;  ///< by address: blocks may end in one branch
  std::unordered_multimap<uint64_t, uint32_t> state_index_;  ///< hash to position
  std::deque<PipelineState> states_;
  std::unordered_map<uint64_t, Node*> node_index_;
  std::deque<Node> nodes_;
  Block root_block_;
  Node root_;
  Node* at_ = &root_;
  std::vector<Node*> touched_;
  Counts totals_;  ///< but for what `touched_` counts
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
