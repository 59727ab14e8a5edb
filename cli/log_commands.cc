#include "cli/log_commands.h"

#include "cli/shared_options.h"

namespace tinytune {

using namespace options;

Command log_files() {
  Option action = choice("ACTION", &Arguments::action,
                         {"merge", "pick", "stats", "show", "check", "export", "import"},
                         "Action on the logs", "");
  action.value.clear();
  action.required = true;
  return {.name = "log",
          .summary = "Join, reduce, check, show and convert tuning logs",
          .options = {action,
                      {.names = "LOG",
                       .field = &Arguments::logs,
                       .help = "Logs; of import, a file of the other format",
                       .required = true},
                      {.names = "-o,--to",
                       .field = &Arguments::output_file,
                       .value = "FILE",
                       .help = "File to write; it must not exist",
                       .otherwise = "stdout, of an export"},
                      choice("--as,--format", &Arguments::exchange, {"csv", "autotvm", "t4"},
                             "Format of an export", "csv"),
                      optional(device(), "the devices that records name"),
                      json()},
          .examples =
              "  merge   all records of several logs, each once          (needs --to)\n"
              "  pick    the fastest record of each workload             (needs --to)\n"
              "  stats   what became of the candidates of each workload\n"
              "  show    every record, a line each\n"
              "  check   every line's checksum; exit code 1 if one is damaged\n"
              "  export  as CSV, AutoTVM 0.2 or Kernel Tuner's T4 1.0.0\n"
              "  import  records of an AutoTVM or a T4 export            (needs --to)\n"
              "\n"
              "Examples:\n"
              "  tune log merge monday.jsonl tuesday.jsonl --to week.jsonl\n"
              "  tune log pick week.jsonl --to best.jsonl\n"
              "  tune log export best.jsonl --as autotvm --to best.tune",
          .run = run_log};
}

Command watch() {
  return {.name = "watch",
          .summary = "Show a run from another terminal",
          .options = {{.names = "LOGFILE",
                       .field = &Arguments::records,
                       .help = "Log that the run writes",
                       .required = true},
                      quiet()},
          .examples = "Example: tune watch kws.esp32c3.jsonl",
          .run = run_watch,
          .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
