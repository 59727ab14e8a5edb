// Tiles of channels by pixels in SMLAD kernels: from loads to stored bytes, and their constants.
//
// With sums in registers, the code that LLVM writes around the inner loop moves every pointer
// through the stack twice. If a layer's requantisation is fused or short and clamps to bytes, the
// loop over tiles is therefore one piece of assembly: pointers are in a frame of a few words while
// the sums need the registers, and are loaded again when the sums are requantised. For other layers
// only the inner loop is assembly, and LLVM writes the code around it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/layer_shifts.h"
#include "schedules/requantise.h"
#include "schedules/workload.h"
#include "templates/packing.h"
#include "templates/smlad/smlad_sums.h"
#include "templates/tile/channel_loop.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

// Returns the number of registers besides sums that the epilogue of a tile takes, without the
// cursor of weights: the output, the scaling words, and the address of the next channel's.
inline int smlad_finishing(const Workload& w, const SmladShape& shape) {
  const bool by_layer = shape.scaled == Scaled::kByLayer, in_code = by_layer || shape.right > 0;
  const int shifts = w.facts.requantise != Requantise::kFused ? 1 : in_code ? 0 : 2;
  return 1 + 2 + shifts + (by_layer ? 0 : 1);
}

/// "right": the right shift of a fused requantisation if weights include the left shift; else 0.
/// Twelve suits scales from 1/2^12 to 1/32.
inline Knob smlad_right_knob() { return {"right", {"12", "0"}}; }

/// loads_knob() with the further value "multiple": by LDM.
inline Knob smlad_loads_knob() {
  Knob knob = loads_knob();
  knob.values.emplace_back("multiple");
  return knob;
}
/// `value` is the value of smlad_loads_knob().
inline LoadOrder smlad_load_order(const std::string& value) {
  return value == "multiple" ? LoadOrder::kPaired : load_order(value);
}

/// Writes the loop over tiles of channels as one piece of assembly.
class SmladTileWriter : public Assembly {
 public:
  /// `pixel_bytes`: from a pixel's outputs to those of the next.
  SmladTileWriter(const Workload& w, const SmladShape& shape, int64_t pixel_bytes)
      : w_(w),
        pixel_bytes_(pixel_bytes),
        tile_(shape.tile),
        paired_(shape.loads == LoadOrder::kPaired),
        by_layer_(shape.scaled == Scaled::kByLayer),
        fused_(w.facts.requantise == Requantise::kFused),
        right_(shape.right),
        shifts_are_read_(fused_ && !by_layer_ && right_ == 0),
        crowded_(kRegisters - 1 - tile_.channels * tile_.pixels < smlad_finishing(w, shape)),
        sums_(shape, *this) {
    enter();
    if (by_layer_) emit(".p2align 2");
    emit("1:");
    sums_.write(true);
    assign();
    separate();
    for (int first = 0; first < stride(); ++first) finish(first);
    next_tile();
    emit("bne 1b");
    emit("add sp, #{}", kFrame);
  }

 private:
  static constexpr int kRegisters = Thumb2Dsp::kRegisters;
  // Operands at the start. Sums take their registers once they are stored in the frame.
  static constexpr Reg kWeights = SmladSums::kWeights, kInputs = SmladSums::kInputs, kWeightsEnd{2},
                       kParams{3}, kOutput{4}, kShared{5};
  // The frame after that of the sums, in bytes from the stack pointer.
  static constexpr int kWeightsAt = SmladSums::kFrame, kInputsAt = 12, kWeightsEndAt = 16,
                       kParamsAt = 20, kOutputAt = 24, kLeftAt = 28, kMultiplierAt = 36,
                       kFrame = 48;

  // Returns the distance between channels finished in turn: upper ones of joined channels come
  // last.
  int stride() const { return tile_.is_joined() ? 2 : 1; }

  void load_two(Reg first, Reg second, int at) {
    if (paired_) return emit("ldrd {}, {}, [sp, #{}]", first, second, at);
    isa_.load(first, at);
    isa_.load(second, at + 4);
  }

  void enter() {
    emit("sub sp, #{}", kFrame);
    isa_.store(kInputs, kInputsAt);
    isa_.store(kWeightsEnd, kWeightsEndAt);
    isa_.store_two(kParams, kOutput, kParamsAt);
    if (!by_layer_ && !shifts_are_read_) return;
    emit("ldrd {}, {}, [{}, #0]", kWeightsEnd, kParams, kShared);
    isa_.store_two(kWeightsEnd, kParams, by_layer_ ? kMultiplierAt : kLeftAt);
  }

