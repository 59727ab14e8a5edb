// Convolution with lanes as wide as whole sums: several pixels in fewer words (lane_words.h).
//
// Lanes of 16 bits compute two products per multiplication, but must be emptied every few products
// (lanes_nhwc.cc) and take three registers per two sums. Here eight pixels in five words compute
// 1.6 products per multiplication and are never emptied: the inner loop has only loads and
// products, for twice as many sums. Every sum must fit its lane, which depends on the weights:
// pack() refuses others.
//
// Knobs choose how many pixels share how many words: 17 to 24 bits a sum. A tile's words are staged
// once for all output channels, as in lanes_nhwc.cc.
//
// Each instruction set has a template. They differ in the loop of products and in the traits of
// isa/product_isa.h: whether weights have a sign, where sums start from, and whether there is a
// multiply-high (else multiplier_parts.h).
//
// Lanes hold more than a sum, so a multiplier for lanes may not be exact where one for sums is. For
// such widths there are templates ("sums") that extract the sum first.

#include <functional>

#include "templates/channel_params.h"
#include "templates/kernel_template.h"
#include "templates/lanes/wide_lanes_constants.h"
#include "templates/lanes/wide_lanes_plan.h"
#include "templates/lanes/wide_tiles.h"
#include "templates/tile/filled_output.h"

namespace tinytune {
namespace {

using Plan = WideLanesPlan;

// Staged inputs must serve at least three channels.
template <const char* const& name>
bool supports(const Workload& w, const Device& device) {
  if (!grouped_tiles_fit(w) || w.op != OpKind::kConv2d || w.out_h * w.out_w < 3 ||
      w.out_c / w.groups < 3)
    return false;
  const auto [lanes, sums] = wide_lanes_names(device.target);
  return lanes == name ||
         (sums == name && w.groups == 1 && w.facts.requantise == Requantise::kFused);
}

template <const char* const& name>
ConfigSpace space(const Workload& w, const Device& device) {
  return wide_lanes_knobs(w, device, name).legal_space<Plan>(w);
}

template <const char* const& name>
Schedule default_schedule(const Workload& w, const Device& device) {
  return usual_wide_lanes(w, device, name).front();
}

template <const char* const& name>
std::vector<Schedule> fallback_schedules(const Workload& w, const Device& device) {
  std::vector<Schedule> usual = usual_wide_lanes(w, device, name);
  usual.erase(usual.begin());
  return usual;
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  return plan.describe(w, schedule, wide_start_words(w, plan));
}

// Prints the arithmetic of LaneWords::unpack(). Merging shifts into masks saves instructions on
// cores that cannot shift an operand of a subtraction.
struct LaneCode {
  IrText& ir;
  bool merges_shifts;

  Value sub(const Value& a, const Value& b) { return ir.sub(a, b); }
  Value shift_left(const Value& a, int by) { return ir.shift_left(a, by); }
  Value shift_right_unsigned(const Value& a, int by) { return ir.shift_right_unsigned(a, by); }
  Value opaque(const Value& a) { return merges_shifts ? a : ir.opaque(a); }
};

class Writer final : public StagedLanesWriter {
 public:
  Writer(const Workload& w, const Plan& plan, const Device& device)
      : StagedLanesWriter(w, plan, wide_start_words(w, plan),
                          plan.scales_lanes ? kWideFusedWords : shared_words(w.facts.requantise),
                          plan.loop == LaneLoop::kRv32 ? PixelTiles::Cursors::kOfRows
                                                       : PixelTiles::Cursors::kOfPixels),
        plan_(plan),
        has_min_max_(has_min_max(device)),
        skips_low_(knows_low_limit(w, plan) && !has_min_max_),
        fills_(plan.loop == LaneLoop::kRv32 && skips_low_ && w.groups == 1 && may_fill_output(w)),
        lanes_(plan.pixels, plan.tile.words) {
    if (plan.loop == LaneLoop::kRv32 && plan.scales_lanes && tiles_in_assembly().reaches()) {
      const WideTilesWriter code(tiles_in_assembly());
      if (code.fits()) assembly_ = code.text();
    }
  }

  std::string write(const std::string& symbol) {
    if (fills_) fill_output(w_, ir_);
    return StagedLanesWriter::write(symbol);
  }

 private:
  WideTiles tiles_in_assembly() const {
    return {.tile = plan_.tile,
            .pixels = plan_.pixels,
            .weight_bytes = plan_.weight_bytes(),
            .pixel_bytes = w_.out_c,
            .has_low = knows_low_limit(w_, plan_),
            .is_filled = fills_,
            .are_many = has_many_pixels(w_),
            .has_min_max = has_min_max_,
            .low = w_.activation_min,
            .high = w_.activation_max};
  }

