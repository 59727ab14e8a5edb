// Moves: the ways to make a network faster, or to make it fit.
//
// A search is a list of named moves. Each proposes a network; the loop runs it and keeps it if it
// takes fewer cycles than the best so far. Outcomes of moves are recorded for `tune explain`.
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

/// Reason why a move has no network; empty: the move does not apply and is not recorded.
struct NotProposed {
  std::string why = {};
};

/// An error replaces the best network: nothing is deployed unless a later move succeeds without it.
using Proposal = std::variant<NotProposed, Candidate, Error>;

inline Proposal proposal_of(Result<Candidate> found) {
  if (!found) return found.error();
  return std::move(*found);
}

/// `Search` must have members `deployment` and `best` (a Result<Candidate>).
template <typename Search>
struct Move {
  std::string_view name;
  Proposal (*propose)(Search& search);
  std::string_view otherwise = {};  ///< if set, reported with the reason if nothing is kept
};

/// Keeps the network of fewer cycles in `best`. Returns whether that is `proposed`; also true if
/// `best` is an error, or if this machine can run neither.
bool keep_faster(const Deployment& deployment, Result<Candidate>& best, Candidate proposed,
                 MoveTrace::Entry& entry);

/// Makes the moves in order and leaves the result in `search.best`.
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
