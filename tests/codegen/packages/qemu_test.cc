// The packages' smoke tests, built with stock cross compilers and run on QEMU's boards. The program
// compares every output byte with the reference's.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/files.h"
#include "examples/ds_cnn.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/packages/board.h"
#include "tests/codegen/packages/package_folder.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string kShared = TINYTUNE_SOURCE_DIR "/../shared/";

class Packages : public PackageFolder {
 protected:
  void expect_pass(const Board& board, const std::string& package) const {
    ASSERT_NE(package, "");
    const std::string elf =
        build_program(board, package, sources_under(package), path("smoke.elf"));
    ASSERT_NE(elf, "");
    const ProcessResult done = run_under_qemu(board, elf);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.out, "PASS\n");
  }
};

std::string case_name(const testing::TestParamInfo<Board>& info) { return info.param.name; }

class OnBoard : public Packages, public testing::WithParamInterface<Board> {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_tools(GetParam()); !missing.empty())
      GTEST_SKIP() << "not installed:" << missing;
    Packages::SetUp();
  }
};

TEST_P(OnBoard, DsCnn_GivesTheReferencesBytes) {
  const Board& board = GetParam();
  const std::string package = compile(model(make_ds_cnn(1), "kws"), board.device, "cmake");
  expect_pass(board, package);
}

TEST_P(OnBoard, SeveralInputsAndOutputs_GiveTheReferencesBytes) {
  const Board& board = GetParam();
  expect_pass(board, compile(model(two_in_two_out_graph(), "two"), board.device, "cmake"));
}

TEST_P(OnBoard, RowsOfTheInput_GiveTheReferencesBytes) {
  const Board& board = GetParam();
  expect_pass(board, compile(model(small_graph(), "net"), board.device, "cmake",
                             {"--stream-input", "rows"}));
}

TEST_P(OnBoard, FloatBorder_GivesTheReferencesBytes) {
  GraphBuilder b;
  const int real = b.retype(b.input({1, 40}, 1, 0), ElementType::kFloat32);
  const int q = b.op(OperatorKind::kQuantize, {real}, {}, {1, 40}, 0.0041F, -128);
  const int sum = b.op(OperatorKind::kAdd, {q, q}, ActivationAttributes{}, {1, 40}, 0.0081F, -128);
  const int out =
      b.retype(b.op(OperatorKind::kDequantize, {sum}, {}, {1, 40}, 1, 0), ElementType::kFloat32);
  const Board& board = GetParam();
  expect_pass(board, compile(model(b.finish({out}), "border"), board.device, "cmake"));
}

TEST_P(OnBoard, OneWrongByte_Fails) {
  const Board& board = GetParam();
  const std::string package = compile(model(small_graph(), "net"), board.device, "cmake");
  ASSERT_NE(package, "");
  const std::string file = package + "/test/net_smoke.c";
  std::string text = text_of_file(file);
  const size_t at = text.find("expected_0[] = {\n  ");
  ASSERT_NE(at, std::string::npos);
  const size_t digits = text.find_first_of("0123456789", text.find('{', at));
  const int first = std::stoi(text.substr(digits));
  text.replace(digits, text.find(',', digits) - digits, std::to_string((first + 1) % 256));
  ASSERT_TRUE(write_file(file, text));
  const std::string elf = build_program(board, package, sources_under(package), path("wrong.elf"));
  ASSERT_NE(elf, "");
  const ProcessResult done = run_under_qemu(board, elf);
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.out, "FAIL\n");
}

TEST_P(OnBoard, Kernels_CarryNoFloatAttributeAndFitTheAbi) {
  const Board& board = GetParam();
  const std::string package = compile(model(small_graph(), "net"), board.device, "cmake");
  ASSERT_NE(package, "");
  std::vector<std::string> words = {board.prefix + "gcc"};
  words.insert(words.end(), board.machine.begin(), board.machine.end());
  words.insert(words.end(), {"-c", package + "/net_kernels.S", "-o", path("kernels.o")});
  ASSERT_EQ(run(words).exit_code, 0);
  const std::string attributes = run({board.prefix + "readelf", "-A", path("kernels.o")}).out;
  // What the command line's -mfpu= adds (Tag_FP_arch) only says which instructions there may be.
  for (const char* tag : {"Tag_ABI_VFP_args", "Tag_ABI_FP"})
    EXPECT_THAT(attributes, Not(HasSubstr(tag)));
}

