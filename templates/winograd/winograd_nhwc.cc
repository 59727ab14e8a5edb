// 3x3 convolution of stride 1 by Winograd's F(4x4, 3x3), 36 products for 144, and F(2x2, 3x3), 16
// for 36, exactly (winograd_transforms.h).
//
// The output is walked in strips of `tiles` neighbouring squares (winograd_strips.h), one strip or,
// for 4x4, `rows` whole rows of squares at a time. A strip's patch of inputs is transformed into
// scratch once, in 16 bits; then, for every block of `oc` channels, each point of a patch is a
// small matrix product over the input channels, held in tiles * oc registers, whose sums (words,
// [point][channel][square]) go through the output's transform and the requantisation. Weights are
// transformed when they are packed, and take 32/9 of their bytes, or eight times them: this trades
// flash, not accuracy, for instructions. They are read once per group of strips.
//
// A patch of 2x2 is transformed in registers. One of 4x4 has more values than a core has registers:
// columns are transformed one by one into scratch, then rows out of it. Neighbouring squares share
// two columns.
//
// Terms are pairs of channels for SMLAD. 2x2's transform adds halves of words. 4x4's is sums and
// shifts, so it runs on two channels in one word, low + 65536 * high. They are separate halves at
// the end if `low` is not negative there. So 128 is added to inputs and a constant during the
// transform, and the sums' start values cancel both.

#include <algorithm>
#include <array>

#include "templates/kernel_template.h"
#include "templates/tile/channel_loop.h"
#include "templates/winograd/winograd_ends.h"
#include "templates/winograd/winograd_inputs.h"
#include "templates/winograd/winograd_plan.h"
#include "templates/winograd/winograd_products.h"
#include "templates/winograd/winograd_transforms.h"

namespace tinytune {
namespace {

using Bytes = std::vector<int64_t>;

class Writer {
 public:
  Writer(const Workload& w, const WinogradPlan& plan, const Device& device)
      : w_(w),
        plan_(plan),
        products_(plan, ir_),
        inputs_(w, plan, products_, columns(), ir_),
        ends_(w, plan, device, ir_),
        channels_(w, ir_, WinogradEnds(w, plan).start_words(w.facts.requantise)),
        walk_(w, plan.strips, ir_, shared(), ir_.at(columns(), plan_.column_bytes)) {}

  std::string write(const std::string& symbol) {
    ends_.fill_outputs();
    walk_.groups(plan_.rows, [&](const WinogradWalk::Group& group) {
      if (plan_.square == 2) {
        walk_.each(group, [&](const Value&, const WinogradWalk::Strip& strip) {
          inputs_.transform_in_registers(walk_.patch(strip));
          all_channels(walk_.output(strip));
        });
        return;
      }
      walk_.each(group, [&](const Value& index, const WinogradWalk::Strip& strip) {
        const Value transformed = of_strip(index);
        inputs_.transform_by_columns(walk_.patch(strip), transformed);
      });
      plan_.from_bytes ? all_channels_of_bytes(group) : all_channels(group);
    });
    return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
  }

 private:
  // Returns the address of the transformed inputs of a strip of the group.
  Value of_strip(const Value& index) {
    return ir_.at(argument("scratch"), index, plan_.strip_bytes);
  }
  // Scratch for the patch while it is transformed, and for the sums afterwards.
  Value shared() { return ir_.at(argument("scratch"), plan_.transformed_bytes); }
  // For 4x4: transformed columns of some channels, words [column][row][part].
  Value columns() { return ir_.at(shared(), plan_.shared_bytes); }

  Values loop(int64_t turns, const Values& cursors, const Bytes& bytes,
              const std::function<void(const Values&)>& body) {
    return ir_.advance(turns, cursors, bytes, body, IrText::Cursors::kOpaque);
  }

  // Returns the first channel after a block.
  Value end_of_block(const Value& first) {
    const Value next = ir_.add(first, plan_.oc);
    return w_.out_c % plan_.oc == 0 ? next : ir_.clamp(next, 0, w_.out_c);
  }

  // Writes all channels of a single strip, whose outputs are at `output`.
  void all_channels(const Value& output) {
    const Value last = channels_.end();
    ir_.do_while({argument("weights"), argument("params"), output, 0}, [&](const Values& v) {
      const Value weights = products_.write(v[0], argument("scratch"), shared());
      const Value end = end_of_block(v[3]);
      const Value count = ir_.sub(end, v[3]);
      const Values next = outputs(v[1], v[2], ir_.at(v[2], count), shared());
      return Values{weights, next[0], next[1], end, ir_.differs(next[0], last)};
    });
  }

