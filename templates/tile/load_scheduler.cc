#include "templates/tile/load_scheduler.h"

#include <algorithm>

#include "base/check.h"

namespace tinytune {
namespace {

/// A line of text whose operands are given in AddressModes' order.
template <typename... Operands>
void emit(Assembly& out, const char* form, Operands&&... operands) {
  out.emit("{}", fmt::format(fmt::runtime(form), operands...));
}

}  // namespace

Knob loads_knob() { return {"loads", {"grouped", "spread", "paired"}}; }

LoadOrder load_order(const std::string& value) {
  if (value == "paired") return LoadOrder::kPaired;
  return value == "spread" ? LoadOrder::kSpread : LoadOrder::kGrouped;
}

std::string usual_loads(const Device& device) {
  if (device.timing.model == "unit") return "paired";
  return device.timing.model == "dual_issue" ? "spread" : "grouped";
}

LoadScheduler::Queued LoadScheduler::numbered(const Read& read) {
  values_.emplace_back();
  return {read, static_cast<int>(values_.size()) - 1, queue_.size()};
}

int LoadScheduler::queue(const Read& read) {
  queue_.push_back(numbered(read));
  return queue_.back().value;
}

int LoadScheduler::queue_alone(const Read& read) {
  alone_.push_back(numbered(read));
  return alone_.back().value;
}

void LoadScheduler::close_queue() {
  // Neighbours wait until there is room for both.
  for (size_t i = 0; order_ == LoadOrder::kPaired && i + 1 < queue_.size(); ++i)
    if (are_neighbours(queue_[i], queue_[i + 1])) queue_[i++].room = 2;
  for (size_t s = 0; s < streams_.size(); ++s) {
    Stream& stream = streams_[s];
    const auto reaches_back = [&](const Queued& read) {
      return static_cast<size_t>(read.stream) != s || read.offset == 0 ||
             read.offset - stream.step_bytes >= -modes_.reach_back;
    };
    stream.moves_by_load = std::all_of(queue_.begin(), queue_.end(), reaches_back) &&
                           std::all_of(alone_.begin(), alone_.end(), reaches_back) &&
                           stream.step_bytes <= modes_.reach_back;
  }
}

bool LoadScheduler::are_neighbours(const Queued& first, const Queued& second) const {
  return first.stream == second.stream && second.offset == first.offset + 4 &&
         first.offset <= modes_.pair_reach;
}

bool LoadScheduler::has_room(size_t registers) const {
  if (next_ == queue_.size() || registers_.free() < registers) return false;
  // What is loaded ahead of a value that comes alone leaves it its registers.
  if (next_alone_ < alone_.size()) {
    const Queued& alone = alone_[next_alone_];
    const auto ahead = next_ > alone.before ? static_cast<int>(next_ - alone.before) : 0;
    if (ahead + alone.registers >= all_registers_) return false;
  }
  // What stands behind a packed value is still there when the value is unpacked.
  return packed_.empty() ||
         static_cast<int>(next_ - packed_.front()) + queue_[packed_.front()].registers <=
             all_registers_;
}

const LoadScheduler::Queued& LoadScheduler::take() {
  const Queued& read = queue_[next_];
  values_[static_cast<size_t>(read.value)] = registers_.take();
  if (read.registers > 1) packed_.push_back(next_);
  ++next_;
  return read;
}

void LoadScheduler::load_alone() {
  const Queued& read = alone_[next_alone_++];
  values_[static_cast<size_t>(read.value)] = registers_.take();
  load(read);
  ++groups_;
}

void LoadScheduler::computed() {
  if (order_ == LoadOrder::kSpread && has_room()) load(take());
}

void LoadScheduler::unpacked(int value) {
  if (!packed_.empty() && queue_[packed_.front()].value == value) packed_.pop_front();
}

void LoadScheduler::load(const Queued& read) {
  write(modes_.word, modes_.word_post, fmt::format("{}", reg(read.value)), read);
}

// `values` from the address of `first` on.
void LoadScheduler::write(const char* form, const char* form_post, const std::string& values,
                          const Queued& first) {
  Stream& from = streams_[static_cast<size_t>(first.stream)];
  const bool moves = first.offset == 0 && from.moves_by_load;
  const int64_t offset =
      moves ? from.step_bytes : first.offset - (from.moved ? from.step_bytes : 0);
  emit(out_, moves ? form_post : form, values, from.cursor, offset);
  from.moved |= moves;
}

void LoadScheduler::fill() {
  std::vector<Queued> group;
  while (has_room()) group.push_back(take());
  if (group.empty() && has_room(1)) group.push_back(take());  // no room for its neighbour
  TT_CHECK(!group.empty(), "registers for the next word");
  for (size_t s = 0; s < streams_.size(); ++s) {
    std::vector<Queued> here;
    for (const Queued& read : group)
      if (static_cast<size_t>(read.stream) == s) here.push_back(read);
    if (here.empty()) continue;
    ++groups_;
    // The stream's first word, and its neighbour, behind all others.
    const auto couple = [&](size_t i) {
      return order_ == LoadOrder::kPaired && i + 1 < here.size() &&
             are_neighbours(here[i], here[i + 1]);
    };
    const bool is_first = here.front().offset == 0 && modes_.word_post != nullptr;
    const size_t last = !is_first ? 0 : couple(0) ? 2 : 1;
    for (size_t i = last; i < here.size();) i += load_at(here, i, couple(i));
    if (last > 0) load_at(here, 0, couple(0));
  }
}

// Returns how many reads that was.
size_t LoadScheduler::load_at(const std::vector<Queued>& here, size_t i, bool couple) {
  const Queued& first = here[i];
  if (!couple) {
    load(first);
    return 1;
  }
  write(modes_.pair, modes_.pair_post,
        fmt::format("{}, {}", reg(first.value), reg(here[i + 1].value)), first);
  return 2;
}

void LoadScheduler::finish() {
  for (const Stream& stream : streams_)
    if (!stream.moved) emit(out_, modes_.move, stream.cursor, stream.step_bytes);
}

}  // namespace tinytune
