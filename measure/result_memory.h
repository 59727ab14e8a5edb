// Cache of kernel results, so that schedules which lower to the same kernel run only once.
//
// A worker may live for weeks, so the cache is bounded and evicts the least recently used entry.
// Only reproducible results may be added: an accidental failure would be returned again and again.
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
  std::list<Entry> entries_;  ///< most recently used first
  std::map<Digest, std::list<Entry>::iterator> places_;
};

}  // namespace tinytune
