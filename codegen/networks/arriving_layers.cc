#include "codegen/networks/arriving_layers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "codegen/networks/arrival_text.h"
#include "codegen/networks/channel_parts.h"

namespace tinytune {
namespace {

constexpr uint32_t kWordBytes = 4;

uint32_t whole_words(size_t bytes) {
  return static_cast<uint32_t>((bytes + kWordBytes - 1) / kWordBytes * kWordBytes);
}

const ConstantPool::Array& array_of(const ConstantPool& pool, const std::string& symbol) {
  return *std::find_if(pool.arrays().begin(), pool.arrays().end(),
                       [&](const ConstantPool::Array& array) { return array.symbol == symbol; });
}

// Whether the output is one pixel, so that kernels read each weight once.
bool has_one_pixel(const Workload& w) { return w.batch * w.out_h * w.out_w == 1; }

std::string at_offset(const std::string& base, uint32_t offset) {
  return offset == 0 ? base : base + " + " + std::to_string(offset);
}

}  // namespace

bool has_blocks(const Workload& w, int blocks) {
  if (blocks == 1) return true;
  return has_channel_parts(w) && blocks > 1 && w.out_c % blocks == 0 &&
         w.out_c / blocks % static_cast<int>(kWordBytes) == 0;
}

KernelOp block_of(const KernelOp& op, int blocks, int at) {
  const int channels = op.workload.out_c / blocks;
  return computing_channels(op, at * channels, channels);
}

const KernelOp* arriving_kernel(const IntegerOp& form) {
  const auto* op = std::get_if<KernelOp>(&form);
  return op == nullptr || op->transposes ? nullptr : op;
}

ArrivingLayers::ArrivingLayers(const NetworkOptions& options, size_t steps)
    : options_(options), steps_(steps) {
  if (!options.arrivals) return;
  fills_cache_ = fills_cache(options.arrivals->way);
  locks_flash_ = options.arrivals->way.locks_flash;
  for (const ArrivingLayer& layer : options.arrivals->layers) layers_.push_back({layer});
}

ArrivingLayers::Layer* ArrivingLayers::find(size_t step) {
  return const_cast<Layer*>(std::as_const(*this).find(step));
}

const ArrivingLayers::Layer* ArrivingLayers::find(size_t step) const {
  for (const Layer& layer : layers_)
    if (layer.plan.step == static_cast<int>(step)) return &layer;
  return nullptr;
}

const ArrivingLayers::Layer* ArrivingLayers::starting_in(size_t step) const {
  for (const Layer& layer : layers_)
    if (layer.plan.start_step == static_cast<int>(step) && layer.plan.step > layer.plan.start_step)
      return &layer;
  return nullptr;
}

// Some schedules pack by value, so a constant's size may differ between blocks: each gets the size
// of its largest block.
Result<KernelCall> ArrivingLayers::choose(size_t step, const KernelOp& op,
                                          const std::string& symbol, KernelSet& kernels,
                                          ConstantPool& constants, GeneratedLayer& facts) {
  Layer& layer = *find(step);
  const int blocks = layer.plan.blocks;
  if (op.transposes)
    return Error(ErrorCode::kUnsupported, "its output is transposed by constants in flash");
  if (!has_blocks(op.workload, blocks))
    return Error(ErrorCode::kUnsupported,
                 "its channels cannot arrive in " + std::to_string(blocks) + " blocks");
  Caller& caller = layer.callers.emplace_back();
  std::vector<std::vector<std::vector<uint8_t>>> bytes;  // by block and constant
  for (int at = 0; at < blocks; ++at) {
    ConstantPool own;
    TT_TRY_ASSIGN(KernelCall call, kernels.add(block_of(op, blocks, at), facts.index, std::nullopt,
                                               own, blocks > 1 ? &op.workload : nullptr));
    bytes.emplace_back();
    for (size_t c = 0; c < call.constants.size(); ++c) {
      const ConstantPool::Array& array = array_of(own, call.constants[c]);
      if (at == 0) caller.constants.push_back({array.type, 0, 0});
      caller.constants[c].bytes =
          std::max(caller.constants[c].bytes, whole_words(array.bytes.size()));
      bytes.back().push_back(array.bytes);
    }
    if (at > 0 && call.symbol != caller.call.symbol)
      return Error(ErrorCode::kUnsupported, "its blocks of channels need different kernels");
    caller.call = std::move(call);
  }
  if (locks_flash_ && !kernels.runs_alone(caller.call.symbol))
    return Error(ErrorCode::kUnsupported, "its kernel calls functions that may be in flash");
  for (size_t c = 0; c < caller.constants.size(); ++c) {
    Constant& constant = caller.constants[c];
    const auto is_first = [&](const auto& block) { return block[c] == bytes.front()[c]; };
    if (blocks > 1 && !locks_flash_ && std::all_of(bytes.begin(), bytes.end(), is_first)) {
      constant.array = constants.add(caller.call.constants[c], constant.type, bytes.front()[c]);
      continue;
    }
    constant.offset = layer.block_bytes;
    layer.block_bytes += constant.bytes;
  }
  std::vector<uint8_t> all(size_t{layer.block_bytes} * static_cast<size_t>(blocks));
  for (size_t at = 0; at < bytes.size(); ++at)
    for (size_t c = 0; c < bytes[at].size(); ++c)
      if (caller.constants[c].array.empty())
        std::copy(bytes[at][c].begin(), bytes[at][c].end(),
                  all.begin() + static_cast<std::ptrdiff_t>(at * layer.block_bytes +
                                                            caller.constants[c].offset));
  layer.array = constants.add(symbol + "_arriving", CType::kUint32, std::move(all));
  arrays_.insert(layer.array);
  layer.in_place = fills_cache_ && has_one_pixel(op.workload);
  facts.arriving_blocks = blocks;
  facts.tuned = caller.call.tuned;
  facts.schedule = caller.call.schedule;
  facts.forbidden = caller.call.forbidden;
  return caller.call;
}

// Halves by rows have the same constants, which arrive once.
Result<std::array<KernelCall, 2>> ArrivingLayers::choose(size_t step, const SplitLayer& halves,
                                                         const std::string& symbol,
                                                         KernelSet& kernels,
                                                         ConstantPool& constants,
                                                         GeneratedLayer& facts) {
  Layer& layer = *find(step);
  if (layer.plan.blocks != 1 || fills_cache_ || locks_flash_)
    return Error(ErrorCode::kUnsupported,
                 "weights of a shared layer arrive in one block, in a stream");
  std::vector<uint8_t> all;
  std::map<std::vector<uint8_t>, uint32_t> offsets;  // by bytes
  std::array<KernelCall, 2> calls;
  for (size_t core = 0; core < 2; ++core) {
    ConstantPool own;
    TT_TRY_ASSIGN(calls[core], kernels.add(std::get<KernelOp>(halves[core].form), facts.index,
                                           std::nullopt, own));
    Caller& caller = layer.callers.emplace_back(Caller{calls[core]});
    for (const std::string& name : calls[core].constants) {
      const ConstantPool::Array& array = array_of(own, name);
      const auto [known, is_new] =
          offsets.try_emplace(array.bytes, static_cast<uint32_t>(all.size()));
      if (is_new) {
        all.insert(all.end(), array.bytes.begin(), array.bytes.end());
        all.resize(whole_words(all.size()));
      }
      caller.constants.push_back(
          {array.type, known->second, static_cast<uint32_t>(array.bytes.size())});
    }
  }
  layer.block_bytes = static_cast<uint32_t>(all.size());
  layer.array = constants.add(symbol + "_arriving", CType::kUint32, std::move(all));
  arrays_.insert(layer.array);
  facts.arriving_blocks = 1;
  facts.tuned = calls[1].tuned;  // the second has no fewer channels
  facts.schedule = calls[1].schedule;
  facts.forbidden = calls[1].forbidden;
  return calls;
}

void ArrivingLayers::add_buffers(std::vector<ArenaBuffer>& buffers) {
  if (layers_.empty()) return;
  words_buffer_ = buffers.size();
  buffers.push_back({kArrivalWordBytes, -1, std::max(0, static_cast<int>(steps_) - 1)});
  for (Layer& layer : layers_) {
    if (layer.in_place) continue;
    layer.here = layer.next = buffers.size();
    buffers.push_back({layer.block_bytes, fills_cache_ ? layer.plan.step : layer.plan.start_step,
                       layer.plan.step});
    if (layer.plan.blocks == 1 || fills_cache_) continue;
    layer.next = buffers.size();
    buffers.push_back({layer.block_bytes, layer.plan.step, layer.plan.step});
  }
}

void ArrivingLayers::settle(const MemoryPlan& plan) {
  if (layers_.empty()) return;
  words_ = plan.offsets[words_buffer_];
  for (Layer& layer : layers_) {
    if (layer.in_place) continue;
    layer.here_at = plan.offsets[layer.here];
    layer.next_at = plan.offsets[layer.next];
  }
}

void ArrivingLayers::describe(NetworkParts& parts) const {
  if (layers_.empty()) return;
  parts.arrival_way = options_.arrivals->way;
  parts.arrival_words = words_;
  parts.arriving = arrays_;
  if (locks_flash_)
    for (const Layer& layer : layers_)
      for (const Caller& caller : layer.callers) parts.out_of_flash.insert(caller.call.symbol);
}

std::string ArrivingLayers::fetch(FunctionBody& body, const Layer& layer, const std::string& to,
                                  const std::string& block) const {
  const std::string words = std::to_string(layer.block_bytes / kWordBytes) + "u";
  return options_.name + "_fetch(arena, " + to + ", " + body.constant(layer.array) +
         (block.empty() ? "" : " + " + words + " * (uint32_t)" + block) + ", " + words + ");";
}

std::string ArrivingLayers::first_place(const Layer& layer) {
  return layer.in_place ? "NULL" : at_offset("arena", layer.here_at);
}

void ArrivingLayers::print_start(size_t step, FunctionBody& body) const {
  if (const Layer* next = starting_in(step))
    body.writer().line(fetch(body, *next, first_place(*next), ""));
}

void ArrivingLayers::begin_in(size_t step, LayerFunction& function) const {
  if (starting_in(step) == nullptr) return;
  FunctionBody body;
  print_start(step, body);
  body.append(function.body, function.uses);
  function = std::move(body).finish(function.symbol, function.comment);
}

void ArrivingLayers::print_call(const Caller& caller, const std::string& base,
                                const Operands& operands, FunctionBody& body) const {
  std::vector<std::string> arguments = {body.read_from(operands.input, "int8_t")};
  for (const Constant& constant : caller.constants)
    arguments.push_back(!constant.array.empty()
                            ? body.constant(constant.array)
                            : "(const " + std::string(name_of(constant.type)) +
                                  " *)(const void *)(" + at_offset(base, constant.offset) + ")");
  if (operands.scratch) arguments.push_back(body.scratch(*operands.scratch));
  arguments.push_back(body.written_to(operands.output, "int8_t"));
  body.call_kernel(caller.call.symbol, arguments);
}

void ArrivingLayers::print_own_start(const Layer& layer, FunctionBody& body) const {
  if (layer.plan.start_step == layer.plan.step)
    body.writer().line(fetch(body, layer, first_place(layer), ""));
}

// There is only one unit, so the wait precedes the start of the next transfer.
std::string ArrivingLayers::print_wait(size_t step, const Block& block, FunctionBody& body) const {
  const Layer& layer = *find(step);
  const std::string words = std::to_string(layer.block_bytes / kWordBytes) + "u";
  const std::string& array = body.constant(layer.array);
  const std::string from =
      block.number.empty() ? array : array + " + " + words + " * (uint32_t)" + block.number;
  const std::string come = options_.name + "_have_come(arena, " + from + ")";
  // Copies a block of one preload while the next block is preloaded. A larger one needs the unit
  // until it is copied, so the next block starts after that.
  const bool copies = fills_cache_ && !layer.in_place;
  const bool in_pieces = copies && layer.block_bytes > kMostFilledBytes;
  const std::string copy = options_.name + (in_pieces ? "_copy_all(arena, " : "_copy(") +
                           block.here + ", " + from + ", " + words + ");";
  CWriter& w = body.writer();
  w.line(fills_cache_ ? "(void)" + come + ";" : "if (!" + come + ") " + copy);
  if (in_pieces) w.line(copy);
  const bool follows = starting_in(step) != nullptr;
  if (!block.next.empty()) {
    w.open("if (" + block.number + " < " + std::to_string(layer.plan.blocks - 1) + ")");
    w.line(fetch(body, layer, block.next, "(" + block.number + " + 1)"));
    if (follows) w.close().open("else");
  }
  print_start(step, body);
  if (!block.next.empty()) w.close();
  if (copies && !in_pieces) w.line(copy);
  return layer.in_place ? "(const unsigned char *)(" + from + ")" : block.here;
}

LayerFunction ArrivingLayers::print_half(size_t step, size_t core, const LayerSite& site,
                                         const ArenaPlace& input, const ArenaPlace& output,
                                         const std::optional<ArenaPlace>& scratch) const {
  const Layer& layer = *find(step);
  FunctionBody body;
  print_call(layer.callers[core], first_place(layer), {input, output, scratch}, body);
  return std::move(body).finish(site.symbol, site.comment + ", whose weights arrive");
}

std::optional<LayerFunction> ArrivingLayers::print_before_halves(size_t step,
                                                                 const LayerSite& site) const {
  const Layer* layer = find(step);
  if (layer == nullptr && starting_in(step) == nullptr) return std::nullopt;
  FunctionBody body;
  if (layer == nullptr) {
    print_start(step, body);
  } else {
    print_own_start(*layer, body);
    print_wait(step, {"", first_place(*layer), ""}, body);
  }
  return std::move(body).finish(site.symbol, site.comment + ", before either half");
}

LayerFunction ArrivingLayers::print(size_t step, const LayerSite& site, const ArenaPlace& input,
                                    const ArenaPlace& output,
                                    const std::optional<ArenaPlace>& scratch) const {
  const Layer& layer = *find(step);
  const std::string first = first_place(layer);
  const int blocks = layer.plan.blocks;
  FunctionBody body;
  CWriter& w = body.writer();
  print_own_start(layer, body);
  Block block{"", first, ""};
  Operands operands{input, output, scratch};
  if (blocks == 1) {
    print_call(layer.callers[0], print_wait(step, block, body), operands, body);
    return std::move(body).finish(site.symbol, site.comment + ", whose weights arrive");
  }
  const bool swaps = layer.here != layer.next;
  block.number = kTurn;
  block.next = first;
  operands.output.bytes = operands.output.step = output.bytes / static_cast<uint32_t>(blocks);
  operands.output.turns = static_cast<uint32_t>(blocks);
  if (swaps) {
    block.here = "here";
    block.next = "next";
    w.line("unsigned char *here = " + first + ", *next = " + at_offset("arena", layer.next_at) +
           ";");
  }
  w.open("for (int32_t " + block.number + " = 0; " + block.number + " < " + std::to_string(blocks) +
         "; ++" + block.number + ")");
  if (swaps) w.line("unsigned char *const other = here;");
  print_call(layer.callers[0], print_wait(step, block, body), operands, body);
  if (swaps) w.line("here = next;").line("next = other;");
  w.close();
  return std::move(body).finish(site.symbol, site.comment + ", whose weights arrive in " +
                                                 std::to_string(blocks) + " blocks of channels");
}

}  // namespace tinytune
