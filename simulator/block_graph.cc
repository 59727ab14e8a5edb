#include "simulator/block_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tinytune {

BlockGraph::BlockGraph(const Device& device, Decoder decoder, TimingModel timing,
                       const Memory* memory, const MemoryTiming::Waits* waits)
    : decoder_(std::move(decoder)),
      timing_(timing),
      memory_blocks_(device),
      memory_(memory),
      waits_(waits) {
  clear();
}

void BlockGraph::clear() {
  blocks_.clear();
  histories_.clear();
  states_.clear();
  state_index_.clear();
  node_index_.clear();
  nodes_.clear();
  touched_.clear();
  root_ = Node();
  root_.block = &root_block_;
  at_ = &root_;
}

void BlockGraph::begin(uint64_t instruction_limit, std::span<const uint32_t> sections) {
  settle();
  totals_ = Counts();
  section_addresses_.assign(sections.begin(), sections.end());
  visits_.clear();
  for (auto& [address, block] : blocks_) {
    mark_section(block);
    block.cost = BlockCost();
    forget(block);
  }
  at_ = &root_;
  budget_ = instruction_limit;
  charged_ = clock_ = 0;
  section_ = -1;
  section_return_ = kNowhere;
  stop_ = Stop();
}

void BlockGraph::mark_section(Block& block) const {
  const auto section =
      std::find(section_addresses_.begin(), section_addresses_.end(), block.address);
  const bool starts = section != section_addresses_.end();
  block.section = starts ? static_cast<int>(section - section_addresses_.begin()) : -1;
  block.special = starts || !block.refusal.empty();
}

namespace {

constexpr uint32_t kPageBytes = 4096, kMostInstructions = 512;  // limits of the emulator's blocks

/// Returns the bytes that the emulator's block at `address` runs. If it ends in an instruction that
/// the emulator does not know, `size_bytes` is 4 bytes short of that instruction, modulo 2^16.
uint32_t true_size(uint32_t address, uint32_t size_bytes, std::span<const uint8_t> code) {
  const uint32_t target = static_cast<uint16_t>(size_bytes + 4);
  uint32_t offset = 0, instructions = 0;
  uint32_t last = 0;
  for (; offset + 4 <= code.size(); ++instructions) {
    std::memcpy(&last, &code[offset], 4);
    if (offset >= target || riscv_ends_block(last)) break;
    offset += (last & 3) == 3 ? 4 : 2;
  }
  if (offset != target || offset + 4 > code.size()) return size_bytes;
  // A block cut at one of these limits is complete: what follows is a block of its own.
  const bool is_cut = instructions >= kMostInstructions ||
                      (offset > 0 && address / kPageBytes != (address + offset - 1) / kPageBytes);
  const bool unknown = is_bit_manipulation(last) || is_riscv_vector(last);
  return unknown && !is_cut ? offset + 4 : size_bytes;
}

}  // namespace

BlockGraph::Block& BlockGraph::block_at(uint32_t address, uint32_t size_bytes) {
  const auto [position, is_new] = blocks_.try_emplace(address);
  Block& block = position->second;
  if (!is_new) return block;
  block.address = address;
  block.size_bytes = size_bytes;
  // Takes the code up to the region's end, because Unicorn omits some instructions that it will not
  // run from the block before them.
  const Memory::Region* region = memory_->region(address);
  std::span<const uint8_t> code;
  if (region != nullptr) {
    code = memory_->at(address, uint64_t{region->address} + region->size_bytes - address);
  }
  if (decoder_.family() == CoreFamily::kRiscv32)
    block.size_bytes = true_size(address, size_bytes, code);
  decoder_.begin_block();
  for (size_t offset = 0; offset < code.size();) {
    const bool ends = offset >= block.size_bytes && !block.instructions.empty() &&
                      (block.instructions.back().ends_block || block.instructions.back().by_hand);
    // Vector instructions run together with the first of them, which ends the emulator's block.
    const bool may_join =
        ends && block.instructions.back().vector && !block.instructions.back().ends_block;
    if (ends && !may_join) break;
    const Decoder::Decoded decoded =
        decoder_.decode(code.subspan(offset), address + static_cast<uint32_t>(offset));
    if (may_join && (!decoded.refusal.empty() || !decoded.instruction.vector)) break;
    if (!decoded.refusal.empty()) {
      block.refused_floating_point = decoded.floating_point;
      block.refusal = fmt::format("{} at {:#010x}", decoded.refusal, decoded.instruction.address);
      break;
    }
    if (offset >= block.size_bytes && !may_join)
      break;  // a block that was cut short; the rest runs next
    const Instruction& instruction = decoded.instruction;
    block.instructions.push_back(instruction);
    block.floats |= instruction.is_float();
    block.loads += instruction.is_load();
    block.stores += instruction.is_store();
    block.multiplies += instruction.is_multiply();
    offset += instruction.size_bytes;
    if (may_join) block.size_bytes = static_cast<uint32_t>(offset);
  }
  if (timing_.overlaps_loads()) memory_blocks_.find(block.instructions, registers_);
  block.instruction_count = static_cast<uint32_t>(block.instructions.size());
  block.to_next = !block.instructions.empty() && block.instructions.back().to_next;
  mark_section(block);
  if (timing_.branch_histories().likely != 0 && !block.instructions.empty()) {
    const auto [history, is_new] = histories_.try_emplace(block.instructions.back().address);
    block.history = &history->second;
    if (is_new) forget(block);
  }
  return block;
}

