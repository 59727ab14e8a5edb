// A tile of pixels times all output channels, as one piece of assembly with Helium; or, if weights
// are slow to read from flash, several tiles times four channels, so that these are fetched once.
//
// Pixels are contiguous, each a whole number of vectors. A turn computes four channels, the lanes
// of a vector of words. Of these, `channels` (2 or 4) by `pixels` sums are computed at once, in
// even core registers, over the whole reduction, in straight-line code. A vector of inputs serves
// `channels` products and one of weights `pixels`: 2 by 3 load 5 vectors for 6 products.
// The other core registers are cursors; r12 holds the output's zero point and lr counts.
//
// Weights and parameters are stored in the order of reading. Each four channels have weights
// [pair of channels][vector][channel], then the sums' start values, multipliers and shifts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/requantise.h"
#include "schedules/workload.h"
#include "templates/channel_params.h"
#include "templates/isa/helium.h"
#include "templates/lane_shifts.h"
#include "templates/packing.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

struct HeliumShape {
  int channels, pixels;
  int vectors;       ///< vectors of a pixel's reduction
  bool shifts_left;  ///< some channels shift left before multiplying; else all shift right
  LoadOrder loads;
  int tiles = 1;  ///< tiles staged together; each four channels are computed for all of them

  int64_t pixel_bytes() const { return vectors * Helium::kBytes; }
};

class HeliumTile {
 public:
  static constexpr int kGroup = Helium::kLanes;  ///< channels per turn of the loop
  static constexpr int kMostPixels = 3;

  HeliumTile(const Workload& w, const HeliumShape& shape) : w_(w), shape_(shape) {}

  /// Returns whether registers suffice for sums and cursors, and the loop's branch reaches.
  bool fits() const {
    const int sums = shape_.channels * shape_.pixels;
    if (sums > kMostSums || shape_.pixels > kMostPixels || kGroup % shape_.channels != 0)
      return false;
    const int loads = shape_.channels + shape_.pixels;
    const int64_t products = int64_t{loads + sums} * shape_.vectors * passes();
    return 4 * (products + kMostOthers) <= Helium::kLoopBytes &&
           shape_.pixel_bytes() <= kMostAdded && (shape_.tiles == 1 || goes_back());
  }

  int groups() const { return (w_.out_c + kGroup - 1) / kGroup; }
  int64_t weight_bytes() const { return kGroup * shape_.pixel_bytes(); }  ///< per group
  int param_vectors() const { return shape_.shifts_left ? 4 : 3; }

  std::vector<PackedConstant> pack(const LayerData& data) const {
    std::vector<int8_t> weights;
    std::vector<int32_t> params;
    for (int first = 0; first < w_.out_c; first += kGroup) {
      pack_weights(data, first, weights);
      pack_params(data, first, params);
    }
    return {bytes_constant("weights", weights), words_constant("params", params)};
  }

  /// `inputs`: of the first pixel; `output`: the first output byte.
  void write(const Value& inputs, const Value& output, IrText& ir) const {
    if (shape_.tiles == 1)
      return write_turns(groups(), {inputs, argument("weights"), argument("params"), output}, ir);
    ir.count_to(groups(), [&](const Value& group) {
      write_turns(shape_.tiles,
                  {inputs, ir.at(argument("weights"), group, weight_bytes()),
                   ir.at(argument("params"), group, param_bytes()), ir.at(output, group, kGroup)},
                  ir);
    });
  }

 private:
  // Writes the loop. `operands`: addresses of inputs, weights, parameters and outputs.
  void write_turns(int turns, const Values& operands, IrText& ir) const {
    Assembly code;
    Helium isa(code);
    // LLVM passes the operands in r0 to r3.
    code.emit("mov {}, {}", input(0), Reg{0});
    code.emit("mov {}, {}", kParams, Reg{2});
    for (int p = 1; p < shape_.pixels; ++p)
      code.emit("addw {}, {}, #{}", input(p), input(p - 1), shape_.pixel_bytes());
    if (middle() > 0) code.emit("addw {0}, {0}, #{1}", kOutput, middle() * w_.out_c);
    code.emit("mov {}, #{}", kZeroPoint, w_.output_zero_point);
    code.emit("movw {}, #{}", Reg{0}, turns);
    isa.begin_loop(kCounter, Reg{0});
    write_products(code, isa);
    write_end(code, isa);
    if (shape_.tiles > 1) next_tile(code);
    isa.end_loop(kCounter);
    ir.assembly_of_all_registers(code.text(), operands);
  }

