// Functions of one value, by TensorFlow Lite Micro's steps.
#include "models/reference/reference.h"

namespace tinytune::reference {

void run(const LookupOp& op, const Buffers& buffers) {
  for (int64_t i = 0; i < op.elements; ++i)
    buffers.outputs[0][static_cast<size_t>(i)] =
        op.table[buffers.inputs[0][static_cast<size_t>(i)]];
}

}  // namespace tinytune::reference
