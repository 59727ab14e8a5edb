// How long models of many operators take, stage by stage, and how the time grows.
//
//   import_bench [OPERATORS]      seconds for that many operators (2500) and for four times as many
//   import_bench --write FOLDER   the larger models as FOLDER/<name>.tflite instead
//
// Every stage should be linear: a ratio far above 4 names the one that is not.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "codegen/networks/network.h"
#include "codegen/passes/passes.h"
#include "devices/device.h"
#include "examples/tflite_writer.h"
#include "models/operator_kind.h"
#include "models/tasks.h"
#include "models/tflite/tflite.h"

namespace tinytune {
namespace {

class Model {
 public:
  explicit Model(std::vector<int> shape) : shape_(std::move(shape)) {
    graph_.inputs = {tensor(shape_, 0.1F)};
  }

  int input() const { return graph_.inputs[0]; }
  int tensor(std::vector<int> shape, float scale) {
    const int id = static_cast<int>(graph_.tensors.size());
    graph_.tensors.push_back(
        {.id = id, .shape = std::move(shape), .quantization = {{scale}, {0}, 0}});
    return id;
  }
  int constant(std::vector<int> shape, uint8_t first) {
    const int id = tensor(std::move(shape), 0.02F);
    Tensor& t = graph_.tensors.back();
    t.is_constant = true;
    for (int64_t i = 0; i < t.elements(); ++i)
      t.data.push_back(static_cast<uint8_t>(first + 7 * i));
    return id;
  }
  int op(OperatorKind kind, std::vector<int> inputs, Attributes attributes, float scale = 0.1F) {
    return op(kind, std::move(inputs), std::move(attributes), shape_, scale);
  }
  int op(OperatorKind kind, std::vector<int> inputs, Attributes attributes, std::vector<int> shape,
         float scale = 0.1F) {
    const int output = tensor(std::move(shape), scale);
    graph_.operators.push_back({static_cast<int>(graph_.operators.size()),
                                kind,
                                std::move(inputs),
                                {output},
                                std::move(attributes)});
    return output;
  }
  Graph finish(int output) {
    graph_.outputs = {output};
    return std::move(graph_);
  }

