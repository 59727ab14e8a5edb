#include <fmt/format.h>

#include <algorithm>

#include "measure/job.h"
#include "schedules/check_constants.h"

namespace tinytune {
namespace {

constexpr size_t kMostCases = 64;
constexpr size_t kLongestName = 64;

Error bad(const std::string& why) { return Error(ErrorCode::kInvalidInput, "task: " + why); }

Status check_size(const char* what, size_t size, int64_t wanted) {
  if (static_cast<int64_t>(size) == wanted) return ok_status();
  return bad(fmt::format("{} {} where the workload has {}", size, what, wanted));
}

Status check_int8(const char* what, int value) {
  if (value >= -128 && value <= 127) return ok_status();
  return bad(fmt::format("{} {} is no int8", what, value));
}

Status check_case(const Workload& w, const TestCase& test) {
  // Names appear in messages and logs.
  const bool plain = std::all_of(test.name.begin(), test.name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (test.name.empty() || test.name.size() > kLongestName || !plain)
    return bad("a case whose name is not of a-z, 0-9 and _");
  if (test.input.kind == Contents::Kind::kBytes)
    TT_TRY(check_size("input bytes", test.input.bytes.size(), w.input_bytes()));
  return check_size("expected bytes", test.expected.size(), w.output_bytes());
}

}  // namespace

Status check_task(const TaskData& task) {
  const Workload& w = task.workload;
  TT_TRY(validate(w));
  TT_TRY(check_int8("input zero point", w.input_zero_point));
  TT_TRY(check_int8("output zero point", w.output_zero_point));
  TT_TRY(check_int8("lower clamp", w.activation_min));
  TT_TRY(check_int8("upper clamp", w.activation_max));
  if (const Status constants = check_constants(w, task.data); !constants)
    return constants.error().within("task");
  if (task.cases.empty() || task.cases.size() > kMostCases)
    return bad(fmt::format("{} test cases; 1 to {} are possible", task.cases.size(), kMostCases));
  for (const TestCase& test : task.cases) TT_TRY(check_case(w, test));
  return ok_status();
}

}  // namespace tinytune
