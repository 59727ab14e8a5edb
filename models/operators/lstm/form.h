// The form of UNIDIRECTIONAL_SEQUENCE_LSTM.
#pragma once

#include <cstdint>
#include <vector>

namespace tinytune {

/// UNIDIRECTIONAL_SEQUENCE_LSTM, int8 or int16 with int8 weights and an int16 cell. Its inputs are
/// the input, and the hidden state and the cell, which it also writes. Gates are int16 with 12
/// fraction bits before their functions and 15 after.
struct LstmOp {
  struct Scaling {
    int32_t multiplier = 0;
    int shift = 0;
  };
  struct Gate {
    Scaling input, recurrent;
    std::vector<int8_t> input_weights;      ///< [units][inputs]
    std::vector<int8_t> recurrent_weights;  ///< [units][units]
    std::vector<int64_t> bias;              ///< [units], added to the input's products
  };
  int batch = 1, steps = 1, inputs = 1, units = 1;
  bool time_major = false;
  /// Input, hidden state and output are int16 without zero points, and a gate's two sums have 64
  /// bits (fixed_point::scale_long); else they are int8, and sums wrap at 32 bits.
  bool wide = false;
  int32_t input_offset = 0, hidden_zero_point = 0;
  Gate input, forget, cell, output;
  Scaling forget_cell;    ///< forget gate times cell
  Scaling input_cell;     ///< input gate times cell gate
  Scaling output_hidden;  ///< output gate times tanh of the cell
  int cell_power = 0;     ///< the cell's scale is 2 to this power
  int32_t cell_clip = 0;  ///< of the cell's stored value; 0: none
  int64_t macs() const { return int64_t{batch} * steps * 4 * units * (inputs + units); }
};

}  // namespace tinytune
