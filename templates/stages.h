// A kernel is one or more stages: Halide functions that run one after another on shared buffers.
#pragma once

#include <string>
#include <vector>

namespace Halide {
class Func;
class ImageParam;
class Module;
}  // namespace Halide

namespace tinytune {

/// Lowers `function` and appends it to `module` as `symbol`. Buffers are matched by name across
/// stages (codegen/retarget.h). Plain external linkage: the default would add a metadata blob and
/// a second entry point to compile and throw away.
void append_stage(Halide::Module& module, const Halide::Func& function,
                  const std::vector<Halide::ImageParam>& inputs, const std::string& symbol);

}  // namespace tinytune
