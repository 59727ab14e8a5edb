// Matrix products with one side held in registers as a whole, for cores that have some 28 of them:
// attention's scores of a short head, or a rotation of pairs. The other side streams, row by row.
//
// Each element of the streamed side is loaded once, and each of the held side before the loop,
// multiplied by the requantisation's multiplier if that is one multiplication of a word: a result
// then takes a load and two more instructions a term, a shift, a clamp and a store.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/dot_products.h"
#include "codegen/operators/fixed_point_text.h"

namespace tinytune {

struct HeldProducts {
  DotSide held, streamed;  ///< `from` of both without a loop's variable
  int held_rows = 0, streamed_rows = 0;
  int64_t depth = 0;
  ElementPass pass = {};  ///< of streamed rows

  /// Whether registers suffice, and there are enough streamed rows.
  bool fit() const;

  /// Prints lines that store the requantised `sum` of row `held` and streamed row `i` + `added`.
  /// The variable `i` may be empty.
  using Store =
      std::function<void(int held, const std::string& i, int64_t added, const std::string& sum,
                         const std::optional<HighMultiply>& form)>;
  /// Prints all rows. `form` is the requantisation of sums; `store` gets the part left to do.
  void print(CWriter& w, const std::optional<HighMultiply>& form, const Store& store) const;
};

}  // namespace tinytune
