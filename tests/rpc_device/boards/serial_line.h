// A serial line made of a pseudo-terminal: bytes take as long as at a given baud rate.
//
// A pty itself is as fast as memory, so a thread copies bytes between it and the board, with waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "base/descriptor.h"

namespace tinytune::test {

class SerialLine {
 public:
  /// `board` is the board's end: a connected socket. 10 bits a byte; 0 baud: no limit.
  SerialLine(Descriptor board, uint32_t baud);
  ~SerialLine();

  /// What a program opens: "/dev/pts/N".
  const std::string& path() const { return path_; }

 private:
  void carry(int from, int to);

  Descriptor board_, ours_, theirs_;
  std::string path_;
  uint32_t baud_;
  std::atomic<bool> stopping_{false};
  std::thread there_, back_;
};

}  // namespace tinytune::test
