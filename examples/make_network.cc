// make_network NAME FILE [CODE]: writes an example network. With CODE: its weights are made coarse
// and compressed for TFLM_DECODE. With CODE-plain: the same weights, uncompressed.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "examples/cifar10.h"
#include "examples/compressed_weights.h"
#include "examples/ds_cnn.h"
#include "examples/mobile_nets.h"
#include "examples/noise_suppression.h"
#include "examples/offload_net.h"
#include "examples/softsign_net.h"
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
                                 {"face_detection", tinytune::make_face_detection},
                                 {"cifar10", tinytune::make_cifar10},
                                 {"noise_suppression", tinytune::make_noise_suppression},
                                 {"offload_net", tinytune::make_offload_net},
                                 {"softsign_net", tinytune::make_softsign_net},
                                 {"str_ww", tinytune::make_str_ww}};

struct NamedCode {
  std::string_view name;
  tinytune::WeightCode code;
};

constexpr NamedCode kCodes[] = {{"lookup", tinytune::WeightCode::kLookup},
                                {"huffman", tinytune::WeightCode::kHuffman},
                                {"pruned", tinytune::WeightCode::kPruned}};

// Returns nullopt for an unknown code.
std::optional<tinytune::Graph> with_code(tinytune::Graph graph, const std::string& wanted) {
  for (const NamedCode& known : kCodes) {
    const std::string name(known.name);
    if (wanted == name + "-plain") return tinytune::with_coarse_weights(graph, known.code);
    if (wanted == name)
      return tinytune::with_compressed_weights(tinytune::with_coarse_weights(graph, known.code),
                                               known.code);
  }
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const auto* example = std::end(kExamples);
  if (argc == 3 || argc == 4)
    for (example = kExamples; example != std::end(kExamples); ++example)
      if (example->name == argv[1]) break;
  std::optional<tinytune::Graph> graph;
  if (example != std::end(kExamples)) graph = example->make(1);
  if (graph && argc == 4) graph = with_code(std::move(*graph), argv[3]);
  if (!graph) {
    std::fprintf(
        stderr,
        "usage: make_network NAME FILE [CODE], where CODE is lookup, huffman or pruned, or "
        "one of them with -plain, and NAME is one of:\n");
    for (const Example& known : kExamples)
      std::fprintf(stderr, "  %s\n", std::string(known.name).c_str());
    return 2;
  }
  const auto bytes = tinytune::write_tflite(*graph);
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
