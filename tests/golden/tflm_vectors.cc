#include "tests/golden/tflm_vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;

const fs::path kVectors = TINYTUNE_TFLM_VECTORS;

Bytes bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_of(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().ends_with(ending)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<TflmVector> models_of(const fs::path& folder) {
  std::vector<TflmVector> vectors;
  for (fs::path path : files_of(folder, ".tflite")) {
    TflmVector vector{path.stem(), path, bytes_of(path.replace_extension(".in")), {}};
    if (path.replace_extension(".want"); fs::exists(path)) vector.outputs = bytes_of(path);
    vectors.push_back(std::move(vector));
  }
  return vectors;
}

/// Appends SEED.in.bin and SEED.out.bin of one model, for each SEED.
void append(std::vector<TflmVector>& vectors, const fs::path& folder, const std::string& model) {
  for (const fs::path& input : files_of(folder, ".in.bin")) {
    const std::string seed = input.stem().stem();
    vectors.push_back({folder.filename().string() + "." + seed, model, bytes_of(input),
                       bytes_of(folder / (seed + ".out.bin"))});
  }
}

}  // namespace

std::vector<TflmVector> tflm_graphs() { return models_of(kVectors / "graphs"); }

std::vector<TflmVector> tflm_cases() { return models_of(kVectors / "cases"); }

std::vector<TflmVector> tflm_networks() {
  std::vector<TflmVector> vectors;
  for (const auto& network : fs::directory_iterator(kVectors / "own")) {
    const std::string name = network.path().filename();
    append(vectors, network.path(), TINYTUNE_BINARY_DIR "/examples/" + name + ".tflite");
  }
  return vectors;
}

std::optional<TflmVector> tflm_public_network(const std::string& name) {
  const fs::path folder = fs::path(TINYTUNE_SOURCE_DIR) / ".." / "shared" / "public" / name;
  if (!fs::exists(folder)) return std::nullopt;
  std::vector<TflmVector> steps;
  append(steps, folder, files_of(folder, ".tflite").at(0));
  const auto number = [](const TflmVector& v) {
    return std::stoi(v.name.substr(v.name.rfind('.') + 1));
  };
  std::ranges::sort(steps, {}, number);
  TflmVector sequence{name, steps.at(0).model, {}, Bytes()};
  for (const TflmVector& step : steps) {
    sequence.inputs.insert(sequence.inputs.end(), step.inputs.begin(), step.inputs.end());
    sequence.outputs->insert(sequence.outputs->end(), step.outputs->begin(), step.outputs->end());
  }
  return sequence;
}

std::vector<std::vector<Bytes>> calls_of(const Bytes& inputs, const Graph& graph) {
  std::vector<std::vector<Bytes>> calls;
  for (auto from = inputs.begin(); from != inputs.end() && !graph.inputs.empty();) {
    std::vector<Bytes>& call = calls.emplace_back();
    for (const int id : graph.inputs) {
      const auto to =
          from + std::min<std::ptrdiff_t>(graph.tensor(id).bytes(), inputs.end() - from);
      call.emplace_back(from, to);
      from = to;
    }
  }
  return calls;
}

void expect_answer(const TflmVector& vector, Bytes computed) {
  // A later call of this graph has an index out of range, at which TensorFlow Lite Micro stops.
  if (vector.name == "g154") computed.resize(vector.outputs->size());
  EXPECT_TRUE(computed == *vector.outputs) << vector.name << " differs from TensorFlow Lite Micro";
}

}  // namespace tinytune::test
