// Wrong command lines and wrong inputs: one clear line, the right exit code, and with --json
// exactly one object.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

struct Wrong {
  std::vector<std::string> arguments;
  int exit_code;
  std::string says;  ///< part of the message
};

class CommandLine : public TuneProgram {
 protected:
  void SetUp() override {
    TuneProgram::SetUp();
    const std::string model = read_bytes(path("small.tflite"));
    write_bytes(path("empty.tflite"), "");
    write_bytes(path("text.tflite"), "this is not a model at all, only words in a file\n");
    write_bytes(path("cut.tflite"), model.substr(0, model.size() / 2));
    write_model(float_graph(), path("float.tflite"));
    write_model(two_in_two_out_graph(), path("two.tflite"));
    write_bytes(path("bad.toml"), "name = \"x\"\nspeed = 3\n");
    write_bytes(path("short.bin"), "abc");
    write_bytes(path("file"), "");
  }

  void expect_wrong(const Wrong& wrong) {
    std::string shown;
    for (const std::string& word : wrong.arguments) shown += word + " ";
    SCOPED_TRACE(shown);
    const ProcessResult plain = tune(wrong.arguments);
    EXPECT_EQ(plain.exit_code, wrong.exit_code) << plain.err;
    EXPECT_EQ(plain.out, "");
    EXPECT_NE(plain.err.find(wrong.says), std::string::npos) << plain.err;
    EXPECT_EQ(reasons_in(plain.err), 1) << plain.err;
  }

  void expect_wrong_json(Wrong wrong) {
    wrong.arguments.push_back("--json");
    const ProcessResult json = tune(wrong.arguments);
    EXPECT_EQ(json.exit_code, wrong.exit_code) << json.err;
    const auto object = nlohmann::json::parse(json.out, nullptr, false);
    ASSERT_TRUE(object.is_object()) << json.out;
    ASSERT_EQ(object.size(), 1u) << json.out;
    EXPECT_NE(object["error"].get<std::string>().find(wrong.says), std::string::npos) << json.out;
  }
};

TEST_F(CommandLine, WrongOptions_ExitWith2AndOneLine) {
  const std::vector<Wrong> table = {
      {{}, 2, "missing --model and --device"},
      {{"--model", "small.tflite"}, 2, "missing --device"},
      {{"--no-such-option"}, 2, "--no-such-option"},
      {{"dance"}, 2, "dance"},
      {{"--seed", "1", "devices"}, 2, "after the command"},
      {{"compile", "--model", "small.tflite", "--device", "esp32c3"}, 2, "missing -o"},
      {{"run", "--device", "esp32c3"}, 2, "missing --model"},
      {{"report", "--model", "small.tflite", "--device", "esp32c3"}, 2, "missing --records"},
      {{"inspect"}, 2, "missing MODEL"},
      {{"worker", "--device", "esp32c3"}, 2, "missing --connect"},
      {{"worker", "--connect", "nonsense", "--device", "esp32c3"}, 2, "nonsense"},
      {{"worker", "--connect", "unix:x", "--device", "toaster"}, 2, "toaster"},
      {with_model({"--trials", "0"}), 2, "trials"},
      {with_model({"--trials", "-3"}), 2, "--trials"},
      {with_model({"--trials", "many"}), 2, "--trials"},
      {with_model({"--budget", "soon"}), 2, "soon"},
      {with_model({"--budget", "0s"}), 2, "--budget"},
      {with_model({"--tuner", "magic"}), 2, "magic"},
      {with_model({"--tasks", "0,9"}), 2, "no task 9"},
      {with_model({"--tasks", "x"}), 2, "not a list"},
      {with_model({"--workers", "-1"}), 2, "workers"},
      {with_model({"--workers", "0"}), 2, "--listen"},
      {with_model({"--seed", "-1"}), 2, "--seed"},
      {with_model({"--listen", "nonsense", "--trials", "1"}), 2, "nonsense"},
  };
  for (const Wrong& wrong : table) expect_wrong(wrong);
  expect_wrong_json(table[0]);
  expect_wrong_json(table[2]);
  expect_wrong_json(table[17]);
}

TEST_F(CommandLine, WrongModels_ExitWith2OnEveryCommand) {
  const std::vector<std::pair<std::string, std::string>> models = {
      {"missing.tflite", "missing.tflite"}, {"empty.tflite", "empty.tflite"},
      {"text.tflite", "text.tflite"},       {"cut.tflite", "cut.tflite"},
      {"float.tflite", "float32"},          {".", ""}};
  for (const auto& [model, says] : models) {
    const std::vector<std::string> rest = {"--model", model, "--device", "esp32c3"};
    const auto of = [&](std::vector<std::string> words) {
      words.insert(words.end(), rest.begin(), rest.end());
      return words;
    };
    expect_wrong({of({}), 2, says});
    expect_wrong({of({"compile", "-o", "out"}), 2, says});
    expect_wrong({of({"run"}), 2, says});
    expect_wrong_json({of({"run"}), 2, says});
  }
  expect_wrong({{"inspect", "missing.tflite"}, 2, "missing.tflite"});
  expect_wrong_json({{"inspect", "text.tflite"}, 2, "text.tflite"});
}

