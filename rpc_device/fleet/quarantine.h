// Which workers get no work for now, because what they were given went wrong again and again.
//
// A fault is a job that ended without a result. One may be the job's own doing, and job_queue.h
// finds out; three in a row at one place, whatever the jobs, are the place's. It is examined before
// it gets another (the worker runs `tune doctor`), at once and then every half minute, and released
// when nothing is found. See doc/adr/0049-board-health.md.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace tinytune {

/// Places have names: a board its id, under which it comes back when its worker dials again; other
/// workers that of their process, and are forgotten with it. Not thread-safe.
class Quarantine {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kFaultsInARow = 3;
  static constexpr std::chrono::seconds kBetweenExaminations{30};

  /// A job went wrong there. True: that was one too many, and it is held from now on.
  bool fault(const std::string& place, const std::string& why, Clock::time_point now);
  /// A job came to its result: earlier faults are forgiven.
  void success(const std::string& place);
  void forget(const std::string& place) { cases_.erase(place); }

  bool holds(const std::string& place) const;
  /// It is held, and should be examined by now.
  bool is_due(const std::string& place, Clock::time_point now) const;
  /// `wrong`: what was found; empty releases it.
  void examined(const std::string& place, const std::string& wrong, Clock::time_point now);
  /// It is held, and an examination found why.
  bool is_unfit(const std::string& place) const;

  struct Case {
    int faults = 0;          ///< in a row
    std::string last_fault;  ///< one line
    bool held = false;
    std::string wrong;  ///< what the last examination found; empty: there was none
    Clock::time_point next_examination;
  };
  /// By place; those without a fault are not in it.
  const std::map<std::string, Case>& cases() const { return cases_; }

 private:
  std::map<std::string, Case> cases_;
};

/// Why it is held, in words; how many faults it has where it is not; empty where it has none.
std::string to_text(const Quarantine::Case& of);

}  // namespace tinytune
