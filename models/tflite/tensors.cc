#include "models/tflite/tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "models/limits.h"
#include "models/quantise.h"
#include "models/schema/tflite_subset_generated.h"
#include "models/tflite/model.h"

namespace tinytune {
namespace {

std::string type_name(schema::TensorType type) {
  const int code = static_cast<int>(type);
  if (code < 0 || code > static_cast<int>(schema::TensorType::MAX))
    return fmt::format("type {}", code);
  std::string name = schema::EnumNameTensorType(type);
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

std::optional<ElementType> element_type(schema::TensorType type) {
  switch (type) {
    case schema::TensorType::INT8:
      return ElementType::kInt8;
    case schema::TensorType::UINT8:
      return ElementType::kUint8;
    case schema::TensorType::INT32:
      return ElementType::kInt32;
    case schema::TensorType::INT16:
      return ElementType::kInt16;
    case schema::TensorType::INT64:
      return ElementType::kInt64;
    case schema::TensorType::FLOAT32:
      return ElementType::kFloat32;
    case schema::TensorType::BOOL:
      return ElementType::kBool;
    case schema::TensorType::INT4:
      return ElementType::kInt4;
    default:
      return std::nullopt;
  }
}

// int4 are packed two to a byte, the low half first; an odd last half is unused.
int64_t bytes_in_file(const Tensor& tensor) {
  return tensor.type == ElementType::kInt4 ? (tensor.elements() + 1) / 2 : tensor.bytes();
}

std::vector<uint8_t> unpacked(const flatbuffers::Vector<uint8_t>& packed, int64_t elements) {
  std::vector<uint8_t> values;
  for (int64_t i = 0; i < elements; ++i) {
    const int half = packed[static_cast<flatbuffers::uoffset_t>(i / 2)] >> (i % 2 * 4) & 15;
    values.push_back(static_cast<uint8_t>(half < 8 ? half : half - 16));
  }
  return values;
}

// FlatBuffers promises int64 elements at multiples of eight, but its verifier does not check it.
int64_t element_of(const flatbuffers::Vector<int64_t>& values, flatbuffers::uoffset_t i) {
  int64_t value;
  std::memcpy(&value, values.Data() + i * sizeof value, sizeof value);
  return flatbuffers::EndianScalar(value);
}

// Reads one tensor; the id goes into every message.
class TensorReader {
 public:
  TensorReader(const schema::Model& model, const schema::Tensor& from, int id)
      : model_(model), from_(from) {
    read_.tensor.id = read_.summary.id = id;
  }

  ReadTensor read() {
    if (const Status whole = read_all(); !whole) {
      read_.malformed = whole.error();
      read_.tensor.shape.clear();  // nothing is allocated for what it claims
      read_.tensor.quantization = {};
      read_.tensor.is_constant = read_.tensor.is_variable = false;
    }
    return std::move(read_);
  }

 private:
  Status read_all() {
    if (from_.name() != nullptr) read_.tensor.name = printable_ascii(from_.name()->string_view());
    read_.summary.name = read_.tensor.name;
    read_.tensor.is_variable = from_.is_variable();
    read_.summary.type = type_name(from_.type());
    if (const auto type = element_type(from_.type()))
      read_.tensor.type = *type;
    else
      refuse(read_.summary.type + " is not supported");
    TT_TRY(read_shape());
    TT_TRY(read_quantization());
    TT_TRY(read_data());
    settle_empty();
    refuse_odd_reset();
    if (from_.sparsity() != nullptr) refuse("it is sparse");
    return ok_status();
  }

  Error invalid(const std::string& why) const {
    return Error(ErrorCode::kInvalidInput, fmt::format("tensor t{}: {}", read_.tensor.id, why));
  }
  void refuse(const std::string& why) {
    if (read_.unsupported.empty()) read_.unsupported = why;
  }

  Status read_shape() {
    constexpr flatbuffers::uoffset_t kHighestRank = 8;  // TFLite's own limit
    if (from_.shape() != nullptr && from_.shape()->size() > kHighestRank)
      return invalid(fmt::format("a rank of {}", from_.shape()->size()));
    if (from_.shape() != nullptr)
      for (int extent : *from_.shape()) read_.tensor.shape.push_back(extent);
    read_.summary.shape = read_.tensor.shape;
    int64_t bytes = static_cast<int64_t>(size_of(read_.tensor.type));
    for (int extent : read_.tensor.shape) {
      if (extent == -1) {
        refuse("its shape is dynamic");
        return ok_status();
      }
      if (extent < 0)
        return invalid(fmt::format("shape [{}] has an extent of {}",
                                   fmt::join(read_.tensor.shape, ","), extent));
      bytes *= extent;
      if (bytes > kMostTensorBytes)
        return invalid(fmt::format("shape [{}] is too large: more than {} bytes",
                                   fmt::join(read_.tensor.shape, ","), kMostTensorBytes));
    }
    return ok_status();
  }

  Status read_quantization() {
    const schema::Quantization* from = from_.quantization();
    if (!read_.unsupported.empty() || from == nullptr) return ok_status();
    if (read_.tensor.type == ElementType::kInt32 || read_.tensor.type == ElementType::kInt64)
      return read_scales_of_sums(*from);
    const bool quantised =
        read_.tensor.type == ElementType::kInt8 || read_.tensor.type == ElementType::kUint8 ||
        read_.tensor.type == ElementType::kInt16 || read_.tensor.type == ElementType::kInt4;
    if (!quantised) return ok_status();
    if (from->details_type() != 0) refuse("its quantisation is not of plain scales");
    const size_t scales = from->scale() == nullptr ? 0 : from->scale()->size();
    const size_t zero_points = from->zero_point() == nullptr ? 0 : from->zero_point()->size();
    if (scales == 0 || zero_points == 0) return ok_status();  // as TFLite: not quantised
    Quantization& to = read_.tensor.quantization;
    for (float scale : *from->scale()) {
      if (!std::isnormal(scale) || scale < 0) return invalid(fmt::format("a scale of {}", scale));
      to.scales.push_back(scale);
    }
    const Range limits = limits_of(read_.tensor.type);
    for (flatbuffers::uoffset_t i = 0; i < scales; ++i) {
      // As TFLite Micro: unless there is one for each scale, the first holds for all.
      const int64_t zero_point = element_of(*from->zero_point(), zero_points == scales ? i : 0);
      if (zero_point < limits.low || zero_point > limits.high)
        return invalid(fmt::format("a zero point of {}", zero_point));
      to.zero_points.push_back(static_cast<int32_t>(zero_point));
    }
    to.axis = from->quantized_dimension();
    if (to.per_channel()) {
      const auto& shape = read_.tensor.shape;
      if (to.axis < 0 || static_cast<size_t>(to.axis) >= shape.size())
        return invalid(fmt::format("quantised along axis {} of {}", to.axis, shape.size()));
      if (static_cast<size_t>(shape[static_cast<size_t>(to.axis)]) != to.scales.size())
        return invalid(fmt::format("{} scales for {} channels", to.scales.size(),
                                   shape[static_cast<size_t>(to.axis)]));
    }
    return ok_status();
  }

  // Used only for biases, whose scale is compared with those of input and weights where TFLite
  // Micro does so, and by QUANTIZE, which reads scale and zero point. State always starts from 0.
  Status read_scales_of_sums(const schema::Quantization& from) {
    const bool has_zero_points = from.zero_point() != nullptr && from.zero_point()->size() != 0;
    if (from.scale() == nullptr || !has_zero_points) return ok_status();  // as TFLite Micro
    Quantization& to = read_.tensor.quantization;
    to.scales.assign(from.scale()->begin(), from.scale()->end());
    to.zero_points.assign(to.scales.size(), 0);
    if (!read_.tensor.is_variable && !to.scales.empty())
      to.zero_points[0] = static_cast<int32_t>(element_of(*from.zero_point(), 0));
    return ok_status();
  }

  Status read_data() {
    if (from_.external_buffer() != 0) refuse("its data lies outside the file");
    if (from_.buffer() == 0) return ok_status();
    const auto* buffers = model_.buffers();
    if (buffers == nullptr || from_.buffer() >= buffers->size())
      return invalid(fmt::format("its buffer {} does not exist", from_.buffer()));
    const schema::Buffer& buffer = *buffers->Get(from_.buffer());
    if (buffer.offset() != 0 || buffer.size() != 0) {
      refuse("its data lies outside the FlatBuffer");
      return ok_status();
    }
    if (buffer.data() == nullptr || buffer.data()->size() == 0 || !read_.unsupported.empty())
      return ok_status();
    if (buffer.data()->size() != bytes_in_file(read_.tensor))
      return invalid(fmt::format("its buffer holds {} bytes, its shape [{}] needs {}",
                                 buffer.data()->size(), fmt::join(read_.tensor.shape, ","),
                                 bytes_in_file(read_.tensor)));
    if (read_.tensor.is_variable) {
      refuse("it is a variable with data");
      return ok_status();
    }
    read_.tensor.is_constant = true;
    if (read_.tensor.type == ElementType::kInt4)
      read_.tensor.data = unpacked(*buffer.data(), read_.tensor.elements());
    else
      read_.tensor.data.assign(buffer.data()->begin(), buffer.data()->end());
    return ok_status();
  }

  // An empty list of integers, such as the shape of a scalar, is a constant without data. Other
  // empty tensors are refused: converters leave them where no operator reads them.
  void settle_empty() {
    if (read_.tensor.elements() != 0 || !read_.unsupported.empty()) return;
    const bool is_list =
        read_.tensor.type == ElementType::kInt32 || read_.tensor.type == ElementType::kInt64;
    if (is_list && !read_.tensor.is_variable)
      read_.tensor.is_constant = true;
    else
      refuse(fmt::format("its shape [{}] has no elements", fmt::join(read_.tensor.shape, ",")));
  }

  // TFLite Micro resets variable tensors to the zero point in int8 and to 0 in all other types;
  // reset_byte() takes the zero point in all types.
  void refuse_odd_reset() {
    const std::vector<int32_t>& zero_points = read_.tensor.quantization.zero_points;
    if (read_.tensor.is_variable && read_.tensor.type != ElementType::kInt8 &&
        !zero_points.empty() && zero_points[0] != 0)
      refuse(fmt::format("it is a variable of {} whose zero point is {}, not 0",
                         name_of(read_.tensor.type), zero_points[0]));
  }

  const schema::Model& model_;
  const schema::Tensor& from_;
  ReadTensor read_;
};

}  // namespace

Result<std::vector<ReadTensor>> read_tensors(const schema::Model& model, int subgraph,
                                             ModelSize& size) {
  std::vector<ReadTensor> tensors;
  const auto* from =
      model.subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(subgraph))->tensors();
  if (from == nullptr) return tensors;
  // Every tensor gets a copy, and a file may name one buffer a million times.
  const auto* buffers = model.buffers();
  for (const schema::Tensor* tensor : *from)
    if (buffers != nullptr && tensor->buffer() < buffers->size())
      if (const auto* data = buffers->Get(tensor->buffer())->data())
        TT_TRY(size.add_constant(int64_t{data->size()}));
  for (flatbuffers::uoffset_t i = 0; i < from->size(); ++i) {
    tensors.push_back(TensorReader(model, *from->Get(i), static_cast<int>(i)).read());
  }
  return tensors;
}

Result<ReadTensor> read_tensor(const schema::Model& model, int subgraph, int id) {
  const auto* from =
      model.subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(subgraph))->tensors();
  if (from == nullptr || id < 0 || static_cast<flatbuffers::uoffset_t>(id) >= from->size())
    return Error(ErrorCode::kInvalidInput,
                 fmt::format("subgraph {} has no tensor {}", subgraph, id));
  ReadTensor read =
      TensorReader(model, *from->Get(static_cast<flatbuffers::uoffset_t>(id)), id).read();
  if (read.malformed) return *read.malformed;
  return read;
}

}  // namespace tinytune