  // Assigns the epilogue's registers, those that sums leave free first, and loads what is read
  // once.
  void assign() {
    Registers free(0);
    if (crowded_) free.give_back(kWeights), isa_.store(kWeights, kWeightsAt);
    for (Reg r = sums_.end(); r.number < kRegisters; r = r + 1) free.give_back(r);
    free.give_back(kInputs);
    if (!by_layer_) params_ = free.take();
    output_ = free.take();
    multiplier_ = free.take(), last_ = free.take();
    if (!fused_ || shifts_are_read_) left_ = free.take();
    if (shifts_are_read_) by_right_ = free.take();
    if (by_layer_)
      isa_.load(output_, kOutputAt);
    else
      load_two(params_, output_, kParamsAt);
    if (shifts_are_read_) load_two(left_, by_right_, kLeftAt);
    if (by_layer_) load_two(multiplier_, last_, kMultiplierAt);
  }

  // Separates the upper of joined channels. The fused form keeps it times 256: it shifts left by
  // eight or more anyway.
  void separate() {
    const auto each = [&](const auto& body) {
      for (int c = 1; tile_.is_joined() && c < tile_.channels; c += 2)
        for (int i = 0; i < tile_.pixels; ++i) body(sums_.sum(i, c), sums_.sum(i, c - 1));
    };
    each([&](Reg both, Reg lower) { emit("sub {0}, {0}, {1}", both, lower); });
    if (!fused_) each([&](Reg upper, Reg) { emit("asr {0}, {0}, #8", upper); });
  }

  // Stores the channels from `first` on: one by one, or together if all are scaled alike.
  void finish(int first) {
    // Upper sums are already shifted by eight; see separate().
    if (shifts_are_read_ && first == 1) emit("sub {0}, #8", left_);
    const int together = by_layer_ ? tile_.channels : 1;
    for (int from = first; from < tile_.channels; from += together * stride()) {
      Thumb2Dsp::Sums sums;
      std::vector<int64_t> at;  // from the output
      for (int c = from; c < std::min(from + together, tile_.channels); c += stride())
        for (int i = 0; i < tile_.pixels; ++i) {
          sums.push_back(sums_.sum(i, c));
          at.push_back(i * pixel_bytes_ + c);
        }
      if (!by_layer_) emit("ldrd {}, {}, [{}, #{}]", multiplier_, last_, params_, 8 * from);
      scale(sums, first == 1);
      isa_.store_bytes(sums, output_, at);
    }
  }

  // Requantises to bytes. `upper`: the upper of joined channels.
  void scale(const Thumb2Dsp::Sums& sums, bool upper) {
    if (!fused_) {
      isa_.scale_short(sums, multiplier_, last_, left_, w_.output_zero_point);
      return isa_.saturate(sums);
    }
    if (right_ > 0) {
      isa_.scale(sums, multiplier_, last_);
      return isa_.saturate(sums, right_);
    }
    const int left = kLayerLeft - (upper ? 8 : 0);
    if (!by_layer_) isa_.shift_left(sums, left_);
    for (const Reg s : sums)
      if (by_layer_ && left > 0) emit("lsl {0}, {0}, #{1}", s, left);
    isa_.scale(sums, multiplier_, last_);
    if (!by_layer_) isa_.shift_right(sums, by_right_);
    isa_.saturate(sums, by_layer_ ? kLayerRight : 0);
  }

  // Ends with the test for another tile.
  void next_tile() {
    emit("add {0}, #{1}", output_, tile_.channels);
    const Reg weights_end = multiplier_;
    if (by_layer_) {  // a store hides the wait of loads before it, but delays those after
      load_two(kInputs, weights_end, kInputsAt);
      isa_.store(output_, kOutputAt);
    } else {
      emit("add {0}, #{1}", params_, 8 * tile_.channels);
      isa_.store_two(params_, output_, kParamsAt);
      if (crowded_) isa_.load(kWeights, kWeightsAt);
      load_two(kInputs, weights_end, kInputsAt);
    }
    emit("cmp {}, {}", kWeights, weights_end);
  }

  const Workload& w_;
  const int64_t pixel_bytes_;
  const SmladTile& tile_;
  const bool paired_, by_layer_, fused_;
  const int right_;
  const bool shifts_are_read_, crowded_;
  Thumb2Dsp isa_{*this};
  const SmladSums sums_;
  Reg params_, output_, multiplier_, last_, left_, by_right_;  // last: offset, or right shift
};

class SmladTiles {
 public:
  SmladTiles(const Workload& workload, const SmladShape& shape)
      : SmladTiles(workload, shape, {workload.out_c}) {}
  /// For the channels of a slice: `workload` is a group's, and must outlive the tiles.
  SmladTiles(const Workload& workload, const SmladShape& shape, const ChannelSlice& slice)
      : w_(workload), shape_(shape), slice_(slice) {}

