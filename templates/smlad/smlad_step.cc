#include "templates/smlad/smlad_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "base/check.h"

namespace tinytune {
namespace {

constexpr int kRegisters = 14;  // r0 to r12 and lr
constexpr int kRaw = 2;         // registers of a word of inputs: what it is widened to
constexpr int64_t kReach = 4095, kReachBack = 255, kPairReach = 1020;
// Pushed and popped once a run of a few steps.
constexpr int kEndOnStackCycles = 6, kEndOnStackInstructions = 2;

int temporaries(const SmladTile& tile, bool end_on_stack) {
  return kRegisters - SmladStep::kCursors - tile.channels * tile.pixels - (end_on_stack ? 0 : 1);
}

// The inputs of a pair, and the word that meets them.
int fewest_temporaries(const SmladTile& tile, const SmladInputs& inputs) {
  return (inputs.as_bytes ? kRaw : tile.pixels) + 1;
}

class Writer {
 public:
  Writer(const SmladTile& tile, const SmladInputs& inputs, int pairs, SmladLoads loads,
         bool end_on_stack)
      : tile_(tile),
        inputs_(inputs),
        pairs_(pairs),
        loads_(loads),
        end_on_stack_(end_on_stack),
        inputs_apart_(loads == SmladLoads::kGrouped && tile.pixels == 1 && tile.words() > 2),
        input_at_(static_cast<size_t>(pairs * tile.pixels)),
        word_at_(static_cast<size_t>(pairs * tile.words())),
        temporaries_(temporaries(tile, end_on_stack)) {
    for (int i = 0; i < temporaries_; ++i) free_.push_back(end() + (end_on_stack ? 0 : 1) + i);
    queue_reads();
    write();
  }

  SmladStep result() const {
    return {text_, temporaries_ - (end_on_stack_ ? 1 : 0), end_on_stack_};
  }
  /// On a core where the first of neighbouring loads costs one more; instructions, with paired
  /// loads.
  int cycles() const { return cycles_; }

 private:
  struct Cursor {
    int operand;
    int64_t step_bytes;
    bool by_load = false;  ///< its first word's load advances it
    bool advanced = false;
  };
  struct Read {
    Cursor* cursor;
    int64_t offset;
    int* into;
    size_t room;       ///< registers that have to be free
    bool raw = false;  ///< four inputs to widen
  };

  void line(const std::string& instruction) {
    text_ += instruction + "\\0A\\09";
    ++cycles_;
  }

  int sum(int pixel, int channel) const {
    return SmladStep::kCursors + pixel * tile_.channels + channel;
  }
  int end() const { return SmladStep::kCursors + tile_.channels * tile_.pixels; }
  int& input(int pair, int pixel) {
    return input_at_[static_cast<size_t>(pair * tile_.pixels + pixel)];
  }
  int& word(int pair, int i) { return word_at_[static_cast<size_t>(pair * tile_.words() + i)]; }

  void queue_reads() {
    // Where a pair meets a single word, two pairs' words make a group; and what one pair has a
    // single one of, two pairs have a couple of.
    const bool even = pairs_ % 2 == 0 && !inputs_.as_bytes;
    const bool words_by_twos = even && loads_ != SmladLoads::kSpread && tile_.words() == 1 &&
                               temporaries_ >= tile_.pixels + 2;
    const bool inputs_by_twos = even && loads_ == SmladLoads::kPaired && !words_by_twos &&
                                tile_.pixels == 1 && temporaries_ >= 4;
    const int group = words_by_twos || inputs_by_twos ? 2 : 1;
    for (int first = 0; first < pairs_; first += group) {
      if (words_by_twos) queue_words(first, group);
      for (int pair = first; pair < first + group; ++pair) queue_inputs(pair);
      if (!words_by_twos)
        for (int pair = first; pair < first + group; ++pair) queue_words(pair, 1);
    }
    if (loads_ == SmladLoads::kPaired) couple();
    for (Cursor* cursor : {&at_weights_, &at_inputs_}) {
      const auto reaches_back = [&](const Read& read) {
        return read.cursor != cursor || read.offset == 0 ||
               read.offset - cursor->step_bytes >= -kReachBack;
      };
      cursor->by_load = std::all_of(reads_.begin(), reads_.end(), reaches_back) &&
                        std::all_of(inputs_to_come_.begin(), inputs_to_come_.end(), reaches_back) &&
                        cursor->step_bytes <= kReachBack;
    }
  }

