#include "simulator/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "simulator/bank_timing.h"
#include "simulator/block_graph.h"
#include "simulator/decoder.h"
#include "simulator/memory.h"
#include "simulator/memory_timing.h"
#include "simulator/program_engine.h"
#include "simulator/program_image.h"
#include "simulator/semihosting.h"
#include "simulator/timing_model.h"

namespace tinytune {
namespace {

/// Returns the heap: from the end of the loaded data to the stack pointer, without the top eighth,
/// which is left to the stack.
Semihosting::Heap heap_of(const Memory& memory, const ProgramImage& image, uint32_t stack_top) {
  Semihosting::Heap heap;
  heap.stack_top = stack_top;
  const Memory::Region* region = memory.region(stack_top - 4);
  if (region == nullptr) return heap;
  uint64_t base = region->address;
  for (const AddressRange& range : image.filled)
    if (region->contains(range.address, 1))
      base = std::max<uint64_t>(base, uint64_t{range.address} + range.size_bytes);
  base = std::min<uint64_t>((base + 15) & ~uint64_t{15}, stack_top);
  heap.base = static_cast<uint32_t>(base);
  heap.limit = stack_top - (stack_top - heap.base) / 8;
  return heap;
}

std::vector<ProgramReport::Symbol> profile(BlockGraph& graph, const ProgramImage& image) {
  std::map<const ProgramSymbol*, ProgramReport::Symbol> by_symbol;
  for (const BlockGraph::BlockCost& cost : graph.costs()) {
    if (cost.cycles == 0 && cost.calls == 0) continue;
    const ProgramSymbol* symbol = image.at(cost.address);
    ProgramReport::Symbol& row = by_symbol[symbol];
    if (row.name.empty()) row.name = symbol == nullptr ? "(no symbol)" : symbol->name;
    row.cycles += cost.cycles;
    row.instructions += cost.instructions;
    if (symbol != nullptr && symbol->address == cost.address) row.calls += cost.calls;
  }
  std::vector<ProgramReport::Symbol> all;
  for (auto& [symbol, row] : by_symbol) all.push_back(std::move(row));
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.cycles != b.cycles ? a.cycles > b.cycles : a.name < b.name;
  });
  return all;
}

}  // namespace

Result<ProgramReport> run_program(const Device& device, const ProgramFacts& facts,
                                  std::span<const uint8_t> elf, const ProgramOptions& options) {
  auto timing = TimingModel::create(device.timing, device.target.vector_bits);
  if (!timing) return timing.error().within(device.name);
  auto decoder = Decoder::create(device.target, Decoder::System::kAllowed);
  if (!decoder) return decoder.error().within(device.name);
  Memory memory;
  TT_TRY(add_program_memories(device, facts, memory));
  TT_TRY_ASSIGN(const ProgramImage image, load_program(elf, device, memory));

  uint32_t start = image.entry;
  if (!options.function.empty()) {
    const ProgramSymbol* function = image.find(options.function);
    if (function == nullptr)
      return Error(ErrorCode::kNotFound, "the program has no function '" + options.function + "'");
    start = function->address & ~1u;
  }
  const MemoryRegion& stack = device.memory(device.stack_memory);
  const uint32_t stack_top = image.initial_stack.value_or(stack.address + stack.size_bytes);

  const Semihosting::Print print = options.print ? options.print : [](std::string_view) {};

  MemoryTiming memory_timing(device);
  memory_timing.begin();
  BankTiming bank_timing(device, *timing);
  BlockGraph graph(device, std::move(*decoder), *timing, &memory, &memory_timing.waits());
  graph.begin(options.instruction_limit, {});
  Semihosting semihosting(memory, device.clock_hz.value_or(0), heap_of(memory, image, stack_top),
                          print);
  TT_TRY_ASSIGN(const auto engine,
                ProgramEngine::create({device, facts, image, memory, graph, memory_timing,
                                       bank_timing, semihosting, print}));
  TT_TRY_ASSIGN(const ProgramEngine::Outcome outcome, engine->run(start, stack_top));

  ProgramReport report;
  report.end = outcome.end;
  report.end_place = image.place(outcome.address);
  report.exit_status = outcome.status;
  report.return_value = outcome.return_value;
  report.counts = graph.counts();
  report.waits = memory_timing.waits_by_memory();
  report.symbols = profile(graph, image);
  return report;
}

}  // namespace tinytune
