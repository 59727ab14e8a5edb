// A window over the last frames becomes the state and is shifted in place, unless another reader
// could see the difference or frames do not all move down alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "codegen/passes/passes.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/passes/sequence_run.h"

namespace tinytune {
namespace {

using test::expect_same_sequence;
using test::GraphBuilder;

constexpr float kScale = 0.1F;

struct Frames {
  std::vector<int> shape = {1, 1, 5};  // of new frames
  size_t axis = 1;
  int kept = 3;
  int zero_point = 3;
  bool newest_first = false;
  ElementType type = ElementType::kInt8;
};

class Streaming {
 public:
  explicit Streaming(Frames frames) : frames_(std::move(frames)), kept_(frames_.shape) {
    all_ = kept_;
    kept_[frames_.axis] = frames_.kept;
    all_[frames_.axis] += frames_.kept;
    x_ = typed(b_.input(frames_.shape, kScale, frames_.zero_point));
    state_ = typed(b_.variable(kept_, kScale, frames_.zero_point));
    const int old = op(OperatorKind::kReadVariable, {state_}, {}, kept_);
    const AxisAttributes axis{static_cast<int>(frames_.axis)};
    window_ = frames_.newest_first ? op(OperatorKind::kConcatenation, {x_, old}, axis, all_)
                                   : op(OperatorKind::kConcatenation, {old, x_}, axis, all_);
  }

  /// Assigns the part of the window that begins at `frame` to the state.
  Streaming& keep_from(int frame) {
    std::vector<int32_t> begins(kept_.size(), 0);
    begins[frames_.axis] = frame;
    const int newest =
        op(OperatorKind::kSlice,
           {window_, b_.integers(begins), b_.integers({kept_.begin(), kept_.end()})}, {}, kept_);
    assigned_ = op(OperatorKind::kAssignVariable, {newest}, {}, kept_);
    return *this;
  }
  Streaming& keep_newest() {
    return keep_from(frames_.newest_first ? 0 : frames_.shape[frames_.axis]);
  }

  int window() const { return window_; }
  int state() const { return state_; }
  int rectified() { return rectified(window_, all_); }
  int rectified(int tensor, const std::vector<int>& shape) {
    return typed(b_.op(OperatorKind::kRelu, {tensor}, {}, shape, 2 * kScale, frames_.zero_point));
  }
  int reshaped() {
    const int elements = std::accumulate(all_.begin(), all_.end(), 1, std::multiplies<>());
    return op(OperatorKind::kReshape, {window_, b_.integers({elements})}, {}, {elements});
  }
  /// Returns both halves of the window's channels.
  std::vector<int> halves() {
    std::vector<int> half = all_;
    half.back() /= 2;
    const int axis = b_.integers({static_cast<int>(all_.size()) - 1});
    const int first = op(OperatorKind::kSplit, {axis, window_}, {}, half);
    return {first, typed(b_.more_output(half, kScale, frames_.zero_point))};
  }
  int part(int tensor, const std::vector<int>& begins, const std::vector<int>& sizes) {
    return op(OperatorKind::kSlice, {tensor, b_.integers(begins), b_.integers(sizes)}, {}, sizes);
  }
  int joined(std::vector<int> parts) {
    const int axis = static_cast<int>(all_.size()) - 1;
    return op(OperatorKind::kConcatenation, std::move(parts), AxisAttributes{axis}, all_);
  }
  Graph finish(std::vector<int> outputs) {
    Graph graph = b_.finish(std::move(outputs));
    for (Operator& op : graph.operators)
      if (op.outputs[0] == assigned_) op.outputs = {state_};
    return graph;
  }

 private:
  int typed(int tensor) { return b_.retype(tensor, frames_.type); }
  int op(OperatorKind kind, std::vector<int> inputs, Attributes attributes,
         std::vector<int> shape) {
    return typed(b_.op(kind, std::move(inputs), std::move(attributes), std::move(shape), kScale,
                       frames_.zero_point));
  }

