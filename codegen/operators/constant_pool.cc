#include "codegen/operators/constant_pool.h"

#include <bit>

#include "base/check.h"
#include "codegen/operators/c_writer.h"

namespace tinytune {
namespace {

int64_t element(const ConstantPool::Array& array, size_t i) {
  const size_t size = static_cast<size_t>(size_of(array.type));
  uint64_t word = 0;
  for (size_t b = 0; b < size; ++b)
    word |= static_cast<uint64_t>(array.bytes[i * size + b]) << (8 * b);
  switch (array.type) {
    case CType::kInt8:
      return static_cast<int8_t>(word);
    case CType::kInt16:
      return static_cast<int16_t>(word);
    case CType::kInt32:
      return static_cast<int32_t>(word);
    case CType::kUint8:
    case CType::kUint32:
    case CType::kInt64:
    case CType::kFloat:
      return static_cast<int64_t>(word);
  }
  return 0;
}

size_t elements(const ConstantPool::Array& array) {
  return array.bytes.size() / static_cast<size_t>(size_of(array.type));
}

std::string literal(const ConstantPool::Array& array, size_t i) {
  const int64_t value = element(array, i);
  if (array.type == CType::kUint32) return std::to_string(value) + "u";
  if (array.type == CType::kInt64)
    return value == INT64_MIN ? "(-INT64_MAX - 1)" : "INT64_C(" + std::to_string(value) + ")";
  if (array.type == CType::kFloat)
    return c_float(std::bit_cast<float>(static_cast<uint32_t>(value)));
  return c_int(value);
}

}  // namespace

int size_of(CType type) {
  switch (type) {
    case CType::kInt8:
    case CType::kUint8:
      return 1;
    case CType::kInt16:
      return 2;
    case CType::kInt64:
      return 8;
    case CType::kInt32:
    case CType::kUint32:
    case CType::kFloat:
      break;
  }
  return 4;
}

const char* name_of(CType type) {
  switch (type) {
    case CType::kInt8:
      return "int8_t";
    case CType::kUint8:
      return "uint8_t";
    case CType::kInt16:
      return "int16_t";
    case CType::kInt32:
      return "int32_t";
    case CType::kUint32:
      return "uint32_t";
    case CType::kInt64:
      return "int64_t";
    case CType::kFloat:
      break;
  }
  return "float";
}

const char* c_type_of(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
    case ElementType::kInt4:
      return "int8_t";
    case ElementType::kUint8:
    case ElementType::kBool:
      return "uint8_t";
    case ElementType::kInt16:
      return "int16_t";
    case ElementType::kInt32:
      return "int32_t";
    case ElementType::kInt64:
      return "int64_t";
    case ElementType::kFloat32:
      break;
  }
  return "float";
}

std::string ConstantPool::add(const std::string& symbol, CType type, std::vector<uint8_t> bytes) {
  TT_CHECK(!bytes.empty() && bytes.size() % static_cast<size_t>(size_of(type)) == 0, symbol);
  const auto [at, is_new] = index_.try_emplace({type, bytes}, arrays_.size());
  if (is_new) {
    const int before = times_named_[symbol]++;
    const std::string number = before == 0 ? "" : "_" + std::to_string(before);
    arrays_.push_back({symbol + number, type, std::move(bytes)});
  }
  return arrays_[at->second].symbol;
}

std::vector<uint8_t> bytes_of(const std::vector<int8_t>& values) {
  return std::vector<uint8_t>(values.begin(), values.end());
}

std::string c_declarator(const ConstantPool::Array& array) {
  return std::string(name_of(array.type)) + " " + array.symbol + "[" +
         std::to_string(elements(array)) + "]";
}

std::string c_initialiser(const ConstantPool::Array& array) {
  std::string text, row = " ";
  for (size_t i = 0; i < elements(array); ++i) {
    const std::string word = literal(array, i);
    if (row.size() + word.size() + 2 > 100) {
      text += row + "\n";
      row = " ";
    }
    row += " " + word + ",";
  }
  return text + row + "\n";
}

}  // namespace tinytune
