// Every template over many shapes as portable C, through this machine's compiler, against the
// reference. What a pass emits depends on the shape: strides and borders beside each other give
// intrinsics that a same-sized layer does not.
#include "codegen/kernels/portable_c.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "codegen/kernels/kernel.h"
#include "models/integer_op.h"
#include "models/reference/reference.h"
#include "templates/kernel_template.h"
#include "tests/templates/random_layer.h"

namespace tinytune {
namespace {

/// Returns "conv2d_s8 …" of every kind: kernels, strides, dilations, borders, channels, groups.
std::vector<std::string> shapes() {
  std::vector<std::string> all;
  const auto add = [&](const char* op, int h, int w, int in, int out, int kh, int kw, int stride,
                       int dilation, bool same, int groups, int multiplier) {
    const auto extent = [&](int size, int kernel) {
      return same ? (size + stride - 1) / stride
                  : (size - (kernel - 1) * dilation - 1) / stride + 1;
    };
    const auto border = [&](int size, int kernel) {
      const int needs = (extent(size, kernel) - 1) * stride + (kernel - 1) * dilation + 1;
      return same ? std::max(0, needs - size) / 2 : 0;
    };
    const auto n = [](int value) { return std::to_string(value); };
    for (const char* layout : {"nhwc", "nchw"}) {
      if (layout == std::string("nchw") && h > 9 && h != 32) continue;
      all.push_back(std::string(op) + " " + layout + " n1 in" + n(h) + "x" + n(w) + "x" + n(in) +
                    " out" + n(extent(h, kh)) + "x" + n(extent(w, kw)) + "x" + n(out) + " k" +
                    n(kh) + "x" + n(kw) + " s" + n(stride) + "x" + n(stride) + " d" + n(dilation) +
                    "x" + n(dilation) + " p" + n(border(h, kh)) + "," + n(border(w, kw)) + " g" +
                    n(groups) + " m" + n(multiplier) + " zp-7,3 act-128,127 lane1 long");
    }
  };
  for (const int size : {8, 13, 32})
    for (const int kernel : {1, 3, 5})
      for (const int stride : {1, 2, 3})
        for (const bool same : {true, false}) {
          if (size > 8 && (kernel != 3 || (size == 32 && !same))) continue;
          add("depthwise_conv2d_s8", size, size - 1, 8, 8, kernel, kernel, stride, 1, same, 1, 1);
          if (size > 13) continue;
          add("depthwise_conv2d_s8", size, size, 3, 6, kernel, kernel, stride, 1, same, 1, 2);
          add("conv2d_s8", size, size - 1, kernel == 1 ? 16 : 3, 8, kernel, kernel, stride, 1, same,
              1, 1);
        }
  add("conv2d_s8", 9, 9, 4, 6, 3, 3, 1, 2, true, 1, 1);
  add("conv2d_s8", 6, 6, 8, 12, 3, 3, 1, 1, true, 4, 1);
  add("conv2d_s8", 49, 10, 1, 8, 10, 4, 2, 1, true, 1, 1);
  add("depthwise_conv2d_s8", 24, 5, 8, 8, 24, 5, 1, 1, false, 1, 1);
  for (const int in : {7, 64, 130})
    all.push_back("dense_s8 nhwc n1 in1x1x" + std::to_string(in) +
                  " out1x1x9 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-7,3 act-128,127 lane1 long");
  return all;
}

std::string bytes_text(const std::string& name, std::span<const uint8_t> bytes) {
  std::string text = "static _Alignas(16) unsigned char " + name + "[] = {";
  for (const uint8_t byte : bytes) text += std::to_string(byte) + ",";
  return text + "0};\n";
}

/// Kernels of one layer and a function that counts those that differ from the reference.
struct Program {
  std::string text = portable_c_prelude() + "#include <stdio.h>\n#include <string.h>\n", calls;
  int kernels = 0;
};

void add_kernel(Program& program, const RandomLayer& layer, const Schedule& schedule,
                const Device& device, const std::string& prefix) {
  const KernelTemplate& t = **find_template(schedule);
  const auto constants = t.pack(layer.workload, layer.data, schedule);
  if (!constants) return;  // the layer's weights refuse it
  const std::string name = "k" + std::to_string(program.kernels++);
  const auto kernel = compile_kernel(layer.workload, schedule, device, name, Emit::kPortableC);
  const std::string key = to_text(schedule) + " | " + to_text(layer.workload);
  ASSERT_TRUE(kernel) << key << ": " << kernel.error().message();
  std::vector<std::string> parameters = {"const void *input"};
  std::string arguments = prefix + "_in";
  for (const PackedConstant& constant : *constants) {
    const std::string bytes = name + "_" + constant.name;
    program.text += bytes_text(bytes, constant.bytes);
    parameters.push_back("const void *" + std::string(constant.name));
    arguments += ", " + bytes;
  }
  const auto scratch = t.scratch_bytes(layer.workload, schedule);
  if (scratch > 0) {
    program.text += "static _Alignas(16) unsigned char " + name + "_scratch[" +
                    std::to_string(scratch) + "];\n";
    parameters.emplace_back("void *scratch");
    arguments += ", " + name + "_scratch";
  }
  parameters.emplace_back("void *output");
  const std::string size = std::to_string(layer.workload.output_bytes());
  program.text += "static " + portable_c_function(name, parameters, kernel->portable_c);
  program.calls += "  memset(out, 90, sizeof out);\n  " + name + "(" + arguments +
                   ", out);\n  if (memcmp(out, " + prefix + "_want, " + size +
                   ") != 0) failed = 1, puts(\"" + key + "\");\n";
}

TEST(PortableCOfTemplates, OverManyShapes_CompilesAndComputesTheReferencesBytes) {
  const Device device = with_portable_kernels(load_device("rv32imc").value());
  Program program;
  std::set<std::string> templates;
  int64_t most = 0;
  uint64_t seed = 100;
  for (const std::string& text : shapes()) {
    const auto shape = parse_workload(text);
    ASSERT_TRUE(shape) << text << ": " << shape.error().message();
    const RandomLayer layer = random_layer(*shape, Scales::kTypical, ++seed);
    const ConfigSpace space = space_of(layer.workload, device);
    ASSERT_GT(space.size(), 0u) << text;
    Rng rng(seed);
    std::vector<uint8_t> input(static_cast<size_t>(layer.workload.input_bytes()));
    for (uint8_t& byte : input) byte = static_cast<uint8_t>(rng.next());
    std::vector<uint8_t> expected(static_cast<size_t>(layer.workload.output_bytes()));
    const std::span<const uint8_t> inputs[] = {input};
    run_reference(KernelOp{layer.workload, layer.data}, inputs, expected);
    most = std::max(most, layer.workload.output_bytes());
    const std::string prefix = "l" + std::to_string(seed);
    program.text += bytes_text(prefix + "_in", input) + bytes_text(prefix + "_want", expected);
    // One schedule of every template.
    std::map<size_t, size_t> chosen;
    for (int i = 0; i < 200 && chosen.size() < space.family_count(); ++i) {
      const size_t point = rng.below(space.size());
      chosen.emplace(space.family_of(point), point);
    }
    for (const auto& [family, point] : chosen) {
      templates.insert(space.schedule(point).template_name());
      add_kernel(program, layer, space.schedule(point), device, prefix);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(program.kernels, 100);
  EXPECT_GE(templates.size(), 8u);
  const auto directory = TemporaryDirectory::create("portable");
  ASSERT_TRUE(directory);
  const std::string source = directory->file("program.c"), built = directory->file("program");
  std::ofstream(source) << program.text << "int main(void) {\n  static unsigned char out["
                        << most + 16 << "];\n  int failed = 0;\n"
                        << program.calls << "  return failed;\n}\n";
  const auto compiled =
      run_process({"cc", "-std=c11", "-O0", "-w", source, "-o", built}, std::chrono::minutes(8));
  ASSERT_TRUE(compiled) << compiled.error().message();
  ASSERT_EQ(compiled->exit_code, 0) << compiled->err.substr(0, 2000);
  const auto ran = run_process({built}, std::chrono::minutes(2));
  ASSERT_TRUE(ran) << ran.error().message();
  EXPECT_EQ(ran->exit_code, 0) << ran->out;
}

}  // namespace
}  // namespace tinytune
