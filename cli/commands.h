// The functions that do what a command of `tune` was asked; none of them sees argv.
#pragma once

#include <atomic>
#include <string>

#include "cli/arguments.h"
#include "cli/console.h"

namespace tinytune {

/// What a command knows of the program around it.
struct Context {
  Console console;
  std::string program = "tune";               ///< as typed: argv[0]
  std::string line;                           ///< the whole command line, quoted for a shell
  const std::atomic<bool>* cancel = nullptr;  ///< becomes true when somebody interrupts
};

/// Each returns the program's exit code.
int run_tune(const Arguments& arguments, const Context& context);
int run_compile(const Arguments& arguments, const Context& context);
int run_run(const Arguments& arguments, const Context& context);
int run_advise(const Arguments& arguments, const Context& context);
int run_report(const Arguments& arguments, const Context& context);
int run_explain(const Arguments& arguments, const Context& context);
int run_inspect(const Arguments& arguments, const Context& context);
int run_log(const Arguments& arguments, const Context& context);
int run_batch(const Arguments& arguments, const Context& context);
int run_compare(const Arguments& arguments, const Context& context);
int run_check(const Arguments& arguments, const Context& context);
int run_watch(const Arguments& arguments, const Context& context);
int run_completion(const Arguments& arguments, const Context& context);
int run_manual(const Arguments& arguments, const Context& context);
int run_op(const Arguments& arguments, const Context& context);
int run_ops(const Arguments& arguments, const Context& context);
int run_devices(const Arguments& arguments, const Context& context);
int run_doctor(const Arguments& arguments, const Context& context);
int run_fleet(const Arguments& arguments, const Context& context);
int run_firmware(const Arguments& arguments, const Context& context);
int run_import_times(const Arguments& arguments, const Context& context);
int run_calibrate(const Arguments& arguments, const Context& context);
int run_keys(const Arguments& arguments, const Context& context);
int run_simulate(const Arguments& arguments, const Context& context);
int run_worker(const Arguments& arguments, const Context& context);

}  // namespace tinytune
