// Adds L2_NORMALIZATION or LOG_SOFTMAX to a random graph.
#include "tests/random_graphs/grow.h"

namespace tinytune::bench {

template <>
void grow<OperatorKind::kL2Normalization>(GraphMaker& m) {
  const int x = m.source();
  const int y = m.result(m.tensor(x).shape, {{1.0F / 128}, {0}, 0});
  m.op(OperatorKind::kL2Normalization, {x}, {y});
}

template <>
void grow<OperatorKind::kLogSoftmax>(GraphMaker& m) {
  // TFLite needs scale * 2^26 above 1 and adds up to 4095 exponentials without overflow.
  const auto fits = [](const Tensor& t) {
    return t.quantization.scales[0] > 0x1p-22F && t.shape.back() < 4096;
  };
  const int x = m.source(fits, [&] { return m.shape(); });
  const int y = m.result(m.tensor(x).shape, {{1.0F / 16}, {127}, 0});
  m.op(OperatorKind::kLogSoftmax, {x}, {y});
}

}  // namespace tinytune::bench
