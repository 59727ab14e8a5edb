// The resource variables of a .tflite file: what VAR_HANDLE names, READ_VARIABLE and
// ASSIGN_VARIABLE use, whichever subgraph they stand in.
//
// A handle has no type and no shape. As in TFLite Micro, the first value that an ASSIGN_VARIABLE
// of the file gives to a variable says how large it is, and which zero point it is reset to
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
  std::optional<FileTensor> value;  ///< the first that is assigned; nothing: none is
  int tensor = -1;                  ///< of the graph, once a scan has placed it
};

/// In the file's order, subgraph by subgraph. Operators that make no sense are passed over: who
/// reads them has to say so.
std::vector<FileVariable> file_variables(const schema::Model& model);

/// Its place in `variables`; nothing for a name that none has. A handle without a container is the
/// first variable of its name, as in TFLite Micro.
std::optional<size_t> find_variable(const std::vector<FileVariable>& variables,
                                    const schema::VarHandleOptions* name);

}  // namespace tinytune
