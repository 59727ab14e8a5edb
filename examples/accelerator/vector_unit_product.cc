// Dense layers and 1x1 convolutions on the vector unit: a kernel template that lowers to C.
//
// Its C resembles a vendor's library: written once, parameterised by the layer's shape, with loops
// over tiles that fit the scratchpad. It includes the copies to and from the unit, so a candidate's
// cycles are its full cost, with which the core's own kernels compete.
#include <algorithm>
#include <string>

#include "examples/accelerator/vector_unit.h"
#include "templates/channel_params.h"
#include "templates/kernel_template.h"
#include "templates/nest_builder.h"
#include "templates/packing.h"
#include "templates/switches.h"

namespace tinytune {
namespace {

constexpr const char* kName = "vector_unit";
constexpr int kVersion = 1;

int pixels_of(const Workload& w) { return w.batch * w.out_h * w.out_w; }

bool accepts(const Workload& w, const Device& device) {
  const bool has_unit =
      std::any_of(device.memories.begin(), device.memories.end(), [](const MemoryRegion& memory) {
        return memory.name == vector_unit::kMemory && memory.address == vector_unit::kAddress;
      });
  const bool pointwise = w.op == OpKind::kConv2d && w.layout == Layout::kNhwc && w.groups == 1 &&
                         w.kernel_h == 1 && w.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 &&
                         w.pad_top == 0 && w.pad_left == 0;
  // One pixel and one channel must fit, with their parameters and outputs.
  const bool fits = 2 * int64_t{w.in_c} + 32 <= vector_unit::kScratchpadBytes;
  return has_unit && fits && w.rounding == Rounding::kTwice &&
         (pointwise || w.op == OpKind::kDense);
}

/// Offsets of a tile's parts in the scratchpad, one after the other.
struct Tile {
  int pixels = 1, channels = 1;
  int64_t inputs = 0, weights = 0, params = 0, outputs = 0, end = 0;  ///< bytes

