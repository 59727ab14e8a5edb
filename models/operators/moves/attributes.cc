// Reads the options of operators that move bytes from TensorFlow Lite files.
#include "models/operators/moves/attributes.h"

#include "models/tflite/attribute_reading.h"

namespace tinytune::tflite {
namespace {

template <typename Options>
Result<Attributes> block_of(const Options* o) {
  if (o == nullptr) return missing();
  if (o->block_size() < 1) return Error(ErrorCode::kInvalidInput, "its block is not positive");
  return Attributes(BlockAttributes{o->block_size()});
}

}  // namespace

Result<Attributes> read_space_to_depth(const schema::Operator& op) {
  return block_of(op.builtin_options_as_SpaceToDepthOptions());
}

Result<Attributes> read_depth_to_space(const schema::Operator& op) {
  return block_of(op.builtin_options_as_DepthToSpaceOptions());
}

Result<Attributes> read_mirror_pad(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_MirrorPadOptions();
  if (o == nullptr) return missing();
  return Attributes(MirrorPadAttributes{o->mode() == schema::MirrorPadMode::REFLECT});
}

Result<Attributes> read_concatenation(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_ConcatenationOptions();
  if (o == nullptr) return missing();
  if (o->activation() != schema::ActivationFunction::NONE)
    return Error(ErrorCode::kUnsupported, "it has a fused activation, which TFLite refuses");
  return Attributes(AxisAttributes{o->axis()});
}

Result<Attributes> read_pack(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_PackOptions();
  if (o == nullptr) return missing();
  return Attributes(AxisAttributes{o->axis()});
}

Result<Attributes> read_unpack(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_UnpackOptions();
  if (o == nullptr) return missing();
  return Attributes(AxisAttributes{o->axis()});
}

Result<Attributes> read_strided_slice(const schema::Operator& op) {
  const auto* o = op.builtin_options_as_StridedSliceOptions();
  if (o == nullptr) return missing();
  if (o->ellipsis_mask() != 0 || o->new_axis_mask() != 0 || o->offset())
    return Error(ErrorCode::kUnsupported, "its ellipsis, new axes or relative ends");
  return Attributes(StridedSliceAttributes{o->begin_mask(), o->end_mask(), o->shrink_axis_mask()});
}

}  // namespace tinytune::tflite
