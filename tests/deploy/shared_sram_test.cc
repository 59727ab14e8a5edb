// An SRAM shared by code and data: data get what the code leaves, whatever sizes the device file
// uses to measure kernels.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "examples/tflite_writer.h"
#include "tests/codegen/graph_builder.h"
#include "tinytune/deploy.h"
#include "tinytune/model.h"

namespace tinytune::test {
namespace {

struct Told {
  Result<RunReport> ran;
  std::vector<std::string> messages;
};

// A concatenation, whose tensors are all live at once: twice `bytes`.
Told run_joining(int bytes, const std::string& device) {
  GraphBuilder b;
  const int x = b.input({1, bytes / 2}, 0.5F, 0), y = b.input({1, bytes - bytes / 2}, 0.5F, 0);
  const Graph graph = b.finish(
      {b.op(OperatorKind::kConcatenation, {x, y}, AxisAttributes{.axis = 1}, {1, bytes}, 0.5F, 0)});
  const auto folder = TemporaryDirectory::create("shared_sram");
  EXPECT_TRUE(write_file(folder->file("net.tflite"), text_of(write_tflite(graph))));
  const auto model = Model::load(folder->file("net.tflite"));
  EXPECT_TRUE(model) << model.error().message();
  std::vector<std::string> messages;
  RunOptions options;
  options.verify = true;
  options.on_message = [&](MessageKind, const std::string& text) { messages.push_back(text); };
  Result<RunReport> ran = run_model(*model, device, options);
  return {std::move(ran), std::move(messages)};
}

TEST(SharedSram, TensorsHaveWhatCodeLeaves) {
  for (const int bytes : {80'000, 100'000}) {
    const Told told = run_joining(bytes, "esp32c3");
    ASSERT_TRUE(told.ran) << told.ran.error().message();
    EXPECT_EQ(told.ran->exact, true);
    EXPECT_TRUE(told.messages.empty());
  }
}

TEST(SharedSram, NetworkThatNeedsMoreThanAll_IsRefused) {
  const Told told = run_joining(250'000, "esp32c3");
  ASSERT_FALSE(told.ran);
  EXPECT_NE(told.ran.error().message().find("does not fit"), std::string::npos);
  EXPECT_TRUE(told.messages.empty());
}

}  // namespace
}  // namespace tinytune::test
