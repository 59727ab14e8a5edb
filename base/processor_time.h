// A stopwatch of processor time, which does not depend on the load of the machine.
//
// Wall time does: a compiler that shares two cores with three other programs seems to take twice as
// long, and a slower build could not be distinguished from a busier machine.
#pragma once

namespace tinytune {

class ProcessorWatch {
 public:
  ProcessorWatch() : start_ms_(now_ms()) {}

  /// Returns the milliseconds used since construction by the calling thread, which must be the one
  /// that constructed this, plus those of children that the process has waited for since.
  double ms() const { return now_ms() - start_ms_; }

 private:
  static double now_ms();
  double start_ms_;
};

}  // namespace tinytune
