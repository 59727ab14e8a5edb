// What each command of `tune` was asked to do, and the functions that do it.
//
// cli.cc fills the structs from the command line; a command never sees argv.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/console.h"

namespace tinytune {

/// How the program was called, to print commands that can be typed as they are.
struct Invocation {
  std::string program = "tune";               ///< as typed: argv[0]
  std::string line;                           ///< the whole command line, quoted for a shell
  const std::atomic<bool>* cancel = nullptr;  ///< set by SIGINT
};

struct TuneArguments {
  std::string model, device;
  std::optional<std::string> records;
  std::optional<std::string> trials, budget, seed, tasks;
  std::string tuner = "xgb";
  std::optional<int> workers;
  std::string listen;
  std::string layout = "nhwc";
  std::optional<std::string> ram, flash;
  std::vector<std::string> disabled_passes;
};
int run_tune(const TuneArguments& arguments, const Invocation& invocation, const Console& console);

struct CompileArguments {
  std::string model, device, directory;
  std::optional<std::string> records;
  bool require_tuned = false;
  std::string layout = "nhwc", format = "cmake";
  std::optional<std::string> ram, flash, fast_ram;
  std::vector<std::string> disabled_passes;
};
int run_compile(const CompileArguments& arguments, const Console& console);

struct RunArguments {
  std::string model, device;
  std::optional<std::string> records;
  std::vector<std::string> inputs, outputs;
  bool verify = false;
  std::optional<std::string> dump_directory;
  std::string layout = "nhwc";
  std::optional<std::string> ram, flash, fast_ram;
  std::vector<std::string> disabled_passes;
};
int run_run(const RunArguments& arguments, const Console& console);

struct InspectArguments {
  std::string model;
  std::vector<std::string> disabled_passes;
};
int run_inspect(const InspectArguments& arguments, const Console& console);
int run_devices(const Console& console);

struct ReportArguments {
  std::string model, device, records;
  std::string layout = "nhwc";
  std::optional<std::string> ram, flash, fast_ram;
  std::vector<std::string> disabled_passes;
};
int run_report(const ReportArguments& arguments, const Console& console);

struct ExplainArguments {
  std::string model, device, records, task;
  std::vector<std::string> disabled_passes;
};
int run_explain(const ExplainArguments& arguments, const Console& console);

struct WorkerArguments {
  std::string connect, device;
};
int run_worker(const WorkerArguments& arguments, const Console& console);

}  // namespace tinytune
