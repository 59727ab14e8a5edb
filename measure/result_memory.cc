#include "measure/result_memory.h"

namespace tinytune {

std::optional<MeasureResult> ResultMemory::find(const Digest& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->second;
}

void ResultMemory::add(const Digest& key, MeasureResult result) {
  if (places_.contains(key)) return;
  entries_.emplace_front(key, std::move(result));
  places_.emplace(key, entries_.begin());
  if (entries_.size() <= most_) return;
  places_.erase(entries_.back().first);
  entries_.pop_back();
}

}  // namespace tinytune