  /// Returns whether the assembly supports the layer's requantisation and clamp.
  static bool end_in_assembly(const Workload& w) {
    const Requantise requantise = w.facts.requantise;
    return (requantise == Requantise::kFused || requantise == Requantise::kShort) &&
           w.activation_min == -128 && w.activation_max == 127;
  }
  /// Returns whether the loop over tiles is one piece of assembly.
  bool in_one_piece() const {
    const SmladTile& tile = shape_.tile;
    return end_in_assembly(w_) &&
           Thumb2Dsp::kRegisters - tile.channels * tile.pixels >= smlad_finishing(w_, shape_) &&
           (tile.pixels - 1) * slice_.pixel_bytes + tile.channels <= Thumb2Dsp::kReach &&
           shape_.runs.gap_bytes <= Thumb2Dsp::kReach;
  }
  /// Returns whether the loads of the shape are possible.
  bool permits_loads() const {
    return !shape_.inputs.multiple ||
           (in_one_piece() && smlad_multiples_fit(shape_.tile, shape_.inputs, shape_.runs.step));
  }
  /// Returns whether the right shift may be a constant of the code.
  bool permits_right() const {
    return shape_.right == 0 ||
           (w_.facts.requantise == Requantise::kFused && !shape_.tile.is_joined() &&
            shape_.scaled == Scaled::kByChannel && in_one_piece());
  }
  /// Returns the bytes of weights per tile. They include the sums' start values if tiles are one
  /// piece; else these are with the parameters.
  int64_t tile_bytes() const {
    return shape_.tile_bytes() - (in_one_piece() ? 0 : 4 * shape_.tile.channels);
  }

  /// Packs the constants of a layer; see pack_smlad().
  /// kUnsupported: these constants do not permit the shape.
  Result<std::vector<PackedConstant>> pack(const LayerData& data, const InputOf& input_of) const {
    const bool starts = in_one_piece();
    const auto fused = shape_.right > 0 ? fuse_into_weights(w_, data, shape_.right) : std::nullopt;
    if (shape_.right > 0 && !fused)
      return Error(ErrorCode::kUnsupported, "no shifted weights are exact for this layer");
    TT_TRY_ASSIGN(const PackedConstant params, fused    ? pack_fused(*fused)
                                               : starts ? pack_scaling(w_, data, shape_.scaled)
                                                        : pack_params(w_, data));
    if (starts && shape_.tile.is_joined()) TT_TRY(check_starts(data));
    std::vector<int32_t> words;
    const int channels = shape_.tile.channels;
    for (int first = 0; first < w_.out_c; first += channels) {
      const auto tile = weights_of_tile(w_, data, first, channels);
      const int from = std::min(first, w_.out_c - channels);
      std::vector<int> left;
      if (fused) left.assign(fused->left.begin() + from, fused->left.begin() + from + channels);
      if (starts) add_starts(data, from, left, words);
      TT_TRY(pack_smlad(shape_.tile, tile, left, shape_.runs.count * shape_.runs.pairs, input_of,
                        words));
    }
    return std::vector<PackedConstant>{words_constant("weights", words), params};
  }

