// Adds TFLM_DECODE to a random graph.
#include "tests/random_graphs/grow.h"

#include "examples/compressed_weights.h"
#include "tests/random_graphs/operands.h"

namespace tinytune::bench {

// Decodes an operand of any element type. trial.cc makes decoded weights and compares them with
// plain ones.
template <>
void grow<OperatorKind::kDecode>(GraphMaker& m) {
  const WeightCode code =
      m.one_of({WeightCode::kLookup, WeightCode::kHuffman, WeightCode::kPruned});
  Tensor t;
  t.type = m.one_of({ElementType::kInt8, ElementType::kInt8, ElementType::kInt16});
  if (code != WeightCode::kHuffman && m.chance(30))
    t.type = m.one_of({ElementType::kInt32, ElementType::kBool});
  t.shape = m.shape();
  if (t.type == ElementType::kInt8 || t.type == ElementType::kInt16)
    t.quantization = m.quantization();
  if (t.type == ElementType::kInt16) t.quantization.zero_points[0] = 0;
  t.data.resize(static_cast<size_t>(t.bytes()));
  const int values = m.one_of({1, 2, 5, 16, 100});
  const int zero = t.type == ElementType::kInt8 ? t.quantization.zero_points[0] : 0;
  for (size_t i = 0; i < t.data.size(); i += size_of(t.type))
    t.data[i] = static_cast<uint8_t>(
        m.chance(40) ? zero : m.between(0, t.type == ElementType::kBool ? 1 : values));
  const auto small = compressed(t, code);
  if (!small) return;
  const auto bytes = [&](const std::vector<uint8_t>& data) {
    return m.constant(ElementType::kUint8, {static_cast<int>(data.size())}, {}, data);
  };
  const int codes = bytes(small->codes), description = bytes(small->description);
  const int y = m.result(t.type, t.shape, t.quantization);
  m.op(OperatorKind::kDecode, {codes, description}, {y});
}

}  // namespace tinytune::bench
