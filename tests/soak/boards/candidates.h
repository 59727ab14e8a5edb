// Candidates that the board benches measure: those of a model's tasks, built beforehand, one task
// after the other as a tuner proposes them.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "devices/device.h"
#include "measure/built_kernel.h"
#include "measure/job.h"
#include "tinytune/result.h"

namespace tinytune {

inline constexpr uint32_t kBaud = 921'600;

struct Candidate {
  size_t task = 0;  ///< index into BuiltCandidates::tasks
  Schedule schedule;
  BuiltKernel kernel;
};

struct BuiltCandidates {
  std::vector<TaskData> tasks;
  std::vector<Candidate> list;
};

[[noreturn]] inline void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

template <typename T>
T must(Result<T> result) {
  if (!result) fail(result.error().message());
  return std::move(result).value();
}

/// Ends the program if anything fails.
BuiltCandidates build_candidates(const std::string& model, const Device& device, size_t count);

}  // namespace tinytune