uint32_t BlockGraph::state_number(const PipelineState& state) {
  const uint64_t hash = state.hash();
  const auto [begin, end] = state_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (states_[it->second] == state) return it->second;
  }
  const auto number = static_cast<uint32_t>(states_.size());
  states_.push_back(state);
  state_index_.emplace(hash, number);
  return number;
}

BlockGraph::Node& BlockGraph::node_at(Block& block, const PipelineState& entry) {
  const uint32_t state = state_number(entry);
  Node*& node = node_index_[uint64_t{state} << 32 | block.address];
  if (node == nullptr) {
    node = &nodes_.emplace_back();
    node->block = &block;
    node->entry = entry;
  }
  return *node;
}

// Returns the key of the edge from `left` to `address`. A branch to the instruction after it has
// two edges to one address, because it costs differently when taken. Both keys are odd, so that
// enter() finds neither and calls enter_first_time().
uint32_t BlockGraph::key_of(const Block& left, uint32_t address) const {
  if (!left.to_next || address != left.address + left.size_bytes) return address;
  const uint32_t branch = memory_->code_at(left.instructions.back().address);
  const bool taken = registers_ && riscv_branch_holds(branch, registers_);
  return taken ? ~address : ~address ^ 2;
}

// A block that the emulator cut short does not end in a jump: control falls through.
bool BlockGraph::is_taken(const Block& left, uint32_t key, uint32_t address) {
  const Instruction& last = left.instructions.back();
  const bool elsewhere = address != left.address + left.size_bytes;
  const bool jumps = last.kind >= InstructionKind::kJump && !last.conditional;
  return last.ends_block && (elsewhere || jumps || key == ~address);
}

// The next block may not be decoded yet; a RISC-V instruction's size is in its lowest bits.
BlockExit BlockGraph::exit_to(uint32_t address) const {
  BlockExit exit;
  exit.target = address;
  const Block& left = *at_->block;
  if (left.instructions.empty()) return exit;
  exit.taken = is_taken(left, key_of(left, address), address);
  exit.target_straddles = address % 4 != 0 && (memory_->code_at(address) & 3) == 3;
  return exit;
}

BlockGraph::Edge& BlockGraph::add_edge(Node& from, uint32_t key, uint32_t address) {
  Edge edge;
  edge.address = key;
  const Block& block = *from.block;
  const auto next = blocks_.find(address);
  PipelineState state;
  if (!block.instructions.empty()) {
    const Instruction& last = block.instructions.back();
    BlockExit exit;
    exit.taken = is_taken(block, key, address);
    exit.target = address;
    exit.target_straddles = address % 4 != 0 && next != blocks_.end() &&
                            !next->second.instructions.empty() &&
                            next->second.instructions.front().size_bytes == 4;
    state = from.entry;
    edge.cycles = timing_.run(block.instructions, exit, state);
    edge.branch_taken = exit.taken && last.conditional;
    edge.mispredicted = timing_.mispredicted(block.instructions, from.entry);
  }
  if (next != blocks_.end()) edge.to = &node_at(next->second, state);
  return from.edges.emplace_back(edge);
}

void BlockGraph::learn(const Edge& edge) {
  uint8_t& history = *at_->block->history;
  const auto [likely, surest] = timing_.branch_histories();
  if ((history >= likely) != edge.branch_taken) charge(edge.mispredicted);
  if (edge.branch_taken) {
    history = std::min<uint8_t>(history + 1, surest);
  } else if (history > 0) {
    --history;
  }
}

// Resets a branch's history: backward branches start as weakly taken, others as weakly not taken.
void BlockGraph::forget(Block& block) const {
  if (block.history == nullptr) return;
  const uint8_t likely = timing_.branch_histories().likely;
  *block.history = block.instructions.back().backward ? likely : static_cast<uint8_t>(likely - 1);
}

