// Schedules the loads of a step: when each value is loaded, into which register, from which
// address.
//
// A step is straight-line code that reads streams: arrays whose cursors it advances by a fixed
// distance. All reads are queued in the order of use before any code is emitted; the code that
// computes then asks for values and releases their registers. When a free register is loaded again
// depends on the core (LoadOrder). How an address is written depends on the instruction set
// (AddressModes): the load of a stream's first word also advances its cursor if the other loads can
// reach back, and neighbouring words are loaded in pairs if there is an instruction for it.
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
  /// When all loaded values are used: as many as fit, together. On a Cortex-M4 the second and later
  /// loads of a group take one cycle, and a single load two.
  kGrouped,
  /// Immediately, between products: a Cortex-M7 issues a load and a product in one cycle, but
  /// stalls on a word that was loaded just before its product.
  kSpread,
  /// As grouped, but neighbours by one instruction: fewer instructions. On a Cortex-M4 LDRD takes
  /// as many cycles as two single loads, and more than later loads of a group.
  kPaired,
  /// Immediately, before the products of loaded values: for cores with a load-use delay.
  kAhead,
};

/// "loads": {"grouped", "spread", "paired"}.
inline Knob loads_knob() { return {"loads", {"grouped", "spread", "paired"}}; }
/// `value` is the value of loads_knob().
inline LoadOrder load_order(const std::string& value) {
  if (value == "paired") return LoadOrder::kPaired;
  return value == "spread" ? LoadOrder::kSpread : LoadOrder::kGrouped;
}
/// Returns the value for an untuned layer: spread on a dual-issue core, paired where the timing
/// model counts instructions, else grouped.
inline std::string usual_loads(const Device& device) {
  if (device.timing.model == "unit") return "paired";
  return device.timing.model == "dual_issue" ? "spread" : "grouped";
}

/// How an instruction set writes loads: formats with the operands value, base and offset.
struct AddressModes {
  const char* word;              ///< load of one value
  const char* word_post;         ///< the same, post-incrementing the base by the offset; or null
  const char *pair, *pair_post;  ///< the same for two neighbouring words
  const char* move;              ///< addition of a distance to a cursor
  int64_t reach, reach_back;     ///< largest offset of a word; if it is negative or moves
  int64_t pair_reach;            ///< largest offset of a pair; -1: there are no pairs
  int64_t value_bytes = 4;       ///< bytes per loaded value
};

class LoadScheduler {
 public:
  /// The pool is those of `registers` that are not kept.
  LoadScheduler(const AddressModes& modes, LoadOrder order, Registers& registers, Assembly& out)
      : modes_(modes),
        order_(order),
        registers_(registers),
        all_registers_(registers.left()),
        out_(out) {
    registers.open_pool();
  }

  /// Adds an array that advances by `step_bytes` per step. `moves_by_load`: its first load moves
  /// the cursor, from where all others can reach back.
  int add_stream(Reg cursor, int64_t step_bytes, bool moves_by_load = false) {
    streams_.push_back({cursor, step_bytes, moves_by_load});
    return static_cast<int>(streams_.size()) - 1;
  }

  /// Adds an array that is read front to back, where every load moves the cursor to the next value:
  /// for offsets out of reach. The offsets of its reads are ignored.
  int add_sequence(Reg cursor) {
    streams_.push_back({cursor, modes_.value_bytes, true, true});
    return static_cast<int>(streams_.size()) - 1;
  }

  /// A value to load from a stream. queue() numbers it.
  struct Read {
    int stream;
    int64_t offset;
    size_t room = 1;    ///< registers that must be free before it is loaded
    int registers = 1;  ///< registers that it takes once it is unpacked
  };
  /// `alone`: load_alone() loads it, before the values queued after it are used.
  int queue(const Read& read, bool alone = false) {
    const int value = static_cast<int>(values_.size());
    values_.emplace_back();
    (alone ? alone_ : queue_).push_back({read, value, queue_.size()});
    return value;
  }
  /// Call when all reads of the step are queued. Decides which neighbours are loaded in pairs (for
  /// the paired order) and which cursors are moved by a load.
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
  /// Returns whether a register is free for the next queued value, beside those that values already
  /// loaded will need.
  bool has_room() const { return next_ < queue_.size() && has_room(queue_[next_].room); }
  /// Loads `value` if it is not loaded yet, and the values that the order loads with it.
  void want(int value) {
    if (has_room() && (order_ == LoadOrder::kAhead || !is_loaded(value))) fill();
    if (!is_loaded(value)) fill();
  }
  /// Loads as many queued values as there is room for, at least one: the values of a stream
  /// together, and the one that moves the cursor last, because the next load would wait for the
  /// cursor.
  void fill() {
    std::vector<Queued> group;
    while (has_room()) group.push_back(take());
    if (group.empty() && has_room(1)) group.push_back(take());  // without its neighbour
    TT_CHECK(!group.empty(), "registers for the next word");
    for (size_t s = 0; s < streams_.size(); ++s) {
      std::vector<Queued> here;
      for (const Queued& read : group)
        if (static_cast<size_t>(read.stream) == s) here.push_back(read);
      if (here.empty()) continue;
      ++groups_;
      // The stream's first word and its neighbour come after all others.
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
  /// Loads the next of the values queued as `alone`.
  void load_alone() {
    const Queued& read = alone_[next_alone_++];
    values_[static_cast<size_t>(read.value)] = registers_.take();
    load(read);
    ++groups_;
  }
  /// Call after an instruction that computes: with spread loads, a register that it was the last to
  /// read is loaded again.
  void computed() {
    if (order_ == LoadOrder::kSpread && has_room()) load(take());
  }
  /// Call when `value` has been unpacked into its registers.
  void unpacked(int value) {
    if (!packed_.empty() && queue_[packed_.front()].value == value) packed_.pop_front();
  }
  /// Moves the cursors that no load has moved.
  void finish() {
    for (const Stream& stream : streams_)
      if (!stream.moved) emit(modes_.move, stream.cursor, stream.step_bytes);
  }
  /// Returns a stream's `offset` relative to its cursor's current position.
  int64_t from_cursor(int stream, int64_t offset) const {
    const Stream& from = streams_[static_cast<size_t>(stream)];
    return offset - (from.moved ? from.step_bytes : 0);
  }
  /// Number of groups of loads; each stream's loads in fill() are one.
  int groups() const { return groups_; }

 private:
  struct Stream {
    Reg cursor;
    int64_t step_bytes;
    bool moves_by_load = false, moves_each = false, moved = false;
  };
  struct Queued : Read {
    int value;
    size_t before = 0;  ///< alone: number of entries of the queue before it
  };

  bool has_room(size_t registers) const {
    if (next_ == queue_.size() || registers_.free() < registers) return false;
    // Values loaded ahead of a value that is loaded alone must leave its registers free.
    if (next_alone_ < alone_.size()) {
      const Queued& alone = alone_[next_alone_];
      const auto ahead = next_ > alone.before ? static_cast<int>(next_ - alone.before) : 0;
      if (ahead + alone.registers >= all_registers_) return false;
    }
    // Values after a packed value are still in registers when the packed value is unpacked.
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
  // Loads one word, or two neighbours.
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

  // `operands`: in the order that AddressModes documents.
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
  std::deque<size_t> packed_;  // queue indices of loaded values that take more registers unpacked
  int groups_ = 0;
};

}  // namespace tinytune
