#include "tests/rpc_device/boards/serial_line.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace tinytune::test {

SerialLine::SerialLine(Descriptor board, uint32_t baud) : board_(std::move(board)), baud_(baud) {
  int master = -1, slave = -1;
  std::array<char, 128> name{};
  EXPECT_EQ(::openpty(&master, &slave, name.data(), nullptr, nullptr), 0);
  ours_ = Descriptor(master);
  theirs_ = Descriptor(slave);  // kept open, so that the line outlives its users
  path_ = name.data();
  termios settings{};
  ::tcgetattr(slave, &settings);
  ::cfmakeraw(&settings);
  ::tcsetattr(slave, TCSANOW, &settings);
  there_ = std::thread([this] { carry(ours_.get(), board_.get()); });
  back_ = std::thread([this] { carry(board_.get(), ours_.get()); });
}

SerialLine::~SerialLine() {
  stopping_ = true;
  there_.join();
  back_.join();
}

void SerialLine::carry(int from, int to) {
  using Clock = std::chrono::steady_clock;
  std::array<uint8_t, 256> bytes{};
  auto free_at = Clock::now();
  while (!stopping_) {
    pollfd ready{from, POLLIN, 0};
    if (::poll(&ready, 1, 20) <= 0) continue;
    const ssize_t got = ::read(from, bytes.data(), bytes.size());
    if (got <= 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    if (baud_ > 0) {
      free_at = std::max(free_at, Clock::now()) +
                std::chrono::nanoseconds(got * 10 * 1'000'000'000LL / baud_);
      std::this_thread::sleep_until(free_at);
    }
    if (!write_fully(to, bytes.data(), static_cast<size_t>(got))) return;
  }
}

}  // namespace tinytune::test
