// Identifies the build of the engine: two builds may measure the same schedule differently.
#pragma once

#include <string>

namespace tinytune {

/// Returns "0.1.0-1f0c…": the version and 16 digits of a digest of the sources that decide what a
/// worker does (everything that builds, runs and verifies kernels, and this protocol), of the
/// compiler's libraries, and of the table of kernel templates, which a program may extend (ADR 16).
/// The digest covers source text, not binaries, so that a tuner and a worker on different kinds of
/// machines are the same build if their sources are.
const std::string& build_id();

}  // namespace tinytune
