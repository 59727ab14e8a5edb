// Base class of searches guided by a ranking model, which may be shared by several tasks.
#pragma once

#include <memory>
#include <utility>

#include "search/once_each.h"
#include "search/shared_model.h"

namespace tinytune {

class GuidedSearch : public OnceEach {
 protected:
  GuidedSearch(SearchProblem problem, const char* stream)
      : OnceEach(std::move(problem), stream),
        model_(problem_.model ? problem_.model : std::make_shared<SharedModel>(problem_.seed)),
        task_(model_->add_task(problem_)) {}

  void learn(const Observation& observation) override {
    model_->observe(task_, observation);
    ++observed_;
  }

  const std::shared_ptr<SharedModel> model_;
  const size_t task_;  ///< the task's number in the model
  size_t observed_ = 0;
};

}  // namespace tinytune
