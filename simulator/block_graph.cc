#include "simulator/block_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace tinytune {

BlockGraph::BlockGraph(Decoder decoder, TimingModel timing, const Memory* memory,
                       const MemoryTiming::Waits* waits)
    : decoder_(std::move(decoder)), timing_(timing), memory_(memory), waits_(waits) {
  clear();
}

void BlockGraph::clear() {
  blocks_.clear();
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
  for (auto& [address, block] : blocks_) mark_section(block);
  at_ = &root_;
  budget_ = instruction_limit;
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

BlockGraph::Block& BlockGraph::block_at(uint32_t address, uint32_t size_bytes) {
  const auto [position, is_new] = blocks_.try_emplace(address);
  Block& block = position->second;
  if (!is_new) return block;
  block.address = address;
  block.size_bytes = size_bytes;
  // Everything up to the end of the region, because Unicorn leaves some instructions that it will
  // not run out of the block before them.
  const Memory::Region* region = memory_->region(address);
  std::span<const uint8_t> code;
  if (region != nullptr) {
    code = memory_->at(address, uint64_t{region->address} + region->size_bytes - address);
  }
  decoder_.begin_block();
  for (size_t offset = 0; offset < code.size();) {
    if (offset >= size_bytes && !block.instructions.empty() &&
        block.instructions.back().ends_block) {
      break;
    }
    const Decoder::Decoded decoded =
        decoder_.decode(code.subspan(offset), address + static_cast<uint32_t>(offset));
    if (!decoded.refusal.empty()) {
      block.refusal = fmt::format("{} at {:#010x}", decoded.refusal, decoded.instruction.address);
      break;
    }
    if (offset >= size_bytes) break;  // a block that was cut short; the rest runs next
    const Instruction& instruction = decoded.instruction;
    block.instructions.push_back(instruction);
    block.loads += instruction.is_load();
    block.stores += instruction.is_store();
    block.multiplies += instruction.is_multiply();
    offset += instruction.size_bytes;
  }
  block.instruction_count = static_cast<uint32_t>(block.instructions.size());
  mark_section(block);
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

BlockGraph::Edge& BlockGraph::add_edge(Node& from, uint32_t address) {
  Edge edge;
  edge.address = address;
  const Block& block = *from.block;
  if (!block.instructions.empty()) {
    const Instruction& last = block.instructions.back();
    // A block that the emulator cut short ends in no jump; control just goes on. A branch to the
    // instruction after it counts as not taken: nobody can tell the two apart.
    const bool taken = last.ends_block && address != block.address + block.size_bytes;
    PipelineState state = from.entry;
    edge.cycles = timing_.run(block.instructions, taken, state);
    edge.branch_taken = taken && last.conditional;
    if (const auto next = blocks_.find(address); next != blocks_.end()) {
      edge.to = &node_at(next->second, state);
    }
  } else if (const auto next = blocks_.find(address); next != blocks_.end()) {
    edge.to = &node_at(next->second, PipelineState());
  }
  return from.edges.emplace_back(edge);
}

BlockGraph::Step BlockGraph::enter_first_time(uint32_t address, uint32_t size_bytes) {
  block_at(address, size_bytes);
  Edge& edge = add_edge(*at_, address);
  edge.count = 1;
  touch(*at_);
  at_ = edge.to;
  return enter_specially();
}

BlockGraph::Step BlockGraph::enter_specially() {
  const Block& block = *at_->block;
  if (!block.refusal.empty()) {
    stop_ = {CallEnd::kIllegalInstruction, block.refusal};
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
  Edge& edge = known != at_->edges.end() ? *known : add_edge(*at_, return_address);
  ++edge.count;
  touch(*at_);
  if (section_ >= 0) leave_section();
}

void BlockGraph::settle() {
  for (Node* const node : touched_) {
    const Block& block = *node->block;
    for (Edge& edge : node->edges) {
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
  all.cycles += waits_->fetch + waits_->read;
  return all;
}

uint32_t BlockGraph::access_address(size_t index) const {
  for (const Instruction& instruction : at_->block->instructions) {
    if (!instruction.is_load() && !instruction.is_store()) continue;
    if (index < instruction.words) return instruction.address;
    index -= instruction.words;
  }
  return at_->block->address;
}

}  // namespace tinytune
