// --external: operators that are left to the user's C function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/operator_kind.h"
#include "tests/cli/tune_program.h"
#include "tests/codegen/graph_builder.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHeader =
    "#include \"tinytune_external.h\"\n"
    "void softsign(const tinytune_operator *op, const void *const *inputs, void *const "
    "*outputs);\n";

// x / (1 + |x|) of real values, minus the operator's one option; ignores operand 1.
constexpr const char* kSource = R"(#include "softsign.h"
void softsign(const tinytune_operator *op, const void *const *inputs, void *const *outputs) {
  const tinytune_tensor *from = &op->inputs[0], *to = &op->outputs[0];
  const signed char *x = inputs[0], *bias = inputs[2];
  signed char *y = outputs[0];
  int unused;
  if (inputs[1] != 0 || op->option_bytes != 1) return;
  for (int i = 0; i < from->shape[1] * from->shape[2] * from->shape[3]; ++i) {
    const float real = from->scales[0] * (float)(x[i] - from->zero_points[0]);
    const float soft = real / (1 + (real < 0 ? -real : real));
    const int v = (int)(soft / to->scales[0]) + to->zero_points[0] + bias[i % from->shape[3]] - op->options[0];
    y[i] = (signed char)(v < -128 ? -128 : v > 127 ? 127 : v);
  }
}
)";

// A convolution, an unknown operator, and another convolution.
Graph network_with_custom(const std::string& name) {
  GraphBuilder b;
  const int weights =
      b.constant({4, 1, 1, 4}, 0.05F, 0, {9, 250, 3, 4, 5, 246, 7, 8, 1, 2, 33, 4, 255, 6, 7, 80});
  int x = b.input({1, 6, 6, 4}, 0.5F, -1);
  x = b.op(OperatorKind::kConv2d, {x, weights}, ConvAttributes{}, {1, 6, 6, 4}, 0.25F, 3);
  const int bias = b.constant({4}, 1, 0, {1, 2, 3, 4});
  x = b.op(OperatorKind::kExternal, {x, -1, bias}, ExternalAttributes{"CUSTOM " + name, "", {2}},
           {1, 6, 6, 4}, 1.0F / 128, -2);
  x = b.op(OperatorKind::kConv2d, {x, weights}, ConvAttributes{}, {1, 6, 6, 4}, 0.02F, 0);
  return b.finish({x});
}

class External : public TuneProgram {
 protected:
  void SetUp() override {
    TuneProgram::SetUp();
    write_model(network_with_custom("SoftSign"), path("net.tflite"));
    write_bytes(path("softsign.h"), kHeader);
    write_bytes(path("softsign.c"), kSource);
  }
  ProcessResult external(std::vector<std::string> words) const {
    words.insert(words.end(), {"--external", "CUSTOM:SoftSign=softsign.h"});
    return tune(std::move(words));
  }
  ProcessResult external_on(std::vector<std::string> words, const std::string& device) const {
    words.insert(words.end(), {"--model", "net.tflite", "--device", device});
    return external(std::move(words));
  }
};

TEST_F(External, Run_IsExactWithTheFunctionOnBothFamilies) {
  for (const char* device : {"esp32c3", "cortex-m4"}) {
    const ProcessResult told = external_on({"run", "--verify", "--json"}, device);
    ASSERT_EQ(told.exit_code, 0) << told.err;
    const Json report = Json::parse(told.out);
    EXPECT_EQ(report["exact"], true);
    EXPECT_EQ(report["layers"][1]["op"], "EXTERNAL");
    EXPECT_GT(report["layers"][1]["instructions"], 6 * 6 * 4);
  }
}

TEST_F(External, FunctionThatDiffersByCore_IsToldFromTheReference) {
  std::string source = kSource;
  source.replace(source.find("int v = "), 8, "int v = (sizeof(void *) == 8) + ");
  write_bytes(path("softsign.c"), source);
  const ProcessResult told = external_on({"run", "--verify"}, "esp32c3");
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.err, HasSubstr("differs from the reference"));
}

