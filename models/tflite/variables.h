// The resource variables of a .tflite file: named by VAR_HANDLE, used by READ_VARIABLE and
// ASSIGN_VARIABLE, in any subgraph.
//
// A handle has no type and no shape. As in TFLite Micro, the first value that an ASSIGN_VARIABLE of
// the file gives to a variable determines its size and the zero point to which it is reset
// (MicroResourceVariables::Allocate).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tinytune {

namespace schema {
struct Model;
struct VarHandleOptions;
}  // namespace schema

/// A tensor by its subgraph's own id. Neither is checked to exist.
struct FileTensor {
  int subgraph = 0, id = 0;
};

struct FileVariable {
  std::string container, shared_name;
  FileTensor handle;                ///< the first in the file
  std::optional<FileTensor> value;  ///< the first one assigned; nullopt: never assigned
  int tensor = -1;                  ///< id in the graph, once a scan has placed it
};

/// Returns the variables in the file's order, subgraph by subgraph. Skips malformed operators; the
/// scan that reads them has to report them.
std::vector<FileVariable> file_variables(const schema::Model& model);

/// Returns the index of the named variable; nullopt for an unknown name. A handle without a
/// container is the first variable of its name, as in TFLite Micro.
std::optional<size_t> find_variable(const std::vector<FileVariable>& variables,
                                    const schema::VarHandleOptions* name);

}  // namespace tinytune
