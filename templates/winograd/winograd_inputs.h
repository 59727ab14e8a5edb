// The transform of a patch of inputs (winograd_transforms.h): for 2x2 in registers; for 4x4 column
// by column into scratch, then row by row from there.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "templates/tile/ir_text.h"
#include "templates/winograd/winograd_plan.h"
#include "templates/winograd/winograd_products.h"
#include "templates/winograd/winograd_transforms.h"

namespace tinytune {

class WinogradInputs {
 public:
  /// `columns`: for 4x4, scratch for the columns of some channels, words [column][row][part].
  WinogradInputs(const Workload& w, const WinogradPlan& plan, WinogradProducts& products,
                 const Value& columns, IrText& ir)
      : w_(w), plan_(plan), products_(products), columns_(columns), ir_(ir) {}

  /// Transforms a patch of 2x2, to the start of scratch.
  void transform_in_registers(const Value& patch) {
    const int channels = plan_.channels_together(), turns = w_.in_c / channels;
    Values cursors = {patch, argument("scratch")};
    if (turns > 0)
      cursors = ir_.advance(turns, cursors, {channels, plan_.parts() * plan_.term_bytes},
                            [&](const Values& v) {
                              for (int part = 0; part < plan_.channels_a_term(); ++part)
                                transform_squares(v[0], v[1], part);
                            });
    // An odd last channel: the other half of its pair is multiplied by weights of zero.
    if (w_.in_c % channels != 0) transform_squares(cursors[0], cursors[1], 0);
  }

  /// Transforms a patch of 4x4.
  void transform_by_columns(const Value& patch, const Value& transformed) {
    const int64_t row = int64_t{4} * plan_.parts(), column = kSide * row;
    loop(plan_.terms / plan_.parts(), {patch, transformed},
         {plan_.channels_together(), plan_.parts() * plan_.term_bytes}, [&](const Values& v) {
           loop(4 * plan_.tiles + 2, {v[0], columns_}, {plan_.strips.pixel_bytes, column},
                [&](const Values& c) { transform_column(c[0], c[1]); });
           loop(plan_.tiles, {columns_, v[1]}, {4 * column, plan_.element_bytes()},
                [&](const Values& square) {
                  loop(kSide, square, {row, kSide * plan_.point_bytes},
                       [&](const Values& r) { transform_row(r[0], r[1], column); });
                });
         });
  }

 private:
  using Bytes = std::vector<int64_t>;
  static constexpr int kSide = winograd_side(4);
  static constexpr int32_t kSigns = static_cast<int32_t>(0x80808080);  // adds 128 to four bytes

  Values loop(int64_t turns, const Values& cursors, const Bytes& bytes,
              const std::function<void(const Values&)>& body) {
    return ir_.advance(turns, cursors, bytes, body, IrText::Cursors::kOpaque);
  }

  // Returns two of the four channels of a word, as halves.
  Value part_of(const char* extend, const Value& word, int part) {
    return ir_.call(extend, {part == 0 ? word : ir_.rotate_right(word, 8)});
  }

  // Transforms one term of words, or channel `part` of the term. Columns are transformed once for
  // the two squares that share them, and values are stored as soon as they are complete: 16 words
  // are live.
  void transform_squares(const Value& source, const Value& target, int part) {
    const bool words = plan_.by_words;
    const WinogradLanes lanes = words ? WinogradLanes::kTwo : WinogradLanes::kOne;
    const auto next_column = [&](int column) {
      Values inputs;
      for (int row = 0; row < 4; ++row) {
        const Value at = ir_.at(source, row * plan_.strips.row_bytes + int64_t{column} * w_.in_c);
        inputs.push_back(words ? part_of("llvm.arm.sxtb16", ir_.load_word(at), part)
                               : ir_.load_byte(ir_.at(at, part), true));
      }
      return winograd2_inputs(ir_, lanes, inputs);
    };
    std::array<Values, 4> columns;  // the last four, transformed, oldest first
    columns[2] = next_column(0);
    columns[3] = next_column(1);
    for (int tile = 0; tile < plan_.tiles; ++tile) {
      columns = {columns[2], columns[3], next_column(2 * tile + 2), next_column(2 * tile + 3)};
      for (size_t i = 0; i < 4; ++i) {
        const Values row = winograd2_inputs(
            ir_, lanes, {columns[0][i], columns[1][i], columns[2][i], columns[3][i]});
        for (size_t j = 0; j < 4; ++j) {
          const int64_t place = static_cast<int64_t>(4 * i + j) * plan_.point_bytes +
                                int64_t{tile} * plan_.element_bytes();
          if (words)
            ir_.store_word(row[j], ir_.at(target, part * plan_.term_bytes + place));
          else
            ir_.store_half(row[j], ir_.at(target, 2 * part + place));
        }
      }
    }
  }

  // Transforms a column of the patch, for four channels as two words, or for one channel.
  void transform_column(const Value& from, const Value& to) {
    Values loaded;
    for (int row = 0; row < kSide; ++row) {
      const Value at = ir_.at(from, row * plan_.strips.row_bytes);
      loaded.push_back(plan_.smlad ? ir_.exclusive_or(ir_.load_word(at), kSigns)
                                   : ir_.load_byte(at, true));
    }
    for (int part = 0; part < plan_.parts(); ++part) {
      Values inputs;
      for (const Value& value : loaded)
        inputs.push_back(plan_.smlad ? part_of("llvm.arm.uxtb16", value, part) : value);
      const Values results = winograd4_inputs(ir_, inputs);
      for (int row = 0; row < kSide; ++row)
        ir_.store_word(results[static_cast<size_t>(row)],
                       ir_.at(to, 4 * (row * plan_.parts() + part)));
    }
  }

  // Transforms a row of transformed columns into neighbouring points.
  void transform_row(const Value& from, const Value& to, int64_t column) {
    for (int part = 0; part < plan_.parts(); ++part) {
      Values inputs = products_.load(kSide, ir_.at(from, 4 * part), 0, column, true);
      // Each of the six points contains exactly one of these two inputs, with a factor of 1.
      for (size_t i : {4, 5})
        if (plan_.smlad) inputs[i] = ir_.add(inputs[i], kWinogradLowOffset);
      const Values results = winograd4_inputs(ir_, inputs);
      for (int i = 0; i < kSide; ++i) {
        const Value at = ir_.at(to, i * plan_.point_bytes + part * plan_.term_bytes);
        if (plan_.smlad)
          ir_.store_word(results[static_cast<size_t>(i)], at);
        else
          ir_.store_half(results[static_cast<size_t>(i)], at);
      }
    }
  }

  const Workload& w_;
  const WinogradPlan& plan_;
  WinogradProducts& products_;
  const Value columns_;
  IrText& ir_;
};

}  // namespace tinytune