  Tile(const Workload& w, const Schedule& s)
      : pixels(s.get_int("pixels")), channels(s.get_int("channels")) {
    weights = inputs + int64_t{pixels} * w.in_c;
    params = (weights + int64_t{channels} * w.in_c + 3) / 4 * 4;
    outputs = params + int64_t{channels} * vector_unit::kParamWords * 4;
    end = outputs + int64_t{pixels} * channels;
  }
};

ConfigSpace space(const Workload& w, const Device&) {
  ConfigSpace result;
  result.add({kName,
              kVersion,
              {int_knob("pixels", divisors(pixels_of(w), 64)),
               int_knob("channels", divisors(w.out_c, 64)),
               {"keeps", {"weights", "inputs"}},  // stay in the scratchpad; the others are reloaded
               {kSchedulerKnob, {"source"}}}},
             [&](const Schedule& s) { return Tile(w, s).end <= vector_unit::kScratchpadBytes; });
  return result;
}

// The largest tile, because it needs the fewest commands.
Schedule default_schedule(const Workload& w, const Device& device) {
  const ConfigSpace all = space(w, device);
  const auto size = [&](size_t point) {
    const Tile tile(w, all.schedule(point));
    return tile.pixels * tile.channels;
  };
  size_t largest = 0;
  for (size_t point = 1; point < all.size(); ++point)
    if (size(point) > size(largest)) largest = point;
  return all.schedule(largest);
}

LoopNest describe(const Workload& w, const Schedule& s) {
  const Tile tile(w, s);
  const int param_bytes = 4 * static_cast<int>(vector_unit::kParamWords);
  NestBuilder build(1, 1, param_bytes);
  const NestBuilder::Step channels = {"channel_tiles",
                                      w.out_c / tile.channels,
                                      {.weights = int64_t{tile.channels} * w.in_c,
                                       .output = tile.channels,
                                       .params = int64_t{tile.channels} * param_bytes}};
  const NestBuilder::Step pixels = {
      "pixel_tiles",
      pixels_of(w) / tile.pixels,
      {.input = int64_t{tile.pixels} * w.in_c, .output = int64_t{tile.pixels} * w.out_c}};
  const bool keeps_weights = s.get("keeps") == "weights";
  build.loop(keeps_weights ? channels : pixels);
  build.loop(keeps_weights ? pixels : channels);
  LoopNest nest = build.finish(s);
  nest.macs = w.macs();
  nest.outputs = w.output_bytes();
  nest.unrolled_body = int64_t{tile.pixels} * tile.channels;
  return nest;
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule&) {
  std::vector<int32_t> params;
  for (int c = 0; c < w.out_c; ++c)
    params.insert(params.end(), {folded_bias(w, data, c), data.multiplier[static_cast<size_t>(c)],
                                 data.shift[static_cast<size_t>(c)]});
  return std::vector<PackedConstant>{bytes_constant("weights", data.weights),
                                     words_constant("params", params)};
}

int64_t scratch_bytes(const Workload&, const Schedule&) { return 0; }

// The driver; macros above it define the layer and the tile.
constexpr const char* kDriver = R"(
#include <stdint.h>

static inline void set(uint32_t offset, uint32_t value) {
  *(volatile uint32_t *)(UNIT + offset) = value;
}

static inline void move(uint32_t command, const void *address, uint32_t local, uint32_t row_bytes,
                        uint32_t rows, uint32_t step) {
  set(BLOCK_ADDRESS, (uint32_t)address);
  set(BLOCK_LOCAL, local);
  set(BLOCK_ROW_BYTES, row_bytes);
  set(BLOCK_ROWS, rows);
  set(BLOCK_STEP, step);
  set(COMMAND, command);
}

static inline void load_inputs(const int8_t *input, int pixel) {
  move(LOAD, input + pixel * DEPTH, INPUTS, TILE_PIXELS * DEPTH, 1, 0);
}

static inline void load_weights(const int8_t *weights, const int32_t *params, int channel) {
  move(LOAD, weights + channel * DEPTH, WEIGHTS, TILE_CHANNELS * DEPTH, 1, 0);
  move(LOAD, params + channel * PARAM_WORDS, PARAMS, TILE_CHANNELS * PARAM_WORDS * 4, 1, 0);
}

static inline void multiply(int8_t *output, int pixel, int channel) {
  set(COMMAND, MULTIPLY);
  move(STORE, output + pixel * CHANNELS + channel, OUTPUTS, TILE_CHANNELS, TILE_PIXELS, CHANNELS);
}

void KERNEL(const int8_t *input, const int8_t *weights, const int32_t *params, int8_t *output) {
  set(AT_INPUTS, INPUTS);
  set(AT_WEIGHTS, WEIGHTS);
  set(AT_PARAMS, PARAMS);
  set(AT_OUTPUTS, OUTPUTS);
  set(AT_PIXELS, TILE_PIXELS);
  set(AT_DEPTH, DEPTH);
  set(AT_CHANNELS, TILE_CHANNELS);
  set(AT_ZERO_POINT, (uint32_t)ZERO_POINT);
  set(AT_LEAST, (uint32_t)LEAST);
  set(AT_MOST, (uint32_t)MOST);
#if KEEPS_WEIGHTS
  for (int channel = 0; channel < CHANNELS; channel += TILE_CHANNELS) {
    load_weights(weights, params, channel);
    for (int pixel = 0; pixel < PIXELS; pixel += TILE_PIXELS) {
      load_inputs(input, pixel);
      multiply(output, pixel, channel);
    }
  }
#else
  for (int pixel = 0; pixel < PIXELS; pixel += TILE_PIXELS) {
    load_inputs(input, pixel);
    for (int channel = 0; channel < CHANNELS; channel += TILE_CHANNELS) {
      load_weights(weights, params, channel);
      multiply(output, pixel, channel);
    }
  }
#endif
}
)";

Lowered lower(const Workload& w, const Schedule& s, const Device&,
              const std::string& symbol) {
  using namespace vector_unit;
  const Tile tile(w, s);
  std::string text = "#define KERNEL " + symbol + "\n";
  const std::pair<const char*, int64_t> numbers[] = {
      {"UNIT", kAddress},
      {"BLOCK_ADDRESS", kBlockAddress},
      {"BLOCK_LOCAL", kBlockLocal},
      {"BLOCK_ROW_BYTES", kBlockRowBytes},
      {"BLOCK_ROWS", kBlockRows},
      {"BLOCK_STEP", kBlockStep},
      {"COMMAND", kCommand},
      {"LOAD", kLoad},
      {"STORE", kStore},
      {"MULTIPLY", kMultiply},
      {"AT_INPUTS", kInputs},
      {"AT_WEIGHTS", kWeights},
      {"AT_PARAMS", kParams},
      {"AT_OUTPUTS", kOutputs},
      {"AT_PIXELS", kPixels},
      {"AT_DEPTH", kDepth},
      {"AT_CHANNELS", kChannels},
      {"AT_ZERO_POINT", kZeroPoint},
      {"AT_LEAST", kLeast},
      {"AT_MOST", kMost},
      {"PARAM_WORDS", kParamWords},
      {"INPUTS", tile.inputs},
      {"WEIGHTS", tile.weights},
      {"PARAMS", tile.params},
      {"OUTPUTS", tile.outputs},
      {"TILE_PIXELS", tile.pixels},
      {"TILE_CHANNELS", tile.channels},
      {"PIXELS", pixels_of(w)},
      {"DEPTH", w.in_c},
      {"CHANNELS", w.out_c},
      {"ZERO_POINT", w.output_zero_point},
      {"LEAST", w.activation_min},
      {"MOST", w.activation_max},
      {"KEEPS_WEIGHTS", s.get("keeps") == "weights" ? 1 : 0}};
  for (const auto& [name, number] : numbers)
    text += std::string("#define ") + name + " (" + std::to_string(number) + ")\n";
  return {.c = text + kDriver};
}

}  // namespace

// The registration; CMakeLists.txt names this row.
extern const KernelTemplate kVectorUnitProduct;
const KernelTemplate kVectorUnitProduct = {
    .name = kName,
    .version = kVersion,
    .constants = {"weights", "params"},
    .supports = accepts,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower,
};

}  // namespace tinytune
