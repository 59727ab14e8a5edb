// --ram, --arena, --flash and --fast-ram, as a user gives them.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using Json = nlohmann::json;

class MemoryLimitOptions : public TuneProgram {
 protected:
  Json run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"run", "--verify", "--json"});
    const ProcessResult result = tune(with_model(std::move(arguments)));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? Json::parse(result.out) : Json();
  }
};

TEST_F(MemoryLimitOptions, Arena_TradesScratchForCyclesAndStaysExact) {
  ASSERT_EQ(tune(with_model({"--trials", "40", "--tuner", "random", "--arena", "32K"})).exit_code,
            0);
  const Json free = run({"--records", "small.esp32c3.jsonl", "--arena", "32K"});
  const uint64_t bound = free["arena_lower_bound"], peak = free["arena_bytes"];
  ASSERT_GT(peak, bound) << "no scratch to trade";
  const Json limited = run({"--records", "small.esp32c3.jsonl", "--arena", std::to_string(bound)});
  EXPECT_LE(limited["arena_bytes"], bound);
  EXPECT_EQ(limited["exact"], true);
  EXPECT_GE(limited["cycles"], free["cycles"]);
  // A limit that is not reached changes nothing.
  const Json roomy = run({"--records", "small.esp32c3.jsonl", "--arena", "64K"});
  EXPECT_EQ(roomy["cycles"], free["cycles"]);
}

TEST_F(MemoryLimitOptions, NoFastRam_CountsWhatIsMeasuredInFlash) {
  const auto tuned = [this](std::vector<std::string> more) {
    more.insert(more.begin(), {"--trials", "12", "--tuner", "random"});
    return tune(with_model(more));
  };
  ASSERT_EQ(tuned({}).exit_code, 0);
  const ProcessResult before =
      tune(with_model({"run", "--fast-ram", "0", "--records", "small.esp32c3.jsonl"}));
  EXPECT_NE(before.err.find("nothing was measured in flash"), std::string::npos) << before.err;
  ASSERT_EQ(tuned({"--fast-ram", "0"}).exit_code, 0);
  const Json slow = run({"--records", "small.esp32c3.jsonl", "--fast-ram", "0"});
  EXPECT_EQ(slow["exact"], true);
  EXPECT_GT(slow["fetch_wait_cycles"].get<uint64_t>() + slow["read_wait_cycles"].get<uint64_t>(),
            0u);
  // One log serves both: records with fast RAM and without are kept apart.
  const Json fast = run({"--records", "small.esp32c3.jsonl"});
  EXPECT_LT(fast["cycles"], slow["cycles"]);
}

TEST_F(MemoryLimitOptions, LogOfFastMemory_CostsNoMoreInFlashThanNoLog) {
  ASSERT_EQ(tune(with_model({"--trials", "24", "--tuner", "random", "--records", "fast.jsonl"}))
                .exit_code,
            0);
  const Json without = run({"--fast-ram", "0"});
  const Json with = run({"--fast-ram", "0", "--records", "fast.jsonl"});
  EXPECT_EQ(with["exact"], true);
  EXPECT_LE(with["cycles"], without["cycles"]);
}

TEST_F(MemoryLimitOptions, Ram_IsTheSumOfItsParts) {
  const Json all = run({"--fast-ram", "all"});
  const Json& parts = all["ram"];
  uint64_t sum = 0;
  for (const char* part : {"arena", "weights", "code", "data", "stack"})
    sum += parts[part].get<uint64_t>();
  EXPECT_EQ(all["ram_bytes"], sum);
  EXPECT_EQ(parts["arena"], all["arena_bytes"]);
  EXPECT_EQ(parts["stack"], all["stack_bytes"]);
  for (const char* part : {"arena", "weights", "code", "stack"}) EXPECT_GT(parts[part], 0) << part;
  const Json in_flash = run({"--fast-ram", "0"});
  for (const char* part : {"weights", "code"}) EXPECT_EQ(in_flash["ram"][part], 0) << part;
  EXPECT_EQ(in_flash["ram_bytes"], in_flash["arena_bytes"].get<uint64_t>() +
                                       in_flash["ram"]["data"].get<uint64_t>() +
                                       in_flash["stack_bytes"].get<uint64_t>());
}

TEST_F(MemoryLimitOptions, Ram_LimitsTheSum_AndWhatIsCopiedGivesWay) {
  const uint64_t all = run({"--fast-ram", "all"})["ram_bytes"];
  const Json least = run({"--fast-ram", "0"});
  uint64_t cycles = 0;
  for (const uint64_t limit : {least["ram_bytes"].get<uint64_t>(), all * 2 / 3, all}) {
    const Json limited = run({"--ram", std::to_string(limit)});
    EXPECT_LE(limited["ram_bytes"], limit);
    EXPECT_EQ(limited["exact"], true);
    EXPECT_LE(limited["cycles"], least["cycles"]);
    if (cycles > 0) {
      EXPECT_LE(limited["cycles"], cycles) << limit;
    }
    cycles = limited["cycles"];
  }
}