  /// Writes all output channels of a tile of pixels. `output`: of the first pixel.
  void all(const Value& inputs, const Value& output, IrText& ir) const {
    if (!in_one_piece())
      return channels(ir).run(shape_.tile.channels, output,
                              [&](const Value& weights, const Value& params, const Value& out) {
                                return one(weights, inputs, params, out, ir);
                              });
    const Value& weights = slice_.weights;
    const Value& params = slice_.params;
    const int64_t whole = w_.out_c / shape_.tile.channels * tile_bytes();
    if (w_.out_c % shape_.tile.channels == 0)
      return write({weights, inputs, ir.at(weights, whole), params, output}, ir);
    // The last tile moves back to fit.
    const int back = w_.out_c - shape_.tile.channels;
    ir.count_to(2, [&](const Value& i) {
      const Value first = ir.mul(i, back);
      const Value tiles = ir.at(weights, i, whole);
      const Value bytes = ir.select(ir.below(i, 1), whole, tile_bytes());
      const int param_bytes = channels(ir).param_bytes();
      write({tiles, inputs, ir.at(tiles, bytes), ir.at(params, first, param_bytes),
             ir.at(output, first)},
            ir);
    });
  }
  /// Writes one tile of channels; addresses are those of its first channel. Returns the address of
  /// the next tile's weights.
  Value one(const Value& weights, const Value& inputs, const Value& params, const Value& output,
            IrText& ir) const {
    const SmladTile& tile = shape_.tile;
    const SmladRuns& runs = shape_.runs;
    const Value end = ir.at(weights, tile_bytes());
    if (in_one_piece()) {
      write({weights, inputs, end, params, output}, ir);
      return end;
    }
    ChannelLoop loop = channels(ir);
    const int64_t param_bytes = loop.param_bytes();
    const auto start = [&](int c) { return ir.load_word(ir.at(params, param_bytes * c)); };
    Values carried = {weights, inputs};
    // The second of two joined channels sums both: it starts as the first does.
    for (int i = 0; i < tile.pixels; ++i)
      for (int c = 0; c < tile.channels; ++c)
        carried.push_back(start(tile.is_joined() ? c / 2 * 2 : c));
    if (runs.count == 1) {
      carried = add_products(carried, end, ir);
    } else {
      carried = ir.do_while(carried, [&](const Values& v) {
        Values next = add_products(v, ir.at(v[0], tile.weight_bytes(runs.pairs)), ir);
        next[1] = ir.at(next[1], runs.gap_bytes);
        next.push_back(ir.differs(next[0], end));
        return next;
      });
    }
    const auto sum = [&](int i, int c) -> Value& {
      return carried[static_cast<size_t>(SmladStep::kCursors + i * tile.channels + c)];
    };
    for (int c = 1; tile.is_joined() && c < tile.channels; c += 2) {
      const Value bias = start(c);
      for (int i = 0; i < tile.pixels; ++i)
        sum(i, c) = ir.add(bias, ir.shift_right(ir.sub(sum(i, c), sum(i, c - 1)), 8));
    }
    loop.store({tile.channels, tile.pixels, slice_.pixel_bytes}, params, output, sum);
    return carried[0];
  }
  /// Returns the loop over tiles, for callers that do more per tile than one().
  ChannelLoop channels(IrText& ir) const {
    return ChannelLoop(w_, ir, in_one_piece() ? 0 : 1, slice_);
  }
  /// Returns the bytes of all weights.
  int64_t weight_bytes() const {
    const int channels = shape_.tile.channels;
    return (w_.out_c + channels - 1) / channels * tile_bytes();
  }

 private:
  // Writes whole tiles of channels. Appends an operand: the address of the words that all channels
  // share, after the last channel's parameters or, if scaled by layer, the only ones.
  void write(Values operands, IrText& ir) const {
    operands.push_back(shape_.scaled == Scaled::kByLayer ? slice_.params : channels(ir).end());
    ir.assembly_of_all_registers(SmladTileWriter(w_, shape_, slice_.pixel_bytes).text(), operands);
  }
  // Writes the inner loop, until the cursor of weights is `end`. LLVM writes the code around it.
  Values add_products(Values carried, const Value& end, IrText& ir) const {
    const SmladStep step = smlad_step(shape_.tile, shape_.inputs, shape_.runs.step, shape_.loads);
    const Reg end_reg{static_cast<int>(carried.size())};
    carried.push_back(end);
    Assembly code;
    if (step.end_on_stack) code.emit("str {}, [sp, #-4]!", end_reg);
    code.emit("1:");
    code.append(step.code);
    Thumb2Dsp(code).repeat_until(SmladSums::kWeights, end_reg, 1);
    if (step.end_on_stack) code.emit("add sp, #4");
    carried = ir.assembly(code.text(), carried, {}, step.temporaries);
    carried.pop_back();
    return carried;
  }

  // Checks that sums fit 24 bits: what the separation of joined sums leaves.
  Status check_starts(const LayerData& data) const {
    constexpr int64_t kMost = (int64_t{1} << 23) - 1;
    for (const AccumulatorRange& range : accumulator_ranges(w_, data))
      if (range.low < -kMost || range.high > kMost)
        return Error(ErrorCode::kUnsupported, "sums of joined weights may exceed 24 bits");
    return ok_status();
  }

  static Result<PackedConstant> pack_fused(const FusedWeights& fused) {
    std::vector<int32_t> words;
    for (size_t c = 0; c < fused.offset.size(); ++c)
      words.insert(words.end(), {fused.multiplier[c], fused.offset[c]});
    return words_constant("params", words);
  }

  void add_starts(const LayerData& data, int first, const std::vector<int>& left,
                  std::vector<int32_t>& words) const {
    uint32_t lower = 0;
    for (int c = 0; c < shape_.tile.channels; ++c) {
      auto start = static_cast<uint32_t>(folded_bias(w_, data, first + c));
      if (!left.empty()) start <<= left[static_cast<size_t>(c)];
      if (shape_.tile.is_joined() && c % 2 == 1) start = 256 * start + lower;
      words.push_back(static_cast<int32_t>(start));
      lower = start;
    }
  }

  const Workload& w_;
  const SmladShape shape_;
  const ChannelSlice slice_;
};

}  // namespace tinytune
