// The options of an external operator, which a C function of the user's computes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tinytune {

struct ExternalAttributes {
  std::string op;                ///< name in the file: "CUSTOM softsign", "EXP"
  std::string function;          ///< name in Graph::externals
  std::vector<uint8_t> options;  ///< of a custom operator, as the file has them
};

}  // namespace tinytune