  // In assembly, all tiles are one piece; tile by tile only if the last one moves back.
  void all_channels(const Value& staged, const Value& out) override {
    if (assembly_.empty()) return StagedLanesWriter::all_channels(staged, out);
    const Value right = ir_.load_word(channels_.end());
    const auto run = [&](const Value& weights, const Value& params, const Value& params_end,
                         const Value& output) {
      const Value biased = ir_.at(output, tiles_in_assembly().output_bias());
      ir_.assembly(assembly_, {weights, staged, params, biased, params_end, right}, {},
                   WideTilesWriter::kRegisters - WideTilesWriter::kOperands);
    };
    const ChannelSlice& first = channels_.first();
    const int tile = plan_.tile.channels;
    if (w_.out_c / w_.groups % tile == 0)
      return run(first.weights, first.params, channels_.end(), out);
    channels_.run(tile, out, [&](const Value& weights, const Value& params, const Value& output) {
      run(weights, params, ir_.at(params, int64_t{channels_.param_bytes()} * tile), output);
      return ir_.at(weights, plan_.weight_bytes());
    });
  }

  void stage(const Pixels& pixels) override {
    const int64_t run = inputs_of_run(w_, plan_.border), bytes = int64_t{4} * plan_.tile.words;
    const int unroll = run % 2 == 0 ? 2 : run % 3 == 0 && plan_.traits().keeps_constants ? 3 : 1;
    const Value first = ir_.at(tiles_.staging_area(), plan_.start_bytes);
    const Value end =
        tiles_.for_each_input(pixels, first, unroll, bytes, [&](const Values& cursors) {
          for (int u = 0; u < unroll; ++u) stage_words(cursors, u, u * bytes);
        });
    for (int64_t i = 0; i < (plan_.padded_reduction - w_.reduction()) * plan_.tile.words; ++i)
      ir_.store_word(0, ir_.at(end, 4 * i));
    if (plan_.traits().sums_start_staged) stage_starts(first, end);
  }

  // Packs the inputs `offset` bytes after the cursors. All loads come first because of the load-use
  // delay; not on Arm, which has no such delay and no registers to keep the values in.
  void stage_words(const Values& cursors, int64_t offset, int64_t target) {
    const bool loads_first = plan_.traits().keeps_constants;
    Values inputs(static_cast<size_t>(plan_.pixels)), words;
    const auto input = [&](int i) {
      Value& value = inputs[static_cast<size_t>(i)];
      if (value.text.empty())
        value = ir_.load_byte(ir_.at(cursors[static_cast<size_t>(i)], offset), true);
      return value;
    };
    const auto store = [&](int i) {
      ir_.store_word(words[static_cast<size_t>(i)], ir_.at(cursors.back(), target + 4 * i));
    };
    for (int i = 0; loads_first && i < plan_.pixels; ++i) input(i);
    for (int i = 0; i < plan_.tile.words; ++i) {
      words.push_back(lanes_.pack(i, input, ir_));
      if (!loads_first) store(i);
    }
    for (int i = 0; loads_first && i < plan_.tile.words; ++i) store(i);
  }

  // Stages the sums' start values before the words, less what the weights' offset will add.
  void stage_starts(const Value& first, const Value& end) {
    const int words = plan_.tile.words, unroll = w_.reduction() % 2 == 0 ? 2 : 1;
    const int weight_offset = plan_.traits().weight_offset;
    if (weight_offset == 0) {
      for (int i = 0; i < words; ++i)
        ir_.store_word(lanes_.word_of(i, middle_of_lane(plan_.bits())),
                       ir_.at(tiles_.staging_area(), 4 * i));
      return;
    }
    Values totals = {first};
    totals.insert(totals.end(), static_cast<size_t>(words), 0);
    totals = ir_.do_while(totals, [&](const Values& v) {
      Values next = v;
      for (int i = 0; i < unroll * words; ++i) {
        Value& total = next[static_cast<size_t>(1 + i % words)];
        total = ir_.add(total, ir_.load_word(ir_.at(v[0], 4 * i)));
      }
      next[0] = ir_.at(v[0], 4 * unroll * words);
      next.push_back(ir_.differs(next[0], end));
      return next;
    });
    for (int i = 0; i < words; ++i) {
      const Value added = ir_.mul(totals[static_cast<size_t>(1 + i)], weight_offset);
      ir_.store_word(ir_.sub(lanes_.word_of(i, middle_of_lane(plan_.bits())), added),
                     ir_.at(tiles_.staging_area(), 4 * i));
    }
  }

  Value tile(const Value& weights, const Value& params, const Value& staged,
             const Value& out) override {
    const Value end = ir_.at(weights, plan_.weight_bytes());
    finish(products(weights, end, staged), params, out);
    return end;
  }

  Values products(const Value& weights, const Value& end, const Value& staged) {
    Values words;
    for (int c = 0; c < plan_.tile.channels && !plan_.traits().sums_start_staged; ++c)
      for (int i = 0; i < plan_.tile.words; ++i)
        words.push_back(lanes_.word_of(i, middle_of_lane(plan_.bits())));
    return add_lane_products(plan_.tile, plan_.loop, weights, end, staged, words, ir_);
  }

