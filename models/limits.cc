#include "models/limits.h"

#include <fmt/format.h>

namespace tinytune {
namespace {

int64_t product(const std::array<int, 5>& extents) {
  int64_t all = 1;
  for (const int extent : extents) all *= extent;
  return all;
}

}  // namespace

int64_t operations_of(const IntegerOp& op) {
  return std::visit(
      [](const auto& form) -> int64_t {
        if constexpr (requires { form.macs(); })
          return form.macs();
        else if constexpr (requires { form.operations(); })
          return form.operations();
        else if constexpr (requires { form.elements; })
          return form.elements;
        else if constexpr (requires { form.broadcast; })
          return product(form.broadcast.extents);
        else if constexpr (requires { form.extents; })
          return product(form.extents);
        else if constexpr (requires { form.inner; })
          return form.outer * form.axis * form.inner;
        else
          return int64_t{form.rows} * form.depth;
      },
      op);
}

Status ModelSize::add(int64_t& sum, int64_t more, int64_t most, const char* what) {
  if (more > most - sum)
    return Error(ErrorCode::kInvalidInput,
                 fmt::format("the model needs more than {} {}", most, what));
  sum += more;
  return ok_status();
}

}  // namespace tinytune
