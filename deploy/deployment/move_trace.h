// Records the moves of a search: a row for each move, with its inner moves indented below it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/explain.h"

namespace tinytune {

class MoveTrace {
 public:
  /// Returns the rows in the order of first attempts. A move that is made again, for other groups
  /// of strips or within less RAM, adds to its row.
  const std::vector<MoveOutcome>& outcomes() const { return outcomes_; }

  /// Counts a network that was built and run, for each open move.
  void count_network() {
    for (const size_t row : open_) ++outcomes_[row].networks;
  }

  /// A move in progress.
  class Entry {
   public:
    /// `trace` may be null; then nothing is recorded.
    Entry(MoveTrace* trace, std::string_view name) : trace_(trace) {
      if (trace_ != nullptr) trace_->open(name);
    }
    ~Entry() {
      if (trace_ != nullptr) trace_->close();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    /// Records the cycles of the proposed network.
    void takes(uint64_t cycles);
    void keeps() {
      if (trace_ != nullptr) ++trace_->row().kept;
    }
    /// Records the reason why nothing was proposed or kept; empty if it was kept.
    void ends(std::string_view why) {
      if (trace_ != nullptr) trace_->row().why = why;
    }

   private:
    MoveTrace* trace_;
  };

 private:
  MoveOutcome& row() { return outcomes_[open_.back()]; }
  void open(std::string_view name);
  void close();

  std::vector<MoveOutcome> outcomes_;
  std::vector<size_t> open_;  // rows of open moves, the outermost first
};

}  // namespace tinytune
