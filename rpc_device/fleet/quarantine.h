// Workers that temporarily get no jobs, because their last jobs all failed.
//
// A fault is a job that ended without a result. A single fault may be caused by the job, which
// job_queue.h finds out; three in a row at one place, with any jobs, are attributed to the place.
// It is examined before it gets another job (the worker runs `tune doctor`), at once and then every
// half minute, and released when nothing is found. See doc/adr/0049-board-health.md.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace tinytune {

/// Places have names: a board's id, which stays the same when its worker reconnects; for other
/// workers that of the process, which is forgotten with it. Not thread-safe.
class Quarantine {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kFaultsInARow = 3;
  static constexpr std::chrono::seconds kBetweenExaminations{30};

  /// Counts a fault. Returns true if it puts the place into quarantine.
  bool fault(const std::string& place, const std::string& why, Clock::time_point now);
  /// Notes a job with a result: resets the faults, unless the place is in quarantine.
  void success(const std::string& place);
  void forget(const std::string& place) { cases_.erase(place); }

  bool holds(const std::string& place) const;
  /// Returns whether the place is in quarantine and due for an examination.
  bool is_due(const std::string& place, Clock::time_point now) const;
  /// Notes the finding of an examination; an empty one releases the place.
  void examined(const std::string& place, const std::string& wrong, Clock::time_point now);
  /// Returns whether the place is in quarantine and an examination found a problem.
  bool is_unfit(const std::string& place) const;

  struct Case {
    int faults = 0;          ///< consecutive faults
    std::string last_fault;  ///< one line
    bool held = false;       ///< in quarantine
    std::string wrong;       ///< finding of the last examination; empty: not examined yet
    Clock::time_point next_examination;
  };
  /// By place; without places that have no fault.
  const std::map<std::string, Case>& cases() const { return cases_; }

 private:
  std::map<std::string, Case> cases_;
};

/// Describes the consecutive faults of a place and the finding of its last examination, if any.
std::string to_text(const Quarantine::Case& of);

}  // namespace tinytune
