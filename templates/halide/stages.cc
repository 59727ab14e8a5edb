#include "templates/halide/stages.h"

#include <Halide.h>

namespace tinytune {

void append_stage(Halide::Module& module, const Halide::Func& function,
                  const std::vector<Halide::ImageParam>& inputs, const std::string& symbol) {
  const std::vector<Halide::Argument> arguments(inputs.begin(), inputs.end());
  const Halide::Module stage = Halide::Pipeline(function).compile_to_module(
      arguments, symbol, module.target(), Halide::LinkageType::External);
  for (const auto& lowered : stage.functions()) module.append(lowered);
}

}  // namespace tinytune
