// Which words of code a core fetches in which cycle, and how a fetch waits for a bank.
//
// Memory that is striped over banks serves one access of each bank in a cycle. A core with two
// ports fetches and loads at once; where both want the same bank, data goes first and the fetch
// waits. Whether that costs anything depends on what is fetched ahead: a word that comes a cycle
// late is often not needed yet. So the way from memory to decoding is followed here cycle by cycle,
// as Hazard3 has it (its RTL, hazard3_frontend.v): a fetch is asked for in one cycle and comes in
// the next; two words can wait in a queue, three half words before decoding; no more is asked for
// than has room. A jump empties all of it. The branch target buffer leads fetching on at the
// target.
//
// Without waits this gives the cycles that the timing model's rules give (timing_in_order.cc), and
// it is not run: those are worked out once for each block. With waits they depend on the addresses
// of data, which change each time round.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/device.h"

namespace tinytune {

/// The bank that a word is in.
class BankMap {
 public:
  static constexpr uint8_t kNone = 0;

  explicit BankMap(const Device& device);

  /// From 1; kNone where nothing waits.
  uint8_t at(uint32_t address) const {
    for (const Stripe& stripe : stripes_)
      if (address - stripe.address < stripe.size_bytes)
        return stripe.banks[address / 4 % stripe.banks.size()];
    return kNone;
  }
  /// The banks of memory at `address`, one bit each.
  uint64_t all_at(uint32_t address) const;

 private:
  struct Stripe {
    uint32_t address = 0, size_bytes = 0;
    std::vector<uint8_t> banks;  ///< of its words in turn
  };
  std::vector<Stripe> stripes_;
};

class FetchStream {
 public:
  static constexpr uint32_t kNowhere = 1;  ///< odd: no code address

  FetchStream() = default;
  /// Just after a jump to `address`.
  explicit FetchStream(uint32_t address);

  /// What the instruction that is executed does in this cycle.
  struct Cycle {
    uint8_t used = 0;             ///< half words that leave the decoder
    uint8_t data_bank = 0;        ///< of its load or store
    uint32_t jump_to = kNowhere;  ///< where fetching must go on
    uint8_t kept = 0;             ///< half words, of an instruction that jumps and is not over
  };
  void advance(const Cycle& cycle, const BankMap& banks, uint32_t bank_wait);

  /// One cycle, whatever is done with data: the word that memory is asked for in it, kNowhere if
  /// none is. delay() says that it comes late.
  uint32_t step(const Cycle& cycle);
  void delay(uint32_t cycles) { waits_ = static_cast<uint8_t>(cycles); }

  unsigned decodable() const { return buffered_; }  ///< half words
  /// A jump has to wait: the bus still has the address of another fetch.
  bool holds() const { return holds_; }

  /// Whether fetching went on at the target of the branch at `address`, which is executed now.
  bool takes_foreseen(uint32_t address);
  void foresee(uint32_t branch, bool wide, uint32_t target);
  void forget();

  bool operator==(const FetchStream&) const = default;
  uint64_t hash() const;

 private:
  bool must_pause() const;

  uint32_t next_ = 0;              ///< word that is asked for next
  uint32_t branch_ = kNowhere;     ///< in the branch target buffer
  uint32_t target_ = 0;            ///< … leads there
  bool wide_ = false;              ///< … has 32 bits
  bool spills_ = false;            ///< … whose second half is in the word that is asked for next
  uint8_t foreseen_ = 0;           ///< times that fetching has followed it, not yet executed
  uint8_t next_halves_ = 2;        ///< used of the word that is asked for next,
  uint8_t coming_halves_ = 2;      ///< … of the one that comes,
  uint8_t queued_halves_[2] = {};  ///< … of those in the queue
  uint8_t queued_ = 0;             ///< words
  uint8_t pending_ = 0;            ///< words asked for that have not come
  uint8_t dropped_ = 0;            ///< … of these, from before a jump
  uint8_t buffered_ = 0;           ///< half words before decoding
  uint8_t waits_ = 0;              ///< cycles that the word which comes is late
  bool active_ = false;            ///< a word comes
  bool holds_ = false;             ///< an address waits for it
};

}  // namespace tinytune
