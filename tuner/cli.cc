#include "tuner/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tinytune/tinytune.h"
#include "tuner/arguments.h"
#include "tuner/commands.h"

namespace tinytune {
namespace {

constexpr const char* kFooter =
    R"(Without a subcommand it tunes; `tune SUBCOMMAND --help` describes the others.

Examples:
  tune --model kws.tflite --device esp32c3
  tune compile --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl -o kws/
  tune run --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl --verify

Exit codes: 0 done, 1 the work failed, 2 wrong command line or input, 130 interrupted.)";

/// Everything the command line can say.
struct Options {
  bool json = false, quiet = false;
  TuneArguments tune;
  CompileArguments compile;
  RunArguments run;
  ReportArguments report;
  ExplainArguments explain;
  WorkerArguments worker;
  InspectArguments inspect;
};

CLI::App* add_command(CLI::App& app, const char* name, const char* description,
                      const char* examples) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(examples);
  return command;
}

void add_model_and_device(CLI::App& app, std::string& model, std::string& device) {
  app.add_option("--model", model, "The network: a .tflite file")->type_name("FILE");
  app.add_option("--device", device, "A name from `tune devices`, or a device file")
      ->type_name("NAME|FILE");
}

void add_layout(CLI::App& app, std::string& layout, const char* description) {
  app.add_option("--layout", layout, description)->type_name("nhwc|nchw|auto");
}

template <typename Arguments>
void add_limits(CLI::App& app, Arguments& arguments) {
  app.add_option("--ram", arguments.ram, "Most bytes of the arena: 98304, 96K [lower bound + 5 %]")
      ->type_name("BYTES");
  app.add_option("--flash", arguments.flash, "Most bytes of weights and code [the device's]")
      ->type_name("BYTES");
}

template <typename Arguments>
void add_fast_ram(CLI::App& app, Arguments& arguments) {
  app.add_option(
         "--fast-ram", arguments.fast_ram,
         "Most bytes of code and weights copied to fast memory; 0: all in flash [what fits]")
      ->type_name("BYTES");
}

