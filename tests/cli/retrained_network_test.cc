// A retrained network keeps its shapes and gets other zero points, bounds and weights. The log of
// its predecessor stays useful: its fastest schedules are counted beside today's defaults, and a
// search that begins with it tries them first.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "records/log.h"
#include "schedules/workload.h"
#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using Json = nlohmann::json;

Graph retrained(Graph graph) {
  for (Tensor& tensor : graph.tensors) {
    if (tensor.data.empty()) {
      for (int32_t& zero : tensor.quantization.zero_points) zero += 3;
    } else {
      for (size_t i = 0; i + 1 < tensor.data.size(); i += 2)
        std::swap(tensor.data[i], tensor.data[i + 1]);
    }
  }
  return graph;
}

class RetrainedNetwork : public TuneProgram {
 protected:
  std::vector<Measurement> log_of(const std::string& name) const {
    auto log = read_log(path(name));
    EXPECT_TRUE(log) << log.error().message();
    return std::move(log->measurements);
  }
  void tune_for(const std::string& model, const std::string& log, int count,
                std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"--model",   model, "--device", "rv32imc",
                                      "--records", log,   "--trials", std::to_string(count),
                                      "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult run = tune(words);
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  uint64_t cycles_of(std::vector<std::string> words) const {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--device", "rv32imc", "--json", "--verify"});
    const ProcessResult run = tune(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Json report = Json::parse(run.out);
    EXPECT_EQ(report["exact"], true);
    return report["cycles"];
  }
};

TEST_F(RetrainedNetwork, LogOfItsPredecessor_ServesAndIsCounted) {
  write_model(retrained(small_graph()), path("again.tflite"));
  tune_for("small.tflite", "log.jsonl", 48);
  tune_for("again.tflite", "own.jsonl", 48);
  const uint64_t own = cycles_of({"--model", "again.tflite", "--records", "own.jsonl"});
  EXPECT_LE(cycles_of({"--model", "again.tflite", "--records", "log.jsonl"}), own + own / 100);
  const ProcessResult compiled = tune({"compile", "--model", "again.tflite", "--device", "rv32imc",
                                       "--records", "log.jsonl", "-o", "again"});
  EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_NE(compiled.err.find("of 3 task(s) 0 have records of their own, 3 use those of the same "
                              "shape with other zero points or bounds, 0 have none"),
            std::string::npos)
      << compiled.err;
}

TEST_F(RetrainedNetwork, SearchThatBeginsWithThatLog_TriesItsFastestBehindTheDefaults) {
  write_model(retrained(small_graph()), path("again.tflite"));
  tune_for("small.tflite", "log.jsonl", 48);
  const size_t before = log_of("log.jsonl").size();
  tune_for("again.tflite", "new.jsonl", static_cast<int>(before) + 9, {"--prior", "log.jsonl"});
  const auto all = log_of("new.jsonl");
  ASSERT_GT(all.size(), before);
  std::map<std::string, std::pair<uint64_t, std::string>> best_of;  // by shape: cycles, schedule
  std::map<std::string, std::set<std::string>> tried;
  const auto shape = [](const Measurement& m) {
    return shape_text(*parse_workload(m.workload.str()));
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const auto cycles = all[i].median_cycles();
    if (i >= before) {
      tried[shape(all[i])].insert(all[i].schedule.str());
    } else if (cycles) {
      auto& best = best_of.try_emplace(shape(all[i]), UINT64_MAX, "").first->second;
      best = std::min(best, {*cycles, all[i].schedule.str()});
    }
  }
  ASSERT_EQ(best_of.size(), 3u);
  for (const auto& [text, best] : best_of) EXPECT_TRUE(tried[text].contains(best.second)) << text;
}

// The networks of a public report: the one before, tuned by version 0.2.0, and the retrained one.
TEST_F(RetrainedNetwork, OfAReport_TakesWhatItsOwnTuningTakes) {
  const std::string folder = TINYTUNE_SOURCE_DIR "/../shared/cases/process/";
  if (!std::filesystem::exists(folder + "retrained.tflite"))
    GTEST_SKIP() << "no " << folder << "retrained.tflite";
  const std::string model = folder + "retrained.tflite";
  tune_for(model, "own.jsonl", 48);
  const uint64_t own = cycles_of({"--model", model, "--records", "own.jsonl"});
  EXPECT_LE(cycles_of({"--model", model, "--records", folder + "conv_s2_asym.rv32imc.jsonl"}),
            own + own / 100);
}

}  // namespace
}  // namespace tinytune::test
