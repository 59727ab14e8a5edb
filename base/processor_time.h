// A stopwatch of processor time: what work costs, whatever else the machine does meanwhile.
//
// Wall time of a stage says how busy the machine was. Of two cores that four programs share, a
// compiler seems to take twice as long, and nobody could tell a slower build from a busier hour.
#pragma once

namespace tinytune {

class ProcessorWatch {
 public:
  ProcessorWatch() : start_ms_(now_ms()) {}

  /// Milliseconds since it was made that the calling thread used, and any children that this
  /// process has waited for meanwhile. Of the thread that made it.
  double ms() const { return now_ms() - start_ms_; }

 private:
  static double now_ms();
  double start_ms_;
};

}  // namespace tinytune
