// Keys, and a run that is watched from elsewhere: the program, as a user starts it.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

class FleetCommands : public TuneProgram {
 protected:
  void make_keys(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"keys", "-o", "keys"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult made = tune(words);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ((made.out + made.err).find("tinytune_"), std::string::npos) << "a token was printed";
  }
  /// Returns the word after "--connect " in a tuner's output.
  static std::string address_in(const std::string& said) {
    const size_t at = said.find("--connect ") + std::string("--connect ").size();
    return said.substr(at, said.find(' ', at) - at);
  }
};

TEST_F(FleetCommands, RunWithKeys_IsShownToWhoMayLookAndToNobodyElse) {
  make_keys({});
  make_keys({"--name", "wall", "--token", "--scope", "view"});
  RunningTune run(folder_,
                  with_model({"--trials", "4000", "--records", "a", "--listen", "127.0.0.1:0",
                              "--keys", "keys/tuner"}),
                  false);
  ASSERT_TRUE(run.wait_for("/4000 trials")) << run.output();
  const std::string address = address_in(run.output());
  const auto look = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"fleet", "--connect", address};
    words.insert(words.end(), more.begin(), more.end());
    return tune(words);
  };
  const ProcessResult json = look({"--keys", "keys/wall", "--json"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto fleet = nlohmann::json::parse(json.out);
  EXPECT_GT(fleet["jobs"]["done"], 0);
  ASSERT_EQ(fleet["workers"].size(), 2u);
  EXPECT_EQ(fleet["workers"][0]["runs_on"], "simulator");
  EXPECT_EQ(fleet["workers"][0]["quarantined"], false);
  const ProcessResult table = look({"--keys", "keys/wall"});
  EXPECT_NE(table.out.find("a minute"), std::string::npos) << table.out;

  const ProcessResult refused = look({"--keys", "keys/worker", "--once"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("do not let you view the fleet"), std::string::npos) << refused.err;
  run.send(SIGINT);
  run.wait();
}

TEST_F(FleetCommands, KeysOfNoKnownScope_AreRefusedInOneLine) {
  const ProcessResult refused = tune({"keys", "-o", "keys", "--scope", "build,fly"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--scope: 'fly' is none of build, run, device, view"),
            std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(path("keys")));
}

}  // namespace
}  // namespace tinytune::test
