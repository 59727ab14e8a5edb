// make_network NAME FILE: writes an example network.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "examples/cifar10.h"
#include "examples/ds_cnn.h"
#include "examples/mobile_nets.h"
#include "examples/offload_net.h"
#include "examples/str_ww.h"
#include "examples/tflite_writer.h"

namespace {

struct Example {
  std::string_view name;
  tinytune::Graph (*make)(uint64_t seed);
};

constexpr Example kExamples[] = {{"ds_cnn", tinytune::make_ds_cnn},
                                 {"person_detection", tinytune::make_person_detection},
                                 {"mobilenet_v2", tinytune::make_mobilenet_v2},
                                 {"cifar10", tinytune::make_cifar10},
                                 {"offload_net", tinytune::make_offload_net},
                                 {"str_ww", tinytune::make_str_ww}};

}  // namespace

int main(int argc, char** argv) {
  const auto* example = std::end(kExamples);
  if (argc == 3)
    for (example = kExamples; example != std::end(kExamples); ++example)
      if (example->name == argv[1]) break;
  if (example == std::end(kExamples)) {
    std::fprintf(stderr, "usage: make_network NAME FILE, where NAME is one of:\n");
    for (const Example& known : kExamples)
      std::fprintf(stderr, "  %s\n", std::string(known.name).c_str());
    return 2;
  }
  const auto bytes = tinytune::write_tflite(example->make(1));
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    std::fprintf(stderr, "cannot write '%s'\n", argv[2]);
    return 1;
  }
  return 0;
}
