// The options of UNIDIRECTIONAL_SEQUENCE_LSTM.
#pragma once

namespace tinytune {

struct LstmAttributes {
  float cell_clip = 0;      ///< of the cell's real value; 0: none
  bool time_major = false;  ///< [time, batch, …], else [batch, time, …]
};

}  // namespace tinytune