  void queue_inputs(int pair) {
    const auto push = [&](const Read& read) {
      if (inputs_apart_)
        inputs_to_come_.push_back(read);
      else
        reads_.push_back(read);
    };
    if (inputs_.as_bytes && pair % 2 == 0)
      push({&at_inputs_, int64_t{2} * pair, &input(pair, 0), 1, true});
    for (int i = 0; i < tile_.pixels && !inputs_.as_bytes; ++i)
      push({&at_inputs_, pair * inputs_.pair_bytes + i * inputs_.pixel_bytes, &input(pair, i), 1});
  }

  // Words of several pairs wait until there is room for one of each: a group is loaded at once.
  void queue_words(int first, int pairs) {
    for (int pair = first; pair < first + pairs; ++pair)
      for (int i = 0; i < tile_.words(); ++i)
        reads_.push_back({&at_weights_, int64_t{4} * (pair * tile_.words() + i), &word(pair, i),
                          pair == first ? static_cast<size_t>(pairs) : 1});
  }

  // Neighbours wait until there is room for both.
  void couple() {
    for (size_t i = 0; i + 1 < reads_.size(); ++i)
      if (are_neighbours(reads_[i], reads_[i + 1])) reads_[i++].room = 2;
  }

  static bool are_neighbours(const Read& first, const Read& second) {
    return first.cursor == second.cursor && second.offset == first.offset + 4 &&
           first.offset <= kPairReach;
  }

  void write() {
    for (int pair = 0; pair < pairs_; ++pair) {
      if (inputs_apart_ && takes_input(pair)) load_input(pair);
      // Two words at a time between which the core has something else to do.
      const int together = loads_ == SmladLoads::kSpread && tile_.pixels == 1 ? 2 : 1;
      for (int first = 0; first < tile_.words(); first += together) {
        const int count = std::min(together, tile_.words() - first);
        if (has_room() && !is_ready(pair, first + count - 1)) fill();
        if (inputs_.as_bytes && !inputs_apart_ && first == 0 && pair % 2 == 0) widen(pair);
        // What registers are too few for comes one by one.
        for (int i = first; i < first + count;) {
          int there = 0;
          while (i + there < first + count && is_ready(pair, i + there)) ++there;
          if (there == 0) fill(), there = 1;
          multiply(pair, i, there);
          i += there;
        }
      }
    }
    for (const Cursor* cursor : {&at_weights_, &at_inputs_})
      if (!cursor->advanced) line(fmt::format("add ${}, #{}", cursor->operand, cursor->step_bytes));
    if (end_on_stack_) line(fmt::format("ldr ${}, [sp]", end()));
  }

  // Whether the next read has a register, and leaves what is read already what it will need.
  bool has_room() const { return next_ < reads_.size() && has_room(reads_[next_].room); }

  bool has_room(size_t registers) const {
    if (next_ == reads_.size() || free_.size() < registers) return false;
    // Words that come before their input leave it its registers.
    if (inputs_apart_ && words_before_input() + (inputs_.as_bytes ? kRaw : 1) >= temporaries_)
      return false;
    // What stands behind a word of inputs is still there when the word is widened.
    return raw_.empty() || static_cast<int>(next_ - raw_.front()) + kRaw <= temporaries_;
  }

  bool takes_input(int pair) const { return !inputs_.as_bytes || pair % 2 == 0; }

