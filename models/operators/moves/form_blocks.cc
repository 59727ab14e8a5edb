// SPACE_TO_DEPTH, SPACE_TO_BATCH_ND and their inverses: blocks of pixels become channels or
// batches.
#include <fmt/format.h>

#include <algorithm>

#include "models/operators/move_builder.h"

namespace tinytune {
namespace {

std::vector<int> image_of(const std::vector<int>& shape) {
  std::vector<int> image = shape;
  if (image.size() == 3) image.insert(image.begin() + 2, 1);
  return image;
}

// One box: [n][row][row in block][column][a block's row of channels], which is dense in `deep` and
// in runs of a block's width in `wide`.
Result<IntegerOp> between_space_and_depth(const OperatorView& view, bool to_depth) {
  const Tensor &wide = to_depth ? view.input(0) : view.output(),
               &deep = to_depth ? view.output() : view.input(0);
  TT_TRY(view.require_rank(view.input(0), 4));
  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, 0));
  const int block = std::get<BlockAttributes>(view.op().attributes).size;
  const std::vector<int>& known = view.input(0).shape;
  const int64_t area = int64_t{block} * block;
  std::vector<int64_t> made = {known[0], int64_t{known[1]} * block, int64_t{known[2]} * block,
                               known[3] / area};
  bool divides = known[3] % area == 0;
  if (to_depth) {
    made = {known[0], known[1] / block, known[2] / block, known[3] * area};
    divides = known[1] % block == 0 && known[2] % block == 0;
  }
  if (!divides)
    return view.invalid(
        fmt::format("blocks of {} do not divide {}", block, describe(view.input(0))));
  for (const int64_t extent : made)
    if (extent > INT32_MAX) return view.invalid(fmt::format("blocks of {}", block));
  TT_TRY(view.require_shape(view.output(), {made.begin(), made.end()}));
  const auto wide_steps = steps_of(wide.shape), deep_steps = steps_of(deep.shape);
  const int64_t run = int64_t{block} * wide.shape[3];
  const std::vector<int> extents = {deep.shape[0], deep.shape[1], block, deep.shape[2],
                                    static_cast<int>(run)};
  const std::vector<int64_t> in_wide = {wide_steps[0], wide_steps[1] * block, wide_steps[1], run,
                                        1};
  const std::vector<int64_t> in_deep = {deep_steps[0], deep_steps[1], run, deep_steps[2], 1};
  builder.add(extents, {0, 0, to_depth ? in_wide : in_deep}, {0, 0, to_depth ? in_deep : in_wide});
  return std::move(builder).finish();
}

struct Spatial {
  int blocks[2] = {1, 1}, before[2] = {0, 0}, after[2] = {0, 0};
};

// Reads block shape, and paddings or crops, of the one or two axes between batch and channels.
Result<Spatial> read_spatial(const OperatorView& view) {
  TT_TRY_ASSIGN(const auto blocks, int32_constant(view, view.input(1)));
  TT_TRY_ASSIGN(const auto borders, int32_constant(view, view.input(2)));
  const size_t axes = view.input(0).shape.size() - 2;
  if (blocks.size() != axes || borders.size() != 2 * axes)
    return view.invalid(fmt::format("{} blocks and {} borders for {}", blocks.size(),
                                    borders.size(), describe(view.input(0))));
  Spatial s;
  for (size_t i = 0; i < axes; ++i) {
    s.blocks[i] = blocks[i];
    s.before[i] = borders[2 * i];
    s.after[i] = borders[2 * i + 1];
    if (s.blocks[i] < 1 || s.blocks[i] > 4096 || s.before[i] < 0 || s.after[i] < 0)
      return view.invalid("a block of less than 1 or more than 4096, or a negative border");
  }
  return s;
}

// One box for each place in a block. `many` has the batches, `wide` the pixels; pixel
// (r * block + place - before) of `wide` is pixel r of `many`, where it exists.
Result<IntegerOp> between_space_and_batch(const OperatorView& view, bool to_batch) {
  const Tensor& input = view.input(0);
  TT_TRY(view.require_int8(input));
  TT_TRY(view.require_int8(view.output()));
  if (input.shape.size() != 3 && input.shape.size() != 4)
    return view.unsupported(describe(input) + " has neither 3 nor 4 axes");
  TT_TRY_ASSIGN(const Spatial s, read_spatial(view));
  const std::vector<int> known = image_of(input.shape);
  std::vector<int64_t> made(known.begin(), known.end());
  const int64_t area = int64_t{s.blocks[0]} * s.blocks[1];
  bool fits = to_batch || known[0] % area == 0;
  made[0] = to_batch ? known[0] * area : known[0] / area;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t border = int64_t{s.before[i]} + s.after[i];
    if (to_batch) {
      fits = fits && (known[i + 1] + border) % s.blocks[i] == 0;
      made[i + 1] = (known[i + 1] + border) / s.blocks[i];
    } else {
      made[i + 1] = int64_t{known[i + 1]} * s.blocks[i] - border;
    }
    fits = fits && made[i + 1] >= 1 && made[i + 1] <= INT32_MAX;
  }
  if (!fits || made[0] > INT32_MAX)
    return view.invalid("its blocks and borders do not divide " + describe(input));
  std::vector<int> image(made.begin(), made.end()), shape = image;
  if (input.shape.size() == 3) shape.erase(shape.begin() + 2);
  TT_TRY(view.require_shape(view.output(), shape));

  TT_TRY_ASSIGN(MoveBuilder builder, MoveBuilder::create(view, 0, 0));
  if (to_batch) builder.fill(0);  // TFLite Micro pads with a raw 0, whatever the zero point
  const std::vector<int>&wide = to_batch ? known : image, &many = to_batch ? image : known;
  const auto wide_steps = steps_of(wide), many_steps = steps_of(many);
  for (int place = 0; place < area; ++place) {
    const int at[2] = {place / s.blocks[1], place % s.blocks[1]};
    std::vector<int> extents = {wide[0], 0, 0, wide[3]};
    int64_t in_wide = 0, in_many = int64_t{place} * wide[0] * many_steps[0];
    std::vector<int64_t> steps = wide_steps;
    for (size_t i = 0; i < 2; ++i) {
      const int64_t block = s.blocks[i], origin = at[i] - int64_t{s.before[i]};
      const int64_t first = origin < 0 ? (-origin + block - 1) / block : 0;
      const int64_t room = wide[i + 1] - 1 - origin;
      const int64_t end = room < 0 ? 0 : std::min<int64_t>(room / block + 1, many[i + 1]);
      extents[i + 1] = static_cast<int>(std::max<int64_t>(0, end - first));
      in_wide += (first * block + origin) * wide_steps[i + 1];
      in_many += first * many_steps[i + 1];
      steps[i + 1] = wide_steps[i + 1] * block;
    }
    if (extents[1] == 0 || extents[2] == 0) continue;  // only padding
    const MoveBuilder::Side inner{0, in_wide, steps}, outer{0, in_many, many_steps};
    builder.add(extents, to_batch ? inner : outer, to_batch ? outer : inner);
  }
  return std::move(builder).finish();
}

}  // namespace

Result<IntegerOp> prepare_space_to_depth(const OperatorView& view) {
  return between_space_and_depth(view, true);
}
Result<IntegerOp> prepare_depth_to_space(const OperatorView& view) {
  return between_space_and_depth(view, false);
}
Result<IntegerOp> prepare_space_to_batch(const OperatorView& view) {
  return between_space_and_batch(view, true);
}
Result<IntegerOp> prepare_batch_to_space(const OperatorView& view) {
  return between_space_and_batch(view, false);
}

}  // namespace tinytune
