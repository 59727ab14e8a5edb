#include "bench/spaces/space_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "bench/spaces/thinned_space.h"
#include "templates/kernel_template.h"

namespace tinytune::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkload =
    "conv2d_s8 nhwc n1 in5x5x16 out5x5x16 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 act-128,127 lane2 "
    "fused";

constexpr size_t kMost = 100;  // upper bound on the points of the thinned space

class SpaceTableTest : public testing::Test {
 protected:
  SpaceTableTest() {
    const Device device = load_device("esp32c3").value();
    table_.task = "net-1";
    table_.device = "esp32c3";
    table_.half = Half::kTest;
    table_.workload = parse_workload(kWorkload).value();
    table_.layers = 3;
    whole_ = space_of(table_.workload, device);
    defaults_ = default_schedules_of(table_.workload, device);
    table_.whole_points = whole_.size();
    table_.space = thinned(whole_, defaults_, kMost);
    for (const Schedule& s : defaults_) table_.defaults.push_back(*table_.space.find(s));
  }
  ~SpaceTableTest() override { fs::remove(path_); }

  void write(const std::string& text) { ASSERT_TRUE(write_file(path_.string(), text)); }
  void measure(size_t point) {
    table_.rows[point] = point % 5 == 4 ? SpaceTable::Row{Outcome::kRunTimeout, 0, 0}
                                        : SpaceTable::Row{Outcome::kOk, 1000 + point, 64};
  }

  SpaceTable table_;
  ConfigSpace whole_;
  std::vector<Schedule> defaults_;
  fs::path path_ = fs::temp_directory_path() / ("space_table_test." + std::to_string(getpid()));
};

TEST_F(SpaceTableTest, TableThatIsBegun_IsReadAndEndedLater) {
  std::string text = head_of(table_);
  for (size_t p = 0; p < 10; ++p) {
    measure(p);
    text += line_of(table_, p, table_.rows[p]);
  }
  write(text);
  const SpaceTable back = read_table(path_).value();
  EXPECT_FALSE(back.complete());
  EXPECT_EQ(back.rows.size(), 10u);
  EXPECT_EQ(back.space.size(), table_.space.size());
}

TEST_F(SpaceTableTest, WholeTable_IsReadAsItWasWritten) {
  for (size_t p = 0; p < table_.space.size(); ++p) measure(p);
  std::string text = head_of(table_);
  for (const auto& [point, row] : table_.rows) text += line_of(table_, point, row);
  write(text);
  const SpaceTable back = read_table(path_).value();
  EXPECT_TRUE(back.complete());
  EXPECT_EQ(head_of(back), head_of(table_));
  EXPECT_EQ(back.best(), 1000u);
  ASSERT_EQ(back.rows.size(), table_.rows.size());
  for (const auto& [point, row] : table_.rows) {
    EXPECT_EQ(to_text(back.space.schedule(point)), to_text(table_.space.schedule(point)));
    EXPECT_EQ(back.rows.at(point).outcome, row.outcome);
    EXPECT_EQ(back.rows.at(point).cycles, row.cycles);
  }
}

TEST_F(SpaceTableTest, OtherVersionOfATemplate_IsRefusedAndSaysWhatToDo) {
  std::string text = head_of(table_);
  const size_t version = text.find('/', text.find("\nfamily "));
  text.replace(version + 1, 1, "99");
  write(text);
  const auto table = read_table(path_);
  ASSERT_FALSE(table.has_value());
  EXPECT_NE(table.error().message().find("measure this table again"), std::string::npos)
      << table.error().message();
}

TEST_F(SpaceTableTest, FileOfAnotherKind_IsRefused) {
  write("family name\n");
  EXPECT_EQ(read_table(path_).error().code(), ErrorCode::kInvalidInput);
}

TEST_F(SpaceTableTest, ThinnedSpace_IsSmallerLegalAndHoldsTheDefaults) {
  EXPECT_LE(table_.space.size(), 3 * kMost) << "more, as values of defaults stay";
  EXPECT_GT(whole_.size(), 5 * kMost);
  for (size_t p = 0; p < table_.space.size(); ++p)
    EXPECT_TRUE(whole_.find(table_.space.schedule(p)).has_value());
  for (const Schedule& schedule : defaults_)
    EXPECT_TRUE(table_.space.find(schedule).has_value()) << to_text(schedule);
}

}  // namespace
}  // namespace tinytune::bench
