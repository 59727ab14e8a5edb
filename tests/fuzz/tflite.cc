// Import of TFLite files.
#include "models/tflite/tflite.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)tinytune::import_tflite({data, size}, "fuzz");
  return 0;
}
