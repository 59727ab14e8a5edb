// Logs exported to and imported from other tools' formats, and logs sifted from logs.
#include "records/formats/formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "records/log_line.h"
#include "records/log_merge.h"
#include "tests/records/sample.h"

namespace tinytune {
namespace {

Measurement measured(const std::string& schedule, std::optional<uint64_t> cycles) {
  Measurement m;
  m.device = "esp32c3";
  m.workload =
      "dense_s8 nhwc n1 in1x1x64 out1x1x12 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,0 act-128,127 lane2 "
      "short";
  m.schedule = schedule;
  m.outcome = cycles ? Outcome::kOk : Outcome::kWrongOutput;
  if (cycles) m.cycles = {*cycles}, m.instructions = *cycles / 2;
  m.tool = "tinytune 0.2.0";
  m.time = "2026-11-22T01:29:45Z";
  m.detail = cycles ? "" : "byte 3, \"zero\"";
  return m;
}

const std::vector<Measurement>& sample() {
  static const std::vector<Measurement> all = {measured("lanes_dense/1 pairs=3 sched=source", 3200),
                                               measured("lanes_dense/1 pairs=2 sched=ilp", {}),
                                               measured("lanes_dense/1 pairs=1 sched=ilp", 1600)};
  return all;
}

Result<Device> device_of(const std::string& name) { return load_device(name); }

TEST(AutoTvm, ExportedRecords_AreReadBackAsTheyWere) {
  const auto text = to_autotvm(sample(), device_of);
  ASSERT_TRUE(text) << text.error().message();
  const auto back = from_autotvm(*text, "x");
  ASSERT_TRUE(back) << back.error().message();
  ASSERT_EQ(back->size(), sample().size());
  for (size_t i = 0; i < back->size(); ++i)
    EXPECT_EQ(to_log_line((*back)[i]), to_log_line(sample()[i]));
}

TEST(AutoTvm, DeviceWithoutAClock_IsRefused) {
  std::vector<Measurement> of_counter = {sample()[0]};
  of_counter[0].device = "rv32imc";
  const auto text = to_autotvm(of_counter, device_of);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(text.error().message().find("rv32imc has no clock"), std::string::npos);
}

TEST(AutoTvm, TvmsOwnTemplates_AreRefusedInALineThatNamesThem) {
  const auto foreign =
      from_autotvm(R"({"input": ["c", "dense_dsp.arm_cpu", [["TENSOR", [1, 8], "int8"]], {}], )"
                   R"("config": {"index": 1, "code_hash": null, "entity": []}, )"
                   R"("result": [[0.001], 0, 1.0, 1.0], "version": 0.2, "tvm_version": "0.10"})"
                   "\n",
                   "octo.tune");
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code(), ErrorCode::kUnsupported);
  EXPECT_NE(foreign.error().message().find("dense_dsp.arm_cpu"), std::string::npos);
  EXPECT_EQ(foreign.error().message().find('\n'), std::string::npos);
}

TEST(AutoTvm, WhatIsNoLog_IsRefusedByLine) {
  for (const char* text : {"words", "[1]", "{}", R"({"input": 1, "version": 0.2})", "\x80"}) {
    const auto refused = from_autotvm(text, "x");
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidInput);
    EXPECT_NE(refused.error().message().find("line 1"), std::string::npos);
  }
  EXPECT_TRUE(from_autotvm("\n \n", "x")->empty());
}

TEST(T4, ExportedResults_AreReadBackAsFarAsTheSchemaHoldsThem) {
  const auto text = to_t4(sample(), device_of);
  ASSERT_TRUE(text);
  ASSERT_TRUE(looks_like_t4(*text));
  const auto back = from_t4(*text, "results.json", device_of);
  ASSERT_TRUE(back) << back.error().message();
  ASSERT_EQ(back->size(), sample().size());
  for (size_t i = 0; i < back->size(); ++i) {
    EXPECT_EQ((*back)[i].schedule, sample()[i].schedule);
    EXPECT_EQ((*back)[i].workload, sample()[i].workload);
    EXPECT_EQ((*back)[i].outcome, sample()[i].outcome);
    EXPECT_EQ((*back)[i].cycles, sample()[i].cycles);
    EXPECT_EQ((*back)[i].instructions, sample()[i].instructions);
    EXPECT_EQ((*back)[i].device_hash, device_of("esp32c3")->hash);
  }
}

TEST(T4, ResultsOfOtherTools_AreRefusedWithTheirNumber) {
  const auto refused = from_t4(
      R"({"schema_version":"1.0.0","results":[{"configuration":{"block_size_x":32},"invalidity":"correct"}]})",
      "gpu.json", device_of);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message().rfind("gpu.json: result 1: ", 0), 0u);
}

TEST(T4, DamagedResults_AreRefused) {
  EXPECT_FALSE(looks_like_t4("{\"input\": []}\n{\"input\": []}"));
  for (const char* text :
       {"", "[]", R"({"schema_version":"2.0"})", R"({"schema_version":"1.0.0","results":[7]})",
        R"({"schema_version":"1.0.0","results":[{"configuration":[]}]})"})
    EXPECT_FALSE(from_t4(text, "x", device_of)) << text;
}

TEST(T4, Results_FollowTheSchema) {
  const auto text = to_t4(sample(), device_of);
  ASSERT_TRUE(text) << text.error().message();
  const auto all = nlohmann::json::parse(*text);
  EXPECT_EQ(all["schema_version"], "1.0.0");
  ASSERT_EQ(all["results"].size(), 3u);
  for (const auto& result : all["results"]) {
    for (const char* required : {"configuration", "times", "invalidity", "correctness"})
      EXPECT_TRUE(result.contains(required)) << required;
    EXPECT_TRUE(result["times"]["runtimes"].is_array());
  }
  EXPECT_EQ(all["results"][0]["invalidity"], "correct");
  EXPECT_EQ(all["results"][1]["invalidity"], "correctness");
  EXPECT_EQ(all["results"][1]["measurements"].size(), 0u);
  EXPECT_DOUBLE_EQ(all["results"][0]["measurements"][0]["value"], 3200 / 160e6 * 1e3);
  EXPECT_EQ(all["results"][0]["configuration"]["pairs"], "3");
}

TEST(Csv, CellsWithCommasAndQuotes_AreQuoted) {
  const std::string text = to_csv(sample());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_NE(text.find("\"byte 3, \"\"zero\"\"\""), std::string::npos) << text;
}

TEST(Sifting, Repetitions_GoAndLostOnesGiveWay) {
  std::vector<Measurement> all = {sample()[0], sample()[1], sample()[0]};
  all[0].outcome = Outcome::kLost;
  all[0].cycles.clear();
  const auto kept = without_repetitions(all);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].outcome, Outcome::kOk);
}

TEST(Sifting, Best_IsOfEachWorkloadAndDeviceDescription) {
  std::vector<Measurement> all = sample();
  all.push_back(sample()[0]);
  all.back().device_hash = 7;
  const auto best = best_of_each_workload(all);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].median_cycles(), 1600u);
  EXPECT_EQ(best[1].device_hash, 7u);
  const auto tallies = tallies_of(sample());
  ASSERT_EQ(tallies.size(), 1u);
  EXPECT_EQ(tallies[0].trials, 3u);
  EXPECT_EQ(tallies[0].outcomes.at(Outcome::kWrongOutput), 1u);
  EXPECT_EQ(tallies[0].first_cycles, 3200u);
  EXPECT_EQ(tallies[0].best_cycles, 1600u);
}

}  // namespace
}  // namespace tinytune
