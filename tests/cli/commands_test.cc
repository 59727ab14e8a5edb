// inspect, devices, compile and run: what they print and write.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "records/log.h"
#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Commands : public TuneProgram {};

TEST_F(Commands, Inspect_ListsOperatorsTasksAndBorders) {
  const Json model = Json::parse(json_of({"inspect", "small.tflite", "--json"}));
  for (const char* key : {"operators", "inputs", "outputs", "tasks", "macs", "unsupported"})
    EXPECT_TRUE(model.contains(key)) << key;
  EXPECT_EQ(model["operators"].size(), 5u);
  EXPECT_EQ(model["operators"][0]["op"], "CONV_2D");
  EXPECT_EQ(model["inputs"][0]["shape"], Json({1, 6, 6, 4}));
  EXPECT_EQ(model["unsupported"], Json::array());
  const int64_t pixels = 36;
  EXPECT_EQ(model["macs"], pixels * (8 * 9 * 4 + 9 * 8 + 2 * 8 * 8));
  size_t layers = 0;
  for (const Json& task : model["tasks"]) layers += task["layers"].size();
  EXPECT_EQ(layers, 4u) << "every convolution belongs to one task";
  const ProcessResult text = tune({"inspect", "small.tflite"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_NE(text.out.find("DEPTHWISE_CONV_2D"), std::string::npos);
}

TEST_F(Commands, InspectOfAnUnsupportedModel_ListsEverythingAndExitsWith2) {
  write_model(float_graph(), path("float.tflite"));
  const Json model = Json::parse(json_of({"inspect", "float.tflite", "--json"}, 2));
  EXPECT_TRUE(model.contains("error"));
  EXPECT_EQ(model["operators"].size(), 2u);
  EXPECT_GE(model["unsupported"].size(), 1u);
  const ProcessResult text = tune({"inspect", "float.tflite"});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_NE(text.out.find("MAX_POOL_2D"), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("float32"), std::string::npos) << text.err;
  // The same words as `run` uses.
  EXPECT_EQ(text.err, tune({"run", "--model", "float.tflite", "--device", "esp32c3"}).err);
  EXPECT_EQ("tune: " + model["error"].get<std::string>() + "\n", text.err);
  EXPECT_EQ(text.out.find(" 0 bytes"), std::string::npos) << text.out;
}

TEST_F(Commands, Inspect_HasScalesAndZeroPoints) {
  const Json model = Json::parse(json_of({"inspect", "small.tflite", "--json"}));
  const Json& input = model["inputs"][0];
  ASSERT_EQ(input["scales"].size(), 1U);
  char said[80];
  std::snprintf(said, sizeof said, ", scale %.9g, zero point %d\n",
                input["scales"][0].get<double>(), input["zero_points"][0].get<int>());
  const std::string text = tune({"inspect", "small.tflite"}).out;
  const std::string line = text.substr(text.find("input "));
  EXPECT_NE(line.substr(0, line.find('\n') + 1).find(said), std::string::npos) << text;
  // Listed for all tensors, weights too.
  size_t constants = 0;
  for (const Json& tensor : model["tensors"]) {
    EXPECT_EQ(tensor["scales"].size(), tensor["zero_points"].size());
    if (!tensor["constant"].get<bool>()) continue;
    ++constants;
    EXPECT_GT(tensor["bytes"], 0);
  }
  EXPECT_EQ(constants, 4U) << "weights of four layers";
  EXPECT_EQ(model["tensors"][input["id"].get<size_t>()], input);
}

TEST_F(Commands, CompileOfALogWithOtherFigures_SaysWhatTheNetworkTakes) {
  ASSERT_EQ(
      tune(with_model({"--trials", "8", "--tuner", "random", "--records", "log.jsonl"})).exit_code,
      0);
  const ProcessResult as_measured =
      tune(with_model({"compile", "--records", "log.jsonl", "-o", "a"}));
  EXPECT_EQ(as_measured.exit_code, 0) << as_measured.err;
  EXPECT_EQ(as_measured.err.find("warning"), std::string::npos) << as_measured.err;
  {
    auto changed = LogWriter::open(path("changed.jsonl"));
    ASSERT_TRUE(changed);
    const auto log = read_log(path("log.jsonl"));
    ASSERT_TRUE(log);
    for (Measurement m : log->measurements) {
      for (uint64_t& cycles : m.cycles) cycles *= 2;
      ASSERT_TRUE(changed->append(m));
    }
  }
  const ProcessResult said = tune(with_model({"compile", "--records", "changed.jsonl", "-o", "b"}));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  const size_t at = said.err.find("tune: warning: in the network ");
  ASSERT_NE(at, std::string::npos) << said.err;
  const std::string line = said.err.substr(at, said.err.find('\n', at) - at);
  EXPECT_LE(line.size(), 300U) << line;
  // Whether one layer differs or several: names the one that differs most, as the network does.
  std::smatch layer;
  ASSERT_TRUE(std::regex_search(
      line, layer, std::regex("layer (\\d+) \\w+ takes (\\d+) cycles, (\\d+) in the log \\(-")))
      << line;
  const Json ran =
      Json::parse(json_of(with_model({"run", "--records", "changed.jsonl", "--json"})));
  EXPECT_EQ(ran["layers"][std::stoul(layer[1])]["cycles"].get<uint64_t>(), std::stoul(layer[2]))
      << line;
}

TEST_F(Commands, Devices_FitATerminal) {
  std::istringstream lines(tune({"devices"}).out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(Commands, Devices_ListsWhatTheContractNames) {
  const Json all = Json::parse(json_of({"devices", "--json"}));
  bool esp32c3 = false;
  for (const Json& device : all["devices"]) {
    for (const char* key : {"name", "description", "isa", "clock_hz", "transports"})
      EXPECT_TRUE(device.contains(key)) << key;
    if (device["name"] == "esp32c3") {
      esp32c3 = true;
      EXPECT_EQ(device["isa"], "rv32imc");
      EXPECT_EQ(device["clock_hz"], 160'000'000);
    }
    if (device["name"] == "rv32imc") {
      EXPECT_TRUE(device["clock_hz"].is_null());
    }
  }
  EXPECT_TRUE(esp32c3);
}

TEST_F(Commands, DevicesScan_ListsPlacesThatFollowADevice) {
  for (const Json& place : Json::parse(json_of({"devices", "--scan", "--json"}))["places"])
    EXPECT_EQ(place["place"].get<std::string>().front(), '@') << place;
}

TEST_F(Commands, DoctorWhereNobodyAnswers_SaysSoAndFails) {
  const ProcessResult text = tune({"doctor", "--device", "qemu-virt-rv32@gdb:127.0.0.1:1"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.out.find("WRONG link"), std::string::npos) << text.out;
}

TEST_F(Commands, DoctorOfASimulator_BuildsAndRunsAKernelHere) {
  const ProcessResult simulator = tune({"doctor", "--device", "esp32c3"});
  EXPECT_EQ(simulator.exit_code, 0) << simulator.err;
  EXPECT_NE(simulator.out.find("ok    kernel"), std::string::npos) << simulator.out;
}

TEST_F(Commands, Run_ReportsEveryLayerAndTheOverheadOfTheRest) {
  const Json run = Json::parse(json_of(with_model({"run", "--verify", "--json"})));
  EXPECT_EQ(run["exact"], true);
  uint64_t instructions = run["overhead_instructions"];
  ASSERT_EQ(run["layers"].size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const Json& layer = run["layers"][i];
    for (const char* key :
         {"index", "op", "macs", "macs_executed", "instructions", "cycles", "tuned", "fused_into"})
      EXPECT_TRUE(layer.contains(key)) << key;
    EXPECT_EQ(layer["index"], i);
    EXPECT_EQ(layer["tuned"], false);
    instructions += layer["instructions"].get<uint64_t>();
  }
  EXPECT_EQ(instructions, run["instructions"]);
  EXPECT_GT(run["cycles"], run["instructions"]);
  EXPECT_DOUBLE_EQ(run["milliseconds"], run["cycles"].get<double>() * 1e3 / 160e6);
  for (const char* key : {"arena_bytes", "stack_bytes", "flash_bytes"}) EXPECT_GT(run[key], 0);
  EXPECT_EQ(Json::parse(json_of(with_model({"run", "--json"})))["exact"], nullptr);
}

TEST_F(Commands, RunOnACounterWithoutClock_GivesNoMilliseconds) {
  const Json run =
      Json::parse(json_of({"run", "--model", "small.tflite", "--device", "rv32imc", "--json"}));
  EXPECT_TRUE(run["milliseconds"].is_null());
  EXPECT_EQ(run["cycles"], run["instructions"]);
}

TEST_F(Commands, RunWithTheBytesOfASeed_EqualsRunWithTheSeed) {
  ASSERT_EQ(tune(with_model({"run", "--input", "seed:101", "--output", "seeded.bin",
                             "--dump-tensors", "dump"}))
                .exit_code,
            0);
  fs::copy_file(path("dump/tensor_0.bin"), path("input.bin"));
  ASSERT_EQ(tune(with_model({"run", "--input", "input.bin", "--output", "filed.bin"})).exit_code,
            0);
  EXPECT_EQ(read_bytes(path("seeded.bin")).size(), 8u);
  EXPECT_EQ(read_bytes(path("seeded.bin")), read_bytes(path("filed.bin")));
  ASSERT_EQ(tune(with_model({"run", "--output", "default.bin"})).exit_code, 0);
  ASSERT_EQ(tune(with_model({"run", "--input", "seed:1", "--output", "one.bin"})).exit_code, 0);
  EXPECT_EQ(read_bytes(path("default.bin")), read_bytes(path("one.bin")));
  EXPECT_NE(read_bytes(path("default.bin")), read_bytes(path("seeded.bin")));
}

TEST_F(Commands, SeveralInputsAndOutputs_AreRepeatedOrBackToBack) {
  write_model(two_in_two_out_graph(), path("two.tflite"));
  const std::vector<std::string> on = {"--model", "two.tflite", "--device", "esp32c3", "--verify"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), on.begin(), on.end());
    const ProcessResult result = tune(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  };
  const std::string first(16, '\x05'), second(16, '\xf0');
  write_bytes(path("a.bin"), first);
  write_bytes(path("b.bin"), second);
  write_bytes(path("ab.bin"), first + second);
  run({"--input", "a.bin", "--input", "b.bin", "--output", "sum.bin", "--output", "pool.bin"});
  run({"--input", "ab.bin", "--output", "all.bin"});
  EXPECT_EQ(read_bytes(path("sum.bin")).size(), 16u);
  EXPECT_EQ(read_bytes(path("pool.bin")).size(), 4u);
  EXPECT_EQ(read_bytes(path("sum.bin")) + read_bytes(path("pool.bin")),
            read_bytes(path("all.bin")));
  run({"--input", "b.bin", "--input", "a.bin", "--output", "swapped.bin"});
  EXPECT_NE(read_bytes(path("swapped.bin")), read_bytes(path("all.bin")));
}

TEST_F(Commands, DumpTensors_WritesEveryTensorAsTheReferenceHasIt) {
  const ProcessResult run =
      tune(with_model({"run", "--verify", "--dump-tensors", "dump", "--output", "out.bin"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(path("dump"))) {
    EXPECT_EQ(entry.path().filename().string().find("tensor_"), 0u);
    ++files;
  }
  EXPECT_GE(files, 2u);
  EXPECT_LE(files, 6u);
  const size_t listed = run.err.find("fused away");
  EXPECT_EQ(listed != std::string::npos, files < 6) << run.err;
}

TEST_F(Commands, Compile_WritesALibraryTwiceTheSame) {
  for (const char* out : {"one", "deep/two"}) {
    const ProcessResult compiled = tune(with_model({"compile", "-o", out}));
    EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
  }
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path("one"))) {
    if (!entry.is_regular_file()) continue;
    const std::string name = fs::relative(entry.path(), path("one")).string();
    EXPECT_EQ(read_bytes(entry.path().string()), read_bytes(path("deep/two/" + name))) << name;
    ++files;
  }
  EXPECT_GE(files, 4u);
  EXPECT_TRUE(fs::exists(path("one/small.h")));
  EXPECT_TRUE(fs::exists(path("one/small.c")));
}

TEST_F(Commands, DisabledPass_IsNamedInTheNextCommandAndUnknownOnesAreRefused) {
  const ProcessResult tuned =
      tune(with_model({"--trials", "4", "--disable-pass", "constant-channels"}));
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_NE(tuned.out.find("--disable-pass constant-channels"), std::string::npos) << tuned.out;
  for (const char* command : {"run", "inspect"}) {
    std::vector<std::string> words = {command, "--disable-pass", "no-such-pass"};
    if (std::string(command) == "inspect")
      words.emplace_back("small.tflite");
    else
      words = with_model(words);
    const ProcessResult refused = tune(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("there is no pass 'no-such-pass'"), std::string::npos)
        << refused.err;
  }
}

TEST_F(Commands, DeviceByPath_IsTheSameDevice) {
  fs::copy_file(TINYTUNE_SOURCE_DIR "/devices/esp32c3.toml", path("mine.toml"));
  const Json by_name = Json::parse(json_of(with_model({"run", "--json"})));
  const Json by_path =
      Json::parse(json_of({"run", "--model", "small.tflite", "--device", "mine.toml", "--json"}));
  EXPECT_EQ(by_name, by_path);
}

TEST_F(Commands, GoldenVectorsOfTheKeywordSpotter_AreMetBitForBit) {
  const std::string shared = TINYTUNE_SOURCE_DIR "/../shared";
  const std::string model = shared + "/models/kws_ref_model.tflite";
  if (!fs::exists(model)) GTEST_SKIP() << "no " << model;
  const std::string golden = shared + "/golden/kws_ref_model/";
  for (const char* seed : {"1", "2", "3", "101", "102"}) {
    const ProcessResult run =
        tune({"run", "--model", model, "--device", "esp32c3", "--input", golden + seed + ".in.bin",
              "--output", "out.bin", "--verify", "--dump-tensors", "dump"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(read_bytes(path("out.bin")), read_bytes(golden + seed + ".out.bin")) << seed;
    EXPECT_EQ(read_bytes(path("dump/tensor_33.bin")), read_bytes(golden + seed + ".logits.bin"));
    if (std::string(seed) != "1") continue;
    for (const auto& entry : fs::directory_iterator(path("dump"))) {
      const std::string name = entry.path().filename().string();
      EXPECT_EQ(read_bytes(entry.path().string()), read_bytes(golden + "seed1_" + name)) << name;
    }
  }
}

TEST_F(Commands, DeviceInCapitals_HasTheSameLogAndPackageName) {
  const std::vector<std::string> more = {"--trials", "3", "--tasks", "0", "--workers", "1"};
  for (const char* device : {"esp32c3", "ESP32C3", "Esp32C3"}) {
    std::vector<std::string> words = {"--model", "small.tflite", "--device", device};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult run = tune(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.out.find("--device esp32c3 --records small.esp32c3.jsonl"), std::string::npos)
        << run.out;
  }
  size_t logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    logs += entry.path().extension() == ".jsonl" ? 1 : 0;
  EXPECT_EQ(logs, 1u);
}

TEST_F(Commands, BeginningOfADevicesName_SuggestsThatDevice) {
  const ProcessResult run = tune({"--model", "small.tflite", "--device", "stm32l4"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("did you mean stm32l4r5?"), std::string::npos) << run.err;
}

TEST_F(Commands, NameThatATerminalWouldObey_IsPrintedEscaped) {
  const std::string name = "a\x1b[31mred.tflite";
  std::filesystem::copy_file(path("small.tflite"), path(name));
  const ProcessResult run = tune(
      {"--model", name, "--device", "esp32c3", "--trials", "3", "--tasks", "0", "--workers", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("$'a\\x1b[31mred.tflite'"), std::string::npos) << run.out;
  const ProcessResult missing = tune({"inspect", "no\x1b[31mfile.tflite"});
  const ProcessResult csv = tune({"log", "export", "a\x1b[31mred.esp32c3.jsonl"});
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  for (const ProcessResult& printed : {run, missing, csv})
    EXPECT_EQ((printed.out + printed.err).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tinytune::test
