// Assigns the registers of a piece of assembly by counting.
//
// A piece first takes the registers that it keeps throughout; the others are a pool for
// temporaries. The pool is first in, first out: a register is reused as late as possible, so that
// in-order cores wait least for its last value. Keeping more registers than exist is no error, only
// suffice() turns false: a search tests thousands of tiles for whether they fit.
#pragma once

#include <deque>

#include "base/check.h"
#include "templates/tile/assembly.h"

namespace tinytune {

class Registers {
 public:
  /// `count` registers: operands from 0 or from `first` on.
  explicit Registers(int count) : left_(count) {}
  Registers(Reg first, int count) : next_(first.number), left_(count) {}

  /// Takes the next register for the whole piece.
  Reg keep() { return keep(1); }
  /// Takes `count` consecutive registers and returns the first.
  Reg keep(int count) {
    const Reg first{next_};
    next_ += count;
    left_ -= count;
    return first;
  }
  /// Puts the registers that were not kept into the pool of take() and give_back().
  void open_pool() {
    for (int i = 0; i < left_; ++i) pool_.push_back(Reg{next_ + i});
  }

  /// Returns whether all kept registers exist, and `more` besides.
  bool suffice(int more = 0) const { return left_ >= more; }
  int left() const { return left_; }

  size_t free() const { return pool_.size(); }
  Reg take() {
    TT_CHECK(!pool_.empty(), "a register is left");
    const Reg taken = pool_.front();
    pool_.pop_front();
    return taken;
  }
  void give_back(Reg reg) { pool_.push_back(reg); }

 private:
  int next_ = 0, left_;
  std::deque<Reg> pool_;
};

}  // namespace tinytune