TEST_P(OnBoard, SmokeTest_PutsNothingIntoRamThatFirmwareWouldNot) {
  const Board& board = GetParam();
  const std::string package = compile(model(small_graph(), "net"), board.device, "cmake");
  ASSERT_NE(package, "");
  std::vector<std::string> words = {board.prefix + "gcc"};
  words.insert(words.end(), board.machine.begin(), board.machine.end());
  words.insert(words.end(), {"-std=c11", "-O2", "-ffreestanding", "-I", package, "-c",
                             package + "/test/net_smoke.c", "-o", path("smoke.o")});
  ASSERT_EQ(run(words).exit_code, 0);
  std::istringstream sections(run({board.prefix + "size", "-A", path("smoke.o")}).out);
  std::map<std::string, uint64_t> bytes;
  for (std::string line, name; std::getline(sections, line);) {
    uint64_t size = 0;
    if (std::istringstream(line) >> name >> size) bytes[name] = size;
  }
  ASSERT_TRUE(bytes.contains(".text"));
  EXPECT_EQ(bytes[".data"] + bytes[".sdata"], 0u);
  const std::string header = text_of_file(package + "/net.h");
  EXPECT_THAT(header, HasSubstr("#define NET_ARENA_BYTES " + std::to_string(bytes[".bss"]) + "u"));
}

INSTANTIATE_TEST_SUITE_P(Qemu, OnBoard, testing::ValuesIn(boards()), case_name);

class InFormat : public Packages, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_tools(riscv_virt()); !missing.empty())
      GTEST_SKIP() << "not installed:" << missing;
    Packages::SetUp();
  }
};

TEST_P(InFormat, SmokeTest_Passes) {
  // An Arduino sketch calls the function itself; here its C is started as everywhere else.
  expect_pass(riscv_virt(), compile(model(small_graph(), "net"), riscv_virt().device, GetParam()));
}

TEST_P(InFormat, SameInputs_GiveTheSameBytes) {
  const std::string file = model(small_graph(), "net");
  std::map<std::string, std::string> first;
  for (int round = 0; round < 2; ++round) {
    const std::string package = compile(file, riscv_virt().device, GetParam());
    ASSERT_NE(package, "");
    const fs::path written = path(riscv_virt().device + std::string("-") + GetParam());
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(written))
      if (entry.is_regular_file())
        files[fs::relative(entry.path(), written).string()] = text_of_file(entry.path().string());
    if (round == 0) first = files;
    EXPECT_EQ(files, first);
    EXPECT_FALSE(files.empty());
    fs::remove_all(written);
    fs::remove_all(written.string() + "-unpacked");
  }
}

INSTANTIATE_TEST_SUITE_P(Qemu, InFormat,
                         testing::Values("cmake", "esp-idf", "zephyr", "arduino", "mlf"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

struct Deployment {
  const char* model;
  size_t board;
};

std::ostream& operator<<(std::ostream& out, const Deployment& d) { return out << d.model; }

// Returns the first array of expected bytes in a smoke test.
std::vector<uint8_t> expected_bytes(const std::string& text) {
  const size_t begin = text.find("expected_0[] = {") + 16;
  std::string body = text.substr(begin, text.find('}', begin) - begin);
  std::replace(body.begin(), body.end(), ',', ' ');
  std::istringstream in(body);
  std::vector<uint8_t> bytes;
  for (int value = 0; in >> value;) bytes.push_back(static_cast<uint8_t>(value));
  return bytes;
}

class SharedModel : public Packages, public testing::WithParamInterface<Deployment> {};

TEST_P(SharedModel, GivesTheReferencesBytes) {
  const std::string file = kShared + "models/" + GetParam().model + ".tflite";
  const Board& board = boards().at(GetParam().board);
  if (!fs::exists(file)) GTEST_SKIP() << "no model at " << file;
  if (const std::string missing = missing_tools(board); !missing.empty())
    GTEST_SKIP() << "not installed:" << missing;
  const std::string package = compile(file, board.device, "cmake");
  ASSERT_NE(package, "");
  const auto golden = read_file(kShared + "golden/" + GetParam().model + "/1.out.bin");
  ASSERT_TRUE(golden) << golden.error().message();
  const std::string smoke = package + "/test/" + GetParam().model + "_smoke.c";
  EXPECT_EQ(expected_bytes(text_of_file(smoke)), *golden) << "not what TFLite Micro computed";
  expect_pass(board, package);
}

INSTANTIATE_TEST_SUITE_P(Qemu, SharedModel,
                         testing::Values(Deployment{"ad01_int8", 1}, Deployment{"kws_ref_model", 0},
                                         Deployment{"pretrainedResnet_quant", 4},
                                         Deployment{"vww_96_int8", 2}),
                         [](const auto& info) { return std::string(info.param.model); });

}  // namespace
}  // namespace tinytune::test
