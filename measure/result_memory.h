// The results of kernels that have run, so that schedules which lower to the same kernel run once.
//
// A worker may live for weeks: the memory is bounded, and what was not asked for the longest goes
// first. Only what is the candidate's own doing belongs in here; a mishap would stay for ever.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "measure/job.h"

namespace tinytune {

class ResultMemory {
 public:
  explicit ResultMemory(size_t most = 4096) : most_(most) {}

  std::optional<MeasureResult> find(const Digest& key);
  void add(const Digest& key, MeasureResult result);
  size_t size() const { return entries_.size(); }

 private:
  using Entry = std::pair<Digest, MeasureResult>;
  size_t most_;
  std::list<Entry> entries_;  ///< the last used first
  std::map<Digest, std::list<Entry>::iterator> places_;
};

}  // namespace tinytune