TEST_F(MemoryLimitOptions, Ram_IsPrintedByEveryCommandThatMakesANetwork) {
  ASSERT_EQ(tune(with_model({"--trials", "10", "--tuner", "random"})).exit_code, 0);
  const std::string log = "small.esp32c3.jsonl";
  const Json json = run({"--records", log});
  const auto text = [&](std::vector<std::string> words) {
    const ProcessResult result = tune(std::move(words));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const std::string ran = text(with_model({"run", "--records", log}));
  const size_t at = ran.find("RAM ");
  ASSERT_NE(at, std::string::npos) << ran;
  const std::string line = ran.substr(at, ran.find('\n', at) - at);
  for (const char* part : {" = arena ", " + weights ", " + code ", " + stack "})
    EXPECT_NE(line.find(part), std::string::npos) << line;
  const std::string compiled = text(with_model({"compile", "--records", log, "-o", "out"}));
  const std::string reported = text(with_model({"report", "--records", log}));
  const std::string inspected =
      text({"inspect", "small.tflite", "--device", "esp32c3", "--records", log});
  for (const std::string& other : {compiled, reported, inspected})
    EXPECT_NE(other.find(line), std::string::npos) << line << "\n" << other;
  const Json report = Json::parse(text(with_model({"report", "--records", log, "--json"})));
  EXPECT_EQ(report["tuned"]["ram_bytes"], json["ram_bytes"]);
  const Json inspection = Json::parse(
      text({"inspect", "small.tflite", "--device", "esp32c3", "--records", log, "--json"}));
  EXPECT_EQ(inspection["ram"], json["ram"]);
  EXPECT_EQ(Json::parse(text({"inspect", "small.tflite", "--json"}))["arena_lower_bound"],
            json["arena_lower_bound"]);
}

TEST_F(MemoryLimitOptions, Header_HasWhatRunSays) {
  ASSERT_EQ(tune(with_model({"compile", "-o", "out"})).exit_code, 0);
  const Json json = run({});
  const std::string header = read_bytes(path("out/small.h"));
  const std::string readme = read_bytes(path("out/README.md"));
  for (const auto& [macro, key] : std::vector<std::pair<std::string, std::string>>{
           {"RAM", "ram_bytes"}, {"STACK", "stack_bytes"}, {"FLASH", "flash_bytes"}}) {
    const std::string value = std::to_string(json[key].get<uint64_t>());
    EXPECT_NE(header.find("#define SMALL_" + macro + "_BYTES " + value + "u\n"), std::string::npos)
        << macro << header;
    EXPECT_NE(readme.find("| " + value + " |"), std::string::npos) << key << readme;
  }
  const std::string cycles = std::to_string(json["cycles"].get<uint64_t>());
  EXPECT_NE(header.find("#define SMALL_CYCLES " + cycles), std::string::npos) << header;
}

TEST_F(MemoryLimitOptions, NetworkThatLeavesNoRoomForAnApplication_SaysSo) {
  std::string device = read_bytes(TINYTUNE_SOURCE_DIR "/devices/stm32f4.toml");
  const size_t at = device.find("size_bytes = 0x00020000");
  ASSERT_NE(at, std::string::npos);
  const auto with_sram = [&](const char* bytes) {
    std::string text = device;
    write_bytes(path("tight.toml"), text.replace(at, 23, std::string("size_bytes = ") + bytes));
    return tune({"compile", "--model", "small.tflite", "--device", "tight.toml", "-o", "out"}).err;
  };
  EXPECT_NE(with_sram("0x00002000").find("an application of 8 KiB with 2 KiB of stack and heap"),
            std::string::npos);
  EXPECT_EQ(with_sram("0x00020000").find("does not fit"), std::string::npos);
}

TEST_F(MemoryLimitOptions, NetworkThatOverflowsFlash_SaysByHowMuchAndWhatToDo) {
  std::string device = read_bytes(TINYTUNE_SOURCE_DIR "/devices/stm32f4.toml");
  for (size_t at; (at = device.find("size_bytes = 0x00080000")) != std::string::npos;)
    device.replace(at, 23, "size_bytes = 0x00001000");
  write_bytes(path("tiny.toml"), device);
  std::filesystem::copy(TINYTUNE_BINARY_DIR "/examples/ds_cnn.tflite", path("ds_cnn.tflite"));
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"run"}, {"compile", "-o", "out"}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--model", "ds_cnn.tflite", "--device", "tiny.toml"});
    const ProcessResult said = tune(words);
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    for (const char* part : {"it does not fit", " bytes of ", ", which has 4096 (", " too many)",
                             "take a device with more flash", "--flash"})
      EXPECT_NE(said.err.find(part), std::string::npos) << part << ": " << said.err;
    EXPECT_EQ(said.err.find("lld"), std::string::npos) << said.err;
    EXPECT_LE(said.err.size(), 320U) << said.err;
  }
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(MemoryLimitOptions, WithoutLimits_TheArenaIsWithinFourKilobytesOfItsBound) {
  ASSERT_EQ(tune(with_model({"--trials", "40", "--tuner", "random", "--arena", "32K"})).exit_code,
            0);
  const Json tuned = run({"--records", "small.esp32c3.jsonl"}), by_default = run({});
  for (const Json& report : {tuned, by_default})
    EXPECT_LE(report["arena_bytes"].get<uint64_t>(),
              report["arena_lower_bound"].get<uint64_t>() + 4096);
}

