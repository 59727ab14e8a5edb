#include "cli/board_commands.h"

#include "cli/shared_options.h"

namespace tinytune {

using namespace options;

Command devices() {
  return {.name = "devices",
          .summary = "List the known devices, or what is plugged in",
          .options = {{.names = "--scan",
                       .field = &Arguments::scan,
                       .help = "List serial ports and GDB servers of this machine; opens none"},
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
              "Exit code 1 when something is wrong. RAM is written, flash is not. A device without "
              "a place\n"
              "is its simulator: whether this machine builds for it.\n"
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
                       .help = "Directory to write",
                       .required = true}},
          .examples =
              "Sources, a Makefile and, where clang is, the ELF; it lives in RAM.\n"
              "\n"
              "Example: tune firmware --device qemu-virt-rv32 -o runner/",
          .run = run_firmware};
}

Command import_times() {
  return {.name = "import-times",
          .summary = "Read what a chip's console showed of its layers' cycles",
          .options = {{.names = "CONSOLE",
                       .field = &Arguments::times,
                       .help = "Text of the console, with the lines of a package's bench program",
                       .required = true},
                      {.names = "-o,--to",
                       .field = &Arguments::output_file,
                       .value = "FILE",
                       .help = "Write those lines alone here",
                       .otherwise = "none"},
                      json()},
          .examples =
              "For chips without a debug probe: `tune compile --bench` writes the program.\n"
              "\n"
              "Example: tune import-times console.txt -o kws.times",
          .run = run_import_times,
          .interruption = Interruption::kEndsIt};
}

Command calibration() {
  return {.name = "calibrate",
          .summary = "Fit what a device file does not know to what a board took",
          .options =
              all_of({{model(),
                       device(),
                       {.names = "--times",
                        .field = &Arguments::times,
                        .value = "FILE",
                        .help = "File that `tune import-times` wrote, or the console's text",
                        .required = true},
                       {.names = "--fit",
                        .field = &Arguments::costs,
                        .value = "COST",
                        .help = "Cost to fit: timing.load_use, flash.fill_cycles; may be repeated",
                        .otherwise = "memories' waits, and what says it is unsourced"},
                       {.names = "-o,--to",
                        .field = &Arguments::output_file,
                        .value = "FILE",
                        .help = "Write a device file with the fitted figures",
                        .otherwise = "none"},
                       log(),
                       layout_of_activations()},
                      memory_limits(),
                      {disable_pass(), portable(), json()}}),
          .examples =
              "Model, records and limits are those that the timed package was compiled with.\n"
              "\n"
              "Example: tune calibrate --model kws.tflite --device esp32c3 --records "
              "kws.esp32c3.jsonl --times kws.times -o mychip.toml",
          .run = run_calibrate};
}

Command worker() {
  return {
      .name = "worker",
      .summary = "Build and run candidates for a tuner",
      .options = {{.names = "--connect",
                   .field = &Arguments::connect,
                   .value = "unix:PATH|HOST:PORT",
                   .help = "Tuner's address",
                   .required = true},
                  device(),
                  keys("Keys of `tune keys`, its worker/, for a tuner that has some"),
                  choice("--only", &Arguments::only, {"build", "run"},
                         "Restrict to building, or to running, where other workers do the rest",
                         "both"),
                  {.names = "--once",
                   .field = &Arguments::once,
                   .help = "End with the tuner instead of waiting for the next"},
                  {.names = "--power-cycle",
                   .field = &Arguments::power_switch,
                   .value = "COMMAND",
                   .help = "Command that switches the board off and on where a reset does not help",
                   .otherwise = "none"},
                  board_patience("no end; a board that is absent at the start is an error"),
                  {.names = "--in-flash",
                   .field = &Arguments::in_flash,
                   .help = "Measure in flash, for a tuner with --fast-ram 0"}},
      .examples = "Example: tune worker --connect 192.168.1.7:9000 --device esp32c3",
      .run = run_worker,
      .interruption = Interruption::kEndsIt};
}

Command keys_command() {
  return {
      .name = "keys",
      .summary = "Make keys for workers on other machines, and for who looks at a fleet",
      .options = {{.names = "-o,--output",
                   .field = &Arguments::directory,
                   .value = "DIR",
                   .help = "Directory to write; an authority that is there already is used again",
                   .required = true},
                  {.names = "--name",
                   .field = &Arguments::party,
                   .value = "NAME",
                   .help = "Key set's name; written to DIR/NAME",
                   .otherwise = "worker"},
                  {.names = "--scope",
                   .field = &Arguments::scope,
                   .value = "LIST",
                   .help = "Rights that they give, of build, run (in simulators), device (boards), "
                           "view (tune fleet)",
                   .otherwise = "build,run,device"},
                  {.names = "--token",
                   .field = &Arguments::token,
                   .help =
                       "Make a token instead of a certificate; a line of tuner/tokens grants it"},
                  {.names = "--days",
                   .field = &Arguments::days,
                   .value = "N",
                   .help = "Validity in days",
                   .otherwise = "365",
                   .syntax = Syntax::kPositive}},
      .examples =
          "Examples:\n"
          "  tune keys -o keys/\n"
          "  tune keys -o keys/ --name lab3 --token --scope device --days 30\n"
          "Then: tune --model kws.tflite --device esp32c3 --listen 0.0.0.0:7000 --keys "
          "keys/tuner",
      .run = run_keys};
}

Command fleet() {
  return {.name = "fleet",
          .summary = "Show a run's workers and boards: what they do, how fast, what is wrong",
          .options = {{.names = "--connect",
                       .field = &Arguments::connect,
                       .value = "unix:PATH|HOST:PORT",
                       .help = "Tuner's address",
                       .required = true},
                      keys("Keys of `tune keys --scope view`, for a tuner that has some"),
                      {.names = "--once",
                       .field = &Arguments::once,
                       .help = "Print one snapshot and exit; so too where stdout is no terminal"},
                      json()},
          .examples =
              "It only looks: nothing of the run can be changed or slowed from here.\n"
              "\n"
              "Example: tune fleet --connect 192.168.1.7:9000 --keys keys/wall",
          .run = run_fleet,
          .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
