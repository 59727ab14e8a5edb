// Queries over measurements: selects those of this device and these spaces, and finds the best.
//
// A log outlives device files and templates. Records of another device hash or space version stay
// in the file; here they are only counted, so that one warning can say how many were ignored.
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
  /// Returns whether this build would still propose the schedule for the workload, and gives it the
  /// same meaning as its writer did.
  using IsCurrent = std::function<bool(const std::string& workload, const Schedule&)>;

  /// Selects comparable records: cycles of a simulator and of a board do not compare.
  struct Scope {
    uint64_t device_hash = 0;
    Fidelity fidelity = Fidelity::kSimulate;
  };

  Records() = default;
  /// Keeps, in order, the measurements of `scope` with a current schedule. Of equal (workload,
  /// schedule) pairs, which occur only in manually joined logs, the first is kept; a `lost` one is
  /// replaced by any other.
  Records(std::vector<Measurement> measurements, const Scope& scope, const IsCurrent& is_current);

  const std::vector<Measurement>& all() const { return kept_; }
  /// The fidelity of all records; kSimulate by default.
  Fidelity fidelity() const { return fidelity_; }
  /// Whether they were measured with constants in another memory: their order is useful, their
  /// cycles are not.
  bool are_of_other_memory() const { return of_other_memory_; }
  void set_of_other_memory() { of_other_memory_ = true; }
  size_t other_device() const { return other_device_; }
  size_t other_fidelity() const { return other_fidelity_; }
  size_t other_version() const { return other_version_; }
  /// "3 records of another device file, 1 of another space version ignored"; empty if none.
  std::string ignored_message() const;

  /// Returns the record of one schedule; null if it was never measured. Valid until *this changes
  /// or is destroyed.
  const Measurement* find(std::string_view workload, std::string_view schedule) const;
  /// Returns the record with the fewest median cycles; the earlier one on a tie; null if none is
  /// `ok`.
  const Measurement* best(std::string_view workload) const;
  /// Every record of a workload, in order.
  std::vector<const Measurement*> of(std::string_view workload) const;
  /// The `ok` records of a workload, the fewest cycles first.
  std::vector<const Measurement*> fastest_first(std::string_view workload) const;
  /// The `ok` records of other workloads of the same shape (shape_text()), the fewest cycles first,
  /// such as those of the network before it was retrained. Their schedules may not be valid here.
  std::vector<const Measurement*> of_shape(const std::string& workload) const;

  struct Tally {
    uint64_t trials = 0, valid = 0;
  };
  Tally tally(std::string_view workload) const;

  /// Adds a record made in this run. The caller guarantees that device and version match.
  void add(Measurement measurement);

 private:
  std::vector<Measurement> kept_;
  Fidelity fidelity_ = Fidelity::kSimulate;
  bool of_other_memory_ = false;
  std::unordered_multimap<size_t, size_t> by_key_;  // key: hash of workload and schedule
  struct OfWorkload {
    std::vector<size_t> all;
    std::optional<size_t> best;
    uint64_t valid = 0;
  };
  std::unordered_map<std::string, OfWorkload> by_workload_;
  std::unordered_map<std::string, std::vector<std::string>> by_shape_;  // workloads
  /// Returns the index of the record of this (workload, schedule) pair.
  std::optional<size_t> place_of(std::string_view workload, std::string_view schedule) const;
  /// Stores a record at index `at`, where it may already be. Returns false if the pair is already
  /// known; the record then replaces a `lost` one or is dropped.
  bool put(size_t at, Measurement&& measurement);
  void count(size_t at, OfWorkload& same);
  size_t other_device_ = 0, other_fidelity_ = 0, other_version_ = 0;
};

}  // namespace tinytune
