// A new log that begins with the records of others.
#include "tuner/prior_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace tinytune::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PriorLogs : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& device,
             const std::vector<std::string>& schedules) const {
    auto log = LogWriter::open(folder_.file(name));
    ASSERT_TRUE(log) << log.error().message();
    for (const std::string& schedule : schedules) {
      Measurement m;
      m.device = device;
      m.device_hash = device_.hash;
      m.workload = "a workload";
      m.schedule = schedule;
      m.outcome = Outcome::kOk;
      m.cycles = {1000};
      ASSERT_TRUE(log->append(m));
    }
  }

  /// Begins `run` with these logs; returns its schedules, which memory and file must agree on.
  std::vector<std::string> begun_with(const std::vector<std::string>& names) {
    std::vector<std::string> priors;
    for (const std::string& name : names) priors.push_back(folder_.file(name));
    said_.clear();
    LogContents contents;
    {
      auto log = LogWriter::open(folder_.file("run"));
      contents = log->take_contents();
      const Status status =
          begin_with(priors, device_, *log, contents,
                     [&](MessageKind, const std::string& line) { said_.push_back(line); });
      EXPECT_TRUE(status) << status.error().message();
    }
    const auto written = read_log(folder_.file("run"));
    EXPECT_EQ(schedules_of(contents), schedules_of(*written));
    return schedules_of(contents);
  }

  static std::vector<std::string> schedules_of(const LogContents& contents) {
    std::vector<std::string> schedules;
    for (const Measurement& m : contents.measurements) schedules.push_back(m.schedule);
    return schedules;
  }

  const TemporaryDirectory folder_ = *TemporaryDirectory::create("prior");
  const Device device_ = *load_device("rv32imc");
  std::vector<std::string> said_;
};

TEST_F(PriorLogs, NewLog_BeginsWithAllOfThemOnceInOrder) {
  write("a", "rv32imc", {"1", "2"});
  write("b", "rv32imc", {"2", "3"});
  EXPECT_THAT(begun_with({"a", "b", "a"}), ElementsAre("1", "2", "3"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(PriorLogs, SameCommandAgain_AddsAndSaysNothing) {
  write("a", "rv32imc", {"1", "2"});
  begun_with({"a"});
  EXPECT_THAT(begun_with({"a"}), ElementsAre("1", "2"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(PriorLogs, LogThatHasBegun_IsLeftAsItIs) {
  write("run", "rv32imc", {"1"});
  write("a", "rv32imc", {"1", "2"});
  EXPECT_THAT(begun_with({"a"}), ElementsAre("1"));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("1 record(s) of prior logs are left out")));
}

TEST_F(PriorLogs, OtherDevicesAndDamagedLines_AreLeftOutAndTold) {
  write("a", "esp32c3", {"1"});
  write("b", "rv32imc", {"2"});
  const auto sound = read_file(folder_.file("b"));
  ASSERT_TRUE(write_file(folder_.file("b"), std::string(text_of(*sound)) + "{\"v\":1,\"torn\n"));
  EXPECT_THAT(begun_with({"a", "b"}), ElementsAre("2"));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("1 record(s) of other devices than rv32imc"),
                                 HasSubstr("1 damaged line(s)")));
}

TEST_F(PriorLogs, MissingLog_IsAnErrorThatNamesIt) {
  auto log = LogWriter::open(folder_.file("run"));
  LogContents contents = log->take_contents();
  const Status status = begin_with({folder_.file("missing")}, device_, *log, contents, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(status.error().message(), HasSubstr("missing"));
}

}  // namespace
}  // namespace tinytune::test
