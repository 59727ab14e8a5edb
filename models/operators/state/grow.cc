// Adds VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE or CALL_ONCE to a random graph: state.
#include "tests/random_graphs/grow.h"

#include "tests/random_graphs/operands.h"

namespace tinytune::bench {
namespace {

using K = OperatorKind;

// Adds a variable like tensor x; after a reset it has initial values or else the zero point.
int new_variable(GraphMaker& m, int x, bool initialised) {
  initialised = initialised && m.depth() == 0;  // only the main subgraph may have CALL_ONCE
  const Tensor like = m.tensor(x);
  std::vector<uint8_t> initial(initialised ? static_cast<size_t>(like.bytes()) : 0);
  for (uint8_t& byte : initial)
    byte =
        static_cast<uint8_t>(like.type == ElementType::kBool ? m.between(0, 1) : m.between(0, 255));
  const int variable = m.variable(like.type, like.shape, like.quantization, std::move(initial));
  if (initialised) m.op(K::kCallOnce, {}, {variable});
  m.op(K::kVarHandle, {}, {variable});
  return variable;
}

int read(GraphMaker& m, int variable) {
  const Tensor like = m.tensor(variable);
  const int y = m.result(like.type, like.shape, like.quantization);
  m.op(K::kReadVariable, {variable}, {y});
  return y;
}

// Adds a variable that delays x by one inference, or not if it is read after the assignment.
void grow_delay(GraphMaker& m, bool initialised) {
  const int x = any_source(m);
  const int variable = new_variable(m, x, initialised);
  const bool is_late = m.chance(20);
  if (!is_late) read(m, variable);
  m.op(K::kAssignVariable, {x}, {variable});
  if (is_late || m.chance(30)) read(m, variable);
}

// Adds a saturating sum of all inputs so far.
void grow_sum(GraphMaker& m, bool initialised) {
  const int x = m.source([](const Tensor& t) { return is_moderate(t.quantization.scales[0]); },
                         [&] { return m.shape(); });
  const Tensor like = m.tensor(x);
  const int sum = m.result(like.shape, m.scaled_to(scale_of(m, x)));
  const int variable = new_variable(m, sum, initialised);
  m.op(K::kAdd, {x, read(m, variable)}, {sum}, ActivationAttributes{});
  m.op(K::kAssignVariable, {sum}, {variable});
}

int grow_part(GraphMaker& m, int x) {
  const Tensor whole = m.tensor(x);
  std::vector<int32_t> begins, sizes;
  for (const int extent : whole.shape) {
    sizes.push_back(m.between(1, extent));
    begins.push_back(m.between(0, extent - sizes.back()));
  }
  const int part = m.result(whole.type, {sizes.begin(), sizes.end()}, whole.quantization);
  m.op(K::kSlice, {x, m.integers(begins), m.integers(sizes)}, {part});
  return part;
}

// Adds a sliding window, as streaming layers have it: the last frames along an axis, then the new
// ones; all but the oldest are kept.
void grow_window(GraphMaker& m, bool initialised) {
  const int x = any_source(m);
  const Tensor like = m.tensor(x);
  const bool is_refused = like.type == ElementType::kInt16 && like.quantization.zero_points[0] != 0;
  if (like.shape.empty() || is_refused) return grow_delay(m, initialised);
  const size_t axis = random_axis(m, like.shape);
  const int new_frames = like.shape[axis];
  Shape kept = like.shape, all = like.shape;
  kept[axis] = m.between(1, 3 * new_frames);
  all[axis] += kept[axis];
  if (elements_of(all) > m.most_elements()) return grow_delay(m, initialised);
  std::vector<int32_t> begins(all.size(), 0);
  begins[axis] = new_frames;
  const int newest = m.result(like.type, kept, like.quantization);
  const int window = m.result(like.type, all, like.quantization);
  const int variable = new_variable(m, newest, initialised);
  const int old = read(m, variable);
  m.op(K::kConcatenation, {old, x}, {window}, AxisAttributes{static_cast<int>(axis)});
  m.op(K::kSlice, {window, m.integers(begins), m.integers(kept)}, {newest});
  m.op(K::kAssignVariable, {newest}, {variable});
  for (const int inner : {old, newest})
    if (m.chance(80)) m.hide(inner);
  if (!m.chance(40)) return;
  const int part = grow_part(m, window);
  grow_part(m, part);
  if (m.chance(50)) grow_part(m, part);
  m.hide(part);
}

void grow_variable(GraphMaker& m, bool initialised) {
  if (m.chance(50)) return grow_window(m, initialised);
  m.chance(50) ? grow_delay(m, initialised) : grow_sum(m, initialised);
}

int known_variable(GraphMaker& m) {
  int variable = -1;
  if (m.depth() > 0) return variable;  // a subgraph has handles of its own
  for (const Operator& op : m.operators())
    if (op.kind == K::kVarHandle && (variable < 0 || m.chance(50))) variable = op.outputs[0];
  return variable;
}

}  // namespace

template <>
void grow<OperatorKind::kVarHandle>(GraphMaker& m) {
  grow_variable(m, false);
}

template <>
void grow<OperatorKind::kCallOnce>(GraphMaker& m) {
  grow_variable(m, true);
}

template <>
void grow<OperatorKind::kReadVariable>(GraphMaker& m) {
  if (m.chance(60)) return grow_window(m, m.chance(50));
  const int variable = known_variable(m);
  if (variable < 0) return grow_delay(m, m.chance(50));
  read(m, variable);
}

// Any bytes fit: neither types nor scales have to agree.
template <>
void grow<OperatorKind::kAssignVariable>(GraphMaker& m) {
  const int variable = known_variable(m);
  if (variable < 0) return grow_sum(m, m.chance(50));
  const int64_t bytes = m.tensor(variable).bytes();
  const int x = m.existing([&](const Tensor& t) { return t.bytes() == bytes; });
  if (x >= 0) m.op(K::kAssignVariable, {x}, {variable});
}

}  // namespace tinytune::bench
