#include "rpc_device/fleet/message_checks.h"

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "rpc_device/fleet/tuner.pb.h"

namespace tinytune {
namespace {

// A list of checks on one message; the first that fails is reported.
class Checks {
 public:
  Checks& that(bool holds, const std::string& what) {
    if (!holds && status_) status_ = Error(ErrorCode::kInvalidInput, what);
    return *this;
  }
  Checks& text(const char* name, const std::string& value, size_t most) {
    that(value.size() <= most, std::string(name) + " of " + std::to_string(value.size()) +
                                   " bytes, " + std::to_string(most) + " at most");
    return that(is_one_line(value), std::string(name) + " that does not print");
  }
  Checks& number(const char* name, uint64_t value, uint64_t least, uint64_t most) {
    return that(value >= least && value <= most,
                std::string(name) + " of " + std::to_string(value));
  }
  Checks& milliseconds(double value) {
    return that(std::isfinite(value) && value >= 0 && value <= most::kSeconds * 1e3,
                "a time that is none");
  }
  Status status() const { return status_; }

 private:
  Status status_ = ok_status();
};

Status check(const rpc::Hello& hello) {
  return Checks()
      .text("a device's name", hello.device(), most::kWordBytes)
      .text("a build", hello.build(), most::kWordBytes)
      .text("a host", hello.host(), most::kWordBytes)
      .text("a board's id", hello.runs_on(), most::kWordBytes)
      .that(hello.process() > 0, "no process")
      .status();
}

Status check(const rpc::Finished& finished) {
  Checks checks;
  checks.that(parse_outcome(finished.outcome()).has_value(), "an outcome that is none")
      .that(parse_fidelity(finished.fidelity()).has_value(), "a fidelity that is none")
      .text("a detail", finished.detail(), most::kLineBytes)
      .text("a digest", finished.image(), most::kWordBytes)
      .number("cycles in number", static_cast<uint64_t>(finished.cycles_size()), 0, most::kRepeats)
      .number("instructions", finished.instructions(), 0, most::kCount)
      .number("bytes of code", finished.code_bytes(), 0, most::kBytes)
      .number("bytes of constants", finished.constant_bytes(), 0, most::kBytes)
      .number("bytes of RAM", finished.ram_bytes(), 0, most::kBytes)
      .number("bytes of an image", finished.image_bytes(), 0, most::kImageBytes);
  for (const double time : {finished.lower_ms(), finished.llvm_ms(), finished.link_ms(),
                            finished.run_ms(), finished.verify_ms()})
    checks.milliseconds(time);
  return checks.status();
}

Status check(const rpc::Job& job) {
  const rpc::Limits& limits = job.limits();
  const bool runs_image = job.step() == rpc::STEP_RUN_IMAGE;
  return Checks()
      .that(job.step() > rpc::STEP_UNKNOWN && job.step() <= rpc::STEP_MEASURE, "an unknown step")
      .text("a task's id", job.task(), most::kWordBytes)
      .text("a schedule", job.schedule(), most::kScheduleBytes)
      .number("bytes of an image", job.image_bytes(), runs_image ? 1 : 0,
              runs_image ? most::kImageBytes : 0)
      .that(limits.build_cpu_ms() > 0 && limits.build_cpu_ms() <= most::kBuildMilliseconds,
            "a build's time of " + std::to_string(limits.build_cpu_ms()) + " ms")
      .number("bytes of memory", limits.build_memory_bytes(), 1, most::kBuildMemoryBytes)
      .number("cycles", limits.run_cycles(), 1, most::kCount)
      .number("milliseconds", limits.run_ms(), 1, most::kRunMilliseconds)
      .that(limits.repeats() > 0 && limits.repeats() <= most::kRepeats,
            "repeats of " + std::to_string(limits.repeats()))
      .status();
}

Status check_piece(const std::string& piece) {
  return Checks().number("bytes of a piece", piece.size(), 1, most::kPieceBytes).status();
}

}  // namespace

Status check_message(const rpc::FromWorker& message) {
  switch (message.kind_case()) {
    case rpc::FromWorker::kHello:
      return check(message.hello());
    case rpc::FromWorker::kFinished:
      return check(message.finished());
    case rpc::FromWorker::kFailed:
      return Checks().text("a reason", message.failed().why(), most::kLineBytes).status();
    case rpc::FromWorker::kExamined:
      return Checks().text("a finding", message.examined().wrong(), most::kLineBytes).status();
    case rpc::FromWorker::kPiece:
      return check_piece(message.piece());
    case rpc::FromWorker::kHeartbeat:
    case rpc::FromWorker::kStarted:
      return ok_status();
    case rpc::FromWorker::KIND_NOT_SET:
      break;
  }
  return Error(ErrorCode::kInvalidInput, "a message of no known kind");
}

Status check_message(const rpc::ToWorker& message) {
  switch (message.kind_case()) {
    case rpc::ToWorker::kRefusal:
      return Checks().text("a reason", message.refusal().reason(), most::kLineBytes).status();
    case rpc::ToWorker::kTask:
      return Checks()
          .text("a task's id", message.task().id(), most::kWordBytes)
          .text("a workload", message.task().workload(), most::kWorkloadBytes)
          .number("bytes of a task", message.task().bytes(), 1, most::kTaskBytes)
          .status();
    case rpc::ToWorker::kJob:
      return check(message.job());
    case rpc::ToWorker::kPiece:
      return check_piece(message.piece());
    case rpc::ToWorker::kWelcome:
    case rpc::ToWorker::kExamine:
      return ok_status();
    case rpc::ToWorker::KIND_NOT_SET:
      break;
  }
  return Error(ErrorCode::kInvalidInput, "a message of no known kind");
}

Status check_result(const MeasureResult& result, Fidelity stage, const MeasureLimits& limits) {
  const bool ok = result.outcome == Outcome::kOk;
  const size_t timed = static_cast<size_t>(std::max(limits.repeats, 1));
  const bool is_run = ok && stage != Fidelity::kBuild;
  const size_t least = is_run ? timed : 0;
  // A board is called until its cycles are steady.
  const size_t most_cycles = is_run && stage == Fidelity::kBoard ? timed + most::kRepeats : least;
  Checks checks;
  checks
      .that(least <= result.cycles.size() && result.cycles.size() <= most_cycles,
            std::string(name_of(result.outcome)) + " with " + std::to_string(result.cycles.size()) +
                " counts of cycles")
      .that(ok || result.instructions == 0, "instructions of what did not run to its end")
      .number("instructions", result.instructions, 0, most::kCount)
      .that(!ok || result.fidelity == stage,
            "a result of fidelity " + std::string(name_of(result.fidelity)));
  for (const uint64_t cycles : result.cycles) checks.number("cycles", cycles, 1, most::kCount);
  return checks.status();
}

Result<uint64_t> largest_task(const Workload& w) {
  const auto of = [](int64_t bytes) { return static_cast<uint64_t>(bytes); };
  constexpr uint64_t kPerChannel = 3 * 5;  // three numbers of 32 bits as varints
  constexpr uint64_t kFraming = 64;        // tags and lengths
  const uint64_t constants = of(w.weight_bytes()) + kPerChannel * of(w.out_c) + kFraming;
  const uint64_t one_case =
      of(w.input_bytes()) + of(w.output_bytes()) + most::kWordBytes + kFraming;
  const uint64_t largest = constants + most::kCases * one_case;
  const uint64_t least = constants + one_case;
  if (least > most::kTaskBytes)
    return Error(ErrorCode::kInvalidInput, "a workload of " + std::to_string(least) + " bytes");
  return std::min(largest, most::kTaskBytes);
}

}  // namespace tinytune
