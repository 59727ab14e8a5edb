// What moves away from a default gained in other tasks.
//
// A point is seen as the knobs that were moved from the start of its family, each by so many
// doublings or to another word. Moved so, tasks of different shapes are comparable: their defaults
// were chosen by the same thought, and what that thought overlooks it overlooks in all of them. A
// schedule as it stands is not: half of its values are its shape's, and the other task's space may
// not even hold it.
//
// A Gaussian process over such moves. A move gains elsewhere what it gained here, less so in
// another template that has a knob of that name, and moves that were made together are alike as a
// whole too, so that a combination that won is tried again.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedules/config_space.h"

namespace tinytune {

/// Logarithms of cycles that a knob's move is expected to cost before anything is known of it:
/// defaults were chosen by thought.
constexpr double kCostOfAMove = 0.06;

/// The moves of a space's points.
class KnobMoves {
 public:
  /// `space` outlives this. A family without a start has points that count as not moved.
  KnobMoves(const ConfigSpace& space, std::optional<size_t> default_point,
            std::span<const size_t> starts);

  struct Move {
    bool moved = false;
    std::optional<double> doublings;  ///< between numbers
    std::string word;                 ///< the new value
  };

  const ConfigSpace& space() const { return *space_; }
  std::optional<size_t> default_point() const { return default_point_; }
  /// The point that moves of a family are counted from.
  std::optional<size_t> start_of(size_t family) const { return starts_[family]; }
  /// Knobs that were moved.
  double count(size_t point) const;
  /// By family, knob and value.
  const Move& move(size_t family, size_t knob, size_t value) const {
    return moves_[family][knob][value];
  }

 private:
  const ConfigSpace* space_;
  std::optional<size_t> default_point_;
  std::vector<std::optional<size_t>> starts_;  ///< by family
  std::vector<std::vector<std::vector<Move>>> moves_;
};

struct MoveSample {
  size_t task = 0;  ///< place in the tasks of the fit
  size_t point = 0;
  double value = 0;  ///< in logarithms of cycles; levels of tasks are not compared
};

/// Deterministic; not thread-safe.
class TransferGp {
 public:
  TransferGp();
  ~TransferGp();
  TransferGp(TransferGp&&) noexcept;
  TransferGp& operator=(TransferGp&&) noexcept;

  /// `tasks` outlive the process. Takes a time that grows with the cube of the samples: some
  /// hundred are what it is for.
  void fit(std::vector<const KnobMoves*> tasks, std::span<const MoveSample> samples);

  /// What points of a task promise that need not be one of the fit's: logarithms by which they are
  /// faster than their moves from the task's default would let one expect. A family's start may be
  /// slower; moves within a family may not, because what lost elsewhere may win here. Nothing is
  /// promised to a task without a default.
  std::vector<float> promises(const KnobMoves& task, std::span<const size_t> points) const;

  /// Whether a sample was of that template.
  bool knows(const std::string& template_name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
