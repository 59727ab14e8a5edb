// Decides when the values of a step are loaded, into which registers, and from which address.
//
// A step is straight-line code that reads streams: arrays whose cursors it moves on by a fixed
// distance. What it reads is queued in the order of use, before any of it is written; the code that
// computes then asks for values and gives their registers back. Left to decide is when a free
// register is loaded again, which is the core's business (LoadOrder), and how the address is
// written, which is the instruction set's (AddressModes): a stream's first word moves its cursor
// where the others can reach back, neighbours come by one instruction where there is one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "devices/device.h"
#include "schedules/config_space.h"
#include "templates/tile/assembly.h"
#include "templates/tile/registers.h"

namespace tinytune {

/// When a free register is loaded again.
enum class LoadOrder {
  /// Once nothing loaded is left: all together. On a Cortex-M4 the second and later loads of a
  /// group take one cycle, and one by itself two.
  kGrouped,
  /// At once, between products: a Cortex-M7 does both in one cycle, and waits for a word that was
  /// loaded just before it is multiplied.
  kSpread,
  /// As grouped, neighbours by one instruction: fewer instructions. On a Cortex-M4 LDRD takes as
  /// many cycles as two loads by themselves, and more than the later ones of a group.
  kPaired,
  /// At once, before the products of what is there: for cores that wait for what they just loaded.
  kAhead,
};

/// "loads": {"grouped", "spread", "paired"}.
inline Knob loads_knob() { return {"loads", {"grouped", "spread", "paired"}}; }
/// `value` is that knob's.
inline LoadOrder load_order(const std::string& value) {
  if (value == "paired") return LoadOrder::kPaired;
  return value == "spread" ? LoadOrder::kSpread : LoadOrder::kGrouped;
}
/// The value for an untuned layer: spread on a core that issues two instructions a cycle, paired
/// where instructions are counted.
inline std::string usual_loads(const Device& device) {
  if (device.timing.model == "unit") return "paired";
  return device.timing.model == "dual_issue" ? "spread" : "grouped";
}

/// How an instruction set writes addresses: lines of what is loaded, base and distance.
struct AddressModes {
  const char* word;              ///< one value
  const char* word_post;         ///< the same, and then the base moves by the distance; or null
  const char *pair, *pair_post;  ///< two neighbouring words
  const char* move;              ///< of a cursor and a distance
  int64_t reach, reach_back;     ///< of a word's offset, and of one that is negative or moves
  int64_t pair_reach;            ///< -1: there are no pairs
  int64_t value_bytes = 4;       ///< of what a load brings
};

class LoadScheduler {
 public:
  /// What is left of `registers` is the pool.
  LoadScheduler(const AddressModes& modes, LoadOrder order, Registers& registers, Assembly& out)
      : modes_(modes),
        order_(order),
        registers_(registers),
        all_registers_(registers.left()),
        out_(out) {
    registers.open_pool();
  }

  /// An array and the bytes that a step moves on in it. `moves_by_load`: with its first load, which
  /// all others can reach back from.
  int add_stream(Reg cursor, int64_t step_bytes, bool moves_by_load = false) {
    streams_.push_back({cursor, step_bytes, moves_by_load});
    return static_cast<int>(streams_.size()) - 1;
  }

  /// An array that is read front to back, whose cursor every load moves on to the next value: for
  /// offsets that do not reach. Its reads' offsets are ignored.
  int add_sequence(Reg cursor) {
    streams_.push_back({cursor, modes_.value_bytes, true, true});
    return static_cast<int>(streams_.size()) - 1;
  }

  /// A value of a stream, which is a number from here on.
  struct Read {
    int stream;
    int64_t offset;
    size_t room = 1;    ///< registers that must be free before it is loaded
    int registers = 1;  ///< that it takes once it is used
  };
  /// `alone`: it is loaded by load_alone(), before those that are queued after it are used.
  int queue(const Read& read, bool alone = false) {
    const int value = static_cast<int>(values_.size());
    values_.emplace_back();
    (alone ? alone_ : queue_).push_back({read, value, queue_.size()});
    return value;
  }
  /// All of the step is queued: neighbours are to come by one instruction where there is one, and
  /// cursors to move by a load.
  void close_queue() {
    // Neighbours wait until there is room for both.
    for (size_t i = 0; order_ == LoadOrder::kPaired && i + 1 < queue_.size(); ++i)
      if (are_neighbours(queue_[i], queue_[i + 1])) queue_[i++].room = 2;
    for (size_t s = 0; s < streams_.size(); ++s) {
      Stream& stream = streams_[s];
      if (stream.moves_each) continue;
      const auto reaches_back = [&](const Queued& read) {
        return static_cast<size_t>(read.stream) != s || read.offset == 0 ||
               read.offset - stream.step_bytes >= -modes_.reach_back;
      };
      stream.moves_by_load = std::all_of(queue_.begin(), queue_.end(), reaches_back) &&
                             std::all_of(alone_.begin(), alone_.end(), reaches_back) &&
                             stream.step_bytes <= modes_.reach_back;
    }
  }

