// A loop that copies words or bytes, which operators that move bytes print.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/operators/c_writer.h"

namespace tinytune {

struct CopyRun {
  std::string type, to, from;  ///< in C: an unsigned integer type, and two pointers to it
  int64_t count = 0;
  int64_t to_step = 1, from_step = 1;  ///< in units of the type
};

/// Prints it unrolled: compilers would leave it rolled, at two additions and a branch per element.
void copy_loop(CWriter& w, const CopyRun& run);

}  // namespace tinytune
