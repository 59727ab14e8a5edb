// tiny_compiler NETWORK DEVICE LOG TRIALS DIR: a compiler that leaves its kernels to tinytune.
//
// NETWORK has one operator per line, described as for Layer::describe(); every output is the next
// operator's input. DIR gets a kernel and its constants for every operator, and network.c, whose
// network_run() calls them with two buffers. network_check() runs it on a built-in input and counts
// the bytes that differ from the reference.
#include <tinytune/tinytune.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

using tinytune::Layer;
using tinytune::Result;
using tinytune::Status;
using tinytune::TunedKernel;

struct Compiled {
  Layer layer;
  TunedKernel kernel;
};

Result<Compiled> compile(const std::string& line, size_t index, const std::string& device,
                         const std::string& log, uint64_t trials) {
  TT_TRY_ASSIGN(const Layer layer, Layer::describe(line));
  tinytune::TuneOptions tuning;
  tuning.records = log;
  tuning.trials = trials;
  TT_TRY_ASSIGN(const auto report, tinytune::tune_workload(layer, device, tuning));
  tinytune::KernelOptions options;
  options.records = log;
  options.symbol = "op" + std::to_string(index);
  TT_TRY_ASSIGN(TunedKernel kernel, tinytune::compile_workload(layer, device, options));
  std::printf("%s: %s, %llu cycles\n", options.symbol.c_str(), layer.name().c_str(),
              static_cast<unsigned long long>(report.best_cycles.value_or(0)));
  return Compiled{layer, std::move(kernel)};
}

/// Returns the reference's output for `input`; run_model() compares the simulated run with it.
Result<std::vector<uint8_t>> expected_of(const Compiled& op, const std::string& device,
                                         const std::vector<uint8_t>& input) {
  tinytune::RunOptions run;
  run.inputs = {input};
  run.verify = true;
  TT_TRY_ASSIGN(const auto report, tinytune::run_model(op.layer.model(), device, run));
  if (!*report.exact) return tinytune::Error(tinytune::ErrorCode::kFailed, report.difference);
  return report.outputs.at(0);
}

std::string array(const std::string& name, const std::vector<uint8_t>& bytes) {
  std::string text = "static _Alignas(8) const int8_t " + name + "[] = {";
  for (const uint8_t byte : bytes) text += std::to_string(static_cast<int8_t>(byte)) + ",";
  return text + "};\n";
}

std::string network_source(const std::vector<Compiled>& ops, const std::vector<uint8_t>& input,
                           const std::vector<uint8_t>& expected) {
  uint64_t buffer = 0, scratch = 0;
  std::string text;
  for (const auto& [layer, kernel] : ops) {
    buffer = std::max({buffer, kernel.input_bytes, kernel.output_bytes});
    scratch = std::max(scratch, kernel.scratch_bytes);
    text += "#include \"" + kernel.symbol + ".h\"\n";
  }
  text += "\nstatic _Alignas(8) int8_t buffers[2][" + std::to_string((buffer + 7) / 8 * 8) +
          "];\nstatic _Alignas(8) unsigned char scratch[" + std::to_string(scratch + 8) +
          "];\n\nconst int8_t *network_run(const int8_t *input) {\n";
  for (size_t i = 0; i < ops.size(); ++i)
    text += "  " + ops[i].kernel.symbol + "_run(" +
            (i == 0 ? std::string("input") : "buffers[" + std::to_string((i + 1) % 2) + "]") +
            ", scratch, buffers[" + std::to_string(i % 2) + "]);\n";
  text += "  return buffers[" + std::to_string((ops.size() + 1) % 2) + "];\n}\n\n";
  text += array("sample", input) + array("expected", expected);
  return text +
         "\nint network_check(void) {\n"
         "  const int8_t *output = network_run(sample);\n"
         "  int differing = 0;\n"
         "  for (unsigned i = 0; i < sizeof expected; ++i) differing += output[i] != expected[i];\n"
         "  return differing;\n}\n";
}

Status write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (file << text << std::flush) return tinytune::ok_status();
  return tinytune::Error(tinytune::ErrorCode::kFailed, path + ": cannot write");
}

Status compile_network(const std::string& network, const std::string& device,
                       const std::string& log, uint64_t trials, const std::string& directory) {
  std::ifstream lines(network);
  std::vector<Compiled> ops;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    TT_TRY_ASSIGN(Compiled op, compile(line, ops.size(), device, log, trials));
    if (!ops.empty() && ops.back().kernel.output_bytes != op.kernel.input_bytes)
      return tinytune::Error(tinytune::ErrorCode::kInvalidInput,
                             line + ": does not take what the operator before it gives");
    ops.push_back(std::move(op));
  }
  if (ops.empty())
    return tinytune::Error(tinytune::ErrorCode::kInvalidInput, network + ": no operators");
  TT_TRY_ASSIGN(const auto inputs, tinytune::generate_inputs(ops.front().layer.model(), 7));
  std::vector<uint8_t> bytes = inputs.at(0);
  for (const Compiled& op : ops) {
    TT_TRY_ASSIGN(bytes, expected_of(op, device, bytes));
    const std::string stem = directory + "/" + op.kernel.symbol;
    TT_TRY(write(stem + ".h", op.kernel.header));
    TT_TRY(write(stem + "_constants.c", op.kernel.source));
    TT_TRY(write(stem + ".S", op.kernel.assembly));
  }
  return write(directory + "/network.c", network_source(ops, inputs.at(0), bytes));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const Status done = compile_network(argv[1], argv[2], argv[3],
                                      std::strtoull(argv[4], nullptr, 10), argv[5]);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message().c_str());
  return 1;
}