TEST_F(External, FunctionThatDiffersForOneInput_IsToldByItsFile) {
  std::string source = kSource;  // zeros reach it as small numbers
  source.replace(source.find("int v = "), 8,
                 "int v = -100 * (sizeof(void *) == 8 && x[0] > 60) + ");
  write_bytes(path("softsign.c"), source);
  std::filesystem::create_directory(path("set"));
  for (const char* name : {"a.bin", "b.bin", "c.bin"})
    write_bytes(path(std::string("set/") + name), std::string(6 * 6 * 4, name[0] == 'b' ? 'z' : 0));
  const ProcessResult told =
      external_on({"run", "--inputs", "set", "--verify", "--json"}, "esp32c3");
  EXPECT_EQ(told.exit_code, 1) << told.err;
  EXPECT_EQ(Json::parse(told.out)["first_difference"], "b.bin") << told.out;
  EXPECT_THAT(told.err, HasSubstr("differs from the reference: b.bin: output 0 byte "));
}

TEST_F(External, Tune_TunesWhatIsAround) {
  const ProcessResult tuned = external_on({"--trials", "4", "--records", "net.jsonl"}, "esp32c3");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out + tuned.err, HasSubstr("--external CUSTOM:SoftSign=softsign.h"));
  const ProcessResult told = external_on({"report", "--records", "net.jsonl", "--json"}, "esp32c3");
  EXPECT_EQ(told.exit_code, 0) << told.err;
}

TEST_F(External, Package_HasTheFilesAsTheyWere) {
  const ProcessResult told = external_on({"compile", "-o", "net"}, "esp32c3");
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("exact: one inference"));
  EXPECT_EQ(read_bytes(path("net/softsign.c")), kSource);
  EXPECT_EQ(read_bytes(path("net/softsign.h")), kHeader);
  EXPECT_THAT(read_bytes(path("net/CMakeLists.txt")), HasSubstr("softsign.c"));
  EXPECT_THAT(read_bytes(path("net/test/net_smoke.c")), Not(HasSubstr("softsign")));
}

TEST_F(External, WithoutItsCode_LibraryHasAStubInItsTestAndNoRun) {
  std::filesystem::remove(path("softsign.c"));
  const ProcessResult compiled = external_on({"compile", "-o", "net"}, "cortex-m4");
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_THAT(compiled.out, HasSubstr("exact: one inference"));
  EXPECT_THAT(read_bytes(path("net/test/net_smoke.c")), HasSubstr("void softsign("));
  EXPECT_THAT(read_bytes(path("net/net.c")), HasSubstr("softsign(&tinytune_op"));
  const ProcessResult ran = external_on({"run"}, "cortex-m4");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err,
              HasSubstr("nothing to run as softsign(): write softsign.c beside softsign.h"));
}

TEST_F(External, Inspect_TakesTheModelThatIsRefusedOtherwise) {
  const ProcessResult refused = tune({"inspect", "net.tflite"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("operator 1 CUSTOM SoftSign (not supported); --external "
                                     "CUSTOM:SoftSign=FUNCTION.h leaves it to a C function"));
  const ProcessResult taken = external({"inspect", "net.tflite"});
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
  EXPECT_THAT(taken.out, HasSubstr("EXTERNAL"));
}

TEST_F(External, WrongDeclarations_AreOneLineEach) {
  write_bytes(path("output.h"), kHeader);
  write_bytes(path("net_softsign.h"), kHeader);
  const std::pair<const char*, const char*> wrong[] = {
      {"CUSTOM:SoftSign", "write OPERATOR=function.h"},
      {"CUSTOM:SoftSign=missing.h", "missing.h"},
      {"CUSTOM:SoftSign=output.h", "the header's name is the function's"},
      {"CUSTOM:SoftSign=net_softsign.h", "call it something else"},
      {"CUSTOM:Other=softsign.h", "no operator CUSTOM Other to leave to softsign()"}};
  for (const auto& [declaration, why] : wrong) {
    const ProcessResult told =
        tune({"run", "--model", "net.tflite", "--device", "esp32c3", "--external", declaration});
    EXPECT_EQ(told.exit_code, 2) << declaration;
    EXPECT_THAT(told.err, HasSubstr(why));
    EXPECT_EQ(std::count(told.err.begin(), told.err.end(), '\n'), 1) << told.err;
  }
}

TEST_F(External, CodeThatDoesNotBuild_IsOneLine) {
  write_bytes(path("softsign.c"), "#include \"softsign.h\"\nint nonsense(\n");
  const ProcessResult told = external_on({"run", "--verify"}, "esp32c3");
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.err, HasSubstr("softsign.c"));
  EXPECT_EQ(std::count(told.err.begin(), told.err.end(), '\n'), 1) << told.err;
}

}  // namespace
}  // namespace tinytune::test
