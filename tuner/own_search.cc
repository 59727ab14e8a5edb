#include "tuner/own_search.h"

#include <algorithm>
#include <utility>

#include "base/rng.h"

namespace tinytune {
namespace {

class Asked final : public Strategy {
 public:
  Asked(std::unique_ptr<SearchStrategy> own, const TuningTask& task, Fidelity stage,
        MessageSink on_message)
      : own_(std::move(own)),
        task_(task),
        stage_(stage),
        on_message_(std::move(on_message)),
        known_(task.space.size(), false) {}

  std::optional<Proposal> propose() override {
    for (size_t repeats = 0; repeats <= known_.size(); ++repeats) {
      const std::optional<size_t> point = own_->ask();
      if (!point) break;
      if (*point >= known_.size()) {
        if (on_message_)
          on_message_(MessageKind::kWarning, "the search of " + task_.workload +
                                                 " asked for point " + std::to_string(*point) +
                                                 " of " + std::to_string(known_.size()) +
                                                 ", and ends");
        break;
      }
      if (known_[*point]) continue;
      known_[*point] = true;
      return Proposal{*point, stage_};
    }
    return std::nullopt;
  }

  void observe(const Observation& observation) override {
    known_[observation.point] = true;
    own_->tell(observation.point, observation.cycles());
  }

 private:
  std::unique_ptr<SearchStrategy> own_;
  const TuningTask& task_;
  Fidelity stage_;
  MessageSink on_message_;
  std::vector<bool> known_;  // by point: proposed or observed
};

}  // namespace

Status check_own_search(const OwnSearch& search) {
  const auto invalid = [](std::string why) {
    return Error(ErrorCode::kInvalidInput, std::move(why));
  };
  if (search.name.empty()) return invalid("a search of your own needs a name");
  if (!search.make) return invalid("search '" + search.name + "' has nothing that makes it");
  if (std::ranges::count(strategy_names(), search.name) > 0)
    return invalid("'" + search.name + "' is the name of a strategy that exists");
  return ok_status();
}

const std::string& name_of_tuner(const TuneOptions& options) {
  return options.search ? options.search->name : options.tuner;
}

Result<std::vector<std::unique_ptr<Strategy>>> own_strategies(const OwnSearch& search,
                                                              const std::vector<TuningTask>& tasks,
                                                              const RunSettings& settings,
                                                              const MessageSink& on_message) {
  std::vector<std::unique_ptr<Strategy>> strategies;
  for (const TuningTask& task : tasks) {
    Candidates candidates;
    candidates.workload = task.workload;
    candidates.size = task.space.size();
    candidates.default_point = task.default_point;
    candidates.seed = Rng(settings.seed).fork(task.workload).next();
    candidates.schedule = [space = std::make_shared<const ConfigSpace>(task.space)](size_t point) {
      return to_text(space->schedule(point));
    };
    std::unique_ptr<SearchStrategy> own = search.make(candidates);
    if (own == nullptr)
      return Error(ErrorCode::kInvalidInput,
                   "search '" + search.name + "' makes nothing for " + task.workload);
    strategies.push_back(
        std::make_unique<Asked>(std::move(own), task, settings.fidelity, on_message));
  }
  return strategies;
}

}  // namespace tinytune
