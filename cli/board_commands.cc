#include "cli/board_commands.h"

#include "cli/shared_options.h"

namespace tinytune {

using namespace options;

Command devices() {
  return {.name = "devices",
          .summary = "List the known devices, or what is plugged in",
          .options = {{.names = "--scan",
                       .field = &Arguments::scan,
                       .help = "Serial ports and GDB servers of this machine; opens none"},
                      json()},
          .examples =
              "Examples:\n"
              "  tune devices --json\n"
              "  tune devices --scan      # then: tune doctor --device esp32c3@serial:/dev/...",
          .run = run_devices,
          .interruption = Interruption::kEndsIt};
}

Command doctor() {
  return {.name = "doctor",
          .summary = "Look at a board and say what is wrong with it",
          .options = {device(), json()},
          .examples =
              "Link, memory, counter, clock, noise, and the bytes and cycles of a kernel that is "
              "known.\n"
              "Exit code 1 when something is wrong. RAM is written, flash is not.\n"
              "\n"
              "Example: tune doctor --device qemu-virt-rv32@gdb:localhost:3333",
          .run = run_doctor,
          .interruption = Interruption::kEndsIt};
}

Command firmware() {
  return {.name = "firmware",
          .summary = "Write the program that a board runs behind a serial line",
          .options = {device(),
                      {.names = "-o,--output",
                       .field = &Arguments::directory,
                       .value = "DIR",
                       .help = "The directory to write",
                       .required = true}},
          .examples =
              "Sources, a Makefile and, where clang-14 is, the ELF; it lives in RAM.\n"
              "\n"
              "Example: tune firmware --device qemu-virt-rv32 -o runner/",
          .run = run_firmware};
}

}  // namespace tinytune