 private:
  std::vector<int> shape_;
  Graph graph_;
};

Graph chain(int operators, const std::function<int(Model&, int x, int i)>& next,
            std::vector<int> shape = {1, 2, 2, 4}) {
  Model m(std::move(shape));
  int x = m.input();
  for (int i = 0; i < operators; ++i) x = next(m, x, i);
  return m.finish(x);
}

// Joins rows by CONCATENATIONs with the most inputs that one may have, level by level.
int joined(Model& m, std::vector<int> rows) {
  constexpr size_t kMostInputs = 10;
  std::vector<int> extents(rows.size(), 1);
  while (rows.size() > 1) {
    std::vector<int> longer, longer_extents;
    for (size_t from = 0; from < rows.size(); from += kMostInputs) {
      const size_t to = std::min(from + kMostInputs, rows.size());
      const int extent = std::accumulate(extents.begin() + from, extents.begin() + to, 0);
      longer.push_back(m.op(OperatorKind::kConcatenation, {rows.begin() + from, rows.begin() + to},
                            AxisAttributes{0}, {extent, 4}));
      longer_extents.push_back(extent);
    }
    rows = std::move(longer), extents = std::move(longer_extents);
  }
  return rows.front();
}

struct Kind {
  const char* name;
  Graph (*make)(int operators);
};

// Each kind stresses one thing that may grow faster than linearly: readers, absorbed operators,
// aliases, buffers that are live together, equal tasks, constants, operators folded at import.
constexpr Kind kKinds[] = {
    {"maxima",
     [](int n) {
       return chain(n, [](Model& m, int x, int i) {
         return m.op(i % 2 == 0 ? OperatorKind::kMaximum : OperatorKind::kMinimum, {x, m.input()},
                     {});
       });
     }},
    {"lookups",
     [](int n) {
       return chain(n, [](Model& m, int x, int) { return m.op(OperatorKind::kTanh, {x}, {}); });
     }},
    {"reshapes",
     [](int n) {
       return chain(n, [](Model& m, int x, int) { return m.op(OperatorKind::kReshape, {x}, {}); });
     }},
    {"sums",
     [](int n) {
       return chain(n, [](Model& m, int x, int i) {
         return m.op(OperatorKind::kAdd, {x, m.input()}, ActivationAttributes{},
                     0.1F + 1e-6F * static_cast<float>(i));
       });
     }},
    {"convolutions",
     [](int n) {
       return chain(n, [](Model& m, int x, int i) {
         const int weights = m.constant({4, 1, 1, 4}, static_cast<uint8_t>(i));
         return m.op(OperatorKind::kConv2d, {x, weights}, ConvAttributes{});
       });
     }},
    {"parts",
     [](int n) {
       Model m({1, 4});
       std::vector<int> parts;
       for (int i = 1; i < n; ++i)
         parts.push_back(m.op(OperatorKind::kMaximum,
                              {m.input(), m.constant({1, 4}, static_cast<uint8_t>(i))}, {}));
       return m.finish(joined(m, std::move(parts)));
     }},
    {"constants",
     [](int n) {
       Model m({1, 4});
       int x = m.constant({1, 4}, 3);
       for (int i = 1; i < n; ++i) x = m.op(OperatorKind::kRelu, {x}, {});
       return m.finish(m.op(OperatorKind::kMaximum, {m.input(), x}, {}));
     }},
};

[[noreturn]] void stop(const Error& error) {
  std::fprintf(stderr, "import_bench: %s\n", error.message().c_str());
  std::exit(1);
}

template <typename T>
T taken(Result<T> result) {
  if (!result) stop(result.error());
  return std::move(result).value();
}

constexpr const char* kStages[] = {"import", "passes", "tasks", "oracle", "generate"};

// Returns the seconds of each stage.
std::vector<double> timed(const Graph& written, const Device& device) {
  const std::vector<uint8_t> file = write_tflite(written);
  std::vector<double> seconds;
  auto last = std::chrono::steady_clock::now();
  const auto lap = [&] {
    const auto now = std::chrono::steady_clock::now();
    seconds.push_back(std::chrono::duration<double>(now - last).count());
    last = now;
  };
  const Graph graph = taken(import_tflite(file, "net"));
  lap();
  const IntegerNetwork network = taken(executed_network(graph));
  lap();
  extract_tasks(network);
  lap();
  const std::vector<std::vector<uint8_t>> inputs = {
      std::vector<uint8_t>(static_cast<size_t>(graph.tensor(graph.inputs[0]).bytes()), 1)};
  taken(run_reference(network, inputs));
  lap();
  taken(generate_network(network, device, {}, {"net"}));
  lap();
  return seconds;
}

void print_times(int operators, const Device& device) {
  std::printf("%-14s %-10s %10d %10d %8s\n", "model", "stage", operators, 4 * operators, "ratio");
  for (const Kind& kind : kKinds) {
    const auto few = timed(kind.make(operators), device),
               many = timed(kind.make(4 * operators), device);
    for (size_t i = 0; i < few.size(); ++i)
      std::printf("%-14s %-10s %9.3fs %9.3fs %8.1f\n", kind.name, kStages[i], few[i], many[i],
                  many[i] / std::max(few[i], 1e-6));
  }
}

bool write_models(int operators, const std::string& folder) {
  for (const Kind& kind : kKinds) {
    const std::vector<uint8_t> bytes = write_tflite(kind.make(operators));
    std::ofstream file(folder + "/" + kind.name + ".tflite", std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) return false;
  }
  return true;
}

}  // namespace
}  // namespace tinytune

int main(int argc, char** argv) {
  using namespace tinytune;
  CLI::App app("Times of models of many operators, stage by stage", "import_bench");
  int operators = 2500;
  std::string folder;
  app.add_option("OPERATORS", operators,
                 "of the smaller models; the larger have four times as many")
      ->check(CLI::Range(2, 100'000))
      ->capture_default_str();
  app.add_option("--write", folder, "write the larger models there, and time nothing")
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  if (folder.empty()) {
    print_times(operators, taken(load_device("esp32c3")));
  } else if (!write_models(4 * operators, folder)) {
    std::fprintf(stderr, "import_bench: cannot write in %s\n", folder.c_str());
    return 1;
  }
  return 0;
}
