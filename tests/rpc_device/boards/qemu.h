// QEMU machines as boards: real instruction sets, real memories and real debug stubs, without
// hardware.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/descriptor.h"
#include "base/temporary_directory.h"
#include "tests/rpc_device/boards/serial_line.h"

namespace tinytune::test {

/// A machine of QEMU and the device file that describes it.
struct QemuMachine {
  std::string device;
  std::vector<std::string> command;
  double ticks_an_instruction = 1;  ///< counter ticks per instruction, as in its device file
};
const QemuMachine& riscv_virt();
const QemuMachine& mps2_an385();
const QemuMachine& mps2_an386();
const QemuMachine& mps2_an500();
const QemuMachine& mps2_an505();
const QemuMachine& netduinoplus2();

/// Connects to the unix socket of a program that has just been started, once it exists.
Descriptor connect_when_there(const std::string& path);

/// A QEMU process with a GDB server, stopped before its first instruction; ends with the object.
class QemuWithGdb {
 public:
  /// Returns null if this QEMU is not installed; the test then says so and skips.
  static std::unique_ptr<QemuWithGdb> start(const QemuMachine& machine);

  /// "localhost:PORT".
  const std::string& place() const { return place_; }
  /// In the syntax of --device.
  std::string address() const { return device_ + "@gdb:" + place_; }

  /// Kills it like a power failure; start_again() starts another one at the same place.
  void stop() { child_.reset(); }
  bool start_again();

 private:
  QemuWithGdb(const QemuMachine& machine, const std::string& port);
  std::string device_, place_;
  std::vector<std::string> command_;
  Descriptor output_;
  std::optional<Child> child_;
};

/// A QEMU process with the runner of rpc_device/boards/firmware/, built for it, on a serial line.
class QemuWithRunner {
 public:
  /// Returns null without this QEMU, or without clang for the firmware.
  static std::unique_ptr<QemuWithRunner> start(const QemuMachine& machine, uint32_t baud = 0);

  /// "/dev/pts/N".
  const std::string& path() const { return line_->path(); }
  std::string address() const { return device_ + "@serial:" + path(); }
  /// Process id of QEMU.
  int pid() const;
  /// Like a short power failure: the runner restarts without any state.
  void reset();

 private:
  QemuWithRunner(std::string device, TemporaryDirectory directory, Descriptor output, Child child)
      : device_(std::move(device)),
        directory_(std::move(directory)),
        output_(std::move(output)),
        child_(std::move(child)) {}
  std::string device_;
  TemporaryDirectory directory_;
  Descriptor output_;
  Child child_;
  Descriptor monitor_;
  std::unique_ptr<SerialLine> line_;
};

#define START_RUNNER_OR_SKIP(variable, machine, ...)                               \
  auto variable = ::tinytune::test::QemuWithRunner::start(machine, ##__VA_ARGS__); \
  if (variable == nullptr) GTEST_SKIP() << (machine).command.front() << " or clang-14 is missing"

#define START_QEMU_OR_SKIP(variable, machine)                    \
  auto variable = ::tinytune::test::QemuWithGdb::start(machine); \
  if (variable == nullptr) GTEST_SKIP() << (machine).command.front() << " is not installed"

}  // namespace tinytune::test
