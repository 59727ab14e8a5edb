// How long a large log takes to load, and how much memory.
//
//   log_load [--records 1000000] [--device esp32c3] [--log FILE]
//
// Writes a log with every point of the spaces of pointwise convolutions, in as many sizes as it
// takes, and loads it as a tuning run does: reads lines, verifies checksums, finds every schedule
// in its space. Prints wall-clock and processor seconds, and the peak memory of loading.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/rng.h"
#include "base/temporary_directory.h"
#include "deploy/knowledge/applicable_records.h"
#include "devices/device.h"
#include "records/log_line.h"
#include "schedules/workload.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

struct Moment {
  std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
  double processors = static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
};

double seconds_between(const Moment& a, const Moment& b) {
  return std::chrono::duration<double>(b.wall - a.wall).count();
}

Workload pointwise(int number) {
  Workload w;
  w.in_h = w.out_h = 5 + number % 20;
  w.in_w = w.out_w = 5 + number / 20;
  w.in_c = 64;
  w.out_c = 64;
  return w;
}

Status write_log(const std::string& path, size_t records, const Device& device) {
  std::ofstream log(path, std::ios::binary);
  Rng rng(1);
  Measurement m;
  m.device = device.name;
  m.device_hash = device.hash;
  m.outcome = Outcome::kOk;
  m.tuner = "bayes";
  m.tool = "tinytune bench";
  m.time = "2026-01-01T00:00:00Z";
  m.run = "0123456789abcdef0123456789abcdef";
  m.build = "bench";
  size_t written = 0;
  for (int number = 0; written < records; ++number) {
    const Workload workload = pointwise(number);
    const ConfigSpace space = space_of(workload, device);
    m.workload = to_text(workload);
    for (size_t p = 0; p < space.size() && written < records; ++p, ++written) {
      m.schedule = to_text(space.schedule(p));
      m.cycles = {100'000 + rng.below(1'000'000)};
      m.instructions = m.cycles[0] - 1000;
      m.code.code_bytes = 1000 + rng.below(4000);
      m.seconds = static_cast<double>(rng.below(1000)) / 1000;
      m.image = fmt::format("{:016x}{:016x}", rng.below(~uint64_t{0}), written);
      log << to_log_line(m) << '\n';
    }
  }
  log.flush();
  return log ? ok_status() : Error(ErrorCode::kFailed, "cannot write " + path);
}

/// Runs in a process of its own, so that its peak memory is that of loading.
int load(const std::string& path, size_t records, const Device& device) {
  const Moment start;
  Result<LogContents> contents = read_log(path);
  if (!contents) {
    fmt::print(stderr, "log_load: {}\n", contents.error().message());
    return 1;
  }
  const Moment read;
  const Records applicable =
      applicable_records(std::move(contents).value(), path, device, Fidelity::kSimulate, {});
  const Moment all;
  fmt::print(
      "{} records, {} bytes: lines {:.2f} s, queries {:.2f} s, together {:.2f} s ({:.2f} s of "
      "processors)\n",
      applicable.all().size(), std::filesystem::file_size(path), seconds_between(start, read),
      seconds_between(read, all), seconds_between(start, all), all.processors - start.processors);
  std::fflush(stdout);
  return applicable.all().size() == records ? 0 : 1;
}

Status run(const std::string& path, size_t records, const std::string& device_name) {
  TT_TRY_ASSIGN(const Device device, load_device(device_name));
  TT_TRY(write_log(path, records, device));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(load(path, records, device));
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (status != 0) return Error(ErrorCode::kFailed, "records were lost on the way");
  fmt::print("most memory: {} MiB\n", usage.ru_maxrss / 1024);
  return ok_status();
}

}  // namespace
}  // namespace tinytune

int main(int argc, char** argv) {
  size_t records = 1'000'000;
  std::string device = "esp32c3", path;
  CLI::App app("Loads a large log.");
  app.add_option("--records", records, "How many [1000000]")->check(CLI::PositiveNumber);
  app.add_option("--device", device, "Whose spaces [esp32c3]");
  app.add_option("--log", path, "Where to write it, and leave it [a temporary file]");
  CLI11_PARSE(app, argc, argv);
  const auto folder = tinytune::TemporaryDirectory::create("log-load");
  if (!folder) return fmt::print(stderr, "log_load: {}\n", folder.error().message()), 1;
  const tinytune::Status done =
      tinytune::run(path.empty() ? folder->file("log.jsonl") : path, records, device);
  if (!done) fmt::print(stderr, "log_load: {}\n", done.error().message());
  return done ? 0 : 1;
}
