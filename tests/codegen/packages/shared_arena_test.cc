// Networks that run one after another in one arena: built into one program, they keep the
// reference's bytes and their state, whatever ran between two calls.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "models/integer_network.h"
#include "models/operator_kind.h"
#include "models/tflite/tflite.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/packages/board.h"
#include "tests/codegen/packages/package_folder.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using testing::HasSubstr;

constexpr int kTurns = 4;

/// A graph whose state holds three inputs.
Graph remembering_graph(float scale) {
  GraphBuilder b;
  const int x = b.input({1, 4}, scale, 3);
  const int feature = b.constant({2, 4}, 0.01F, 0, {10, 20, 30, 40, 200, 210, 220, 230});
  const int time = b.constant({2, 3}, 0.01F, 0, {100, 50, 25, 156, 206, 231});
  const int state = b.variable({1, 6}, scale, -7);
  return b.finish(
      {b.op(OperatorKind::kSvdf, {x, feature, time, b.bias({5, -5}, scale * 0.01F), state},
            SvdfAttributes{1}, {1, 2}, 0.01F, 0)});
}

/// Returns C arrays of a network's inputs and of the reference's outputs, for several calls.
std::string turns_of(const std::string& name, const std::string& model_file) {
  const auto graph = import_tflite(model_file);
  EXPECT_TRUE(graph) << graph.error().message();
  const auto network = integer_network(*graph);
  NetworkState state = initial_state(*graph);
  std::string inputs, outputs;
  const auto add = [](std::string& to, const std::vector<uint8_t>& bytes) {
    to += "  {";
    for (const uint8_t byte : bytes) to += std::to_string(byte) + ",";
    to += "},\n";
  };
  for (int turn = 0; turn < kTurns; ++turn) {
    std::vector<uint8_t> input(static_cast<size_t>(graph->tensor(graph->inputs[0]).bytes()));
    for (size_t i = 0; i < input.size(); ++i)
      input[i] = static_cast<uint8_t>(i * 71 + static_cast<size_t>(turn) * 37 + 13);
    const auto values = run_reference(*network, std::vector<std::vector<uint8_t>>{input}, state);
    EXPECT_TRUE(values) << values.error().message();
    add(inputs, input);
    add(outputs, values->at(static_cast<size_t>(graph->outputs[0])));
  }
  const auto array = [&](const std::string& what, const std::string& rows) {
    std::string bytes = name + "_" + what + "_0_BYTES";
    std::transform(bytes.begin(), bytes.end(), bytes.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    return "static const unsigned char " + name + "_" + what + "s[][" + bytes + "] = {\n" + rows +
           "};\n";
  };
  return array("input", inputs) + array("output", outputs);
}

std::string one_turn(const std::string& name) {
  const std::string bytes = "sizeof " + name;
  return "    for (unsigned i = 0; i < " + bytes +
         "_inputs[0]; ++i)\n      ((volatile unsigned "
         "char *)" +
         name + "_input_0(arena))[i] = " + name + "_inputs[turn][i];\n    if (" + name +
         "_invoke(arena) != 0) return 1;\n    for (unsigned i = 0; i < " + bytes +
         "_outputs[0]; ++i)\n      if (((volatile unsigned char *)" + name +
         "_output_0(arena))[i] != " + name + "_outputs[turn][i]) return 2;\n";
}

class SharedArena : public PackageFolder {
 protected:
  ProcessResult compile_together(const std::vector<std::string>& models,
                                 const std::vector<std::string>& more) const {
    std::vector<std::string> words = {
        TINYTUNE_BINARY_DIR "/tune", "compile", "--device", "rv32imc", "-o", path("both")};
    for (const std::string& model : models) words.insert(words.end(), {"--model", model});
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(SharedArena, NetworksInTurn_GiveTheReferencesBytesAndKeepTheirState) {
  const Board& board = riscv_virt();
  if (const std::string missing = missing_tools(board); !missing.empty())
    GTEST_SKIP() << "not installed:" << missing;
  const std::vector<std::string> names = {"hears", "sees", "feels"};
  const std::vector<std::string> models = {model(remembering_graph(0.1F), "hears"),
                                           model(small_graph(), "sees"),
                                           model(remembering_graph(0.07F), "feels")};
  const ProcessResult told = compile_together(models, {"--share-arena", "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const auto report = nlohmann::json::parse(told.out);
  const auto& networks = report["networks"];
  ASSERT_EQ(networks.size(), 3u);
  uint64_t beside = 0, stack = 0;
  for (const auto& network : networks) {
    EXPECT_EQ(network["exact"], true);
    EXPECT_EQ(network["arena_bytes"], report["arena_bytes"]);
    beside += network["ram_bytes"].get<uint64_t>() - network["arena_bytes"].get<uint64_t>() -
              network["stack_bytes"].get<uint64_t>();
    stack = std::max(stack, network["stack_bytes"].get<uint64_t>());
  }
  EXPECT_EQ(report["state_bytes"], 32) << "two of 6 bytes, aligned";
  EXPECT_EQ(report["ram_bytes"], report["arena_bytes"].get<uint64_t>() + beside + stack);
  EXPECT_LT(report["arena_bytes"], report["apart_arena_bytes"]);

  std::string program = "#include <stdint.h>\n", body;
  for (size_t i = 0; i < names.size(); ++i) {
    program += "#include \"" + names[i] + ".h\"\n";
    body += one_turn(names[i]);
  }
  program +=
      "SEES_STATIC_ARENA(arena);\n_Static_assert(SEES_ARENA_BYTES == HEARS_ARENA_BYTES, "
      "\"one arena\");\nint main(void);\n";
  for (size_t i = 0; i < names.size(); ++i) program += turns_of(names[i], models[i]);
  program +=
      "int main(void) {\n  if (hears_reset(arena) != 0 || feels_reset(arena) != 0) return "
      "1;\n  for (int turn = 0; turn < " +
      std::to_string(kTurns) + "; ++turn) {\n" + body + "  }\n  return 0;\n}\n";
  ASSERT_TRUE(write_file(path("both/turns.c"), program));
  std::vector<std::string> sources = sources_under(path("both"));
  std::erase_if(sources, [](const std::string& file) { return file.ends_with("_smoke.c"); });
  const std::string elf = build_program(board, path("both"), sources, path("turns.elf"));
  ASSERT_NE(elf, "");
  EXPECT_EQ(run_under_qemu(board, elf).out, "PASS\n");
}

TEST_F(SharedArena, NetworksWithoutState_TakeTheLargerArena) {
  const std::vector<std::string> models = {model(small_graph(), "sees"),
                                           model(two_in_two_out_graph(), "two")};
  const ProcessResult told = compile_together(models, {"--share-arena"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("for 2 networks, one after another; apart "));
  EXPECT_THAT(told.out, HasSubstr("\nRAM ")) << told.out;
  EXPECT_THAT(text_of_file(path("both/README.md")), HasSubstr("two_invoke(arena)"));
}

TEST_F(SharedArena, WhatCannotShare_IsRefusedInOneLine) {
  const std::string sees = model(small_graph(), "sees");
  const std::string two = model(two_in_two_out_graph(), "two");
  struct Case {
    std::vector<std::string> models, words;
    std::string says;
  };
  for (const Case& wrong :
       {Case{{sees, two}, {}, "several models need --share-arena"},
        Case{{sees}, {"--share-arena"}, "two networks or more"},
        Case{{sees, sees}, {"--share-arena"}, "two networks are called sees"},
        Case{{sees, two}, {"--share-arena", "--stream-input", "rows"}, "shares none"}}) {
    const ProcessResult told = compile_together(wrong.models, wrong.words);
    EXPECT_EQ(told.exit_code, 2) << wrong.says;
    EXPECT_THAT(told.err, HasSubstr(wrong.says));
    EXPECT_EQ(std::count(told.err.begin(), told.err.end(), '\n'), 1) << told.err;
    EXPECT_FALSE(std::filesystem::exists(path("both")));
  }
}

}  // namespace
}  // namespace tinytune::test