void add_passes(CLI::App& app, std::vector<std::string>& disabled) {
  std::string names;
  for (const PassInfo& pass : known_passes()) names += pass.name + ", ";
  app.add_option("--disable-pass", disabled,
                 "Leave out a graph pass (may be repeated): " + names + "all")
      ->type_name("NAME")
      ->expected(1)
      ->allow_extra_args(false)  // what follows may be a model
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_json(CLI::App& app, Options& options) {
  app.add_flag("--json", options.json, "One JSON object on stdout");
}

void add_tune(CLI::App& app, Options& options) {
  TuneArguments& tune = options.tune;
  add_model_and_device(app, tune.model, tune.device);
  app.add_option("--records", tune.records,
                 "The log to continue or create [MODEL.DEVICE.jsonl in this directory]")
      ->type_name("LOG");
  app.add_option("--trials", tune.trials,
                 "Measurements in total, those in the log included [64 per task]")
      ->type_name("N");
  app.add_option("--budget", tune.budget, "Wall time of this run: 90, 60s, 5m, 2h")
      ->type_name("TIME");
  app.add_option("--tuner", tune.tuner, "How to search [xgb]")->type_name("xgb|random|grid");
  app.add_option("--seed", tune.seed, "Same seed, same run [1]")->type_name("S");
  app.add_option("--tasks", tune.tasks, "Tune only these tasks of `tune inspect`: 0,2-5 [all]")
      ->type_name("LIST");
  add_layout(app, tune.layout, "Layouts to tune kernels for; auto is both [nhwc]");
  add_limits(app, tune);
  add_passes(app, tune.disabled_passes);
  app.add_option("--workers", tune.workers, "Processes to start here [one per core]")
      ->type_name("N");
  app.add_option("--listen", tune.listen, "Where workers may dial in [a private socket]")
      ->type_name("unix:PATH|HOST:PORT");
  add_json(app, options);
  app.add_flag("--quiet", options.quiet, "No progress; warnings stay");
}

void add_compile(CLI::App& app, Options& options) {
  CLI::App* command = add_command(app, "compile", "Write the network as a C library",
                                  "Example: tune compile --model kws.tflite --device esp32c3 "
                                  "--records kws.esp32c3.jsonl -o kws/");
  add_model_and_device(*command, options.compile.model, options.compile.device);
  command->add_option("--records", options.compile.records, "The tuning log [default schedules]")
      ->type_name("LOG");
  add_layout(*command, options.compile.layout, "Layout of activations; auto by layer [nhwc]");
  add_limits(*command, options.compile);
  add_fast_ram(*command, options.compile);
  add_passes(*command, options.compile.disabled_passes);
  command->add_option("-o,--output", options.compile.directory, "The directory to write")
      ->type_name("DIR");
  command->add_option("--format", options.compile.format, "Build files for what [cmake]")
      ->type_name("cmake|esp-idf|zephyr|arduino|mlf");
  command->add_flag("--require-tuned", options.compile.require_tuned,
                    "Fail if a layer has no usable record");
}

void add_run(CLI::App& app, Options& options) {
  CLI::App* command = add_command(
      app, "run", "Compile the network and run it in the simulator",
      "Examples:\n"
      "  tune run --model kws.tflite --device esp32c3 --verify\n"
      "  tune run --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl --input x.bin "
      "--output y.bin");
  RunArguments& run = options.run;
  add_model_and_device(*command, run.model, run.device);
  command->add_option("--records", run.records, "The tuning log [default schedules]")
      ->type_name("LOG");
  command
      ->add_option("--input", run.inputs,
                   "Raw tensor bytes, or seed:N; repeat for several inputs [seed:1]")
      ->type_name("FILE|seed:N")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--output", run.outputs, "Where to write raw output bytes; may be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_layout(*command, run.layout, "Layout of activations; auto by layer [nhwc]");
  add_limits(*command, run);
  add_fast_ram(*command, run);
  add_passes(*command, run.disabled_passes);
  command->add_flag("--verify", run.verify, "Compare with the reference operators, bit for bit");
  command->add_option("--dump-tensors", run.dump_directory, "Write tensor_<id>.bin here")
      ->type_name("DIR");
  add_json(*command, options);
}

void add_small_commands(CLI::App& app, Options& options) {
  CLI::App* report = add_command(
      app, "report", "Compare default and tuned kernels, layer by layer",
      "Example: tune report --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl");
  add_model_and_device(*report, options.report.model, options.report.device);
  report->add_option("--records", options.report.records, "The tuning log")->type_name("LOG");
  add_layout(*report, options.report.layout, "Layout of the tuned variant; auto by layer [nhwc]");
  add_limits(*report, options.report);
  add_fast_ram(*report, options.report);
  add_passes(*report, options.report.disabled_passes);
  add_json(*report, options);

  CLI::App* explain = add_command(
      app, "explain", "Say why the fastest kernel of a task is the fastest",
      "Example: tune explain --model kws.tflite --device esp32c3 --records kws.esp32c3.jsonl "
      "--task 2");
  add_model_and_device(*explain, options.explain.model, options.explain.device);
  explain->add_option("--records", options.explain.records, "The tuning log")->type_name("LOG");
  explain->add_option("--task", options.explain.task, "A task of `tune inspect`")->type_name("N");
  add_passes(*explain, options.explain.disabled_passes);
  add_json(*explain, options);

  CLI::App* inspect = add_command(app, "inspect", "List a model's operators and tuning tasks",
                                  "Example: tune inspect kws.tflite");
  inspect->add_option("MODEL", options.inspect.model, "A .tflite file");
  add_passes(*inspect, options.inspect.disabled_passes);
  add_json(*inspect, options);

  CLI::App* devices = add_command(app, "devices", "List the known devices", "");
  add_json(*devices, options);

  CLI::App* worker =
      add_command(app, "worker", "Build and run candidates for a tuner",
                  "Example: tune worker --connect 192.168.1.7:9000 --device esp32c3");
  worker->add_option("--connect", options.worker.connect, "What the tuner's --listen said")
      ->type_name("unix:PATH|HOST:PORT");
  worker->add_option("--device", options.worker.device, "What this worker can run")
      ->type_name("NAME|FILE");
}

/// Missing options are ours to report: one line, and --json already known.
std::string missing_option(const std::vector<std::pair<const char*, bool>>& given) {
  std::string missing;
  for (const auto& [name, present] : given) {
    if (!present) missing += (missing.empty() ? "" : " and ") + std::string(name);
  }
  return missing;
}

int dispatch(const std::string& command, const Options& options, const Invocation& invocation) {
  const Console console(options.json, options.quiet);
  const auto lacks = [&](const std::vector<std::pair<const char*, bool>>& given) {
    const std::string missing = missing_option(given);
    if (missing.empty()) return false;
    console.fail(kExitWrongInput, "missing " + missing + "; see `tune" +
                                      (command.empty() ? "" : " " + command) + " --help`");
    return true;
  };
  if (command == "compile") {
    const CompileArguments& a = options.compile;
    if (lacks({{"--model", !a.model.empty()},
               {"--device", !a.device.empty()},
               {"-o", !a.directory.empty()}}))
      return kExitWrongInput;
    return run_compile(a, console);
  }
  if (command == "run") {
    const RunArguments& a = options.run;
    if (lacks({{"--model", !a.model.empty()}, {"--device", !a.device.empty()}}))
      return kExitWrongInput;
    return run_run(a, console);
  }
  if (command == "report") {
    const ReportArguments& a = options.report;
    if (lacks({{"--model", !a.model.empty()},
               {"--device", !a.device.empty()},
               {"--records", !a.records.empty()}}))
      return kExitWrongInput;
    return run_report(a, console);
  }
  if (command == "explain") {
    const ExplainArguments& a = options.explain;
    if (lacks({{"--model", !a.model.empty()},
               {"--device", !a.device.empty()},
               {"--records", !a.records.empty()},
               {"--task", !a.task.empty()}}))
      return kExitWrongInput;
    return run_explain(a, console);
  }
  if (command == "inspect") {
    if (lacks({{"a model", !options.inspect.model.empty()}})) return kExitWrongInput;
    return run_inspect(options.inspect, console);
  }
  if (command == "devices") return run_devices(console);
  if (command == "worker") {
    const WorkerArguments& a = options.worker;
    if (lacks({{"--connect", !a.connect.empty()}, {"--device", !a.device.empty()}}))
      return kExitWrongInput;
    return run_worker(a, console);
  }
  const TuneArguments& a = options.tune;
  if (lacks({{"--model", !a.model.empty()}, {"--device", !a.device.empty()}}))
    return kExitWrongInput;
  return run_tune(a, invocation, console);
}

}  // namespace

int run_cli(int argc, const char* const* argv, const Interrupts& interrupts) {
  Options options;
  CLI::App app("Finds the fastest exact int8 kernels for a neural network on a microcontroller.",
               "tune");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("tinytune ") + version());
  app.require_subcommand(0, 1);
  add_tune(app, options);
  add_compile(app, options);
  add_run(app, options);
  add_small_commands(app, options);

  const std::vector<std::string> words(argv, argv + argc);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {  // --help, --version
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    // Parsing stopped somewhere; whether JSON was asked for is still to be seen.
    const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
    return Console(json, false)
        .fail(kExitWrongInput, std::string(error.what()) + "; see `tune --help`");
  }
  std::string command;
  if (!app.get_subcommands().empty()) {
    command = app.get_subcommands().front()->get_name();
    // `tune --seed 3 run …` would silently ignore the seed.
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() > 0)
        return Console(options.json, false)
            .fail(kExitWrongInput, "options belong after the command: tune " + command + " " +
                                       option->get_name() + "; see `tune " + command + " --help`");
    }
  }
  const Invocation invocation{words[0], shell_line(words), interrupts.cancel};
  if (command.empty()) interrupts.listen();
  return dispatch(command, options, invocation);
}

}  // namespace tinytune
