#include "rpc_device/fleet/quarantine.h"

namespace tinytune {

bool Quarantine::fault(const std::string& place, const std::string& why, Clock::time_point now) {
  Case& of = cases_[place];
  ++of.faults;
  of.last_fault = why;
  if (of.held || of.faults < kFaultsInARow) return false;
  of.held = true;
  of.next_examination = now;
  return true;
}

void Quarantine::success(const std::string& place) {
  if (!holds(place)) forget(place);  // a job begun before the last fault is no reason to release it
}

bool Quarantine::holds(const std::string& place) const {
  const auto at = cases_.find(place);
  return at != cases_.end() && at->second.held;
}

bool Quarantine::is_due(const std::string& place, Clock::time_point now) const {
  const auto at = cases_.find(place);
  return at != cases_.end() && at->second.held && now >= at->second.next_examination;
}

void Quarantine::examined(const std::string& place, const std::string& wrong,
                          Clock::time_point now) {
  if (wrong.empty()) return forget(place);
  const auto at = cases_.find(place);
  if (at == cases_.end()) return;
  at->second.wrong = wrong;
  at->second.next_examination = now + kBetweenExaminations;
}

bool Quarantine::is_unfit(const std::string& place) const {
  const auto at = cases_.find(place);
  return at != cases_.end() && at->second.held && !at->second.wrong.empty();
}

std::string to_text(const Quarantine::Case& of) {
  const std::string faults = std::to_string(of.faults) + (of.faults == 1 ? " fault" : " faults") +
                             " in a row, the last: " + of.last_fault;
  if (of.wrong.empty()) return faults;
  return faults + "; its examination found: " + of.wrong;
}

}  // namespace tinytune
