// A file descriptor that closes itself, and complete reads and writes.
#pragma once

#include <cstddef>
#include <utility>

namespace tinytune {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_;
};

/// Transfer all `size` bytes. Return false if an end of file or an error (see errno) comes before.
/// Never raise SIGPIPE.
bool read_fully(int fd, void* to, size_t size);
bool write_fully(int fd, const void* from, size_t size);

}  // namespace tinytune