TEST_F(MemoryLimitOptions, Report_HasPeakBoundAndRatio) {
  const Json report = run({});
  const double ratio =
      report["arena_bytes"].get<double>() / report["arena_lower_bound"].get<double>();
  EXPECT_NEAR(report["arena_to_lower_bound"].get<double>(), ratio, 1e-4);
  ASSERT_EQ(tune(with_model({"--trials", "10", "--tuner", "random"})).exit_code, 0);
  const ProcessResult text = tune(with_model({"report", "--records", "small.esp32c3.jsonl"}));
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find(" %) by default"), std::string::npos) << text.out;
}

TEST_F(MemoryLimitOptions, Flash_IsKeptByTheLinkedLibrary) {
  ASSERT_EQ(tune(with_model({"--trials", "40", "--tuner", "random"})).exit_code, 0);
  const Json free = run({"--records", "small.esp32c3.jsonl"});
  const uint64_t limit = free["flash_bytes"].get<uint64_t>() - 1;
  const Json limited = run({"--records", "small.esp32c3.jsonl", "--flash", std::to_string(limit)});
  EXPECT_LE(limited["flash_bytes"], limit);
  EXPECT_EQ(limited["exact"], true);
}

TEST_F(MemoryLimitOptions, Report_SaysWhatLessFlashCosts_AndFlashGivesIt) {
  ASSERT_EQ(tune(with_model({"--trials", "24", "--tuner", "random"})).exit_code, 0);
  const ProcessResult told =
      tune(with_model({"report", "--records", "small.esp32c3.jsonl", "--json"}));
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const Json tuned = Json::parse(told.out)["tuned"], front = tuned["flash_front"];
  ASSERT_GE(front.size(), 2u) << told.out;
  EXPECT_EQ(front[0]["flash_bytes"], tuned["flash_bytes"]);
  EXPECT_EQ(front[0]["cycles"], tuned["cycles"]);
  for (size_t i = 1; i < front.size(); ++i) {
    EXPECT_LT(front[i]["flash_bytes"], front[i - 1]["flash_bytes"]);
    EXPECT_GE(front[i]["cycles"], front[i - 1]["cycles"]);
  }
  const uint64_t less = front.back()["flash_bytes"], slower = front.back()["cycles"];
  const Json run_with_less = run({"--records", "small.esp32c3.jsonl", "--flash",
                                  std::to_string(less + 64)});  // alignment is estimated
  EXPECT_LE(run_with_less["flash_bytes"], less + 64);
  // The front has measured kernels only; a limit may also be met with unmeasured ones.
  EXPECT_LE(run_with_less["cycles"].get<double>() / static_cast<double>(slower), 1.1);
}

TEST_F(MemoryLimitOptions, CompileThatCannotFit_SaysWhatCouldAndExits1) {
  const ProcessResult ram = tune(with_model({"compile", "-o", "out", "--ram", "100"}));
  EXPECT_EQ(ram.exit_code, 1);
  EXPECT_NE(ram.err.find("--ram allows 100"), std::string::npos) << ram.err;
  EXPECT_NE(ram.err.find("smallest achievable"), std::string::npos) << ram.err;
  EXPECT_FALSE(std::filesystem::exists(path("out")));
  const ProcessResult arena = tune(with_model({"compile", "-o", "out", "--arena", "100"}));
  EXPECT_EQ(arena.exit_code, 1);
  EXPECT_NE(arena.err.find("--arena allows 100"), std::string::npos) << arena.err;
  const ProcessResult flash = tune(with_model({"compile", "-o", "out", "--flash", "1K"}));
  EXPECT_EQ(flash.exit_code, 1);
  EXPECT_NE(flash.err.find("--flash allows 1024"), std::string::npos) << flash.err;
}

