// 3x3 convolution of stride 1 by Winograd's F(4x4, 3x3): 36 products for 144, exactly.
//
// The output is walked in strips of `tiles` 4x4 squares side by side (winograd_strips.h), one strip
// or `rows` whole rows of squares at a time. A strip's patch of inputs is transformed into scratch
// once, [point][term][square] in 16 bits; then, for every block of `oc` channels, each of the 36
// points is a small matrix product over the input channels, held in registers (smlad_points.h),
// whose sums go through the output's transform and the requantisation. Transformed weights take
// eight times the bytes of the weights, and are read once a group of strips.
//
// A patch has more values than a core has registers: columns are transformed one by one into
// scratch, then rows out of it. Neighbouring squares share two columns.
//
// Terms are pairs of channels for SMLAD, and the input's transform is sums and shifts, so it runs
// on two channels in one word, low + 65536 * high. They are separate halves at the end if `low` is
// not negative there; so 128 is added to inputs and a constant to what is transformed, and what
// sums start from takes both away again.

#include "templates/tile/channel_loop.h"
#include "templates/tile/text_kernel.h"
#include "templates/winograd/winograd4_plan.h"
#include "templates/winograd/winograd4_transforms.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;
using Plan = Winograd4Plan;

constexpr int kStartWords = 1;  // of a channel: the bias
constexpr int kSide = kWinograd4Side;

// Transformed inputs of 0 to 255 are from -12750 to 12750, and at one point from -8160 to 17340.
constexpr int kLowOffset = 0x3800;
constexpr int kInputOffset = 128;
constexpr int32_t kSigns = static_cast<int32_t>(0x80808080);  // of four bytes: adds 128 to each
// What the transform makes of a patch of ones: nothing but at the second row and column.
constexpr int kPointOfOnes = kSide + 1, kOnes = 36;

int64_t scratch_bytes(const Workload& w, const Schedule& s) {
  const Plan plan(w, s);
  return plan.transformed_bytes + plan.shared_bytes + plan.column_bytes + plan.strips.border_bytes;
}

