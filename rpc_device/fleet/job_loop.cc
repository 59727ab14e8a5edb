#include "rpc_device/fleet/job_loop.h"

#include "base/printable.h"
#include "rpc_device/fleet/message_checks.h"
#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.pb.h"

namespace tinytune {
namespace {

Error nonsense(const std::string& what) {
  return Error(ErrorCode::kInvalidInput, "the tuner sent " + what);
}

}  // namespace

JobLoop::JobLoop(const JobFunctions& jobs, Send send) : jobs_(jobs), send_(std::move(send)) {}
JobLoop::~JobLoop() = default;

Status JobLoop::handle(const rpc::ToWorker& message) {
  if (message.has_piece()) return add_piece(message.piece());
  if (announced_) return nonsense("something else than the pieces that it announced");
  if (message.has_task()) return announce_task(message.task());
  if (message.has_examine()) {
    TT_TRY_ASSIGN(const std::string wrong, jobs_.examine());
    rpc::FromWorker answer;
    answer.mutable_examined()->set_wrong(printable(wrong, most::kLineBytes));
    send_(answer);
    return ok_status();
  }
  if (!message.has_job()) return nonsense("a second greeting");
  const rpc::Job& job = message.job();
  if (job.image_bytes() == 0) return work(job, "");
  return expect({nullptr, std::make_unique<rpc::Job>(job), Assembly(job.image_bytes())});
}

Status JobLoop::announce_task(const rpc::TaskHead& head) {
  const auto workload = parse_workload(head.workload());
  if (!workload) return nonsense("a task of no workload: " + workload.error().message());
  TT_TRY_ASSIGN(const uint64_t largest, largest_task(*workload));
  if (head.bytes() > largest)
    return nonsense("a task of " + std::to_string(head.bytes()) + " bytes; its workload has " +
                    std::to_string(largest) + " at most");
  if (task_bytes_ + head.bytes() > most::kTasksBytes)
    return nonsense("more tasks than a worker keeps");
  return expect({std::make_unique<rpc::TaskHead>(head), nullptr, Assembly(head.bytes())});
}

Status JobLoop::expect(Announced announced) {
  announced_.emplace(std::move(announced));
  return ok_status();
}

Status JobLoop::add_piece(const std::string& piece) {
  if (!announced_) return nonsense("a piece of nothing");
  if (!announced_->bytes.add(piece)) return nonsense("more bytes than it announced");
  if (!announced_->bytes.complete()) return ok_status();
  Announced whole = std::move(*announced_);
  announced_.reset();
  const std::string bytes = whole.bytes.take();
  if (whole.job) return work(*whole.job, bytes);
  auto task = task_from_wire(*whole.task, bytes);
  if (!task) return nonsense(task.error().message());
  if (tasks_.insert_or_assign(whole.task->id(), std::move(*task)).second)
    task_bytes_ += bytes.size();
  return ok_status();
}

Status JobLoop::work(const rpc::Job& job, const std::string& image) {
  rpc::FromWorker started;
  started.mutable_started()->set_ticket(job.ticket());
  send_(started);
  const auto task = tasks_.find(job.task());
  if (task == tasks_.end()) return nonsense("a job of an unknown task");
  return answer(job, do_step(job, task->second, image));
}

Result<BuiltCandidate> JobLoop::do_step(const rpc::Job& job, const TaskData& task,
                                        const std::string& image) const {
  const MeasureLimits limits = from_message(job.limits());
  if (job.step() == rpc::STEP_RUN_IMAGE) {
    if (!jobs_.run) return nonsense("an image to a worker that runs nothing");
    const auto kernel = image_from_wire(image);
    if (!kernel) return nonsense(kernel.error().message());
    TT_TRY_ASSIGN(MeasureResult result, jobs_.run(task, *kernel, limits));
    return BuiltCandidate{std::move(result), {}};
  }
  const auto schedule = parse_schedule(job.schedule());
  if (!schedule) {
    BuiltCandidate failed;
    failed.result.outcome = Outcome::kBuildFailed;
    failed.result.fidelity = Fidelity::kBuild;
    failed.result.detail = schedule.error().message();
    return failed;
  }
  if (job.step() == rpc::STEP_MEASURE) {
    if (!jobs_.measure) return nonsense("a whole job to half a worker");
    const auto of_task = parse_digest(job.task());
    if (!of_task) return nonsense("a task without a digest");
    TT_TRY_ASSIGN(MeasureResult result,
                  jobs_.measure(task, *of_task, {*schedule, jobs_.stage(), limits}));
    return BuiltCandidate{std::move(result), {}};
  }
  if (!jobs_.build) return nonsense("a schedule to a worker that builds nothing");
  return jobs_.build(task, *schedule, limits);
}

Status JobLoop::answer(const rpc::Job& job, const Result<BuiltCandidate>& done) {
  rpc::FromWorker answer;
  if (!done && done.error().code() != ErrorCode::kFailed) return done.error();
  if (!done) {
    answer.mutable_failed()->set_ticket(job.ticket());
    answer.mutable_failed()->set_why(printable(done.error().message(), most::kLineBytes));
    send_(answer);
    return ok_status();
  }
  rpc::Finished& finished = *answer.mutable_finished();
  finished = to_message(done->result, job.ticket());
  std::shared_ptr<const std::string> image;
  if (job.step() == rpc::STEP_MAKE_IMAGE && done->result.outcome == Outcome::kOk) {
    image = std::make_shared<const std::string>(to_wire(done->kernel));
    finished.set_image_bytes(image->size());
  }
  send_(answer);
  if (image == nullptr) return ok_status();
  for (Pieces pieces(image); !pieces.done();) {
    answer.set_piece(std::string(pieces.next()));
    send_(answer);
  }
  return ok_status();
}

}  // namespace tinytune
