#include "cli/batch_commands.h"

#include "cli/shared_options.h"

namespace tinytune {

using namespace options;

Command batch() {
  return {.name = "batch",
          .summary = "Tune models on devices overnight; tell what got slower",
          .options = {{.names = "NIGHT",
                       .field = &Arguments::batch,
                       .help = "TOML file: models, devices, directory, [[settings]]",
                       .required = true},
                      workers(),
                      board_patience(),
                      json(),
                      quiet()},
          .examples =
              "night.toml:\n"
              "  models = [\"kws.tflite\", \"vww.tflite\"]\n"
              "  devices = [\"esp32c3\", \"cortex-m4\"]\n"
              "  directory = \"night\"        # logs, and summary.json\n"
              "  budget = \"20m\"             # of each run; or trials, early_stop\n"
              "  [[settings]]                # optional; each with every model and device\n"
              "  name = \"auto\"\n"
              "  layout = \"auto\"            # also ram, arena, flash, fast_ram, tuner, seed\n"
              "\n"
              "Resumes an earlier batch. Exit code 1 when a run failed, is not "
              "exact, or is\n"
              "slower than the summary had it.\n"
              "\n"
              "Example: tune batch night.toml",
          .run = run_batch,
          .interruption = Interruption::kIsFinished};
}

Command compare() {
  return {.name = "compare",
          .summary = "Compare search strategies on a model, with several seeds each",
          .options = {model(),
                      device(),
                      {.names = "--tuners",
                       .field = &Arguments::tuners,
                       .value = "LIST",
                       .help = "Strategies, separated by commas",
                       .otherwise = "xgb,random,grid"},
                      {.names = "--seeds",
                       .field = &Arguments::seeds,
                       .value = "N",
                       .help = "Runs of each, with the seeds 1 to N",
                       .otherwise = "5",
                       .syntax = Syntax::kPositive},
                      {.names = "-o,--output",
                       .field = &Arguments::directory,
                       .value = "DIR",
                       .help = "Directory of the logs, which a later call continues",
                       .required = true},
                      trials(),
                      window(),
                      disable_pass(),
                      workers(),
                      board_patience(),
                      json(),
                      quiet()},
          .examples =
              "Example: tune compare --model kws.tflite --device esp32c3 --tuners xgb,random "
              "--seeds 5 -o "
              "compared/",
          .run = run_compare,
          .interruption = Interruption::kIsFinished};
}

Command check() {
  return {
      .name = "check",
      .summary = "Measure a log's best kernels again; fail where they are slower or wrong",
      .options = {device(),
                  {.names = "--against",
                   .field = &Arguments::against,
                   .value = "LOG",
                   .help = "Log whose best record of each workload is checked",
                   .required = true},
                  optional(model(), "weights are generated"),
                  {.names = "--tolerance",
                   .field = &Arguments::tolerance_percent,
                   .value = "PERCENT",
                   .help = "Slowdown in per cent that still holds",
                   .otherwise = "0 with --model: simulators are exact; else 5",
                   .syntax = Syntax::kPercent},
                  workers(),
                  board_patience(),
                  json()},
      .examples = "Example: tune check --model kws.tflite --device esp32c3 --against best.jsonl",
      .run = run_check,
      .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
