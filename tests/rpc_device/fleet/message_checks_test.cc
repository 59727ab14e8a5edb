#include "rpc_device/fleet/message_checks.h"

#include <gtest/gtest.h>

#include <limits>

#include "rpc_device/fleet/protocol.h"
#include "rpc_device/fleet/tuner.pb.h"
#include "tests/measure/small_task.h"

namespace tinytune {
namespace {

MeasureResult ok(std::vector<uint64_t> cycles) {
  MeasureResult result;
  result.outcome = Outcome::kOk;
  result.cycles = std::move(cycles);
  return result;
}

rpc::FromWorker sound_answer() {
  rpc::FromWorker message;
  *message.mutable_finished() = to_message(ok({5}), 1);
  return message;
}

rpc::ToWorker sound_job() {
  rpc::ToWorker message;
  message.mutable_job()->set_step(rpc::STEP_MEASURE);
  *message.mutable_job()->mutable_limits() = to_message(MeasureLimits{});
  return message;
}

TEST(MessageChecks, SoundMessages_Pass) {
  EXPECT_TRUE(check_message(sound_answer()));
  EXPECT_TRUE(check_message(sound_job()));
  EXPECT_FALSE(check_message(rpc::FromWorker()));
  EXPECT_FALSE(check_message(rpc::ToWorker()));
}

TEST(MessageChecks, EachFieldOfAResult_HasItsLimit) {
  const auto refused = [](void (*spoil)(rpc::Finished&)) {
    rpc::FromWorker message = sound_answer();
    spoil(*message.mutable_finished());
    return !check_message(message);
  };
  using F = rpc::Finished;
  EXPECT_TRUE(refused([](F& f) { f.set_outcome("splendid"); }));
  EXPECT_TRUE(refused([](F& f) { f.set_fidelity("hearsay"); }));
  EXPECT_TRUE(refused([](F& f) { f.set_detail("\x1b[2J"); }));
  EXPECT_TRUE(refused([](F& f) { f.set_detail("two\nlines"); }));
  EXPECT_TRUE(refused([](F& f) { f.set_detail(std::string(most::kLineBytes + 1, 'x')); }));
  EXPECT_TRUE(refused([](F& f) { f.set_image("\x01"); }));
  EXPECT_TRUE(refused([](F& f) { f.mutable_cycles()->Resize(most::kRepeats + 1, 7); }));
  EXPECT_TRUE(refused([](F& f) { f.set_instructions(UINT64_MAX); }));
  EXPECT_TRUE(refused([](F& f) { f.set_code_bytes(UINT64_MAX); }));
  EXPECT_TRUE(refused([](F& f) { f.set_constant_bytes(UINT64_MAX); }));
  EXPECT_TRUE(refused([](F& f) { f.set_ram_bytes(UINT64_MAX); }));
  EXPECT_TRUE(refused([](F& f) { f.set_image_bytes(UINT64_MAX); }));
  EXPECT_TRUE(refused([](F& f) { f.set_run_ms(-1); }));
  EXPECT_TRUE(refused([](F& f) { f.set_llvm_ms(std::numeric_limits<double>::quiet_NaN()); }));
  EXPECT_TRUE(refused([](F& f) { f.set_run_ms(std::numeric_limits<double>::infinity()); }));
}

TEST(MessageChecks, EachFieldOfAJob_HasItsLimit) {
  const auto refused = [](void (*spoil)(rpc::Job&)) {
    rpc::ToWorker message = sound_job();
    spoil(*message.mutable_job());
    return !check_message(message);
  };
  using J = rpc::Job;
  EXPECT_TRUE(refused([](J& j) { j.set_step(rpc::STEP_UNKNOWN); }));
  EXPECT_TRUE(refused([](J& j) { j.set_step(static_cast<rpc::Step>(77)); }));
  EXPECT_TRUE(refused([](J& j) { j.set_schedule(std::string(most::kScheduleBytes + 1, 'x')); }));
  EXPECT_TRUE(refused([](J& j) { j.set_image_bytes(1); })) << "of a job that runs none";
  EXPECT_TRUE(refused([](J& j) { j.set_step(rpc::STEP_RUN_IMAGE); })) << "without one";
  EXPECT_TRUE(refused([](J& j) { j.mutable_limits()->set_repeats(0); }));
  EXPECT_TRUE(refused([](J& j) { j.mutable_limits()->set_repeats(3'000'000); }));
  EXPECT_TRUE(refused([](J& j) { j.mutable_limits()->set_build_cpu_ms(-1); }));
  EXPECT_TRUE(refused([](J& j) { j.mutable_limits()->set_build_memory_bytes(UINT64_MAX); }));
  EXPECT_TRUE(refused([](J& j) { j.mutable_limits()->set_run_cycles(UINT64_MAX); }));
}

TEST(MessageChecks, Pieces_AreBounded) {
  rpc::ToWorker message;
  message.set_piece(std::string(most::kPieceBytes, 'x'));
  EXPECT_TRUE(check_message(message));
  message.set_piece(std::string(most::kPieceBytes + 1, 'x'));
  EXPECT_FALSE(check_message(message));
  message.set_piece("");
  EXPECT_FALSE(check_message(message)) << "it would go on for ever";
}

TEST(MessageChecks, OkWithoutItsCycles_IsNoResult) {
  const MeasureLimits limits;
  const auto passes = [&](const MeasureResult& result) {
    return check_result(result, Fidelity::kSimulate, limits).has_value();
  };
  EXPECT_TRUE(passes(ok({5})));
  EXPECT_FALSE(passes(ok({})));
  EXPECT_FALSE(passes(ok({0})));
  EXPECT_FALSE(passes(ok({UINT64_MAX})));
  EXPECT_FALSE(passes(ok({5, 5}))) << "more than repeats";
  MeasureResult failed = ok({5});
  failed.outcome = Outcome::kCrashed;
  EXPECT_FALSE(passes(failed)) << "cycles of what did not run to its end";
  failed.cycles.clear();
  EXPECT_TRUE(passes(failed));
}

TEST(MessageChecks, Result_IsOfTheStageThatWasAskedFor) {
  MeasureResult built = ok({});
  built.fidelity = Fidelity::kBuild;
  EXPECT_TRUE(check_result(built, Fidelity::kBuild, {}));
  EXPECT_FALSE(check_result(built, Fidelity::kSimulate, {}));
  EXPECT_FALSE(check_result(ok({5}), Fidelity::kBoard, {}));
}

TEST(MessageChecks, ResultOfABoard_MayHaveMoreCountsThanRepeats) {
  MeasureResult result = ok({5, 6, 5});
  result.fidelity = Fidelity::kBoard;
  EXPECT_TRUE(check_result(result, Fidelity::kBoard, {}));
  result.cycles.resize(most::kRepeats + 2, 5);
  EXPECT_FALSE(check_result(result, Fidelity::kBoard, {}));
  result.cycles.clear();
  EXPECT_FALSE(check_result(result, Fidelity::kBoard, {}));
}

TEST(MessageChecks, TaskOfAHugeWorkload_IsRefusedByItsNumbers) {
  Workload w = small_conv_task().workload;
  w.in_h = w.out_h = 20'000;
  w.in_w = w.out_w = 20'000;
  EXPECT_FALSE(largest_task(w));
}

}  // namespace
}  // namespace tinytune
