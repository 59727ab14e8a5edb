// What a search tried: a row for each move, with those that it makes inside indented below it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/explain.h"

namespace tinytune {

class MoveTrace {
 public:
  /// In the order in which they were tried first. A move that is made again, for other groups of
  /// strips or within less RAM, adds to its row.
  const std::vector<MoveOutcome>& outcomes() const { return outcomes_; }

  /// One more was built and run, for each move that is being made.
  void count_network() {
    for (const size_t row : open_) ++outcomes_[row].networks;
  }

  /// A move while it is made.
  class Entry {
   public:
    /// `trace` may be null; nothing is noted then.
    Entry(MoveTrace* trace, std::string_view name) : trace_(trace) {
      if (trace_ != nullptr) trace_->open(name);
    }
    ~Entry() {
      if (trace_ != nullptr) trace_->close();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    /// What it proposes takes so many cycles.
    void takes(uint64_t cycles);
    void keeps() {
      if (trace_ != nullptr) ++trace_->row().kept;
    }
    /// `why` nothing is proposed, or kept; empty where it is.
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
  std::vector<size_t> open_;  // rows, the outer move first
};

}  // namespace tinytune
