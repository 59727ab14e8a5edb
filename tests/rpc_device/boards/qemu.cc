#include "tests/rpc_device/boards/qemu.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <thread>

#include "base/files.h"
#include "base/subprocess.h"
#include "devices/board_facts.h"
#include "rpc_device/boards/firmware/firmware.h"
#include "rpc_device/boards/links/byte_link.h"

namespace tinytune::test {
namespace {

using std::chrono::milliseconds;

// Returns a port that was free a moment ago.
int free_port() {
  const Descriptor fd(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return 0;
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

QemuMachine arm_machine(const std::string& device, const std::string& machine, int icount_shift,
                        double ticks_an_instruction) {
  return {device,
          {"qemu-system-arm", "-M", machine, "-icount", "shift=" + std::to_string(icount_shift)},
          ticks_an_instruction};
}

}  // namespace

const QemuMachine& riscv_virt() {
  static const QemuMachine kMachine = {
      "qemu-virt-rv32",
      // RV32IMC. To get it from "rv32", each QEMU version needs other extensions switched off.
      {"qemu-system-riscv32", "-M", "virt", "-bios", "none", "-cpu", "lowrisc-ibex", "-icount",
       "shift=0,sleep=off"}};
  return kMachine;
}

const QemuMachine& mps2_an385() {
  static const QemuMachine kMachine = arm_machine("qemu-mps2-m3", "mps2-an385", 5, 0.8);
  return kMachine;
}

const QemuMachine& mps2_an386() {
  static const QemuMachine kMachine = arm_machine("qemu-mps2-m4", "mps2-an386", 5, 0.8);
  return kMachine;
}

const QemuMachine& mps2_an500() {
  static const QemuMachine kMachine = arm_machine("qemu-mps2-m7", "mps2-an500", 5, 0.8);
  return kMachine;
}

const QemuMachine& mps2_an505() {
  static const QemuMachine kMachine = arm_machine("qemu-mps2-m33", "mps2-an505", 5, 0.64);
  return kMachine;
}

const QemuMachine& netduinoplus2() {
  static const QemuMachine kMachine = arm_machine("qemu-stm32f4", "netduinoplus2", 2, 0.672);
  return kMachine;
}

Descriptor connect_when_there(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  for (int i = 0; i < 400; ++i) {
    Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
    std::this_thread::sleep_for(milliseconds(25));
  }
  ADD_FAILURE() << path << ": nobody listens";
  return Descriptor();
}

QemuWithGdb::QemuWithGdb(const QemuMachine& machine, const std::string& port)
    : device_(machine.device),
      place_("127.0.0.1:" + port),
      command_(machine.command),
      output_(::open("/dev/null", O_WRONLY | O_CLOEXEC)) {
  command_.insert(command_.end(), {"-display", "none", "-monitor", "none", "-serial", "null", "-S",
                                   "-gdb", "tcp:" + place_});
}

bool QemuWithGdb::start_again() {
  auto child = Child::start(command_, output_.get(), output_.get());
  EXPECT_TRUE(child) << child.error().message();
  if (!child) return false;
  child_.emplace(std::move(*child));
  for (int i = 0; i < 200; ++i) {
    if (open_tcp_link(place_, milliseconds(1000))) return true;
    std::this_thread::sleep_for(milliseconds(25));
  }
  return false;
}

std::unique_ptr<QemuWithGdb> QemuWithGdb::start(const QemuMachine& machine) {
  if (!run_process({machine.command.front(), "--version"}, std::chrono::seconds(20)))
    return nullptr;
  for (int tries = 0; tries < 5; ++tries) {  // the port may be taken meanwhile
    std::unique_ptr<QemuWithGdb> qemu(new QemuWithGdb(machine, std::to_string(free_port())));
    if (qemu->start_again()) return qemu;
  }
  ADD_FAILURE() << machine.command.front() << " does not start";
  return nullptr;
}

std::unique_ptr<QemuWithRunner> QemuWithRunner::start(const QemuMachine& machine, uint32_t baud) {
  if (!run_process({machine.command.front(), "--version"}, std::chrono::seconds(20)))
    return nullptr;
  const Device device = load_device(machine.device).value();
  const auto firmware = build_firmware(device, load_board_facts(machine.device).value());
  if (!firmware && firmware.error().code() == ErrorCode::kNotFound) return nullptr;
  EXPECT_TRUE(firmware) << firmware.error().message();
  if (!firmware) return nullptr;
  auto directory = TemporaryDirectory::create("qemu");
  EXPECT_TRUE(directory) << directory.error().message();
  const std::string elf = directory->file("runner.elf");
  EXPECT_TRUE(write_file(elf, text_of(*firmware)));
  std::vector<std::string> words = machine.command;
  const auto socket = [&](const char* option, const char* name) {
    words.emplace_back(option);
    words.push_back("unix:" + directory->file(name) + ",server=on,wait=off");
  };
  words.insert(words.end(),
               {"-display", "none", "-kernel", elf, "-pidfile", directory->file("pid")});
  socket("-serial", "serial");
  socket("-monitor", "monitor");
  Descriptor output(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  auto child = Child::start(words, output.get(), output.get());
  EXPECT_TRUE(child) << child.error().message();
  if (!child) return nullptr;
  std::unique_ptr<QemuWithRunner> qemu(new QemuWithRunner(machine.device, std::move(*directory),
                                                          std::move(output), std::move(*child)));
  qemu->line_ =
      std::make_unique<SerialLine>(connect_when_there(qemu->directory_.file("serial")), baud);
  qemu->monitor_ = connect_when_there(qemu->directory_.file("monitor"));
  return qemu;
}

int QemuWithRunner::pid() const {
  return std::stoi(std::string(text_of(read_file(directory_.file("pid")).value())));
}

void QemuWithRunner::reset() {
  const std::string command = "system_reset\n";
  EXPECT_TRUE(write_fully(monitor_.get(), command.data(), command.size()));
}

}  // namespace tinytune::test