TEST_F(CommandLine, WrongDevices_ExitWith2AndSayWhatThereIs) {
  expect_wrong({{"--model", "small.tflite", "--device", "toaster"}, 2, "esp32c3"});
  expect_wrong({{"run", "--model", "small.tflite", "--device", "bad.toml"}, 2, "bad.toml"});
  expect_wrong_json({{"run", "--model", "small.tflite", "--device", "toaster"}, 2, "toaster"});
}

TEST_F(CommandLine, WrongFiles_ExitWith2) {
  const std::vector<Wrong> table = {
      {with_model({"--records", "small.tflite"}), 2, "not a tuning log"},
      {with_model({"--records", "no/such/folder/a.jsonl"}), 2, "no/such/folder"},
      {with_model({"compile", "-o", "out", "--records", "missing.jsonl"}), 2, "missing.jsonl"},
      {with_model({"compile", "-o", "file"}), 2, "file"},
      {with_model({"run", "--records", "missing.jsonl"}), 2, "missing.jsonl"},
      {with_model({"run", "--records", "small.tflite"}), 2, "not a tuning log"},
      {with_model({"report", "--records", "missing.jsonl"}), 2, "missing.jsonl"},
      {with_model({"run", "--input", "missing.bin"}), 2, "missing.bin"},
      {with_model({"run", "--input", "short.bin"}), 2, "3 bytes"},
      {with_model({"run", "--input", "seed:0"}), 2, "seed:0"},
      {with_model({"run", "--input", "seed:x"}), 2, "seed:x"},
      {with_model({"run", "--input", "seed:1", "--input", "seed:2"}), 2, "2 times"},
      {with_model({"run", "--output", "a", "--output", "b"}), 2, "2 times"},
      {{"run", "--model", "two.tflite", "--device", "esp32c3", "--input", "short.bin"},
       2,
       "2 inputs together"},
  };
  const std::string model = read_bytes(path("small.tflite"));
  for (const Wrong& wrong : table) expect_wrong(wrong);
  expect_wrong_json(table[8]);
  EXPECT_EQ(read_bytes(path("small.tflite")), model) << "a model named as a log was changed";
}

TEST_F(CommandLine, WorkThatCannotBeDone_ExitsWith1) {
  expect_wrong({with_model({"compile", "-o", "out", "--require-tuned"}), 1, "0 CONV_2D"});
  EXPECT_FALSE(std::filesystem::exists(path("out")));
  expect_wrong({with_model({"run", "--output", "/proc/no/such"}), 1, "/proc/no/such"});
}

TEST_F(CommandLine, ModelThatDoesNotFit_ExitsWith1) {
  // The ESP32-C3 with one page of data memory, or one of flash for code.
  const auto write_device = [&](const char* memory, const char* file) {
    std::string device = read_bytes(TINYTUNE_SOURCE_DIR "/devices/esp32c3.toml");
    const size_t region = device.find(std::string("name = \"") + memory + "\"");
    const size_t size = device.find("size_bytes = ", region);
    ASSERT_NE(size, std::string::npos);
    device.replace(size, device.find('\n', size) - size, "size_bytes = 0x1000");
    const size_t shared = device.find("data_bus_below");  // otherwise data gets what code leaves
    device.erase(shared, device.find('\n', shared) - shared);
    write_bytes(path(file), device);
  };
  ASSERT_NO_FATAL_FAILURE(write_device("dram", "little_ram.toml"));
  ASSERT_NO_FATAL_FAILURE(write_device("flash_code", "little_code.toml"));
  write_model(large_addition(), path("large.tflite"));
  for (const auto& [model, device] : {std::pair("large.tflite", "little_ram.toml"),
                                      std::pair("small.tflite", "little_code.toml")}) {
    const std::vector<std::string> on = {"--model", model, "--device", device};
    for (std::vector<std::string> words :
         {std::vector<std::string>{"compile", "-o", "out"}, std::vector<std::string>{"run"}}) {
      words.insert(words.end(), on.begin(), on.end());
      expect_wrong({words, 1, "does not fit"});
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(CommandLine, HelpAndVersion_GoToStdoutAndExitWith0) {
  for (const char* command : {"", "compile", "run", "report", "inspect", "devices", "worker"}) {
    std::vector<std::string> words = {"--help"};
    if (*command != '\0') words.insert(words.begin(), command);
    const ProcessResult help = tune(words);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("--help"), std::string::npos) << command;
    EXPECT_LT(std::count(help.out.begin(), help.out.end(), '\n'), 76) << help.out;
  }
  const ProcessResult version = tune({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.find("tinytune "), 0u);
}

TEST_F(CommandLine, EveryOptionOfTheContract_IsInTheHelp) {
  const std::string tune_help = tune({"--help"}).out;
  for (const char* option : {"--model", "--device", "--records", "--trials", "--budget", "--tuner",
                             "--seed", "--tasks", "--workers", "--listen", "--json", "--quiet"})
    EXPECT_NE(tune_help.find(option), std::string::npos) << option;
  const std::string run_help = tune({"run", "--help"}).out;
  for (const char* option : {"--model", "--device", "--records", "--input", "--output", "--verify",
                             "--dump-tensors", "--json"})
    EXPECT_NE(run_help.find(option), std::string::npos) << option;
  const std::string compile_help = tune({"compile", "--help"}).out;
  for (const char* option : {"--model", "--device", "--records", "-o", "--require-tuned"})
    EXPECT_NE(compile_help.find(option), std::string::npos) << option;
}

}  // namespace
}  // namespace tinytune::test
