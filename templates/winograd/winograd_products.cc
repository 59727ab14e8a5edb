#include "templates/winograd/winograd_products.h"

#include <algorithm>

#include "base/little_endian.h"
#include "schedules/requantise.h"
#include "templates/channel_params.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

Value load(const WinogradProducts& p, const Value& at, IrText& ir) {
  return p.smlad ? ir.load_word(at) : ir.load_half(at);
}

// One step: the cursors of weights and inputs, then sums[channel][square].
Values multiply(const WinogradProducts& p, const Values& k, IrText& ir) {
  const int64_t element = p.element_bytes();
  Values next = k;
  for (int u = 0; u < p.step; ++u) {
    Values inputs;
    for (int i = 0; i < p.tiles; ++i)
      inputs.push_back(load(p, ir.at(k[1], u * p.term_bytes + element * i), ir));
    // Weights two by two where Arm's LDRD takes two words at once.
    const int together = p.smlad ? 2 : 1;
    for (int first = 0; first < p.oc; first += together) {
      const int end = std::min(first + together, p.oc);
      Values weights;
      for (int c = first; c < end; ++c)
        weights.push_back(load(p, ir.at(k[0], element * (u * p.oc + c)), ir));
      for (int c = first; c < end; ++c)
        for (int i = 0; i < p.tiles; ++i) {
          Value& sum = next[static_cast<size_t>(2 + c * p.tiles + i)];
          const Value& input = inputs[static_cast<size_t>(i)];
          const Value& weight = weights[static_cast<size_t>(c - first)];
          sum = p.smlad ? ir.call("llvm.arm.smlad", {input, weight, sum})
                        : ir.add(sum, ir.mul(input, weight));
        }
    }
  }
  next[0] = ir.opaque(ir.at(k[0], element * p.step * p.oc));
  next[1] = ir.opaque(ir.at(k[1], p.step * p.term_bytes));
  return next;
}

}  // namespace

WinogradProducts::WinogradProducts(const Workload& w, const Schedule& s, int square, bool pads)
    : points((square + 2) * (square + 2)),
      tiles(s.get_int("tiles")),
      oc(s.get_int("oc")),
      step(s.get_int("step")),
      smlad(s.get("multiply") == "smlad"),
      strips(w, square, tiles, smlad && pads ? 4 : 1),
      blocks((w.out_c + oc - 1) / oc) {}

bool pads_winograd_blocks(const Workload& w, int oc) {
  return 8 * ((w.out_c + oc - 1) / oc * oc - w.out_c) > w.out_c;
}

LoopNest WinogradProducts::describe(NestBuilder& outer, const Workload& w,
                                    const Schedule& schedule) const {
  const int element = element_bytes();
  outer.products({.terms = terms,
                  .step = step,
                  .pixels = tiles,
                  .channels = oc,
                  .input_bytes = term_bytes,
                  .weight_bytes = element * oc,
                  .pixel_bytes = element,
                  .out_pixel_bytes = int64_t{strips.square} * w.out_c,
                  .element_bytes = element,
                  .pair = "lane",
                  .halves = channels_a_term()});
  LoopNest nest = outer.finish(schedule);
  const int64_t squares = int64_t{strips.rows} * strips.strips * tiles;
  const int outputs = strips.square * strips.square;
  nest.multiplies_per_mac = points / (9.0 * outputs) / channels_a_term();
  nest.outputs = outputs * squares * w.out_c;
  nest.prologue_bytes = squares * points * (2 * w.in_c + int64_t{4} * w.out_c);
  nest.switches.emplace_back("winograd", 1.0);
  return nest;
}

Result<std::vector<PackedConstant>> WinogradProducts::pack(const Workload& w, const LayerData& data,
                                                           const Packing& packing) const {
  TT_TRY_ASSIGN(PackedConstant params, pack_params(w, data));
  PackedConstant weights{"weights", element_bytes(), {}};
  for (int first = 0; first < w.out_c; first += oc) {
    std::vector<Channel> block(static_cast<size_t>(oc));
    for (int c = first; c < std::min(first + oc, w.out_c); ++c) {
      const auto kernel = channel_weights(w, data, c);  // [tap][input channel]
      for (int i = 0; i < w.in_c; ++i) {
        std::array<int, 9> taps;
        for (size_t tap = 0; tap < 9; ++tap)
          taps[tap] = kernel[tap * static_cast<size_t>(w.in_c) + static_cast<size_t>(i)];
        block[static_cast<size_t>(c - first)].push_back(packing.transform(taps));
      }
    }
    for (size_t point = 0; point < static_cast<size_t>(points); ++point) {
      for (const Channel& channel : block)
        if (packing.start)
          append_little_endian(weights.bytes, static_cast<uint32_t>(packing.start(channel, point)));
      for (int64_t term = 0; term < terms; ++term)
        for (const Channel& channel : block)
          for (int half = 0; half < channels_a_term(); ++half) {
            const auto i = static_cast<size_t>(packing.channel(term, half));
            const auto value = static_cast<uint16_t>(i < channel.size() ? channel[i][point] : 0);
            append_little_endian(weights.bytes, value);
          }
    }
  }
  return std::vector<PackedConstant>{std::move(weights), std::move(params)};
}

Value WinogradProducts::write(const Value& weights, const Value& inputs, const Value& sums,
                              IrText& ir) const {
  const int count = oc * tiles;
  const Value end = ir.at(sums, int64_t{4} * points * count);
  return ir.do_while({weights, inputs, sums}, [&](const Values& v) {
    Values state = {v[0], v[1]};
    for (int s = 0; s < count; ++s) state.push_back(IrText::number(0));
    if (terms == step) {
      state = multiply(*this, state, ir);
    } else {
      const Value last = ir.at(v[0], terms * oc * element_bytes());
      state = ir.do_while(state, [&](const Values& k) {
        Values next = multiply(*this, k, ir);
        next.push_back(ir.differs(next[0], last));
        return next;
      });
    }
    for (int s = 0; s < count; ++s)
      ir.store_word(state[static_cast<size_t>(2 + s)], ir.at(v[2], 4 * s));
    const Value next = ir.at(v[2], 4 * count);
    return Values{state[0], ir.at(v[1], point_bytes), next, ir.differs(next, end)};
  })[0];
}

}  // namespace tinytune
