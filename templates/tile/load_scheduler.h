// Decides when the values of a step are loaded, into which registers, and from which address.
//
// A step is straight-line code that reads streams: arrays whose cursors it moves on by a fixed
// distance. What it reads is queued in the order of use, before any of it is written; the code that
// computes then asks for values and gives their registers back. Left to decide is when a free
// register is loaded again, which is the core's business (LoadOrder), and how the address is
// written, which is the instruction set's (AddressModes): a stream's first word moves its cursor
// where the others can reach back, neighbours come by one instruction where there is one.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

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
Knob loads_knob();
/// `value` is that knob's.
LoadOrder load_order(const std::string& value);
/// The value for an untuned layer: spread on a core that issues two instructions a cycle, paired
/// where instructions are counted.
std::string usual_loads(const Device& device);

/// How an instruction set writes addresses: lines of what is loaded, base and distance.
struct AddressModes {
  const char* word;              ///< one value
  const char* word_post;         ///< the same, and then the base moves by the distance; or null
  const char *pair, *pair_post;  ///< two neighbouring words
  const char* move;              ///< of a cursor and a distance
  int64_t reach, reach_back;     ///< of a word's offset, and of one that is negative or moves
  int64_t pair_reach;            ///< -1: there are no pairs
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

  /// A value of a stream, which is a number from here on.
  struct Read {
    int stream;
    int64_t offset;
    size_t room = 1;    ///< registers that must be free before it is loaded
    int registers = 1;  ///< that it takes once it is used
  };
  int queue(const Read& read);
  /// One that is loaded by load_alone(), before those that are queued after it are used.
  int queue_alone(const Read& read);
  /// All of the step is queued: neighbours are to come by one instruction where there is one, and
  /// cursors to move by a load.
  void close_queue();

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
  void fill();
  /// The next of those that are loaded alone.
  void load_alone();
  /// Behind an instruction that computes: registers it was the last to read are loaded again where
  /// loads are spread.
  void computed();
  /// `value` has been used and its register serves something else.
  void unpacked(int value);
  /// Moves the cursors that no load has moved.
  void finish();
  /// Groups of loads, by stream.
  int groups() const { return groups_; }

 private:
  struct Stream {
    Reg cursor;
    int64_t step_bytes;
    bool moves_by_load = false, moved = false;
  };
  struct Queued : Read {
    int value;
    size_t before = 0;  ///< alone: the entries of the queue that came earlier
  };

  Queued numbered(const Read& read);
  bool has_room(size_t registers) const;
  bool are_neighbours(const Queued& first, const Queued& second) const;
  const Queued& take();
  void load(const Queued& read);
  void write(const char* form, const char* form_post, const std::string& values,
             const Queued& first);
  size_t load_at(const std::vector<Queued>& here, size_t i, bool couple);

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