  bool is_loaded(int value) const { return values_[static_cast<size_t>(value)].has_value(); }
  Reg reg(int value) const { return *values_[static_cast<size_t>(value)]; }
  /// Whether the next of the queue has a register, and leaves what is read already what it needs.
  bool has_room() const { return next_ < queue_.size() && has_room(queue_[next_].room); }
  /// Loads `value`, and with it what the order says, if it has not been.
  void want(int value) {
    if (has_room() && (order_ == LoadOrder::kAhead || !is_loaded(value))) fill();
    if (!is_loaded(value)) fill();
  }
  /// Loads all that there is room for, at least one: those of a stream together, and what moves
  /// its cursor last, since the cursor is not there for the next load.
  void fill() {
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
      const auto coupled = [&](size_t i) -> const Queued* {
        const bool couples = order_ == LoadOrder::kPaired && i + 1 < here.size() &&
                             are_neighbours(here[i], here[i + 1]);
        return couples ? &here[i + 1] : nullptr;
      };
      const bool is_first =
          here.front().offset == 0 && modes_.word_post != nullptr && !streams_[s].moves_each;
      const size_t last = !is_first ? 0 : coupled(0) ? 2 : 1;
      for (size_t i = last; i < here.size(); i += coupled(i) ? 2 : 1) load(here[i], coupled(i));
      if (last > 0) load(here[0], coupled(0));
    }
  }
  /// The next of those that are loaded alone.
  void load_alone() {
    const Queued& read = alone_[next_alone_++];
    values_[static_cast<size_t>(read.value)] = registers_.take();
    load(read);
    ++groups_;
  }
  /// Behind an instruction that computes: registers it was the last to read are loaded again where
  /// loads are spread.
  void computed() {
    if (order_ == LoadOrder::kSpread && has_room()) load(take());
  }
  /// `value` has been used and its register serves something else.
  void unpacked(int value) {
    if (!packed_.empty() && queue_[packed_.front()].value == value) packed_.pop_front();
  }
  /// Moves the cursors that no load has moved.
  void finish() {
    for (const Stream& stream : streams_)
      if (!stream.moved) emit(modes_.move, stream.cursor, stream.step_bytes);
  }
  /// A stream's byte at `offset` from its cursor as it stands now.
  int64_t from_cursor(int stream, int64_t offset) const {
    const Stream& from = streams_[static_cast<size_t>(stream)];
    return offset - (from.moved ? from.step_bytes : 0);
  }
  /// Groups of loads, by stream.
  int groups() const { return groups_; }

 private:
  struct Stream {
    Reg cursor;
    int64_t step_bytes;
    bool moves_by_load = false, moves_each = false, moved = false;
  };
  struct Queued : Read {
    int value;
    size_t before = 0;  ///< alone: the entries of the queue that came earlier
  };

  bool has_room(size_t registers) const {
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
  bool are_neighbours(const Queued& first, const Queued& second) const {
    return first.stream == second.stream && second.offset == first.offset + 4 &&
           first.offset <= modes_.pair_reach;
  }
  const Queued& take() {
    const Queued& read = queue_[next_];
    values_[static_cast<size_t>(read.value)] = registers_.take();
    if (read.registers > 1) packed_.push_back(next_);
    ++next_;
    return read;
  }
  // One word, or with its neighbour.
  void load(const Queued& first, const Queued* second = nullptr) {
    Stream& from = streams_[static_cast<size_t>(first.stream)];
    const bool moves = from.moves_each || (first.offset == 0 && from.moves_by_load);
    const int64_t offset = moves ? from.step_bytes : from_cursor(first.stream, first.offset);
    std::string values = fmt::format("{}", reg(first.value));
    if (second != nullptr) values += fmt::format(", {}", reg(second->value));
    const char* word = moves ? modes_.word_post : modes_.word;
    const char* pair = moves ? modes_.pair_post : modes_.pair;
    emit(second != nullptr ? pair : word, values, from.cursor, offset);
    from.moved |= moves;
  }

  // Operands of a form are in AddressModes' order.
  template <typename... Operands>
  void emit(const char* form, Operands&&... operands) {
    out_.emit("{}", fmt::format(fmt::runtime(form), operands...));
  }

  const AddressModes& modes_;
  const LoadOrder order_;
  Registers& registers_;
  const int all_registers_;
  Assembly& out_;
  std::vector<Stream> streams_;
  std::vector<std::optional<Reg>> values_;
  std::vector<Queued> queue_, alone_;
  size_t next_ = 0, next_alone_ = 0;
  std::deque<size_t> packed_;  // of the queue: loaded values that take more registers when used
  int groups_ = 0;
};

}  // namespace tinytune