  // Writes all channels block by block, so that the strips of a group share a block's weights.
  void all_channels(const WinogradWalk::Group& group) {
    const int64_t params_bytes = int64_t{channels_.param_bytes()} * plan_.oc;
    ir_.do_while({argument("weights"), argument("params"), 0}, [&](const Values& v) {
      const Value end = end_of_block(v[2]);
      walk_.each(group, [&](const Value& index, const WinogradWalk::Strip& strip) {
        products_.write(v[0], of_strip(index), shared());
        const Value output = walk_.output(strip), strip_end = ir_.at(output, end);
        outputs(v[1], ir_.at(output, v[2]), strip_end, shared());
      });
      return Values{ir_.at(v[0], plan_.weight_bytes()), ir_.at(v[1], params_bytes), end,
                    ir_.differs(end, w_.out_c)};
    });
  }

  // The same, but transforms each block's weights first.
  void all_channels_of_bytes(const WinogradWalk::Group& group) {
    const int64_t params_bytes = int64_t{channels_.param_bytes()} * plan_.oc;
    const Value staged = ir_.at(shared(), plan_.all_sum_bytes());
    const bool has_stages = plan_.stages() > 1;
    const auto sums_of = [&](const Value& index) {
      return has_stages ? ir_.at(shared(), index, plan_.sum_bytes) : shared();
    };
    ir_.do_while({argument("weights"), argument("params"), 0}, [&](const Values& v) {
      const Value end = end_of_block(v[2]);
      Value weights = products_.stage(v[0], staged);
      const auto finish = [&](const Value& index, const WinogradWalk::Strip& strip) {
        const Value output = walk_.output(strip);
        outputs(v[1], ir_.at(output, v[2]), ir_.at(output, end), sums_of(index));
      };
      walk_.each(group, [&](const Value& index, const WinogradWalk::Strip& strip) {
        products_.write(staged, of_strip(index), sums_of(index));
        if (!has_stages) finish(index, strip);
      });
      if (has_stages) {
        const int64_t stage_bytes = plan_.staged * plan_.term_bytes;
        weights = ir_.count_to(plan_.stages() - 1, weights, [&](const Value& from, const Value& i) {
          const Value next = products_.stage(from, staged);
          const Value first = ir_.mul(ir_.add(i, 1), stage_bytes);
          walk_.each(group, [&](const Value& index, const WinogradWalk::Strip&) {
            products_.write(staged, ir_.at(of_strip(index), first), sums_of(index), true);
          });
          return next;
        });
        walk_.each(group, finish);
      }
      return Values{weights, ir_.at(v[1], params_bytes), end, ir_.differs(end, w_.out_c)};
    });
  }

  // Finishes channels of a block, from the output `first` to before `end`. Returns where their
  // parameters and outputs end.
  Values outputs(const Value& params, const Value& first, const Value& end, const Value& sums) {
    const int64_t square = 4, channel = square * plan_.tiles, point = channel * plan_.oc;
    if (plan_.square == 2) shared_words_ = channels_.end();
    return ir_.do_while({params, first, sums}, [&](const Values& v) {
      if (plan_.square == 2) load_params(v[0]);
      const Values reached =
          loop(plan_.tiles, {v[2], v[1]}, {square, int64_t{plan_.square} * w_.out_c},
               [&](const Values& tile) {
                 plan_.square == 2 ? finish_in_registers(tile, point)
                                   : finish_by_columns(v[0], tile, point);
               });
      const Value next = ir_.at(v[1], 1);
      return Values{ir_.at(v[0], channels_.param_bytes()), next,
                    plan_.square == 2 ? ir_.opaque(reached[0]) : ir_.at(v[2], channel),
                    ir_.differs(next, end)};
    });
  }

  void load_params(const Value& params) {
    bias_ = ir_.load_word(params);
    scaling_ = channels_.scaling(ir_.at(params, 4 * kWinogradStartWords));
  }

  void finish_in_registers(const Values& tile, int64_t point) {
    std::array<Values, 2> rows;
    for (int j = 0; j < 4; ++j) {
      const Values column = winograd_outputs(
          2, ir_, [&](int i) { return ir_.load_word(ir_.at(tile[0], (4 * i + j) * point)); });
      for (size_t i = 0; i < 2; ++i) rows[i].push_back(column[i]);
    }
    Values sums;
    for (const Values& row : rows)
      for (const Value& sum : outputs_of(row)) sums.push_back(sum);
    const Values results = requantised(sums);
    for (size_t i = 0; i < 4; ++i) {
      const int64_t below = i / 2 != 0 ? int64_t{w_.out_w} * w_.out_c : 0;
      ir_.store_byte(results[i], ir_.at(tile[1], below + (i % 2 != 0 ? w_.out_c : 0)));
    }
  }

  // Transforms columns of sums in place, then rows, and stores the outputs.
  void finish_by_columns(const Value& params, const Values& tile, int64_t point) {
    loop(kSide, {tile[0]}, {point}, [&](const Values& column) {
      const Values results = outputs_of(products_.load(kSide, column[0], 0, kSide * point, true));
      for (size_t i = 0; i < results.size(); ++i)
        ir_.store_word(results[i], ir_.at(column[0], static_cast<int64_t>(i) * kSide * point));
    });
    if (ends_.of_multiples()) return finish_rows(params, tile, point);
    load_params(params);
    loop(4, tile, {kSide * point, int64_t{w_.out_w} * w_.out_c}, [&](const Values& row) {
      shared_words_ = channels_.end();
      const Values results = requantised(outputs_of(products_.load(kSide, row[0], 0, point, true)));
      for (size_t i = 0; i < results.size(); ++i)
        ir_.store_byte(results[i], ir_.at(row[1], static_cast<int64_t>(i) * w_.out_c));
    });
  }

