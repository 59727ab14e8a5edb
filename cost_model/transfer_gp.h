// Predicts the gain of moves away from a default, from their gains in other tasks.
//
// A point is described by the knobs that differ from the start of its family, each moved by a
// number of doublings or to another word. Moves are comparable between tasks of different shapes,
// because their defaults come from the same heuristics, with the same weaknesses. Schedules
// themselves are not comparable: half of their values depend on the shape, and the other task's
// space may not even contain them.
//
// A Gaussian process over such moves. A move is expected to gain the same in another task, less if
// its template differs but has a knob of that name. A joint term over all moves makes a successful
// combination expected to succeed again.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedules/config_space.h"

namespace tinytune {

/// Prior cost of moving a knob, in logarithms of cycles; positive: defaults are well chosen.
constexpr double kCostOfAMove = 0.06;

/// The moves of a space's points.
class KnobMoves {
 public:
  /// `space` must outlive this. Points of a family without a start count as not moved.
  KnobMoves(const ConfigSpace& space, std::optional<size_t> default_point,
            std::span<const size_t> starts);

  struct Move {
    bool moved = false;
    std::optional<double> doublings;  ///< if both values are numbers
    std::string word;                 ///< the new value
  };

  const ConfigSpace& space() const { return *space_; }
  std::optional<size_t> default_point() const { return default_point_; }
  /// The point relative to which a family's moves are defined.
  std::optional<size_t> start_of(size_t family) const { return starts_[family]; }
  /// Returns the number of moved knobs.
  double count(size_t point) const;
  /// Returns the move of a knob from the family's start to a value.
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
  size_t task = 0;  ///< index into the tasks of the fit
  size_t point = 0;
  double value = 0;  ///< logarithm of the cycles; levels of tasks are not compared
};

/// Deterministic; not thread-safe.
class TransferGp {
 public:
  TransferGp();
  ~TransferGp();
  TransferGp(TransferGp&&) noexcept;
  TransferGp& operator=(TransferGp&&) noexcept;

  /// Fits to the samples of several tasks, which must outlive this. The time grows with the cube of
  /// the number of samples: intended for some hundred.
  void fit(std::vector<const KnobMoves*> tasks, std::span<const MoveSample> samples);

  /// Predicts how much faster points of a task, which need not be one of the fit's, are than the
  /// prior cost of their moves from the task's default, in logarithms. A family's start may be
  /// predicted slower; moves within a family may not, because a move that lost elsewhere may win
  /// here. All 0 for a task without a default.
  std::vector<float> promises(const KnobMoves& task, std::span<const size_t> points) const;

  /// Returns whether a sample was of that template.
  bool knows(const std::string& template_name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