// What takes the offsets of two channels in a word away again.
int32_t start_of(const Plan& plan, const Plan::Channel& weights, size_t point) {
  int64_t low = 0, all = 0;
  const auto of = [&](int64_t term, int half) {
    const auto i = static_cast<size_t>(plan.channel(term, half));
    return i < weights.size() ? weights[i][point] : 0;
  };
  for (int64_t term = 0; term < plan.terms; ++term) {
    low += of(term, 0);
    all += of(term, 0) + of(term, 1);
  }
  return static_cast<int32_t>(-kLowOffset * low -
                              (point == kPointOfOnes ? kOnes * kInputOffset * all : 0));
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  const Plan plan(w, schedule);
  Plan::Packing packing{winograd4_weights,
                        [&](int64_t term, int half) { return plan.channel(term, half); }, nullptr};
  if (plan.smlad)
    packing.start = [&](const Plan::Channel& c, size_t point) { return start_of(plan, c, point); };
  return plan.pack(w, data, packing);
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int element = plan.element_bytes();
  NestBuilder build(w, element, element, kStartWords);
  build.loop({.name = "groups",
              .extent = plan.strips.rows * plan.strips.strips / plan.together,
              .strides = {.output = int64_t{4} * plan.tiles * w.out_c * plan.together}});
  build.channel_tiles(plan.blocks, plan.oc, plan.weight_bytes());
  build.loop({.name = "strips",
              .extent = plan.together,
              .strides = {.input = plan.strip_bytes, .output = int64_t{4} * plan.tiles * w.out_c}});
  build.loop(
      {.name = "point",
       .extent = plan.points,
       .strides = {.input = plan.point_bytes, .weights = plan.weight_bytes() / plan.points}});
  return plan.describe(build, w, schedule);
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w),
        plan_(plan),
        channels_(w, ir_, kStartWords),
        walk_(w, plan.strips, ir_, shared(), ir_.at(columns(), plan_.column_bytes)) {}

  std::string write(const std::string& symbol) {
    walk_.groups(plan_.rows, [&](const WinogradWalk::Group& group) {
      walk_.each(group, [&](const Value& index, const WinogradWalk::Strip& strip) {
        transform_inputs(walk_.patch(strip), of_strip(index));
      });
      all_channels(group);
    });
    return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
  }

 private:
  static Value n(int64_t v) { return IrText::number(v); }
  // The transformed inputs of a strip of the group.
  Value of_strip(const Value& index) {
    return ir_.at(IrText::argument("scratch"), ir_.mul(index, n(plan_.strip_bytes)));
  }
  // The patch while it is transformed, the sums afterwards.
  Value shared() { return ir_.at(IrText::argument("scratch"), plan_.transformed_bytes); }
  // Transformed columns of some channels: [column][row][part], words.
  Value columns() { return ir_.at(shared(), plan_.shared_bytes); }

  // Loops until the first of what is carried has moved on by `bytes` a turn, `turns` times.
  Values loop(int64_t turns, const Values& initial, const std::vector<int64_t>& bytes,
              const std::function<void(const Values&)>& body) {
    const Value end = ir_.at(initial[0], turns * bytes[0]);
    return ir_.do_while(initial, [&](const Values& v) {
      body(v);
      Values next;
      for (size_t i = 0; i < v.size(); ++i) next.push_back(ir_.opaque(ir_.at(v[i], bytes[i])));
      next.push_back(ir_.differs(next[0], end));
      return next;
    });
  }

  void transform_inputs(const Value& patch, const Value& transformed) {
    const int64_t row = int64_t{4} * plan_.parts(), column = kSide * row;
    const int64_t together = plan_.parts() * plan_.term_bytes;
    const int64_t point = plan_.point_bytes;
    loop(plan_.terms / plan_.parts(), {patch, transformed}, {plan_.channels_together(), together},
         [&](const Values& v) {
           loop(4 * plan_.tiles + 2, {v[0], columns()}, {plan_.strips.pixel_bytes, column},
                [&](const Values& c) { transform_column(c[0], c[1]); });
           const Value target = v[1];
           loop(plan_.tiles, {columns(), target}, {4 * column, plan_.element_bytes()},
                [&](const Values& square) {
                  loop(kSide, square, {row, kSide * point},
                       [&](const Values& r) { transform_row(r[0], r[1], column, point); });
                });
         });
  }

  // A column of the patch: of four channels as two words, or of one.
  void transform_column(const Value& from, const Value& to) {
    Values loaded;
    for (int row = 0; row < kSide; ++row) {
      const Value at = ir_.at(from, row * plan_.strips.row_bytes);
      loaded.push_back(plan_.smlad ? ir_.exclusive_or(ir_.load_word(at), n(kSigns))
                                   : ir_.load_byte(at, true));
    }
    for (int part = 0; part < plan_.parts(); ++part) {
      Six inputs;
      for (size_t row = 0; row < kSide; ++row) inputs[row] = part_of(loaded[row], part);
      const Six results = winograd4_inputs(ir_, inputs);
      for (int row = 0; row < kSide; ++row)
        ir_.store_word(results[static_cast<size_t>(row)],
                       ir_.at(to, 4 * (row * plan_.parts() + part)));
    }
  }

  Value part_of(const Value& loaded, int part) {
    if (!plan_.smlad) return loaded;
    return ir_.call("llvm.arm.uxtb16", {part == 0 ? loaded : ir_.rotate_right(loaded, 8)});
  }

  // A row of what columns became: points next to each other.
  void transform_row(const Value& from, const Value& to, int64_t column, int64_t point) {
    for (int part = 0; part < plan_.parts(); ++part) {
      Six inputs = six(ir_.at(from, 4 * part), column);
      // From here all six points get it.
      for (size_t i : {4, 5})
        if (plan_.smlad) inputs[i] = ir_.add(inputs[i], n(kLowOffset));
      const Six results = winograd4_inputs(ir_, inputs);
      for (int i = 0; i < kSide; ++i) {
        const Value at = ir_.at(to, i * point + part * plan_.term_bytes);
        if (plan_.smlad)
          ir_.store_word(results[static_cast<size_t>(i)], at);
        else
          ir_.store_half(results[static_cast<size_t>(i)], at);
      }
    }
  }

  // Block by block of channels, so that the strips of a group share its weights.
  void all_channels(const WinogradWalk::Group& group) {
    const int64_t params_bytes = int64_t{channels_.param_bytes()} * plan_.oc;
    ir_.do_while(
        {IrText::argument("weights"), IrText::argument("params"), n(0)}, [&](const Values& v) {
          const Value next = ir_.add(v[2], n(plan_.oc));
          const Value limit = w_.out_c % plan_.oc == 0 ? next : ir_.clamp(next, 0, w_.out_c);
          walk_.each(group, [&](const Value& index, const WinogradWalk::Strip& strip) {
            multiply(v[0], of_strip(index));
            const Value output = walk_.output(strip);
            outputs(v[1], ir_.at(output, v[2]), ir_.at(output, limit));
          });
          return Values{ir_.at(v[0], plan_.weight_bytes()), ir_.at(v[1], params_bytes), limit,
                        ir_.differs(limit, n(w_.out_c))};
        });
  }

  void multiply(const Value& weights, const Value& inputs) {
    if (plan_.smlad)
      plan_.smlad_points().write(weights, inputs, shared(), ir_);
    else
      plan_.write(weights, inputs, shared(), ir_);
  }

  // Finishes a block's channels, from that of `first` to before that of `end`, in one strip.
  void outputs(const Value& params, const Value& first, const Value& end) {
    const int64_t square = 4, channel = square * plan_.tiles, point = channel * plan_.oc;
    ir_.do_while({params, first, shared()}, [&](const Values& v) {
      loop(plan_.tiles, {v[2], v[1]}, {square, int64_t{4} * w_.out_c}, [&](const Values& tile) {
        // Columns of sums, in place, then rows.
        loop(kSide, {tile[0]}, {point}, [&](const Values& column) {
          const auto results = winograd4_outputs(ir_, six(column[0], kSide * point));
          for (size_t i = 0; i < results.size(); ++i)
            ir_.store_word(results[i], ir_.at(column[0], static_cast<int64_t>(i) * kSide * point));
        });
        const Value bias = ir_.load_word(v[0]);
        const ChannelLoop::Scaling scaling = channels_.scaling(ir_.at(v[0], 4 * kStartWords));
        loop(4, tile, {kSide * point, int64_t{w_.out_w} * w_.out_c}, [&](const Values& row) {
          // Stores come last: LLVM takes them for writes to what the scaling reads.
          Values results;
          for (const Value& sum : winograd4_outputs(ir_, six(row[0], point))) {
            const Value scaled = ir_.mul(sum, n(static_cast<int32_t>(kWinograd4Inverse)));
            const Value unscaled = ir_.shift_right(scaled, n(kWinograd4Shift));
            results.push_back(
                channels_.requantise(ir_.add(unscaled, bias), scaling, channels_.end()));
          }
          for (size_t i = 0; i < results.size(); ++i)
            ir_.store_byte(results[i], ir_.at(row[1], static_cast<int64_t>(i) * w_.out_c));
        });
      });
      const Value next = ir_.at(v[1], 1);
      return Values{ir_.at(v[0], channels_.param_bytes()), next, ir_.at(v[2], channel),
                    ir_.differs(next, end)};
    });
  }

  Six six(const Value& from, int64_t apart) {
    Six words;
    for (size_t i = 0; i < kSide; ++i)
      words[i] = ir_.load_word(ir_.at(from, static_cast<int64_t>(i) * apart));
    return words;
  }

  const Workload& w_;
  const Plan& plan_;
  IrText ir_;
  ChannelLoop channels_;
  WinogradWalk walk_;
};

}  // namespace

extern const KernelTemplate kWinograd4Nhwc;
const KernelTemplate kWinograd4Nhwc = {
    .name = "winograd4_nhwc",
    .version = 1,
    .constants = {"weights", "params"},
    .supports = winograd4_supports,
    .space = winograd4_space,
    .default_schedule = winograd4_default,
    .describe = describe,
    .pack = pack,
    .scratch_bytes = scratch_bytes,
    .lower = lower_as_text<Plan, Writer>,
};

}  // namespace tinytune