  // Moves the cursors to the same channels of the next tile.
  void next_tile(Assembly& code) const {
    code.emit("subw {0}, {0}, #{1}", kWeights, weight_bytes());
    code.emit("subw {0}, {0}, #{1}", kParams, param_bytes());
    for (int p = 0; p < shape_.pixels; ++p)
      code.emit("addw {0}, {0}, #{1}", input(p), tile_bytes());
    code.emit("addw {0}, {0}, #{1}", kOutput, shape_.pixels * w_.out_c - kGroup);
  }
  // Returns whether the immediates of next_tile() reach, and the last four channels are complete.
  bool goes_back() const {
    return std::max(weight_bytes(), tile_bytes()) <= kMostAdded &&
           shape_.pixels * w_.out_c - kGroup <= kMostAdded && w_.out_c % kGroup == 0;
  }
  int64_t tile_bytes() const { return shape_.pixels * shape_.pixel_bytes(); }
  int64_t param_bytes() const { return param_vectors() * Helium::kBytes; }

  static constexpr int kMostSums = 6;
  static constexpr int kMostOthers = 64;       // instructions per turn besides products
  static constexpr int64_t kMostAdded = 4095;  // by one instruction
  // Sums are in r0, r2, … r10, so the rest is odd. Stores of narrowed lanes reach r0 to r7 only.
  static constexpr Reg kWeights{1}, kOutput{3}, kParams{7}, kZeroPoint{12}, kCounter{13};
  static constexpr Reg input(int pixel) { return {pixel == 0 ? 9 : pixel == 1 ? 11 : 5}; }
  static constexpr int kSumVectors = Helium::kVectors - kMostPixels;  // the first vector of sums

  int passes() const { return kGroup / shape_.channels; }
  // Returns the pixel whose outputs the cursor points to: offsets reach as far back as forward.
  int middle() const { return shape_.pixels / 2; }
  // Returns the group's channel number `i` of a pass. A pass of two has channels two apart, because
  // one instruction moves sums into lanes two apart.
  int channel_of(int pass, int i) const { return shape_.channels == kGroup ? i : pass + 2 * i; }
  Reg sum(int pixel, int i) const { return {2 * (pixel * shape_.channels + i)}; }
  Helium::Vectors sum_vectors() const {
    Helium::Vectors all;
    for (int p = 0; p < shape_.pixels; ++p) all.push_back(Helium::q(kSumVectors + p));
    return all;
  }

  void pack_weights(const LayerData& data, int first, std::vector<int8_t>& weights) const {
    std::vector<std::vector<int8_t>> group(kGroup);
    for (int c = 0; c < kGroup && first + c < w_.out_c; ++c)
      group[static_cast<size_t>(c)] = channel_weights(w_, data, first + c);
    for (std::vector<int8_t>& channel : group)
      channel.resize(static_cast<size_t>(shape_.pixel_bytes()));  // zeros
    for (int pass = 0; pass < passes(); ++pass)
      for (int v = 0; v < shape_.vectors; ++v)
        for (int i = 0; i < shape_.channels; ++i) {
          const auto from =
              group[static_cast<size_t>(channel_of(pass, i))].begin() + v * Helium::kBytes;
          weights.insert(weights.end(), from, from + Helium::kBytes);
        }
  }

  void pack_params(const LayerData& data, int first, std::vector<int32_t>& params) const {
    const auto add = [&](const auto& of_channel) {
      for (int c = first; c < first + kGroup; ++c)
        params.push_back(c < w_.out_c ? of_channel(c) : 0);
    };
    add([&](int c) { return folded_bias(w_, data, c); });
    if (shape_.shifts_left) add([&](int c) { return std::max(0, -right_shift(data, c)); });
    add([&](int c) { return data.multiplier[static_cast<size_t>(c)]; });
    add([&](int c) { return -std::max(0, right_shift(data, c)); });
  }

  // The values that a step of a pass reads, by their numbers in the scheduler.
  struct Step {
    std::vector<int> inputs, weights;
  };

  // If offsets do not reach along a pixel, cursors move, and go back between passes: no value of
  // the next pass may be loaded before that.
  void write_products(Assembly& code, Helium& isa) const {
    const bool reaches = shape_.pixel_bytes() - Helium::kBytes <= Helium::kReach;
    if (reaches) return write_passes(0, passes(), reaches, code, isa);
    for (int pass = 0; pass < passes(); ++pass) {
      write_passes(pass, pass + 1, reaches, code, isa);
      for (int p = 0; p < shape_.pixels; ++p)
        code.emit("subw {0}, {0}, #{1}", input(p), shape_.pixel_bytes());
    }
  }