  Frames frames_;
  GraphBuilder b_;
  std::vector<int> kept_, all_;
  int x_ = -1, state_ = -1, window_ = -1, assigned_ = -1;
};

bool shifts(const IntegerNetwork& network) {
  return std::any_of(network.ops.begin(), network.ops.end(), [](const IntegerOp& op) {
    const auto* move = std::get_if<MoveOp>(&op);
    return move != nullptr && move->shifts;
  });
}

TEST(ShiftState, StreamingLayer_CopiesOnceAStep) {
  Streaming s({});
  s.keep_newest();
  const IntegerNetwork network = expect_same_sequence(s.finish({s.rectified()}));
  EXPECT_EQ(network.ops.size(), 2U);  // of 5
  EXPECT_TRUE(shifts(network));
  EXPECT_TRUE(network.graph.tensor(s.window()).is_variable);
  EXPECT_FALSE(network.graph.tensor(s.state()).is_variable);
}

TEST(ShiftState, AnyAxisAndNumberOfFrames_IsExact) {
  for (size_t axis = 0; axis < 4; ++axis)
    for (const int arriving : {1, 2, 3})
      for (const int kept : {3, 4, 12}) {
        SCOPED_TRACE(testing::Message() << arriving << " behind " << kept << " on axis " << axis);
        Frames frames{{2, 3, 1, 4}, axis, kept};
        frames.shape[axis] = arriving;
        Streaming s(frames);
        s.keep_newest();
        EXPECT_TRUE(shifts(expect_same_sequence(s.finish({s.rectified()}))));
      }
}

// Words move where a frame is one; between them halves, through pointers of one type.
TEST(ShiftState, FramesOfInt16_AreExact) {
  for (const int channels : {1, 2, 3}) {
    SCOPED_TRACE(channels);
    Streaming s({{1, 1, channels}, 1, 4, 0, false, ElementType::kInt16});
    s.keep_newest();
    EXPECT_TRUE(shifts(expect_same_sequence(s.finish({s.rectified()}))));
  }
}

TEST(ShiftState, FirstValues_AreThoseOfTheState) {
  Streaming s({{1, 2, 2}, 1, 3});
  Graph graph = s.keep_newest().finish({s.rectified()});
  for (uint8_t i = 0; i < 6; ++i)
    graph.tensors[static_cast<size_t>(s.state())].data.push_back(static_cast<uint8_t>(40 + i));
  const IntegerNetwork network = expect_same_sequence(graph);
  EXPECT_TRUE(shifts(network));
  EXPECT_EQ(network.graph.tensor(s.window()).data,
            (std::vector<uint8_t>{3, 3, 3, 3, 40, 41, 42, 43, 44, 45}));
}

TEST(ShiftState, PartOfTheNewestLeftOut_IsShiftedByLess) {
  Streaming s({{1, 3, 2}, 1, 4});
  s.keep_from(1);
  EXPECT_TRUE(shifts(expect_same_sequence(s.finish({s.rectified()}))));
}

TEST(ShiftState, WindowUnderAnotherName_IsReadWhereItStands) {
  Streaming s({});
  const int flat = s.keep_newest().reshaped();
  const IntegerNetwork network = expect_same_sequence(s.finish({s.rectified(flat, {20})}));
  EXPECT_TRUE(shifts(network));
  EXPECT_TRUE(std::get<CopyOp>(network.ops.at(1)).in_place);
}

TEST(MergeMoves, PartsOfHalves_AreCopiedFromTheWindow) {
  Streaming s({{1, 1, 2, 6}, 1, 4});
  s.keep_newest();
  const std::vector<int> halves = s.halves();
  const std::vector<int> outputs = {s.part(halves[0], {0, 2, 0, 1}, {1, 3, 2, 2}),
                                    s.part(halves[1], {0, 0, 0, 0}, {1, 5, 2, 3}),
                                    s.part(halves[1], {0, 4, 1, 2}, {1, 1, 1, 1})};
  const Graph graph = s.finish(outputs);
  EXPECT_EQ(expect_same_sequence(graph).ops.size(), 4U);
  EXPECT_EQ(expect_same_sequence(graph, {"merge-moves"}).ops.size(), 5U);
  EXPECT_EQ(expect_same_sequence(graph, {"shift-state"}).ops.size(), 6U);
}

TEST(MergeMoves, HalvesJoinedInTheOtherOrder_AreCopiedFromTheWindow) {
  Streaming s({{1, 1, 2, 6}, 1, 4});
  s.keep_newest();
  const std::vector<int> halves = s.halves();
  const int joined = s.joined({halves[1], halves[0]});
  EXPECT_EQ(expect_same_sequence(s.finish({joined})).ops.size(), 2U);
}

TEST(MergeMoves, HalfThatOthersRead_IsCopied) {
  Streaming s({{1, 1, 2, 6}, 1, 4});
  s.keep_newest();
  const std::vector<int> halves = s.halves();
  const int part = s.part(halves[0], {0, 2, 0, 1}, {1, 3, 2, 2});
  const int rectified = s.rectified(halves[1], {1, 5, 2, 3});
  EXPECT_EQ(expect_same_sequence(s.finish({part, rectified})).ops.size(), 4U);
}

TEST(ShiftState, Output_StaysACopy) {
  Streaming s({});
  s.keep_newest();
  EXPECT_FALSE(shifts(expect_same_sequence(s.finish({s.window()}))));
}

TEST(ShiftState, OutputUnderAnotherName_StaysACopy) {
  Streaming s({});
  const int flat = s.keep_newest().reshaped();
  EXPECT_FALSE(shifts(expect_same_sequence(s.finish({flat}))));
}

TEST(ShiftState, NewestFirst_MovesUpAndStaysACopy) {
  Streaming s({.newest_first = true});
  s.keep_newest();
  EXPECT_FALSE(shifts(expect_same_sequence(s.finish({s.rectified()}))));
}

TEST(ShiftState, NothingNewKept_StaysACopy) {
  Streaming s({});
  s.keep_from(0);
  EXPECT_FALSE(shifts(expect_same_sequence(s.finish({s.rectified()}))));
}

TEST(ShiftState, MoreFramesThanAreKept_StayACopy) {
  Streaming s({{1, 4, 5}, 1, 3});
  s.keep_newest();
  EXPECT_FALSE(shifts(expect_same_sequence(s.finish({s.rectified()}))));
}

}  // namespace
}  // namespace tinytune
