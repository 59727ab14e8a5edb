// Queries over measurements: which apply to this device and these spaces, and which are best.
//
// A log outlives device files and templates. Records of another device hash or space version stay
// in the file and are only counted here, so that one warning can say how many were set aside.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "records/measurement.h"
#include "schedules/schedule.h"

namespace tinytune {

class Records {
 public:
  /// Whether this build would still propose such a schedule for a workload, and read it as its
  /// writer did.
  using IsCurrent = std::function<bool(const std::string& workload, const Schedule&)>;

  /// What may stand in one ranking: cycles of a simulator and of a board do not compare.
  struct Scope {
    uint64_t device_hash = 0;
    Fidelity fidelity = Fidelity::kSimulate;
  };

  Records() = default;
  /// Keeps, in order, the measurements of `scope` with a current schedule. Of equal (workload,
  /// schedule) pairs, which only logs joined by hand hold, the first counts; one that two workers
  /// died with gives way to any other.
  Records(std::vector<Measurement> measurements, const Scope& scope, const IsCurrent& is_current);

  const std::vector<Measurement>& all() const { return kept_; }
  /// Of all records; of a simulator where there are none.
  Fidelity fidelity() const { return fidelity_; }
  /// Measured with constants in another memory: their order is of use, their cycles are not.
  bool are_of_other_memory() const { return of_other_memory_; }
  void set_of_other_memory() { of_other_memory_ = true; }
  size_t other_device() const { return other_device_; }
  size_t other_fidelity() const { return other_fidelity_; }
  size_t other_version() const { return other_version_; }
  /// "3 records of another device file, 1 of another space version ignored"; empty if none.
  std::string ignored_message() const;

  /// The outcome of one schedule; null where it was never measured. Valid while *this lives and
  /// does not change.
  const Measurement* find(std::string_view workload, std::string_view schedule) const;
  /// The fewest median cycles; the earlier record on a tie. Null without an `ok` one.
  const Measurement* best(std::string_view workload) const;
  /// Every record of a workload, in order.
  std::vector<const Measurement*> of(std::string_view workload) const;
  /// The `ok` records of a workload, the fewest cycles first.
  std::vector<const Measurement*> fastest_first(std::string_view workload) const;
  /// The `ok` records of other workloads of its shape (shape_text()), the fewest cycles first: what
  /// was fast before a network was trained anew. Their schedules may not be permitted here.
  std::vector<const Measurement*> of_shape(const std::string& workload) const;

  struct Tally {
    uint64_t trials = 0, valid = 0;
  };
  Tally tally(std::string_view workload) const;

  /// For a record made in this run. The caller vouches for device and version.
  void add(Measurement measurement);

 private:
  std::vector<Measurement> kept_;
  Fidelity fidelity_ = Fidelity::kSimulate;
  bool of_other_memory_ = false;
  std::unordered_multimap<size_t, size_t> by_key_;  // by the hash of workload and schedule
  struct OfWorkload {
    std::vector<size_t> all;
    std::optional<size_t> best;
    uint64_t valid = 0;
  };
  std::unordered_map<std::string, OfWorkload> by_workload_;
  std::unordered_map<std::string, std::vector<std::string>> by_shape_;  // workloads
  /// The place of an equal (workload, schedule) pair.
  std::optional<size_t> place_of(std::string_view workload, std::string_view schedule) const;
  /// Puts it at `at`, where it may already be; false if it is not a new pair, and goes elsewhere or
  /// nowhere.
  bool put(size_t at, Measurement&& measurement);
  void count(size_t at, OfWorkload& same);
  size_t other_device_ = 0, other_fidelity_ = 0, other_version_ = 0;
};

}  // namespace tinytune
