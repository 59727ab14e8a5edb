// QEMU machines as boards: real instruction sets, real memories and real debug stubs, without a
// desk.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/descriptor.h"

namespace tinytune::test {

/// A machine of QEMU and the device file that describes it.
struct QemuMachine {
  std::string device;
  std::vector<std::string> command;
};
const QemuMachine& riscv_virt();
const QemuMachine& mps2_an386();

/// Runs until it is destroyed; stopped before its first instruction, with a GDB server.
class QemuWithGdb {
 public:
  /// Null where there is no such QEMU here; the test says so and skips.
  static std::unique_ptr<QemuWithGdb> start(const QemuMachine& machine);

  /// "localhost:PORT".
  const std::string& place() const { return place_; }
  /// As --device takes it.
  std::string address() const { return device_ + "@gdb:" + place_; }

 private:
  QemuWithGdb(std::string device, std::string place, Descriptor output, Child child)
      : device_(std::move(device)),
        place_(std::move(place)),
        output_(std::move(output)),
        child_(std::move(child)) {}
  std::string device_, place_;
  Descriptor output_;
  Child child_;
};

#define START_QEMU_OR_SKIP(variable, machine)                    \
  auto variable = ::tinytune::test::QemuWithGdb::start(machine); \
  if (variable == nullptr) GTEST_SKIP() << (machine).command.front() << " is not installed"

}  // namespace tinytune::test
