// Lines of a log.
#include "records/log_line.h"

#include "tests/fuzz/fuzz.h"

using namespace tinytune;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view line = fuzz::text_of({data, size});
  (void)begins_like_ours(line);
  const auto measurement = parse_log_line(line);
  if (!measurement) return 0;
  const std::string written = to_log_line(*measurement);
  const auto again = parse_log_line(written);
  fuzz::require(again && to_log_line(*again) == written);
  return 0;
}
