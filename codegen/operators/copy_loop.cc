#include "codegen/operators/copy_loop.h"

namespace tinytune {

void copy_loop(CWriter& w, const CopyRun& run) {
  w.line("const " + run.type + " *from = " + run.from + ";");
  w.line(run.type + " *to = " + run.to + ";");
  const bool strided = run.to_step != 1 || run.from_step != 1;
  print_unrolled(w, run.count, [&](const std::string& variable, int64_t added) {
    const auto at = [&](int64_t step) {
      const std::string scaled =
          variable.empty() || !strided ? variable : variable + " * " + c_int(step);
      return "[" + c_plus(scaled, added * step) + "]";
    };
    w.line("to" + at(run.to_step) + " = from" + at(run.from_step) + ";");
  });
}

}  // namespace tinytune
