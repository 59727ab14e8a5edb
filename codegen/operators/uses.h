// What a generated function refers to, recorded while it is printed. Placement, prototypes and
// reports read this and never the text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tinytune {

enum class BufferAccess { kRead, kWrite, kReadWrite };

/// A stretch of the arena.
struct BufferUse {
  uint32_t offset = 0, bytes = 0;
  BufferAccess access = BufferAccess::kRead;
};

/// Symbols stand once each, in the order of their first use.
struct Uses {
  std::vector<std::string> kernels;    ///< called
  std::vector<std::string> constants;  ///< arrays that it reads or hands to a kernel
  std::vector<std::string> helpers;    ///< shared C functions called
  std::vector<BufferUse> buffers;      ///< its operands, scratch memory included
};

inline void add_once(std::vector<std::string>& symbols, const std::string& symbol) {
  if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) symbols.push_back(symbol);
}

}  // namespace tinytune
