#include "cli/operator_commands.h"

#include "cli/shared_options.h"

namespace tinytune {

using namespace options;

Command op() {
  return {
      .name = "op",
      .summary = "Tune one operator and write its kernel",
      .options =
          all_of({{{.names = "WORKLOAD",
                    .field = &Arguments::workload,
                    .help = "Description of an operator, or a workload of `tune inspect`",
                    .required = true},
                   device(),
                   records("Log to continue or create", "ops.DEVICE.jsonl"),
                   {.names = "--constants",
                    .field = &Arguments::constants,
                    .value = "FILE",
                    .help = "Constants as JSON: weights, bias, multiplier, shift",
                    .otherwise = "generated from the seed 1"},
                   {.names = "--emit",
                    .field = &Arguments::emit,
                    .value = "FILE",
                    .help = "Write k.S, k.o, k.ll (LLVM IR), k.h (prototype) or k.c (constants, "
                            "and a function that passes them); may be repeated",
                    .otherwise = "none"},
                   {.names = "--symbol",
                    .field = &Arguments::symbol,
                    .value = "NAME",
                    .help = "Name of the kernel in C",
                    .otherwise = "kernel"},
                   {.names = "--apply",
                    .field = &Arguments::apply,
                    .help = "Take the log's best, or the default; tune nothing"}},
                  searching(),
                  {arena(), workers(), board_patience(), json(), quiet()}}),
      .examples =
          "A description: operator, window, channels, size, then strides, padding and more:\n"
          "  conv2d 3x3 16->32 in24x24 s2 same relu      depthwise 3x3 64->64 @25x5\n"
          "  dense 256->10 zp-128,5                      conv2d 5x5 8->8 in32x32 p2,2 g2\n"
          "Facts of constants that are not at hand: lane2 fused (see include/tinytune/layer.h).\n"
          "\n"
          "Examples:\n"
          "  tune op \"conv2d 1x1 64->64 @25x5\" --device esp32c3 --emit kernel.S\n"
          "  tune op \"dense 640->128\" --device cortex-m4 --emit kernel.o --emit kernel.h\n"
          "  tune op \"dense 640->128\" --device cortex-m4 --apply --emit kernel.ll",
      .run = run_op,
      .interruption = Interruption::kIsFinished};
}

Command ops() {
  return {.name = "ops",
          .summary = "List the operators, what computes them, and their limits",
          .options = {json()},
          .examples = "Example: tune ops --json",
          .run = run_ops,
          .interruption = Interruption::kEndsIt};
}

}  // namespace tinytune