  void write_passes(int first, int end, bool reaches, Assembly& code, Helium& isa) const {
    Registers pool(Helium::q(0), kSumVectors);
    LoadScheduler loads(Helium::kBytesOfVectors, shape_.loads, pool, code);
    const int weights = loads.add_sequence(kWeights);
    std::vector<int> inputs;
    for (int p = 0; p < shape_.pixels; ++p)
      inputs.push_back(reaches ? loads.add_stream(input(p), 0) : loads.add_sequence(input(p)));
    std::vector<Step> steps;
    for (int pass = first; pass < end; ++pass)
      for (int v = 0; v < shape_.vectors; ++v)
        steps.push_back(queue_step(loads, inputs, weights, v));
    auto step = steps.begin();
    for (int pass = first; pass < end; ++pass) {
      for (int v = 0; v < shape_.vectors; ++v) multiply(*step++, v > 0, loads, pool, isa);
      move_to_lanes(pass, isa);
    }
  }

  // Queues the reads of a step in the order of use.
  Step queue_step(LoadScheduler& loads, const std::vector<int>& inputs, int weights, int v) const {
    Step step;
    const auto queue_input = [&](int p) {
      step.inputs.push_back(loads.queue({inputs[static_cast<size_t>(p)], v * Helium::kBytes}));
    };
    queue_input(0);
    for (int i = 0; i < shape_.channels; ++i) step.weights.push_back(loads.queue({weights, 0}));
    for (int p = 1; p < shape_.pixels; ++p) queue_input(p);
    return step;
  }

  void multiply(const Step& step, bool adds, LoadScheduler& loads, Registers& pool,
                Helium& isa) const {
    for (int p = 0; p < shape_.pixels; ++p)
      for (int i = 0; i < shape_.channels; ++i) {
        const int x = step.inputs[static_cast<size_t>(p)], w = step.weights[static_cast<size_t>(i)];
        loads.want(x);
        loads.want(w);
        if (i + 1 == shape_.channels) pool.give_back(loads.reg(x));
        if (p + 1 == shape_.pixels) pool.give_back(loads.reg(w));
        isa.dot_product(sum(p, i), loads.reg(x), loads.reg(w), adds);
        loads.computed();
      }
  }

  void move_to_lanes(int pass, Helium& isa) const {
    const Helium::Vectors sums = sum_vectors();
    for (int p = 0; p < shape_.pixels; ++p)
      for (int i = 0; i < shape_.channels / 2; ++i)
        isa.to_lanes(sums[static_cast<size_t>(p)], channel_of(pass, i), sum(p, i),
                     sum(p, shape_.channels == kGroup ? i + 2 : i + 1));
  }

  void write_end(Assembly& code, Helium& isa) const {
    const Helium::Vectors sums = sum_vectors();
    const Reg start = Helium::q(0), multiplier = Helium::q(1), right = Helium::q(2),
              left = Helium::q(3);
    const Helium::Vectors scratch = {Helium::q(0), Helium::q(1), Helium::q(4)};
    isa.load_words(start, kParams);
    if (shape_.shifts_left) isa.load_words(left, kParams);
    isa.load_words(multiplier, kParams);
    isa.add(sums, start);
    if (shape_.shifts_left) isa.shift_left(sums, left);
    isa.load_words(right, kParams);
    isa.scale(sums, multiplier);
    if (!clamps_negatives(w_)) isa.turn_halves(sums, right, shape_.shifts_left, scratch);
    isa.shift_right(sums, right);
    isa.add_word(sums, kZeroPoint);
    isa.clamp(sums, w_.activation_min, w_.activation_max, scratch);
    write_stores(sums, code, isa);
  }

  // Writes the stores. The middle pixel's comes last and moves the cursor. In the last group, only
  // existing channels are stored: the turns left, times four, less the missing channels.
  void write_stores(const Helium::Vectors& sums, Assembly& code, Helium& isa) const {
    const int missing = groups() * kGroup - w_.out_c;
    if (missing > 0) {
      code.emit("lsl {}, {}, #2", Reg{0}, kCounter);
      code.emit("sub {0}, {0}, #{1}", Reg{0}, missing);
      isa.predicate(Reg{0});
    }
    std::vector<Helium::Store> stores;
    for (int p = 0; p < shape_.pixels; ++p) {
      const int64_t offset = int64_t{p - middle()} * w_.out_c;
      if (p == middle()) continue;
      Helium::Store store{sums[static_cast<size_t>(p)], kOutput, offset};
      if (std::abs(offset) > Helium::kReach) {
        store.to = Reg{2 * p}, store.offset = 0;
        code.emit("{}w {}, {}, #{}", offset > 0 ? "add" : "sub", store.to, kOutput,
                  std::abs(offset));
      }
      stores.push_back(store);
    }
    stores.push_back({sums[static_cast<size_t>(middle())], kOutput, kGroup, true});
    if (missing > 0) isa.begin_predicated(stores.size());
    for (const Helium::Store& store : stores) isa.store_bytes(store, missing > 0);
  }

  const Workload& w_;
  const HeliumShape shape_;
};

}  // namespace tinytune