  // Requantises and stores a tile.
  void finish(const Values& words, const Value& params, const Value& out) {
    const ProductIsa::Traits& traits = plan_.traits();
    const bool fused = plan_.scales_lanes;
    if (traits.keeps_constants) channels_.keep_limits();
    const Value shared = fused ? ir_.load_word(channels_.end()) : channels_.end();
    const auto at_end =
        fused && traits.multiplies_high ? LaneWords::End::kTop : LaneWords::End::kBottom;
    LaneCode code{ir_, plan_.loop == LaneLoop::kThumb1};
    for (int c = 0; c < plan_.tile.channels; ++c) {
      const int64_t words_at = int64_t{c} * channels_.param_bytes();
      const End finish =
          fused ? fused_end(ir_.at(params, words_at), shared) : usual_end(params, words_at, shared);
      const auto finish_sum = [&](int pixel, const Value& sum) {
        finish(sum, ir_.at(out, int64_t{pixel} * w_.out_c + c));
      };
      const auto first = words.begin() + int64_t{c} * plan_.tile.words;
      const Values of_channel(first, first + plan_.tile.words);
      if (fused && !traits.keeps_constants) {
        lanes_.unpack(of_channel, at_end, code, finish_sum);
        continue;
      }
      Values sums(static_cast<size_t>(plan_.pixels));
      lanes_.unpack(of_channel, at_end, code,
                    [&](int lane, const Value& value) { sums[static_cast<size_t>(lane)] = value; });
      for (int i = 0; i < plan_.pixels; ++i) finish_sum(i, sums[static_cast<size_t>(i)]);
    }
  }

  // Requantises a sum and stores it. Made for the channel whose words are at `at` (of `params`).
  using End = std::function<void(const Value& sum, const Value& target)>;

  End fused_end(const Value& at, const Value& right) {
    const ProductIsa::Traits& traits = plan_.traits();
    const bool in_parts = !traits.multiplies_high;
    const MultiplierParts parts(plan_.bits());
    const bool has_low = knows_low_limit(w_, plan_);
    const Value low = skips_low_ ? ir_.load_word(at) : Value();
    const Value first = ir_.at(at, has_low ? 4 : 0);
    const Values multiplier = in_parts ? parts.load(first, ir_) : Values{ir_.load_word(first)};
    const Value offset = ir_.load_word(ir_.at(at, channels_.param_bytes() - 4));
    const auto scaled = [=, this](const Value& sum) {
      const Value product = in_parts ? parts.product(multiplier, sum, ir_)
                            : traits.multiplies_signs
                                ? ir_.multiply_high_unsigned(multiplier[0], sum)
                                : ir_.high_of_unsigned(multiplier[0], sum);
      return ir_.shift_right(ir_.add(product, offset), right);
    };
    if (!skips_low_)
      return [=, this](const Value& sum, const Value& target) {
        ir_.store_byte(channels_.clamp(scaled(sum)), target);
      };
    return [=, this](const Value& sum, const Value& target) {
      ir_.if_else(
          ir_.below(sum, low), [&] { channels_.store_low(target); },
          [&] { ir_.store_byte(channels_.at_most_high(scaled(sum)), target); });
    };
  }

  End usual_end(const Value& params, int64_t at, const Value& levels) {
    const ChannelLoop::Scaling scaling = channels_.scaling(ir_.at(params, at + 4));
    return [=, this, bias = Value()](const Value& sum, const Value& target) mutable {
      if (bias.text.empty()) bias = ir_.load_word(ir_.at(params, at));
      const Value result = channels_.requantise(ir_.add(sum, bias), scaling, levels);
      ir_.store_byte(result, target);
    };
  }

  const Plan& plan_;
  const bool has_min_max_;
  const bool skips_low_;  // no scaling of lanes at the low limit
  const bool fills_;      // the output with the low limit, in advance
  const LaneWords lanes_;
  std::string assembly_;  // of tiles; empty: by LLVM
};

Lowered lower(const Workload& w, const Schedule& schedule, const Device& device,
              const std::string& symbol) {
  const Plan plan(w, schedule);
  return {nullptr, Writer(w, plan, device).write(symbol)};
}

template <const char* const& name>
KernelTemplate row() {
  return {
      .name = name,
      .supports = supports<name>,
      .space = space<name>,
      .default_schedule = default_schedule<name>,
      .fallback_schedules = fallback_schedules<name>,
      .describe = describe,
      .pack = pack_wide_lanes,
      .may_pack = wide_lanes_may_pack,
      .scratch_bytes = scratch_of<Plan>,
      .lower = lower,
  };
}

}  // namespace

const KernelTemplate kWideLanesNhwc = row<kWideLanesName>();
const KernelTemplate kThumbLanesNhwc = row<kThumbLanesName>();
const KernelTemplate kThumb2LanesNhwc = row<kThumb2LanesName>();
const KernelTemplate kWideSumsNhwc = row<kWideSumsName>();
const KernelTemplate kThumbSumsNhwc = row<kThumbSumsName>();
const KernelTemplate kThumb2SumsNhwc = row<kThumb2SumsName>();

}  // namespace tinytune
