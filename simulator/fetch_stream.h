// The words of code that a core fetches in each cycle, and the waits of fetches for banks.
//
// Memory that is striped over banks serves one access per bank and cycle. A core with two ports
// fetches and loads at once; if both access the same bank, data goes first and the fetch waits.
// Whether that costs anything depends on what is fetched ahead: a word that arrives a cycle late is
// often not needed yet. So the path from memory to the decoder is simulated here cycle by cycle, as
// in Hazard3 (its RTL, hazard3_frontend.v): a fetch is requested in one cycle and arrives in the
// next; two words can wait in a queue, three half words before the decoder; no more is requested
// than there is room for. A jump discards all of it. The branch target buffer redirects fetching to
// the target.
//
// Without waits this gives the same cycles as the rules of the timing model (timing_in_order.cc),
// and is not run: those are computed once for each block. With waits the cycles depend on the
// addresses of data, which change from run to run of a block.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/device.h"

namespace tinytune {

/// The banks of memory addresses.
class BankMap {
 public:
  static constexpr uint8_t kNone = 0;

  explicit BankMap(const Device& device);

  /// Returns the bank of an address, from 1; kNone: memory without banks.
  uint8_t at(uint32_t address) const {
    for (const Stripe& stripe : stripes_)
      if (address - stripe.address < stripe.size_bytes)
        return stripe.banks[address / 4 % stripe.banks.size()];
    return kNone;
  }
  /// Returns all banks of the memory that has `address`, one bit each.
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
  /// Starts just after a jump to `address`.
  explicit FetchStream(uint32_t address);

  /// Actions of the executed instruction in a cycle.
  struct Cycle {
    uint8_t used = 0;             ///< half words that leave the decoder
    uint8_t data_bank = 0;        ///< bank of its load or store
    uint32_t jump_to = kNowhere;  ///< address at which fetching must continue
    uint8_t kept = 0;             ///< half words of an instruction that jumps before it is done
  };
  void advance(const Cycle& cycle, const BankMap& banks, uint32_t bank_wait);

  /// Runs one cycle, apart from data. Returns the word requested in it, kNowhere: none; delay()
  /// makes that word late.
  uint32_t step(const Cycle& cycle);
  void delay(uint32_t cycles) { waits_ = static_cast<uint8_t>(cycles); }

  unsigned decodable() const { return buffered_; }  ///< half words ready for decoding
  /// Returns whether a jump must wait, because the bus still has the address of another fetch.
  bool holds() const { return holds_; }

  /// Returns whether the branch at `address`, which is executed now, was predicted: fetching has
  /// continued at its target.
  bool takes_foreseen(uint32_t address);
  void foresee(uint32_t branch, bool wide, uint32_t target);
  void forget();

  bool operator==(const FetchStream&) const = default;
  uint64_t hash() const;

 private:
  bool must_pause() const;

  uint32_t next_ = 0;              ///< word to request next
  uint32_t branch_ = kNowhere;     ///< branch in the branch target buffer
  uint32_t target_ = 0;            ///< … its target
  bool wide_ = false;              ///< … it has 32 bits
  bool spills_ = false;            ///< … its second half is in the word to request next
  uint8_t foreseen_ = 0;           ///< times that fetching followed it, not yet executed
  uint8_t next_halves_ = 2;        ///< half words used of the word to request next,
  uint8_t coming_halves_ = 2;      ///< … of the word under way,
  uint8_t queued_halves_[2] = {};  ///< … of those in the queue
  uint8_t queued_ = 0;             ///< words in the queue
  uint8_t pending_ = 0;            ///< words requested that have not arrived
  uint8_t dropped_ = 0;            ///< … of these, requested before a jump
  uint8_t buffered_ = 0;           ///< half words before the decoder
  uint8_t waits_ = 0;              ///< cycles by which the word under way is late
  bool active_ = false;            ///< a word is under way
  bool holds_ = false;             ///< the next address waits for that word
};

}  // namespace tinytune
