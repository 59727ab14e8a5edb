// Runs the `tune` program as a user would, in a folder with a small model.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "records/log.h"

namespace tinytune::test {

class TuneProgram : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Runs `tune` in the folder. A hang fails the test.
  ProcessResult tune(std::vector<std::string> arguments) const;

  /// Runs `tune`; returns its stdout, which must be a JSON object.
  std::string json_of(const std::vector<std::string>& arguments, int exit_code = 0) const;

  /// Appends the small model and a device to the arguments, and two workers where they matter.
  std::vector<std::string> with_model(std::vector<std::string> arguments) const;

  /// The log's measurements as "workload | schedule | outcome cycles", in order.
  std::vector<std::string> trials(const std::string& log_name) const;

  std::filesystem::path folder_;
};

/// Number of stderr lines that say why a command failed; notices do not count.
int reasons_in(const std::string& err);

/// A running `tune` whose output is collected.
class RunningTune {
 public:
  /// `terminal`: on its own terminal, so that it shows the live line and receives Ctrl-C.
  RunningTune(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
              bool terminal);
  ~RunningTune();

  void send(int signal) const;
  void press_control_c() const;
  /// Returns the exit code, or 128 + signal. After a minute: kills it and fails the test.
  int wait();
  /// Returns its output so far.
  const std::string& output();
  /// Waits until `text` is in the output, at most a minute.
  bool wait_for(const std::string& text);

 private:
  void drain(std::chrono::milliseconds timeout);
  pid_t pid_ = -1;
  int output_ = -1;
  std::string text_;
};

}  // namespace tinytune::test
