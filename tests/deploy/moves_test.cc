// The loop over moves: which network is kept, and what is recorded of the others.
#include "deploy/deployment/moves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "deploy/deployment/deployment.h"
#include "deploy/deployment/move_trace.h"
#include "devices/device.h"
#include "examples/tflite_writer.h"
#include "tests/codegen/graph_builder.h"

namespace tinytune::test {
namespace {

using testing::ElementsAre;

/// A search whose candidates count as run: a name and made-up cycles.
struct NamedSearch {
  const Deployment& deployment;
  Result<Candidate> best = Error(ErrorCode::kFailed, "nothing was tried");
};

template <int cycles>
Proposal of_cycles(NamedSearch&) {
  Candidate candidate;
  candidate.network.name = std::to_string(cycles);
  candidate.ran.emplace().footprint.cycles = cycles;
  return candidate;
}

Proposal nothing(NamedSearch&) { return NotProposed{"there is no other"}; }
Proposal of_another_search(NamedSearch&) { return NotProposed{}; }
Proposal fails(NamedSearch&) { return Error(ErrorCode::kFailed, "it does not fit"); }

class Moves : public testing::Test {
 protected:
  void SetUp() override {
    GraphBuilder b;
    const int x = b.input({1, 2, 2, 1}, 0.5F, 0);
    const int weights = b.constant({1, 1, 1, 1}, 1, 0, {1});
    b.scales(weights, {0.01F}, 0);
    const Graph graph =
        b.finish({b.op(OperatorKind::kConv2d, {x, weights}, ConvAttributes{}, {1, 2, 2, 1}, 1, 0)});
    folder_ = *TemporaryDirectory::create("moves");
    ASSERT_TRUE(write_file(folder_->file("net.tflite"), text_of(write_tflite(graph))));
    model_.emplace(*Model::load(folder_->file("net.tflite")));
  }

  template <size_t count>
  Result<Candidate> after(const Move<NamedSearch> (&moves)[count]) {
    Deployment deployment{*model_, device_, records_, limits_, sink_};
    deployment.trace = &trace_;
    NamedSearch search{deployment};
    make_moves(moves, search);
    return search.best;
  }

  MoveTrace trace_;
  std::string said_;

 private:
  std::optional<TemporaryDirectory> folder_;
  std::optional<Model> model_;
  const Device device_ = *load_device("esp32c3");
  const Records records_{};
  const MemoryLimits limits_{};
  const MessageSink sink_ = [this](MessageKind, const std::string& line) { said_ += line; };
};

TEST_F(Moves, NetworkOfFewestCyclesStays) {
  constexpr Move<NamedSearch> kMoves[] = {
      {"first", of_cycles<900>}, {"faster", of_cycles<700>}, {"slower", of_cycles<800>}};
  EXPECT_EQ(after(kMoves)->network.name, "700");
  std::vector<int> kept;
  std::vector<std::string> why;
  for (const MoveOutcome& move : trace_.outcomes()) {
    kept.push_back(move.kept);
    why.push_back(move.why);
  }
  EXPECT_THAT(kept, ElementsAre(1, 1, 0));
  EXPECT_THAT(why, ElementsAre("", "", "it takes more cycles"));
  EXPECT_EQ(trace_.outcomes().back().cycles, 800u);
}

TEST_F(Moves, MoveThatProposesNothing_LeavesItsReasonAndTheNetwork) {
  constexpr Move<NamedSearch> kMoves[] = {{"first", of_cycles<900>},
                                          {"asked for", nothing, "there is one"},
                                          {"of another search", of_another_search}};
  EXPECT_EQ(after(kMoves)->network.name, "900");
  ASSERT_EQ(trace_.outcomes().size(), 2u);
  EXPECT_EQ(trace_.outcomes()[1].why, "there is no other");
  EXPECT_EQ(said_, "there is one: there is no other");
}

TEST_F(Moves, LaterMoveMayDoWithoutWhatFailed) {
  constexpr Move<NamedSearch> kFailing[] = {{"first", fails}, {"second", nothing}};
  EXPECT_EQ(after(kFailing).error().message(), "it does not fit");
  constexpr Move<NamedSearch> kRescued[] = {{"first", fails}, {"second", of_cycles<5>}};
  EXPECT_EQ(after(kRescued)->network.name, "5");
}

TEST(MoveTrace, MovesMadeInsideAMove_StandBelowItOnce) {
  MoveTrace trace;
  const auto inner = [&](const char* name, uint64_t cycles) {
    MoveTrace::Entry entry(&trace, name);
    trace.count_network();
    entry.takes(cycles);
    entry.keeps();
  };
  {
    MoveTrace::Entry entry(&trace, "strips");
    inner("kernels", 30);
    inner("all in flash", 40);
    inner("kernels", 20);
    entry.keeps();
  }
  {
    MoveTrace::Entry entry(&trace, "two cores");
    inner("kernels", 10);
    entry.ends("it takes more cycles");
  }
  std::vector<std::string> rows;
  for (const MoveOutcome& move : trace.outcomes())
    rows.push_back(std::to_string(move.depth) + " " + move.name + " " +
                   std::to_string(move.networks) + " " + std::to_string(move.cycles.value_or(0)));
  EXPECT_THAT(rows, ElementsAre("0 strips 3 0", "1 kernels 2 20", "1 all in flash 1 40",
                                "0 two cores 1 0", "1 kernels 1 10"));
}

}  // namespace
}  // namespace tinytune::test
