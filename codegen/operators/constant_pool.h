// The constant arrays of a generated library. Equal contents share one array: networks repeat
// biases of zeros, multiplier vectors and look-up tables more often than one would think.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/graph.h"

namespace tinytune {

/// Alignment of arrays, in bytes.
constexpr uint32_t kConstantAlignment = 4;

enum class CType { kInt8, kUint8, kInt16, kInt32, kUint32, kInt64, kFloat };
int size_of(CType type);
const char* name_of(CType type);          ///< "int8_t"
const char* c_type_of(ElementType type);  ///< "int8_t", …, "float"

class ConstantPool {
 public:
  struct Array {
    std::string symbol;
    CType type;
    std::vector<uint8_t> bytes;  ///< little-endian elements
  };

  /// Returns the symbol of an array with these contents: an older equal one, or a new one with this
  /// name, plus a number if another array has it.
  std::string add(const std::string& symbol, CType type, std::vector<uint8_t> bytes);

  /// In the order of add().
  const std::vector<Array>& arrays() const { return arrays_; }

 private:
  std::vector<Array> arrays_;
  std::map<std::pair<CType, std::vector<uint8_t>>, size_t> index_;
  std::map<std::string, int> times_named_;
};

std::vector<uint8_t> bytes_of(const std::vector<int8_t>& values);

/// "int8_t name[4]", for a declaration or the start of a definition.
std::string c_declarator(const ConstantPool::Array& array);
/// The elements, in lines that fit a page.
std::string c_initialiser(const ConstantPool::Array& array);

}  // namespace tinytune