  // Loaded words of pairs whose input is not.
  int words_before_input() const {
    const auto pairs = static_cast<int>(inputs_loaded_) * (inputs_.as_bytes ? 2 : 1);
    return std::max(0, static_cast<int>(next_) - pairs * tile_.words());
  }

  void load_input(int pair) {
    const Read& read = inputs_to_come_[inputs_loaded_++];
    *read.into = take_register();
    load(read);
    ++cycles_;
    if (inputs_.as_bytes) widen(pair);
  }

  const Read& take() {
    const Read& read = reads_[next_];
    *read.into = take_register();
    if (read.raw) raw_.push_back(next_);
    ++next_;
    return read;
  }

  int take_register() {
    const int taken = free_.front();
    free_.pop_front();
    return taken;
  }

  void load(const Read& read) { load("ldr", fmt::format("${}", *read.into), read); }

  // `into`: from the address of `first` on.
  void load(const char* opcode, const std::string& into, const Read& first) {
    Cursor& from = *first.cursor;
    if (first.offset == 0 && from.by_load) {
      line(fmt::format("{} {}, [${}], #{}", opcode, into, from.operand, from.step_bytes));
      from.advanced = true;
    } else {
      line(fmt::format("{} {}, [${}, #{}]", opcode, into, from.operand,
                       first.offset - (from.advanced ? from.step_bytes : 0)));
    }
  }

  // Loads all that there is room for: neighbours in one memory together, and what advances a
  // cursor last, since the cursor is not there for the next load.
  void fill() {
    std::vector<Read> group;
    while (has_room()) group.push_back(take());
    if (group.empty() && has_room(1)) group.push_back(take());  // no room for its neighbour
    TT_CHECK(!group.empty(), "registers for the next word");
    for (const Cursor* cursor : {&at_weights_, &at_inputs_}) {
      std::vector<Read> here;
      for (const Read& read : group)
        if (read.cursor == cursor) here.push_back(read);
      if (here.empty()) continue;
      if (loads_ == SmladLoads::kPaired)
        load_couples(here);
      else
        load_each(here);
    }
  }

  void load_each(std::vector<Read>& here) {
    if (here.front().offset == 0) std::rotate(here.begin(), here.begin() + 1, here.end());
    for (const Read& read : here) load(read);
    ++cycles_;
  }

  void load_couples(const std::vector<Read>& here) {
    // The cursor's first word, and its neighbour, behind all others.
    size_t first = 0;
    if (here.front().offset == 0) first = couple_at(here, 0) ? 2 : 1;
    for (size_t i = first; i < here.size();) i += load_at(here, i);
    if (first > 0) load_at(here, 0);
  }

  static bool couple_at(const std::vector<Read>& reads, size_t i) {
    return i + 1 < reads.size() && are_neighbours(reads[i], reads[i + 1]);
  }

  // Returns how many reads that was.
  size_t load_at(const std::vector<Read>& reads, size_t i) {
    if (!couple_at(reads, i)) {
      load(reads[i]);
      return 1;
    }
    load("ldrd", fmt::format("${}, ${}", *reads[i].into, *reads[i + 1].into), reads[i]);
    return 2;
  }

  void widen(int pair) {
    const int raw = input(pair, 0), low = take_register();
    line(fmt::format("sxtb16 ${}, ${}", low, raw));
    line(fmt::format("sxtb16 ${0}, ${0}, ror #8", raw));
    input(pair, 0) = low, input(pair + 1, 0) = raw;
    if (!inputs_apart_) raw_.pop_front();
  }

