#include "deploy/deployment/move_trace.h"

#include <algorithm>

namespace tinytune {

void MoveTrace::Entry::takes(uint64_t cycles) {
  if (trace_ == nullptr) return;
  std::optional<uint64_t>& fewest = trace_->row().cycles;
  fewest = std::min(fewest.value_or(cycles), cycles);
}

void MoveTrace::open(std::string_view name) {
  const auto depth = static_cast<int>(open_.size());
  size_t row = open_.empty() ? 0 : open_.back() + 1;
  while (row < outcomes_.size() && outcomes_[row].depth >= depth &&
         (outcomes_[row].depth > depth || outcomes_[row].name != name))
    ++row;
  if (row == outcomes_.size() || outcomes_[row].depth < depth)
    outcomes_.insert(outcomes_.begin() + static_cast<ptrdiff_t>(row),
                     MoveOutcome{.name = std::string(name), .depth = depth});
  ++outcomes_[row].times;
  open_.push_back(row);
}

// Removes the row of a move that does not apply to this search.
void MoveTrace::close() {
  const MoveOutcome& closed = row();
  const bool is_noted = closed.kept > 0 || closed.networks > 0 || !closed.why.empty();
  if (!is_noted) outcomes_.erase(outcomes_.begin() + static_cast<ptrdiff_t>(open_.back()));
  open_.pop_back();
}

}  // namespace tinytune