BlockGraph::Step BlockGraph::enter_first_time(uint32_t address, uint32_t size_bytes) {
  const uint32_t key = key_of(*at_->block, address);
  if (key != address) {
    for (Edge& edge : at_->edges) {
      if (edge.address != key) continue;
      follow(edge);
      return enter_specially();
    }
  }
  block_at(address, size_bytes);
  follow(add_edge(*at_, key, address));
  return enter_specially();
}

BlockGraph::Step BlockGraph::enter_specially() {
  const Block& block = *at_->block;
  if (!block.refusal.empty()) {
    stop_ = {CallEnd::kIllegalInstruction, block.refusal, block.refused_floating_point};
    return Step::kStop;
  }
  if (block.instruction_count > budget_) {
    stop_ = {CallEnd::kInstructionLimit,
             fmt::format("instruction limit reached at {:#010x}", block.address)};
    return Step::kStop;
  }
  budget_ -= block.instruction_count;
  if (block.address == section_return_) leave_section();
  return block.section >= 0 && section_ < 0 ? Step::kSectionEntry : Step::kRun;
}

void BlockGraph::enter_section(uint32_t return_address) {
  section_ = at_->block->section;
  section_return_ = return_address;
  section_start_ = counts();
}

void BlockGraph::leave_section() {
  Counts spent = counts();
  spent -= section_start_;
  visits_.push_back({static_cast<size_t>(section_), spent});
  section_ = -1;
  section_return_ = kNowhere;
}

void BlockGraph::finish(uint32_t return_address) {
  const auto known = std::find_if(at_->edges.begin(), at_->edges.end(),
                                  [&](const Edge& edge) { return edge.address == return_address; });
  Edge& edge = known != at_->edges.end() ? *known : add_edge(*at_, return_address, return_address);
  ++edge.count;
  touch(*at_);
  if (section_ >= 0) leave_section();
}

void BlockGraph::settle() {
  for (Node* const node : touched_) {
    Block& block = *node->block;
    const bool calls = block.instructions.empty() || block.instructions.back().call;
    for (Edge& edge : node->edges) {
      block.cost.instructions += edge.count * block.instruction_count;
      block.cost.cycles += edge.count * edge.cycles;
      if (calls && edge.to != nullptr) edge.to->block->cost.calls += edge.count;
      totals_.instructions += edge.count * block.instruction_count;
      totals_.cycles += edge.count * edge.cycles;
      totals_.loads += edge.count * block.loads;
      totals_.stores += edge.count * block.stores;
      totals_.multiplies += edge.count * block.multiplies;
      totals_.branches_taken += edge.branch_taken ? edge.count : 0;
      edge.count = 0;
    }
    node->touched = false;
  }
  touched_.clear();
}

Counts BlockGraph::counts() {
  settle();
  Counts all = totals_;
  all.fetch_wait_cycles = waits_->fetch;
  all.read_wait_cycles = waits_->read;
  all.cycles += waits_->fetch + waits_->read + charged_;
  return all;
}

Counts BlockGraph::counts_before(uint32_t address) {
  Counts total = counts();
  const std::vector<Instruction>& all = at_->block->instructions;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Instruction& i) { return i.address == address; });
  const auto count = static_cast<size_t>(found - all.begin());
  PipelineState state = at_->entry;
  total.instructions += count;
  total.cycles += timing_.run(std::span(all).first(count), BlockExit{}, state);
  return total;
}

std::vector<BlockGraph::BlockCost> BlockGraph::costs() {
  settle();
  std::vector<BlockCost> all;
  for (const auto& [address, block] : blocks_) {
    all.push_back(block.cost);
    all.back().address = address;
  }
  return all;
}

std::span<const Instruction> BlockGraph::vector_run() const {
  const std::span<const Instruction> all = at_->block->instructions;
  size_t first = all.size();
  while (first > 0 && all[first - 1].vector) --first;
  return all.subspan(first);
}

const Instruction* BlockGraph::instruction_at(uint32_t address) const {
  for (const Instruction& instruction : at_->block->instructions)
    if (instruction.address == address) return &instruction;
  return nullptr;
}

std::string BlockGraph::text_at(uint32_t address) {
  const Memory::Region* region = memory_->region(address);
  if (region == nullptr) return "";
  return decoder_.text(
      memory_->at(address, uint64_t{region->address} + region->size_bytes - address), address);
}

uint32_t BlockGraph::access_address(size_t index) const {
  for (const Instruction& instruction : at_->block->instructions) {
    if (!instruction.is_load() && !instruction.is_store()) continue;
    const size_t accesses = instruction.atomic    ? 2
                            : instruction.doubles ? instruction.words / 2u
                                                  : instruction.words;
    if (index < accesses) return instruction.address;
    index -= accesses;
  }
  return at_->block->address;
}

}  // namespace tinytune
