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
/// stages (codegen/kernels/stage_code.h).
void append_stage(Halide::Module& module, const Halide::Func& function,
                  const std::vector<Halide::ImageParam>& inputs, const std::string& symbol);

}  // namespace tinytune