  // All pixels with `count` words of weights that are loaded.
  void multiply(int pair, int first, int count) {
    const bool joined = tile_.form == WeightForm::kJoined;
    for (int i = first; joined && i < first + count; ++i) {
      for (int pixel = 0; pixel < tile_.pixels; ++pixel) add_product(pair, i, pixel, 2 * i + 1);
      line(fmt::format("sxtb16 ${0}, ${0}", word(pair, i)));
    }
    for (int i = first; i < first + count; ++i) {
      for (int pixel = 0; pixel < tile_.pixels; ++pixel) {
        if (pixel == tile_.pixels - 1) free_.push_back(word(pair, i));
        if (i == tile_.words() - 1) free_.push_back(input(pair, pixel));
        add_product(pair, i, pixel, joined ? 2 * i : i);
      }
    }
  }

  // Behind it, registers that it was the last to read are loaded again.
  void add_product(int pair, int i, int pixel, int channel) {
    line(fmt::format("smlad ${0}, ${1}, ${2}, ${0}", sum(pixel, channel), input(pair, pixel),
                     word(pair, i)));
    if (loads_ == SmladLoads::kSpread && has_room()) load(take());
  }

  bool is_ready(int pair, int i) {
    return word(pair, i) != 0 && (inputs_.as_bytes || input(pair, tile_.pixels - 1) != 0);
  }

  const SmladTile& tile_;
  const SmladInputs& inputs_;
  const int pairs_;
  const SmladLoads loads_;
  const bool end_on_stack_;
  // The one input of a pair comes alone, once it is multiplied, and words of weights before it:
  // their groups are longer then, and another memory's load is no part of them anyway.
  const bool inputs_apart_;
  Cursor at_weights_{0, tile_.weight_bytes(pairs_)};
  Cursor at_inputs_{1, inputs_.step_bytes};
  std::vector<int> input_at_, word_at_;  // operands; 0: not loaded yet
  const int temporaries_;
  std::vector<Read> reads_, inputs_to_come_;
  size_t inputs_loaded_ = 0;
  size_t next_ = 0;         // of reads_
  std::deque<size_t> raw_;  // of reads_: loaded inputs that wait to be widened
  std::deque<int> free_;    // operands
  std::string text_;
  int cycles_ = 0;
};

}  // namespace

Knob loads_knob() { return {"loads", {"grouped", "spread", "paired"}}; }

SmladLoads smlad_loads(const std::string& value) {
  if (value == "paired") return SmladLoads::kPaired;
  return value == "spread" ? SmladLoads::kSpread : SmladLoads::kGrouped;
}

std::string usual_loads(const Device& device) {
  if (device.timing.model == "unit") return "paired";
  return device.timing.model == "dual_issue" ? "spread" : "grouped";
}

bool smlad_step_fits(const SmladTile& tile, const SmladInputs& inputs, int pairs) {
  if (tile.form == WeightForm::kJoined && tile.channels % 2 != 0) return false;
  if (inputs.as_bytes && (tile.pixels > 1 || pairs % 2 != 0)) return false;
  return temporaries(tile, true) >= fewest_temporaries(tile, inputs) &&
         (pairs - 1) * inputs.pair_bytes + (tile.pixels - 1) * inputs.pixel_bytes <= kReach &&
         tile.weight_bytes(pairs) <= kReach && inputs.step_bytes <= kReach;
}

SmladStep smlad_step(const SmladTile& tile, const SmladInputs& inputs, int pairs,
                     SmladLoads loads) {
  TT_CHECK(smlad_step_fits(tile, inputs, pairs), "who asks for a step knows that it fits");
  const Writer on_stack(tile, inputs, pairs, loads, true);
  if (temporaries(tile, false) < fewest_temporaries(tile, inputs)) return on_stack.result();
  const Writer in_register(tile, inputs, pairs, loads, false);
  // Loads beside products cost nothing, and with a register more each may stand further ahead.
  if (loads == SmladLoads::kSpread) return on_stack.result();
  const int price = loads == SmladLoads::kPaired ? kEndOnStackInstructions : kEndOnStackCycles;
  const bool pays = on_stack.cycles() + price < in_register.cycles();
  return pays ? on_stack.result() : in_register.result();
}

}  // namespace tinytune
