// A ByteLink to a program on this machine, over its standard input and output.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rpc_device/boards/links/byte_link.h"

namespace tinytune {

/// Starts argv[0], found on the PATH; it ends with the link. `name` is its name in messages.
/// kNotFound: no such program. kFailed: this machine has no process or descriptor left.
Result<std::unique_ptr<ByteLink>> start_process_link(const std::vector<std::string>& argv,
                                                     const std::string& name);

}  // namespace tinytune
