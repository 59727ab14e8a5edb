#include "deploy/deployment/moves.h"

namespace tinytune {

bool keep_faster(const Deployment& deployment, Result<Candidate>& best, Candidate proposed,
                 MoveTrace::Entry& entry) {
  if (best || deployment.trace != nullptr) {
    const Status ran = run_once(deployment, proposed);
    if (ran) entry.takes(proposed.ran->footprint.cycles);
    if (best && !ran && (ran.error().code() == ErrorCode::kFailed || best->ran)) return false;
    if (best && ran && run_once(deployment, *best) &&
        proposed.ran->footprint.cycles >= best->ran->footprint.cycles)
      return false;
  }
  best = std::move(proposed);
  return true;
}

}  // namespace tinytune