// The pairs of weights that SMLAD takes need twice the bytes of joined weights.
TEST_F(MemoryLimitOptions, LimitOnFlash_JoinsWeightsBeforeItGivesUpSmlad) {
  const std::vector<std::string> words = {
      "run", "--model", TINYTUNE_BINARY_DIR "/examples/ds_cnn.tflite", "--device", "cortex-m4",
      "--json"};
  const auto within = [&](const std::string& flash) {
    std::vector<std::string> limited = words;
    if (!flash.empty()) limited.insert(limited.end(), {"--flash", flash});
    const ProcessResult told = tune(limited);
    EXPECT_EQ(told.exit_code, 0) << told.err;
    return Json::parse(told.out);
  };
  const Json free = within("");
  const uint64_t flash = free["flash_bytes"], cycles = free["cycles"];
  EXPECT_LE(within(std::to_string(flash * 3 / 4))["cycles"], cycles * 4 / 3);
}

TEST_F(MemoryLimitOptions, SmallestFlashThatIsNamed_IsEnough_AndLessIsNot) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, std::vector<std::string>{"--fast-ram", "0"}}) {
    const auto with_flash = [&](uint64_t bytes) {
      std::vector<std::string> words = {"run", "--flash", std::to_string(bytes)};
      words.insert(words.end(), more.begin(), more.end());
      return tune(with_model(words));
    };
    const auto named_by = [](const ProcessResult& refused) {
      std::smatch found;
      EXPECT_TRUE(std::regex_search(refused.err, found, std::regex("achievable is (\\d+)\n")))
          << refused.err;
      return found.empty() ? 0 : std::stoull(found[1]);
    };
    const uint64_t least = named_by(with_flash(1));
    EXPECT_EQ(with_flash(least).exit_code, 0) << with_flash(least).err;
    EXPECT_EQ(named_by(with_flash(least - 1)), least);
  }
}

// The refusal needs no build: it is immediate, and works where nothing can be built.
TEST_F(MemoryLimitOptions, RamBelowTheTensors_IsRefusedWithoutACompiler) {
  const auto told =
      run_process({"env", "-C", folder_.string(), "PATH=" TINYTUNE_BINARY_DIR, "tune", "compile",
                   "--model", "small.tflite", "--device", "esp32c3", "-o", "out", "--ram", "100"},
                  std::chrono::seconds(100));
  ASSERT_TRUE(told) << told.error().message();
  EXPECT_EQ(told->exit_code, 1);
  EXPECT_NE(told->err.find("--ram allows 100"), std::string::npos) << told->err;
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(MemoryLimitOptions, SearchForStrips_IsAnnounced) {
  const uint64_t below = run({})["arena_lower_bound"].get<uint64_t>() - 16;
  const ProcessResult told = tune(with_model({"run", "--arena", std::to_string(below)}));
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.err.find("whose layers run in strips"), std::string::npos) << told.err;
}

TEST_F(MemoryLimitOptions, Compile_PrintsArenaAndBound) {
  const ProcessResult compiled = tune(with_model({"compile", "-o", "out", "--ram", "1K"}));
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_NE(compiled.out.find("lower bound"), std::string::npos) << compiled.out;
}

TEST_F(MemoryLimitOptions, Search_ProposesOnlyWhatFits) {
  const std::string bound = std::to_string(run({})["arena_lower_bound"].get<uint64_t>());
  const ProcessResult tuned =
      tune(with_model({"--trials", "40", "--tuner", "random", "--arena", bound}));
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_NE(tuned.out.find("--arena " + bound), std::string::npos) << tuned.out;
  // The fastest kernels of this log fit without a limit.
  const Json free = run({"--records", "small.esp32c3.jsonl"});
  EXPECT_LE(free["arena_bytes"], std::stoull(bound));
}

TEST_F(MemoryLimitOptions, SearchThatCannotFit_Exits1BeforeMeasuring) {
  const ProcessResult tuned = tune(with_model({"--trials", "10", "--ram", "100"}));
  EXPECT_EQ(tuned.exit_code, 1);
  EXPECT_NE(tuned.err.find("smallest achievable"), std::string::npos) << tuned.err;
  EXPECT_TRUE(trials("small.esp32c3.jsonl").empty());
}

TEST_F(MemoryLimitOptions, NotANumberOfBytes_IsRefused) {
  for (const char* text : {"96X", "-1", "0", "K", "1.5K"}) {
    const ProcessResult result = tune(with_model({"run", "--ram", text}));
    EXPECT_EQ(result.exit_code, 2) << text;
  }
}

}  // namespace
}  // namespace tinytune::test
