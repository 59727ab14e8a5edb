#include "codegen/networks/layout.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "models/operator_kind.h"

namespace tinytune {
namespace {

const char* suffix(Layout layout) { return layout == Layout::kNchw ? "_nchw" : "_nhwc"; }

MoveOp transform_form(const ImageShape& s, Layout from) {
  const int64_t pixels = int64_t{s.rows} * s.columns, image = pixels * s.channels;
  MoveOp::Box box;
  // [image][outer][inner] of the output; the input's steps are swapped.
  const bool to_planes = from == Layout::kNhwc;
  const int64_t inner = to_planes ? pixels : s.channels, outer = to_planes ? s.channels : pixels;
  box.extents = {1, 1, s.batch, static_cast<int>(outer), static_cast<int>(inner)};
  box.input_steps = {0, 0, image, 1, outer};
  box.output_steps = {0, 0, image, inner, 1};
  MoveOp move;
  move.boxes = {box};
  move.output_elements = {image * s.batch};
  return move;
}

class Rewriter {
 public:
  Rewriter(const Graph& graph, std::vector<IntegerOp> ops) : model_(graph), ops_(std::move(ops)) {
    result_.graph = graph;
    result_.graph.operators.clear();
    result_.layout_of.assign(graph.tensors.size(), Layout::kNhwc);
  }

  LaidOutGraph run(std::span<const Layout> layouts) && {
    for (const int id : model_.inputs) copies_[{id, Layout::kNhwc}] = id;
    for (size_t step = 0; step < ops_.size(); ++step)
      rewrite(step, layouts.empty() ? Layout::kNhwc : layouts[step]);
    return std::move(result_);
  }

 private:
  void rewrite(size_t step, Layout layout) {
    Operator op = model_.operators[step];
    if (auto* kernel = std::get_if<KernelOp>(&ops_[step])) kernel->workload.layout = layout;
    for (int& id : op.inputs)
      if (id >= 0 && image_of(model_.tensor(id))) id = copy_in(id, layout);
    std::vector<int> to_transform;  // outputs of the network, which its user reads as NHWC
    for (int& id : op.outputs) {
      if (!image_of(model_.tensor(id))) continue;
      const bool is_output =
          std::find(model_.outputs.begin(), model_.outputs.end(), id) != model_.outputs.end();
      if (layout == Layout::kNchw && is_output) {
        to_transform.push_back(id);
        id = copies_[{id, layout}] = fresh_tensor(id, layout);
      } else {
        at(result_.layout_of, id) = layout;
        copies_[{id, layout}] = id;
      }
    }
    append(std::move(op), std::move(ops_[step]));
    for (const int id : to_transform) {
      append_transform(id, copies_.at({id, layout}), id, layout);
      copies_[{id, Layout::kNhwc}] = id;
    }
  }

  // Returns the tensor that holds model tensor `id` in `layout`; makes it if there is none yet.
  int copy_in(int id, Layout layout) {
    if (const auto known = copies_.find({id, layout}); known != copies_.end()) return known->second;
    const Layout from = layout == Layout::kNhwc ? Layout::kNchw : Layout::kNhwc;
    const int source = copies_.at({id, from});
    const int target = fresh_tensor(id, layout);
    append_transform(id, source, target, from);
    copies_[{id, layout}] = target;
    return target;
  }

  int fresh_tensor(int id, Layout layout) {
    Tensor copy = model_.tensor(id);
    const std::vector<int> s = copy.shape;
    copy.id = static_cast<int>(result_.graph.tensors.size());
    copy.name += suffix(layout);
    if (layout == Layout::kNchw) copy.shape = {s[0], s[3], s[1], s[2]};
    result_.graph.tensors.push_back(std::move(copy));
    result_.layout_of.push_back(layout);
    return result_.graph.tensors.back().id;
  }

  void append_transform(int id, int source, int target, Layout from) {
    Operator op;
    op.index = kTransformIndex;
    op.kind = OperatorKind::kTranspose;
    op.inputs = {source};
    op.outputs = {target};
    append(std::move(op), transform_form(*image_of(model_.tensor(id)), from));
  }

  void append(Operator op, IntegerOp form) {
    result_.graph.operators.push_back(std::move(op));
    result_.ops.push_back(std::move(form));
  }

  template <typename Vector>
  static auto at(Vector& v, int i) -> decltype(v[0]) {
    return v[static_cast<size_t>(i)];
  }

  const Graph& model_;
  std::vector<IntegerOp> ops_;
  LaidOutGraph result_;
  std::map<std::pair<int, Layout>, int> copies_;  // of a model tensor in a layout
};

}  // namespace

LaidOutGraph lay_out(const Graph& graph, std::vector<IntegerOp> ops,
                     std::span<const Layout> layouts) {
  TT_CHECK(layouts.empty() || layouts.size() == ops.size(), "one layout per operator");
  return Rewriter(graph, std::move(ops)).run(layouts);
}

}  // namespace tinytune
