#include "cli/command_table.h"

#include "cli/batch_commands.h"
#include "cli/board_commands.h"
#include "cli/log_commands.h"
#include "cli/operator_commands.h"
#include "cli/shared_options.h"
#include "cli/shell_commands.h"

namespace tinytune {
namespace {

using namespace options;

Command tune() {
  return {
      .name = "",
      .summary = "Finds the fastest exact int8 kernels for a neural network on a microcontroller.",
      .options = all_of(
          {{model(), device(),
            records("Log to continue or create", "MODEL.DEVICE.jsonl in this directory")},
           searching(),
           {{.names = "--prior",
             .field = &Arguments::priors,
             .value = "LOG",
             .help = "Log of this network or others, whose records of this device a new log begins "
                     "with (may be repeated)",
             .otherwise = "none"},
            {.names = "--tasks",
             .field = &Arguments::tasks,
             .value = "LIST",
             .help = "Tune only these tasks of `tune inspect`: 0,2-5",
             .otherwise = "all"},
            layout("Layouts to tune kernels for; auto is both"),
            choice("--prescreen", &Arguments::prescreen, {"simulator"},
                   "Search there, and measure the best of each task on the board", "no")},
           memory_limits(),
           {disable_pass(),
            external(),
            input_type(),
            state(),
            workers(),
            board_patience(),
            {.names = "--listen",
             .field = &Arguments::listen,
             .value = "unix:PATH|HOST:PORT",
             .help = "Address at which workers dial in",
             .otherwise = "a private socket"},
            keys("Keys of `tune keys`, its tuner/: links are encrypted, strangers refused"),
            {.names = "--insecure",
             .field = &Arguments::insecure,
             .help = "Listen to other machines without keys"},
            json(),
            quiet()}}),
      .examples =
          "Without a subcommand it tunes; `tune SUBCOMMAND --help` describes the others.\n"
          "\n"
          "Examples:\n"
          "  tune --model kws.tflite --device esp32c3\n"
          "  tune compile --model kws.tflite --device esp32c3 --records "
          "kws.esp32c3.jsonl -o kws/\n"
          "  tune run --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl "
          "--verify\n"
          "\n"
          "Exit codes: 0 done, 1 the work failed, 2 wrong command line or input, 130 "
          "interrupted.",
      .run = run_tune,
      .interruption = Interruption::kIsFinished};
}

Command compile() {
  return {
      .name = "compile",
      .summary = "Write the network as a C library",
      .options = all_of({{models(), device(), log(), layout_of_activations()},
                         memory_limits(),
                         {{.names = "--share-arena",
                           .field = &Arguments::share_arena,
                           .help = "Plan several models (--model repeated), which run one "
                                   "after another, into one arena"},
                          stream_input(),
                          disable_pass(),
                          external(),
                          input_type(),
                          state(),
                          {.names = "-o,--output",
                           .field = &Arguments::directory,
                           .value = "DIR",
                           .help = "Directory to write",
                           .required = true},
                          choice("--format", &Arguments::format,
                                 {"cmake", "esp-idf", "zephyr", "arduino", "mlf", "platformio",
                                  "pico-sdk", "stm32cube"},
                                 "Build system or kit of the package", "cmake"),
                          {.names = "--package-version",
                           .field = &Arguments::package_version,
                           .value = "N.N.N",
                           .help = "Version in the package's manifest",
                           .otherwise = "1.0.0"},
                          {.names = "--package-url",
                           .field = &Arguments::package_url,
                           .value = "URL",
                           .help = "Address in the package's manifest, which registries ask for",
                           .otherwise = "none"},
                          {.names = "--package-licence",
                           .field = &Arguments::package_licence,
                           .value = "SPDX",
                           .help = "Licence in the package's manifest: an SPDX expression",
                           .otherwise = "none"},
                          {.names = "--require-tuned",
                           .field = &Arguments::require_tuned,
                           .help = "Fail if a layer has no usable record"},
                          {.names = "--bench",
                           .field = &Arguments::bench,
                           .help = "Add a program that prints cycles by layer on the chip"},
                          portable(),
                          cores(),
                          compress_weights(),
                          arrival(),
                          json()}}),
      .examples =
          "Examples:\n"
          "  tune compile --model kws.tflite --device esp32c3 --records "
          "kws.esp32c3.jsonl -o kws/\n"
          "  tune compile --model kws.tflite --model ad.tflite --share-arena "
          "--device esp32c3 -o both/",
      .run = run_compile};
}

Command run() {
  return {.name = "run",
          .summary = "Compile the network and run it in the simulator, or on a board as well",
          .options =
              all_of({{model(),
                       device(),
                       log(),
                       {.names = "--input",
                        .field = &Arguments::inputs,
                        .value = "FILE|seed:N",
                        .help = "Raw tensor bytes, or seed:N; repeat for several inputs",
                        .otherwise = "seed:1"},
                       {.names = "--inputs",
                        .field = &Arguments::input_set,
                        .value = "DIR|FILE",
                        .help = "Run many inputs: a file each, or all in one; raw bytes or .npy",
                        .otherwise = "none"},
                       {.names = "--labels",
                        .field = &Arguments::labels,
                        .value = "FILE",
                        .help = "Print accuracy of --inputs: lines of CLASS, or of INPUT CLASS",
                        .otherwise = "none"},
                       {.names = "--reference",
                        .field = &Arguments::reference,
                        .help = "Run --inputs by the reference operators, without compiling"},
                       {.names = "--output",
                        .field = &Arguments::outputs,
                        .value = "FILE",
                        .help = "Write raw output bytes here; may be repeated",
                        .otherwise = "none"},
                       layout_of_activations()},
                      memory_limits(),
                      {stream_input(),
                       arena_front(),
                       disable_pass(),
                       external(),
                       input_type(),
                       state(),
                       {.names = "--steps",
                        .field = &Arguments::steps,
                        .value = "N",
                        .help = "Inferences in a row; --input has one step's bytes or all N steps'",
                        .otherwise = "1",
                        .syntax = Syntax::kPositive},
                       {.names = "--verify",
                        .field = &Arguments::verify,
                        .help = "Compare with the reference operators, bit for bit"},
                       portable(),
                       cores(),
                       compress_weights(),
                       arrival(),
                       {.names = "--on",
                        .field = &Arguments::on,
                        .value = "BOARD",
                        .help = "Run it on this board as well: DEVICE@gdb:HOST:PORT",
                        .otherwise = "none"},
                       {.names = "--dump-tensors",
                        .field = &Arguments::dump_directory,
                        .value = "DIR",
                        .help = "Write tensor_<id>.bin here",
                        .otherwise = "none"},
                       json()}}),
          .examples =
              "Examples:\n"
              "  tune run --model kws.tflite --device esp32c3 --verify\n"
              "  tune run --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl "
              "--input x.bin --output y.bin\n"
              "  tune run --model kws.tflite --device esp32c3 --inputs x.npy --labels y.txt "
              "--verify\n"
              "  tune run --model kws.tflite --device stm32f7 --on stm32f7@gdb:localhost:3333 "
              "--verify",
          .run = run_run};
}

Command report() {
  return {
      .name = "report",
      .summary = "Compare default and tuned kernels, layer by layer",
      .options =
          all_of({{model(), device(), required(log()),
                   layout("Layout of the tuned variant; auto by layer")},
                  memory_limits(),
                  {arena_front(),
                   disable_pass(),
                   external(),
                   input_type(),
                   state(),
                   {.names = "--html",
                    .field = &Arguments::html,
                    .value = "FILE",
                    .help = "Write the report as a page: figures of the search and the network",
                    .otherwise = "none"},
                   {.names = "--library",
                    .field = &Arguments::library,
                    .value = "CSV",
                    .help = "Instructions of hand-written libraries by layer, for the page",
                    .otherwise = "none"},
                   {.names = "--live",
                    .field = &Arguments::live,
                    .help = "Serve the page to this machine while a run goes on"},
                   {.names = "--port",
                    .field = &Arguments::port,
                    .value = "N",
                    .help = "Port of --live",
                    .otherwise = "any that is free",
                    .syntax = Syntax::kPositive},
                   json()}}),
      .examples =
          "Examples:\n"
          "  tune report --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl\n"
          "  tune report --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl "
          "--html report.html\n"
          "  tune report --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl --live",
      .run = run_report,
      .interruption = Interruption::kIsFinished};
}

Command explain() {
  return {.name = "explain",
          .summary = "Say why the fastest kernel of a task is the fastest",
          .options = {model(),
                      device(),
                      required(log()),
                      {.names = "--task",
                       .field = &Arguments::tasks,
                       .value = "N",
                       .help = "Task, by its number in `tune inspect`",
                       .required = true},
                      disable_pass(),
                      external(),
                      input_type(),
                      state(),
                      json()},
          .examples =
              "Example: tune explain --model kws.tflite --device esp32c3 --records "
              "kws.esp32c3.jsonl --task 2",
          .run = run_explain};
}

Command advise_command() {
  return {
      .name = "advise",
      .summary = "Say on which devices a model fits, and how fast it is untuned",
      .options = {model(),
                  optional(device(), "all that can be simulated"),
                  ram(),
                  flash(),
                  {.names = "--max-ms",
                   .field = &Arguments::most_milliseconds,
                   .value = "T",
                   .help = "Limit in milliseconds on an inference; devices without a clock pass",
                   .otherwise = "any",
                   .syntax = Syntax::kMilliseconds},
                  workers(),
                  disable_pass(),
                  external(),
                  json(),
                  quiet()},
      .examples =
          "Every device with a simulator, with weights and code in fast memory as far as they\n"
          "fit and with all in flash; figures are those of `tune run`. Exit code 1 where it\n"
          "fits none.\n"
          "\n"
          "Examples:\n"
          "  tune advise --model kws.tflite\n"
          "  tune advise --model kws.tflite --ram 64K --max-ms 30",
      .run = run_advise};
}

Command inspect() {
  return {.name = "inspect",
          .summary = "List a model's operators and tuning tasks",
          .options = all_of({{{.names = "MODEL",
                               .field = &Arguments::model,
                               .help = "Network: a .tflite or .onnx file",
                               .required = true},
                              optional(device(), "the model alone"),
                              log()},
                             memory_limits(),
                             {disable_pass(), external(), input_type(), state(), json()}}),
          .examples =
              "Examples:\n"
              "  tune inspect kws.tflite\n"
              "  tune inspect kws.tflite --device esp32c3     # and what it takes of one",
          .run = run_inspect};
}

Command simulate() {
  return {.name = "simulate",
          .summary = "Run any program on a simulated device and count its cycles",
          .options = {device(),
                      {.names = "PROGRAM",
                       .field = &Arguments::program,
                       .help = "ELF file as a linker wrote it",
                       .required = true},
                      {.names = "--call",
                       .field = &Arguments::function,
                       .value = "SYMBOL",
                       .help = "Call this function instead, without start-up code",
                       .otherwise = "run from the entry"},
                      {.names = "--limit",
                       .field = &Arguments::instruction_limit,
                       .value = "N",
                       .help = "Limit on the instructions to run",
                       .otherwise = "10000000000",
                       .syntax = Syntax::kPositive},
                      json()},
          .examples =
              "A program ends by semihosting, at a breakpoint, at the device's exit port, or by\n"
              "returning; what it prints goes to stdout. An exit status other than 0 makes the\n"
              "exit code 1.\n"
              "\n"
              "Examples:\n"
              "  tune simulate --device hazard3 program.elf\n"
              "  tune simulate --device stm32f4 firmware.elf --call filter --json",
          .run = run_simulate,
          .interruption = Interruption::kEndsIt};
}

}  // namespace

std::string default_of(const Option& option) {
  if (option.required) return "required";
  return std::holds_alternative<bool Arguments::*>(option.field) ? "off" : option.otherwise;
}

std::span<const Command> command_table() {
  static const std::vector<Command> table = {
      tune(),           compile(),    run(),    report(),
      explain(),        inspect(),    op(),     ops(),
      devices(),        log_files(),  watch(),  batch(),
      advise_command(), compare(),    check(),  simulate(),
      worker(),         completion(), manual(), firmware(),
      keys_command(),   doctor(),     fleet(),  import_times(),
      calibration()};
  return table;
}

}  // namespace tinytune