  void finish_rows(const Value& params, const Values& tile, int64_t point) {
    ends_.load(params, channels_.end());
    loop(4, tile, {kSide * point, int64_t{w_.out_w} * w_.out_c}, [&](const Values& row) {
      Values sums = products_.load(kSide, row[0], 0, point, true);
      sums[1] = ir_.add(sums[1], ends_.bias());
      ends_.store(outputs_of(sums),
                  [&](size_t i) { return ir_.at(row[1], static_cast<int64_t>(i) * w_.out_c); });
    });
  }

  Values outputs_of(const Values& sums) {
    const auto sum = [&](int i) { return sums[static_cast<size_t>(i)]; };
    return plan_.from_bytes ? winograd4_plain_outputs(ir_, sum)
                            : winograd_outputs(plan_.square, ir_, sum);
  }

  // Requantises transformed sums. Stores come later: LLVM assumes that they alias the scaling's
  // words.
  Values requantised(const Values& sums) {
    Values results;
    for (const Value& sum : sums) {
      const Value unscaled =
          plan_.square == 2 ? ir_.shift_right(sum, 2)
                            : ir_.shift_right(ir_.mul(sum, static_cast<int32_t>(kWinograd4Inverse)),
                                              kWinograd4Shift);
      results.push_back(channels_.requantise(ir_.add(unscaled, bias_), scaling_, shared_words_));
    }
    return results;
  }

  static constexpr int kSide = winograd_side(4);

  const Workload& w_;
  const WinogradPlan& plan_;
  IrText ir_;
  WinogradProducts products_;
  WinogradInputs inputs_;
  WinogradEndsWriter ends_;
  ChannelLoop channels_;
  WinogradWalk walk_;
  // Of the current channel; and the address of the words that all share.
  Value bias_, shared_words_;
  ChannelLoop::Scaling scaling_;
};

Lowered lower(const Workload& w, const Schedule& schedule, const Device& device,
              const std::string& symbol) {
  const WinogradPlan plan(w, schedule);
  return {nullptr, Writer(w, plan, device).write(symbol)};
}

// Requires weights behind a cache, and a core with registers for the transform of weights.
bool supports_bytes(const Workload& w, const Device& device) {
  return device.target.family == CoreFamily::kRiscv32 &&
         !device.memory(device.rodata_memory).read_cache.empty() && has_winograd_squares(w, 4) &&
         w.in_c >= 4 && w.in_c <= kWinograd4Channels;
}

template <int square>
bool supports(const Workload& w, const Device&) {
  return has_winograd_squares(w, square) &&
         (square == 2 ? w.in_c <= kWinograd2Channels : w.in_c >= 3 && w.in_c <= kWinograd4Channels);
}

// Two squares a strip instead of four, if that is the usual number: half of the scratch.
template <int square>
std::vector<Schedule> winograd_fallbacks(const Workload& w, const Device& device) {
  const KnobTable knobs = winograd_knobs(w, device, square);
  if (square == 2 || knobs.usual().get_int("tiles") <= 2) return {};
  return {knobs.usual({{"tiles", "2"}})};
}

// The order of transformed inputs follows from the schedule's name.
template <int square>
KernelTemplate squares(const char* name) {
  return {
      .name = name,
      .supports = supports<square>,
      .space =
          [](const Workload& w, const Device& device) {
            return winograd_knobs(w, device, square).legal_space<WinogradPlan>(w);
          },
      .default_schedule =
          [](const Workload& w, const Device& device) {
            return winograd_knobs(w, device, square).usual();
          },
      .fallback_schedules = winograd_fallbacks<square>,
      .describe = winograd_describe,
      .pack = winograd_pack,
      .scratch_bytes = scratch_of<WinogradPlan>,
      .lower = lower,
  };
}

}  // namespace

const KernelTemplate kWinograd4BytesNhwc = {
    .name = kWinograd4BytesName,
    .supports = supports_bytes,
    .space =
        [](const Workload& w, const Device& device) {
          return winograd_bytes_knobs(w, device).legal_space<WinogradPlan>(w);
        },
    .default_schedule =
        [](const Workload& w, const Device& device) {
          return winograd_bytes_knobs(w, device).usual();
        },
    .fallback_schedules = winograd_bytes_fallbacks,
    .describe = winograd_describe,
    .pack = winograd_pack,
    .scratch_bytes = scratch_of<WinogradPlan>,
    .lower = lower,
};
const KernelTemplate kWinogradNhwc = squares<2>(kWinograd2Name);
const KernelTemplate kWinograd4Nhwc = squares<4>(kWinograd4Name);

}  // namespace tinytune
