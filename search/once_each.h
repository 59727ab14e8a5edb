// Base class of searches that propose each point once, the default schedule first.
#pragma once

#include <optional>
#include <utility>

#include "base/rng.h"
#include "search/strategy.h"
#include "search/unseen.h"

namespace tinytune {

class OnceEach : public Strategy {
 public:
  std::optional<Proposal> propose() final {
    if (unseen_.empty()) return std::nullopt;
    const bool is_default = unseen_.contains(problem_.default_point);
    const size_t point = is_default ? *problem_.default_point : choose();
    unseen_.take(point);
    proposed(point);
    return Proposal{point, problem_.last_stage};
  }

  void observe(const Observation& observation) final {
    unseen_.take(observation.point);
    learn(observation);
  }

 protected:
  /// `stream`: name of its random number stream.
  OnceEach(SearchProblem problem, const char* stream)
      : problem_(std::move(problem)),
        space_(*problem_.space),
        unseen_(space_.size()),
        rng_(Rng(problem_.seed).fork(stream)) {}

  /// Returns an unseen point; there is at least one.
  virtual size_t choose() = 0;
  virtual void proposed(size_t /*point*/) {}
  virtual void learn(const Observation&) {}

  const SearchProblem problem_;
  const ConfigSpace& space_;
  Unseen unseen_;
  Rng rng_;
};

}  // namespace tinytune
