// Malicious tuners, over the wire: a worker ends with a one-line message before it uses what it was
// sent.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <functional>

#include "rpc_device/fleet/address.h"
#include "rpc_device/fleet/message_checks.h"
#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.grpc.pb.h"
#include "tests/measure/small_task.h"
#include "tests/rpc_device/fleet/processes.h"

namespace tinytune {
namespace {

using std::chrono::seconds;
using Stream = grpc::ServerReaderWriter<rpc::ToWorker, rpc::FromWorker>;

// A tuner that sends a welcome and `words`, then reads until the worker is gone.
class HostileTuner final : public rpc::Tuner::Service {
 public:
  explicit HostileTuner(std::vector<rpc::ToWorker> words)
      : directory_(make_socket_directory().value()), words_(std::move(words)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~HostileTuner() override { server_->Shutdown(std::chrono::system_clock::now()); }
  std::string address() const { return "unix:" + directory_.path() + "/tuner"; }

  grpc::Status Work(grpc::ServerContext*, Stream* stream) override {
    rpc::ToWorker welcome;
    welcome.mutable_welcome();
    stream->Write(welcome);
    for (const rpc::ToWorker& word : words_) stream->Write(word);
    for (rpc::FromWorker answer; stream->Read(&answer);) {
    }
    return grpc::Status::OK;
  }

 private:
  TemporaryDirectory directory_;
  const std::vector<rpc::ToWorker> words_;
  std::unique_ptr<grpc::Server> server_;
};

/// Returns the line with which a worker ends after `words`.
std::string last_words(std::vector<rpc::ToWorker> words) {
  HostileTuner tuner(std::move(words));
  TestProcess worker({FAULTY_WORKER, "--connect", tuner.address(), "--device", "esp32c3"});
  const std::string line = worker.read_line();
  const int code = worker.exit_code(seconds(20));
  EXPECT_TRUE(code == 1 || code == 2) << code;
  return line;
}

rpc::ToWorker piece(std::string bytes) {
  rpc::ToWorker message;
  message.set_piece(std::move(bytes));
  return message;
}

rpc::ToWorker announcement(const TaskData& task, uint64_t bytes) {
  rpc::ToWorker message;
  *message.mutable_task() = head_of(task, bytes);
  return message;
}

rpc::ToWorker job_of(const TaskData& task) {
  rpc::ToWorker message;
  rpc::Job& job = *message.mutable_job();
  job.set_ticket(1);
  job.set_task(id_of(task));
  job.set_schedule("instant 1");
  job.set_step(rpc::STEP_MEASURE);
  *job.mutable_limits() = to_message(MeasureLimits{});
  return message;
}

std::vector<rpc::ToWorker> task_and_job(const TaskData& task) {
  const std::string bytes = to_wire(task);
  return {announcement(task, bytes.size()), piece(bytes), job_of(task)};
}

TEST(HostileTuner, TasksThatDoNotFitTheirWorkload_AreRefused) {
  TaskData one_weight = small_conv_task();
  one_weight.data.weights.resize(1);
  EXPECT_NE(last_words(task_and_job(one_weight)).find("weights"), std::string::npos);
  TaskData no_bias = small_conv_task();
  no_bias.data.bias.clear();
  EXPECT_NE(last_words(task_and_job(no_bias)).find("bias"), std::string::npos);
  TaskData no_cases = small_conv_task();
  no_cases.cases.clear();
  EXPECT_NE(last_words(task_and_job(no_cases)).find("cases"), std::string::npos);
}

TEST(HostileTuner, MoreBytesThanTheWorkloadHas_AreRefusedUnread) {
  const TaskData task = small_conv_task();
  const uint64_t largest = largest_task(task.workload).value();
  EXPECT_NE(last_words({announcement(task, largest + 1)}).find("at most"), std::string::npos);
  EXPECT_NE(last_words({announcement(task, 10), piece(std::string(11, 'x'))}).find("announced"),
            std::string::npos);
  const std::string line = last_words({piece(std::string(size_t{64} << 20, 'x'))});
  EXPECT_NE(line.find("tuner"), std::string::npos) << line;
}

TEST(HostileTuner, WordsOutOfTurn_EndTheWorker) {
  const TaskData task = small_conv_task();
  EXPECT_NE(last_words({piece("x")}).find("a piece of nothing"), std::string::npos);
  EXPECT_NE(last_words({job_of(task)}).find("unknown task"), std::string::npos);
  EXPECT_NE(last_words({announcement(task, 10), job_of(task)}).find("something else"),
            std::string::npos);
}

TEST(HostileTuner, ImpossibleLimits_AreRefused) {
  const TaskData task = small_conv_task();
  std::vector<rpc::ToWorker> words = task_and_job(task);
  words.back().mutable_job()->mutable_limits()->set_repeats(3'000'000);
  EXPECT_NE(last_words(words).find("repeats"), std::string::npos);
}

TEST(HostileTuner, ImageThatIsNone_IsRefused) {
  const TaskData task = small_conv_task();
  std::vector<rpc::ToWorker> words = task_and_job(task);
  words.back().mutable_job()->set_step(rpc::STEP_RUN_IMAGE);
  words.back().mutable_job()->set_image_bytes(8);
  words.push_back(piece("nonsense"));
  EXPECT_NE(last_words(words).find("image"), std::string::npos);
}

}  // namespace
}  // namespace tinytune
