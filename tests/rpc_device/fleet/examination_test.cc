// A worker that is asked for an examination: it runs its doctor, reports, and works on.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>

#include "base/files.h"
#include "rpc_device/fleet/address.h"
#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.grpc.pb.h"
#include "templates/kernel_template.h"
#include "tests/measure/small_task.h"
#include "tests/rpc_device/boards/qemu.h"
#include "tests/rpc_device/fleet/processes.h"

namespace tinytune {
namespace {

/// A worker's replies to an Examine and to the job after it.
struct Answers {
  std::string wrong, outcome, fidelity;
};

// A tuner that asks one worker for an examination, then for a measurement.
class AskingTuner final : public rpc::Tuner::Service {
 public:
  explicit AskingTuner(const Device& device) : device_(device), task_(small_conv_task()) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~AskingTuner() override { server_->Shutdown(std::chrono::system_clock::now()); }
  std::string address() const { return "unix:" + directory_.path() + "/tuner"; }
  Answers answers() { return answers_.get_future().get(); }

  grpc::Status Work(grpc::ServerContext*,
                    grpc::ServerReaderWriter<rpc::ToWorker, rpc::FromWorker>* stream) override {
    rpc::ToWorker welcome, examine, head, piece, job;
    welcome.mutable_welcome();
    examine.mutable_examine();
    const std::string bytes = to_wire(task_);
    *head.mutable_task() = head_of(task_, bytes.size());
    piece.set_piece(bytes);
    job.mutable_job()->set_ticket(1);
    job.mutable_job()->set_task(id_of(task_));
    job.mutable_job()->set_schedule(to_text(default_schedule_of(task_.workload, device_).value()));
    job.mutable_job()->set_step(rpc::STEP_MEASURE);
    *job.mutable_job()->mutable_limits() = to_message(MeasureLimits{});
    for (const rpc::ToWorker& word : {welcome, examine, head, piece, job}) stream->Write(word);
    Answers answers;
    for (rpc::FromWorker said; stream->Read(&said);) {
      if (said.has_examined()) answers.wrong = said.examined().wrong();
      if (!said.has_finished() && !said.has_failed()) continue;
      answers.outcome = said.has_failed() ? said.failed().why() : said.finished().outcome();
      answers.fidelity = said.finished().fidelity();
      break;
    }
    answers_.set_value(answers);
    return grpc::Status::OK;
  }

 private:
  const TemporaryDirectory directory_ = make_socket_directory().value();
  const Device device_;
  const TaskData task_;
  std::promise<Answers> answers_;
  std::unique_ptr<grpc::Server> server_;
};

/// Returns the replies of a worker on `board` whose doctor is a shell script.
Answers ask(const std::string& device, const std::string& board, const std::string& script) {
  const auto folder = TemporaryDirectory::create("doctor").value();
  const std::string doctor = folder.path() + "/doctor";
  EXPECT_TRUE(write_file(doctor, "#!/bin/sh\n" + script + "\n"));
  std::filesystem::permissions(doctor, std::filesystem::perms::owner_all);
  AskingTuner tuner(load_device(device).value());
  TestProcess worker(
      {FAULTY_WORKER, "--connect", tuner.address(), "--device", board, "--doctor", doctor});
  return tuner.answers();
}

TEST(Examination, DoctorWhoFindsNothing_IsToldAsNothing) {
  const Answers answers = ask("esp32c3", "esp32c3", "echo '  ok    link     here'");
  EXPECT_EQ(answers.wrong, "");
  EXPECT_EQ(answers.outcome, "ok");
}

TEST(Examination, WhatTheDoctorFinds_IsToldInOneLineAndTheWorkerWorksOn) {
  const Answers answers =
      ask("esp32c3", "esp32c3",
          "echo '  ok    link     here'; echo '  WRONG counter  it stands still'; "
          "echo '  WRONG noise    much'; exit 1");
  EXPECT_EQ(answers.wrong, "counter  it stands still; noise    much");
  EXPECT_EQ(answers.outcome, "ok");
}

TEST(Examination, DoctorWhoFails_IsAFindingToo) {
  EXPECT_EQ(ask("esp32c3", "esp32c3", "exit 9").wrong, "the doctor ended with exit code 9");
}

// The worker closes the board for the doctor and reopens it afterwards.
TEST(Examination, BoardBehindADebugger_MeasuresAfterItsExamination) {
  const auto qemu = test::QemuWithGdb::start(test::riscv_virt());
  if (qemu == nullptr) GTEST_SKIP() << "no qemu-system-riscv32 here";
  const std::string device = test::riscv_virt().device;
  const Answers answers = ask(device, qemu->address(), "exit 0");
  EXPECT_EQ(answers.wrong, "");
  EXPECT_EQ(answers.outcome, "ok");
  EXPECT_EQ(answers.fidelity, "board");
}

}  // namespace
}  // namespace tinytune
