// Maxima and averages over windows and over axes.
#include <algorithm>

#include "models/onnx/onnx_families.h"
#include "models/onnx/onnx_products.h"
#include "models/onnx/onnx_tiles.h"
#include "models/onnx/onnx_windows.h"

namespace tinytune {
namespace {

// Returns a pool's windows; the window of a global pool is the whole image.
Result<OnnxWindows> pool_windows(const OnnxNode& node, const std::vector<int>& image, size_t rank) {
  const OnnxNode wide = with_two_axes(node, rank);
  if (node.type.starts_with("Global"))
    return windows_of(wide, image[1], image[2], image[1], image[2]);
  const auto window = wide.get("kernel_shape", std::vector<int64_t>{});
  if (window.size() != 2 || window[0] < 1 || window[1] < 1 || window[0] > INT16_MAX ||
      window[1] > INT16_MAX)
    return OnnxValues::unsupported(node, "its window");
  TT_TRY_ASSIGN(OnnxWindows w, windows_of(wide, image[1], image[2], static_cast<int>(window[0]),
                                          static_cast<int>(window[1])));
  return w;
}

Status check_rank(const OnnxNode& node, size_t rank) {
  if (rank < 3 || rank > 5)
    return OnnxValues::unsupported(node, "a pool of other than one to three axes");
  if (node.get("channels_last", int64_t{0}) != 0)
    return OnnxValues::unsupported(node, "onnxruntime's own order of channels");
  return ok_status();
}

// `like_kernel`: computes as onnxruntime's QLinearAveragePool even if the window is the image.
Result<int> average(OnnxImport& import, const OnnxNode& node, int input, const OnnxScale& scale,
                    bool like_kernel) {
  OnnxGraph& graph = import.graph();
  const size_t rank = graph.tensor(input).shape.size();
  TT_TRY(check_rank(node, rank));
  if (needs_tiles(node, rank)) {
    TT_TRY_ASSIGN(const OnnxTiles tiles, tiled(graph, node, input));
    if (tiles.is_padded && node.get("count_include_pad", int64_t{0}) == 0)
      return OnnxValues::unsupported(
          node, "pads that do not count, of windows of three axes or with dilations");
    const int to = graph.add(node.outputs[0], ElementType::kInt8, tiles.pooled_shape(),
                             scale.quantization(), true);
    graph.add_operator(OperatorKind::kAveragePool2d, {tiles.id}, to,
                       WindowMeanAttributes{1, tiles.taps, 1, tiles.taps, 0, 0, scale.offset()});
    return graph.reshaped(to, tiles.result, false);
  }
  const int image = as_image(graph, input);
  const std::vector<int> shape = graph.tensor(image).shape;
  TT_TRY_ASSIGN(const OnnxWindows w, pool_windows(node, shape, rank));
  const bool padded = w.pad_top + w.pad_left + w.pad_bottom + w.pad_right > 0;
  if (!like_kernel && !padded && w.kernel_h == shape[1] && w.kernel_w == shape[2]) {
    const int axes = graph.add_numbers("axes", {1, 2}, {2});
    const int to = graph.add(node.outputs[0], ElementType::kInt8, {shape[0], 1, 1, shape[3]},
                             scale.quantization(), true);
    graph.add_operator(OperatorKind::kMean, {image, axes}, to, ReducerAttributes{true});
    return of_model_rank(graph, to, rank);
  }
  WindowMeanAttributes a{w.stride_h, w.stride_w, w.kernel_h,    w.kernel_w,
                         w.pad_top,  w.pad_left, scale.offset()};
  int from = image;
  if (padded && node.get("count_include_pad", int64_t{0}) != 0) {
    from =
        padded_for(graph, image, w, graph.tensor(image).quantization.zero_points[0], false).input;
    a.pad_top = a.pad_left = 0;
  }
  const int to = graph.add(node.outputs[0], ElementType::kInt8,
                           {shape[0], w.out_h, w.out_w, shape[3]}, scale.quantization(), true);
  graph.add_operator(OperatorKind::kAveragePool2d, {from}, to, a);
  return of_model_rank(graph, to, rank);
}

// Returns the axes of a reduction as stored axes of the tensor. Images keep their order.
Result<std::vector<int32_t>> reduced_axes(OnnxImport& import, const OnnxNode& node, int id) {
  const auto rank = static_cast<int64_t>(import.graph().tensor(id).shape.size());
  std::vector<int64_t> axes;
  if (node.type.find("Global") == std::string::npos) {
    TT_TRY_ASSIGN(const auto given, import.values().numbers(node, "axes", 1));
    if (given) axes = *given;
    if (axes.empty() && node.get("noop_with_empty_axes", int64_t{0}) != 0)
      return OnnxValues::unsupported(node, "no axes");
  } else {
    for (int64_t axis = 2; axis < rank; ++axis) axes.push_back(axis);
  }
  if (axes.empty())
    for (int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  std::vector<int32_t> stored;
  for (const int64_t axis : axes) {
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank) return OnnxValues::invalid(node, "an axis out of range");
    stored.push_back(import.graph().stored_axis(id, at));
  }
  std::sort(stored.begin(), stored.end());
  return stored;
}

}  // namespace

Result<int> add_reduction(OnnxImport& import, const OnnxNode& node, int id,
                          const OnnxProduct& result) {
  OnnxGraph& graph = import.graph();
  TT_TRY_ASSIGN(const auto axes, reduced_axes(import, node, id));
  const Tensor from = graph.tensor(id);
  std::vector<int> shape = from.shape;
  for (const int32_t axis : axes) shape[static_cast<size_t>(axis)] = 1;
  const int to =
      graph.add(node.outputs[0], result.type, shape, result.quantization, graph.channels_last(id));
  const int numbers = graph.add_numbers("axes", axes, {static_cast<int>(axes.size())});
  graph.add_operator(result.kind, {id, numbers}, to, ReducerAttributes{true});
  const bool global = node.type.find("Global") != std::string::npos;
  if (global || node.get("keepdims", int64_t{1}) != 0) return to;
  const int kept = graph.to_onnx_order(to);
  std::vector<int> rest;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (const bool is_reduced = std::any_of(axes.begin(), axes.end(),
                                            [&](int32_t a) {
                                              constexpr int kModel[] = {0, 2, 3, 1};
                                              const int at =
                                                  graph.channels_last(id) ? kModel[a] : a;
                                              return at == static_cast<int>(axis);
                                            });
        !is_reduced)
      rest.push_back(graph.tensor(kept).shape[axis]);
  return graph.reshaped(kept, rest, false);
}

Result<int> import_max_pool(OnnxImport& import, const OnnxNode& node, int output,
                            const std::vector<int>& data) {
  OnnxGraph& graph = import.graph();
  if (output != 0) return OnnxValues::unsupported(node, "the places of maxima");
  const size_t rank = graph.tensor(data[0]).shape.size();
  TT_TRY(check_rank(node, rank));
  if (needs_tiles(node, rank)) {
    TT_TRY_ASSIGN(const OnnxTiles tiles, tiled(graph, node, data[0], -128));
    const Quantization q = graph.tensor(tiles.id).quantization;
    const int to = graph.add(node.outputs[0], ElementType::kInt8, tiles.pooled_shape(), q, true);
    graph.add_operator(
        OperatorKind::kMaxPool2d, {tiles.id}, to,
        PoolAttributes{Padding::kValid, Activation::kNone, 1, tiles.taps, 1, tiles.taps});
    return graph.reshaped(to, tiles.result, false);
  }
  const int image = as_image(graph, data[0]);
  TT_TRY_ASSIGN(const OnnxWindows w, pool_windows(node, graph.tensor(image).shape, rank));
  const auto [from, padding] = padded_for(graph, image, w, -128, true);
  const Tensor input = graph.tensor(from);
  const int to =
      graph.add(node.outputs[0], ElementType::kInt8,
                {input.shape[0], w.out_h, w.out_w, input.shape[3]}, input.quantization, true);
  graph.add_operator(
      OperatorKind::kMaxPool2d, {from}, to,
      PoolAttributes{padding, Activation::kNone, w.stride_h, w.stride_w, w.kernel_h, w.kernel_w});
  return of_model_rank(graph, to, rank);
}

Result<int> import_extremum(OnnxImport& import, const OnnxNode& node, int,
                            const std::vector<int>& data) {
  const Quantization q = import.graph().tensor(data[0]).quantization;
  return add_reduction(
      import, node, data[0],
      {ElementType::kInt8, q,
       node.type == "ReduceMax" ? OperatorKind::kReduceMax : OperatorKind::kReduceMin});
}

Result<int> import_average_pool(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                                Activation) {
  TT_TRY_ASSIGN(const int input, import.operand(node, 0));
  return average(import, node, input, scale, false);
}

Result<int> import_mean(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                        Activation) {
  TT_TRY_ASSIGN(const int input, import.operand(node, 0));
  return add_reduction(import, node, input,
                       {ElementType::kInt8, scale.quantization(), OperatorKind::kMean});
}

Result<int> import_sum(OnnxImport& import, const OnnxNode& node, const OnnxScale& scale,
                       Activation) {
  TT_TRY_ASSIGN(const int input, import.operand(node, 0));
  return add_reduction(import, node, input,
                       {ElementType::kInt8, scale.quantization(), OperatorKind::kSum});
}

// Inputs: x, its scale and zero point, the result's scale and zero point.
Result<OnnxResult> import_qlinear_average_pool(OnnxImport& import, const OnnxNode& node) {
  TT_TRY_ASSIGN(const OnnxOperand x, import.operand_at(node, 0));
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 3, x));
  TT_TRY_ASSIGN(const int id, average(import, node, x.id, scale, true));
  return OnnxResult{id, scale.type};
}

Result<OnnxResult> import_qlinear_mean(OnnxImport& import, const OnnxNode& node) {
  TT_TRY_ASSIGN(const OnnxOperand x, import.operand_at(node, 0));
  TT_TRY_ASSIGN(const OnnxScale scale, import.result_scale(node, 3, x));
  if (node.get("channels_last", int64_t{0}) != 0)
    return OnnxValues::unsupported(node, "onnxruntime's own order of channels");
  OnnxNode plain = node;  // its second input is a scale, not axes
  if (plain.ints.count("axes") == 0) plain.inputs.resize(1);
  TT_TRY_ASSIGN(const int id,
                add_reduction(import, plain, x.id,
                              {ElementType::kInt8, scale.quantization(), OperatorKind::kMean}));
  return OnnxResult{id, scale.type};
}

}  // namespace tinytune
