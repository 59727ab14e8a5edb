// Which build of the engine this is: two that differ may measure the same schedule differently.
#pragma once

#include <string>

namespace tinytune {

/// "0.1.0-1f0c…": the version and 16 digits of a digest of the sources that decide what a worker
/// does (everything that builds, runs and verifies kernels, and this protocol), of the compiler's
/// libraries, and of the table of kernel templates, which a program may add to (ADR 16). The
/// digest is of text and not of a binary, so that a tuner on one kind of machine and a worker on
/// another are the same build if their sources are.
const std::string& build_id();

}  // namespace tinytune
