// LOGISTIC and TANH of int16, by TensorFlow Lite Micro's steps.
#include "models/reference/gate_functions.h"
#include "models/reference/reference.h"

namespace tinytune::reference {

void run(const WideGateOp& op, const Buffers& buffers) {
  const TableStep step{op.factor, op.shift};
  for (int64_t i = 0; i < op.elements; ++i) {
    const int16_t x = buffers.wide_input()[i];
    buffers.wide_output()[i] = op.is_tanh ? tanh_16(x, step) : logistic_16(x, step);
  }
}

}  // namespace tinytune::reference
