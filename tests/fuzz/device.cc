// Device files.
#include "devices/device.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)tinytune::parse_device(tinytune::fuzz::text_of({data, size}), "fuzz");
  return 0;
}
