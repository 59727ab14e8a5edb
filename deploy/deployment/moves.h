// Moves: the ways to make a network faster, or to make it fit.
//
// A search is a list of named moves. Each proposes a network; the loop runs it and keeps it where
// it takes fewer cycles than the one so far. What was tried, and what became of it, is noted for
// `tune explain`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "deploy/deployment/deployment.h"
#include "deploy/deployment/move_trace.h"
#include "deploy/deployment/trial.h"
#include "tinytune/deploy.h"
#include "tinytune/result.h"

namespace tinytune {

/// Why a move has no network; empty: it is for other searches, and not noted.
struct NotProposed {
  std::string why = {};
};

/// An error ends what there is: nothing may be deployed unless a later move can do without.
using Proposal = std::variant<NotProposed, Candidate, Error>;

inline Proposal proposal_of(Result<Candidate> found) {
  if (!found) return found.error();
  return std::move(*found);
}

/// `Search` has a `deployment`, and `best`, a Result<Candidate>.
template <typename Search>
struct Move {
  std::string_view name;
  Proposal (*propose)(Search& search);
  std::string_view otherwise = {};  ///< said, with the reason, where it was asked for in vain
};

/// Keeps the one that takes fewer cycles in `best`. Returns whether that is `proposed`; so it is
/// where no network so far fits, and where this machine can run neither.
bool keep_faster(const Deployment& deployment, Result<Candidate>& best, Candidate proposed,
                 MoveTrace::Entry& entry);

/// Makes the moves in their order. `search.best` is what they found.
template <typename Search, size_t count>
void make_moves(const Move<Search> (&moves)[count], Search& search) {
  const Deployment& deployment = search.deployment;
  for (const Move<Search>& move : moves) {
    MoveTrace::Entry entry(deployment.trace, move.name);
    Proposal proposal = move.propose(search);
    std::string why;
    if (auto* error = std::get_if<Error>(&proposal)) {
      entry.ends(error->message());
      search.best = std::move(*error);
      continue;
    }
    if (auto* none = std::get_if<NotProposed>(&proposal))
      why = std::move(none->why);
    else if (!keep_faster(deployment, search.best, std::get<Candidate>(std::move(proposal)), entry))
      why = "it takes more cycles";
    else
      entry.keeps();
    entry.ends(why);
    if (deployment.sink && !move.otherwise.empty() && !why.empty())
      deployment.sink(MessageKind::kInfo, std::string(move.otherwise) + ": " + why);
  }
}

}  // namespace tinytune
