// Reads the options of UNIDIRECTIONAL_SEQUENCE_LSTM from TensorFlow Lite files.
#include "models/operators/lstm/attributes.h"

#include <cmath>

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {

// TFLite Micro takes no projection, so the options that would clip it are ignored.
Result<Attributes> read_lstm(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_UnidirectionalSequenceLSTMOptions();
  if (o == nullptr) return missing();
  if (o->activation() != schema::ActivationFunction::TANH)
    return Error(ErrorCode::kUnsupported, "an activation of its cell gate other than TANH");
  if (!std::isfinite(o->cell_clip()) || o->cell_clip() < 0)
    return Error(ErrorCode::kInvalidInput, "its cell's clip is negative or not finite");
  return Attributes(LstmAttributes{o->cell_clip(), o->time_major()});
}

}  // namespace tinytune::tflite
