// Assigns the registers of a piece of assembly by counting.
//
// A piece takes what it keeps throughout first; what is left is a pool for values that come and go.
// The order of the pool is first in, first out: a register rests as long as possible, so that cores
// that issue in order wait least for what was in it. Asking for more than there is marks the
// assignment as failed and nothing else: whether a tile fits is asked thousands of times a run.
#pragma once

#include <deque>

#include "base/check.h"
#include "templates/tile/assembly.h"

namespace tinytune {

class Registers {
 public:
  /// Operands from 0 or from `first` on.
  explicit Registers(int count) : left_(count) {}
  Registers(Reg first, int count) : next_(first.number), left_(count) {}

  /// The next one, for as long as the piece runs.
  Reg keep() { return keep(1); }
  /// The first of `count` neighbours.
  Reg keep(int count) {
    const Reg first{next_};
    next_ += count;
    left_ -= count;
    return first;
  }
  /// Those that were not kept, which may be taken back and forth from here on.
  void open_pool() {
    for (int i = 0; i < left_; ++i) pool_.push_back(Reg{next_ + i});
  }

  /// Whether all that were kept exist, and `more` besides.
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
