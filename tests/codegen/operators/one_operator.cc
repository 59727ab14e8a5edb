#include "tests/codegen/operators/one_operator.h"

#include <cstring>

namespace tinytune::test {
namespace {

const std::vector<int> kShape = {1, 4, 4, 2};

size_t count_of(const std::vector<int>& shape) {
  size_t count = 1;
  for (const int extent : shape) count *= static_cast<size_t>(extent);
  return count;
}

}  // namespace

std::vector<uint8_t> some_bytes(size_t count) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(37 * i + 11));
  return bytes;
}

std::vector<uint8_t> bytes_of(const std::vector<float>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

int OneOperator::data(std::vector<int> shape, float scale, int zero) {
  Bytes bytes = some_bytes(count_of(shape));
  return of_bytes(std::move(shape), scale, zero, std::move(bytes));
}

int OneOperator::of_bytes(std::vector<int> shape, float scale, int zero, Bytes bytes) {
  if (constant_) return b_.constant(std::move(shape), scale, zero, std::move(bytes));
  inputs_.push_back(std::move(bytes));
  return b_.input(std::move(shape), scale, zero);
}

int OneOperator::bools(std::vector<int> shape) {
  Bytes bytes;
  for (size_t i = 0; i < count_of(shape); ++i) bytes.push_back(i % 3 == 0 ? 1 : 0);
  return b_.retype(of_bytes(std::move(shape), 1, 0, bytes), ElementType::kBool);
}

int OneOperator::places(std::vector<int> shape) {
  Bytes bytes;
  for (size_t i = 0; i < count_of(shape); ++i)
    bytes.insert(bytes.end(), {static_cast<uint8_t>(i % 2), 0, 0, 0});
  return b_.retype(of_bytes(std::move(shape), 1, 0, bytes), ElementType::kInt32);
}

int OneOperator::weights(std::vector<int> shape) {
  Bytes bytes = some_bytes(count_of(shape));
  return b_.constant(std::move(shape), 0.02f, 0, std::move(bytes));
}

void OneOperator::add(OperatorKind kind, std::vector<int> inputs, Attributes attributes,
                      std::vector<int> shape, float scale, int zero) {
  outputs_ = {b_.op(kind, std::move(inputs), std::move(attributes), std::move(shape), scale, zero)};
}

// NOLINTNEXTLINE(readability-function-size): a row per operator
void OneOperator::add(OperatorKind kind) {
  const PoolAttributes pool{Padding::kValid, Activation::kNone, 2, 2, 2, 2};
  const std::vector<int> half = {1, 2, 4, 2};
  switch (kind) {
    case OperatorKind::kConv2d:
      return add(kind, {data(), weights({3, 3, 3, 2}), b_.bias({7, -9, 100}, 1)}, ConvAttributes{},
                 {1, 4, 4, 3}, 0.6f);
    case OperatorKind::kDepthwiseConv2d:
      return add(kind, {data(), weights({1, 3, 3, 2}), -1}, ConvAttributes{}, kShape, 0.6f);
    case OperatorKind::kFullyConnected:
      return add(kind, {data({1, 32}), weights({5, 32}), -1}, ActivationAttributes{}, {1, 5}, 0.9f);
    case OperatorKind::kTransposeConv:
      return add(kind, {b_.integers({1, 7, 7, 3}), weights({3, 3, 3, 2}), data()},
                 TransposeConvAttributes{Padding::kSame, 2, 2}, {1, 7, 7, 3}, 0.6f);
    case OperatorKind::kAveragePool2d:
    case OperatorKind::kMaxPool2d:
      return add(kind, {data()}, pool, {1, 2, 2, 2});
    case OperatorKind::kMean:
      return add(kind, {data(), b_.integers({1, 2})}, ReducerAttributes{}, {1, 2});
    case OperatorKind::kSoftmax:
      return add(kind, {data()}, SoftmaxAttributes{}, kShape, 1.0f / 256, -128);
    case OperatorKind::kAdd:
    case OperatorKind::kSub:
    case OperatorKind::kMul: {
      const int a = data();
      return add(kind, {a, data({2}, 0.2f, -3)}, ActivationAttributes{}, kShape, 0.4f, 1);
    }
    case OperatorKind::kMaximum:
    case OperatorKind::kMinimum: {
      const int a = data();
      return add(kind, {a, data({2})}, {}, kShape);
    }
    case OperatorKind::kRelu:
    case OperatorKind::kRelu6:
    case OperatorKind::kHardSwish:
    case OperatorKind::kTanh:
    case OperatorKind::kReshape:
    case OperatorKind::kSqueeze:
      return add(kind, {data()}, {}, kShape);
    case OperatorKind::kGelu:
      return add(kind, {data()}, GeluAttributes{true}, kShape);
    case OperatorKind::kLeakyRelu:
      return add(kind, {data()}, LeakyReluAttributes{0.2f}, kShape);
    case OperatorKind::kLogistic:
      return add(kind, {data()}, {}, kShape, 1.0f / 256, -128);
    case OperatorKind::kQuantize: {
      const int x =
          b_.retype(of_bytes({4}, 1, 0, bytes_of({-1.5f, 0, 0.26f, 1e9f})), ElementType::kFloat32);
      return add(kind, {x}, {}, {4});
    }
    case OperatorKind::kDequantize:
      add(kind, {data()}, {}, kShape);
      b_.retype(outputs_[0], ElementType::kFloat32);
      return;
    case OperatorKind::kExpandDims:
      return add(kind, {data(), b_.integers({0})}, {}, {1, 1, 4, 4, 2});
    case OperatorKind::kPad:
      return add(kind, {data(), b_.integers({0, 0, 1, 0, 0, 1, 0, 0})}, {}, {1, 5, 5, 2});
    case OperatorKind::kPadV2:
      return add(kind,
                 {data(), b_.integers({0, 0, 1, 0, 0, 1, 0, 0}),
                  b_.constant({1}, kScale, kZero, Bytes{77})},
                 {}, {1, 5, 5, 2});
    case OperatorKind::kConcatenation: {
      const int a = data();
      return add(kind, {a, data()}, AxisAttributes{3}, {1, 4, 4, 4});
    }
    case OperatorKind::kPack: {
      const int a = data();
      return add(kind, {a, data()}, AxisAttributes{0}, {2, 1, 4, 4, 2});
    }
    case OperatorKind::kUnpack:
      add(kind, {data({2, 8})}, AxisAttributes{0}, {8});
      return more({8});
    case OperatorKind::kSplit:
      add(kind, {b_.integers({1}), data()}, {}, half);
      return more(half);
    case OperatorKind::kSplitV:
      add(kind, {data(), b_.integers({1, 3}), b_.integers({1})}, {}, {1, 1, 4, 2});
      return more({1, 3, 4, 2});
    case OperatorKind::kTranspose:
      return add(kind, {data(), b_.integers({0, 3, 1, 2})}, {}, {1, 2, 4, 4});
    case OperatorKind::kStridedSlice:
      return add(kind,
                 {data(), b_.integers({0, 3, 0, 0}), b_.integers({1, 0, 4, 2}),
                  b_.integers({1, -1, 2, 1})},
                 StridedSliceAttributes{}, {1, 3, 2, 2});
    case OperatorKind::kResizeNearestNeighbor:
      return add(kind, {data(), b_.integers({6, 3})}, ResizeAttributes{}, {1, 6, 3, 2});
    case OperatorKind::kSlice:
      return add(kind, {data(), b_.integers({0, 1, 2, 0}), b_.integers({1, 2, -1, 2})}, {},
                 {1, 2, 2, 2});
    case OperatorKind::kReverseV2:
      return add(kind, {data(), b_.integers({1, 2})}, {}, kShape);
    case OperatorKind::kMirrorPad:
      return add(kind, {data(), b_.integers({0, 0, 1, 2, 3, 0, 0, 0})}, MirrorPadAttributes{},
                 {1, 7, 7, 2});
    case OperatorKind::kBroadcastTo:
      return add(kind, {data(), b_.integers({3, 4, 4, 2})}, {}, {3, 4, 4, 2});
    case OperatorKind::kTile:
      return add(kind, {data(), b_.integers({1, 2, 1, 3})}, {}, {1, 8, 4, 6});
    case OperatorKind::kSpaceToDepth:
      return add(kind, {data()}, BlockAttributes{2}, {1, 2, 2, 8});
    case OperatorKind::kDepthToSpace:
      return add(kind, {data({1, 2, 2, 8})}, BlockAttributes{2}, kShape);
    case OperatorKind::kSpaceToBatchNd:
      return add(kind, {data(), b_.integers({2, 2}), b_.integers({1, 1, 0, 2})}, {}, {4, 3, 3, 2});
    case OperatorKind::kBatchToSpaceNd:
      return add(kind, {data({4, 2, 2, 2}), b_.integers({2, 2}), b_.integers({1, 0, 0, 1})}, {},
                 {1, 3, 3, 2});
    case OperatorKind::kGather:
      return add(kind, {data(), places({2})}, GatherAttributes{3, 0}, kShape);
    case OperatorKind::kGatherNd:
      return add(kind, {data({4, 4, 2}), places({1, 2})}, {}, {1, 2});
    case OperatorKind::kEmbeddingLookup: {
      const int rows = places({2});
      return add(kind, {rows, data({4, 8})}, {}, {2, 8});
    }
    case OperatorKind::kShape:
      add(kind, {data()}, {}, {4});
      b_.retype(outputs_[0], ElementType::kInt32);
      return;
    case OperatorKind::kZerosLike:
    case OperatorKind::kElu:
    case OperatorKind::kAbs:
    case OperatorKind::kRsqrt:
      return add(kind, {data()}, {}, kShape);
    case OperatorKind::kFill: {
      const int shape = b_.integers({3, 5});
      return add(kind, {shape, data({1})}, {}, {3, 5});
    }
    case OperatorKind::kLogicalNot:
      add(kind, {bools(kShape)}, {}, kShape);
      return boolean();
    case OperatorKind::kCast:
      add(kind, {data()}, {}, kShape);
      b_.retype(outputs_[0], ElementType::kInt32);
      return;
    case OperatorKind::kPrelu:
    case OperatorKind::kSquaredDifference: {
      const int a = data();
      return add(kind, {a, data({2}, 0.2f, -3)}, {}, kShape, 0.4f, 1);
    }
    case OperatorKind::kDiv: {
      const int a = data();
      return add(kind, {a, data({2}, 0.2f, -3)}, ActivationAttributes{}, kShape, 0.4f, 1);
    }
    case OperatorKind::kAddN: {
      const int a = data(), b = data();
      return add(kind, {a, b, data()}, {}, kShape, 0.4f, 1);
    }
    case OperatorKind::kEqual:
    case OperatorKind::kNotEqual:
    case OperatorKind::kGreater:
    case OperatorKind::kGreaterEqual:
    case OperatorKind::kLess:
    case OperatorKind::kLessEqual: {
      const int a = data();
      add(kind, {a, data({2}, 0.2f, -3)}, {}, kShape);
      return boolean();
    }
    case OperatorKind::kLogicalAnd:
    case OperatorKind::kLogicalOr: {
      const int a = bools(kShape);
      add(kind, {a, bools({2})}, {}, kShape);
      return boolean();
    }
    case OperatorKind::kSelectV2: {
      const int condition = bools({4, 1}), a = data();
      return add(kind, {condition, a, data({2})}, {}, kShape);
    }
    case OperatorKind::kSum:
      return add(kind, {data(), b_.integers({1, 2})}, ReducerAttributes{}, {1, 2}, 1.5f);
    case OperatorKind::kReduceMax:
    case OperatorKind::kReduceMin:
      return add(kind, {data(), b_.integers({1, 2})}, ReducerAttributes{}, {1, 2});
    case OperatorKind::kReduceAll:
      add(kind, {bools(kShape), b_.integers({1})}, ReducerAttributes{true}, {1, 1, 4, 2});
      return boolean();
    case OperatorKind::kArgMax:
    case OperatorKind::kArgMin:
      add(kind, {data(), b_.integers({2})}, {}, {1, 4, 2});
      b_.retype(outputs_[0], ElementType::kInt32);
      return;
    case OperatorKind::kResizeBilinear:
      return add(kind, {data(), b_.integers({6, 3})}, ResizeAttributes{}, {1, 6, 3, 2});
    case OperatorKind::kBatchMatMul: {
      const int a = data({3, 4});
      return add(kind, {a, data({4, 2}, 0.2f, -3)}, BatchMatMulAttributes{}, {3, 2}, 3.0f);
    }
    case OperatorKind::kL2Normalization:
      return add(kind, {data()}, {}, kShape, 1.0f / 128, 0);
    case OperatorKind::kLogSoftmax:
      return add(kind, {data()}, {}, kShape, 1.0f / 16, 127);
    case OperatorKind::kCumsum:
      return add(kind, {data(), b_.integers({1})}, CumsumAttributes{}, kShape, 0.3f, 2);
    case OperatorKind::kDynamicUpdateSlice: {
      const int whole = data(), part = data({1, 2, 2, 2});
      return add(kind, {whole, part, places({4})}, {}, kShape);
    }
    case OperatorKind::kUnidirectionalSequenceLstm:
    case OperatorKind::kSvdf:  // keeps state: what it computes is never a constant
    default:                   // external functions, state and control flow
      break;
  }
}

}  // namespace tinytune::test
