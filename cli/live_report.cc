#include "cli/live_report.h"

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/log_in_use.h"
#include "cli/page_server.h"
#include "cli/report_page.h"
#include "cli/report_page_inputs.h"

namespace tinytune {
namespace {

constexpr std::chrono::milliseconds kLook{500};

/// The latest data, written by one thread and read by the server's threads.
class Latest {
 public:
  void set(std::string data) {
    const std::lock_guard lock(mutex_);
    data_ = std::move(data);
  }
  std::string get() const {
    const std::lock_guard lock(mutex_);
    return data_;
  }

 private:
  mutable std::mutex mutex_;
  std::string data_;
};

}  // namespace

int serve_live_report(const Model& model, const ReportArguments& arguments,
                      const Context& context) {
  const Console& console = context.console;
  const std::string& log = *arguments.records;
  const Result<std::vector<Task>> tasks = page_tasks(model, arguments);
  if (!tasks) return console.fail(tasks.error());
  Latest latest;
  std::optional<PageServer> server;
  std::optional<std::filesystem::file_time_type> shown;
  bool was_live = true;
  while (!*context.cancel) {
    std::error_code unknown;  // ignored: reading the log reports errors
    const auto changed = std::filesystem::last_write_time(log, unknown);
    const bool live = is_written(log);
    if (!shown || *shown != changed || live != was_live) {
      const Result<std::string> data = live ? page_data_of_log(model, *tasks, arguments, live)
                                            : page_data_of_network(model, *tasks, arguments, {});
      if (!data) return console.fail(data.error());
      latest.set(*data);
      shown = changed;
      was_live = live;
    }
    if (!server) {
      Result<PageServer> started = PageServer::start(
          static_cast<int>(arguments.port), [&] { return page_of(latest.get()); },
          [&] { return latest.get(); });
      if (!started) return console.fail(started.error());
      server.emplace(std::move(*started));
      if (const int told = console.result(server->url()); told != 0) return told;
    }
    std::this_thread::sleep_for(kLook);
  }
  return 0;
}

}  // namespace tinytune
