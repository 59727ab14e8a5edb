// make_ds_cnn FILE: writes the example network.
#include <cstdio>
#include <fstream>

#include "examples/ds_cnn.h"
#include "examples/tflite_writer.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_ds_cnn FILE\n");
    return 2;
  }
  const auto bytes = tinytune::write_tflite(tinytune::make_ds_cnn(1));
  std::ofstream file(argv[1], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    std::fprintf(stderr, "cannot write '%s'\n", argv[1]);
    return 1;
  }
  return 0;
}
