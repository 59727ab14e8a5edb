// Which records of a log count. Fewer cycles than the layer's multiplications take mean a counter
// that stood still or an edited record, which must not win.
#include "deploy/knowledge/applicable_records.h"

#include <gtest/gtest.h>

#include "templates/kernel_template.h"

namespace tinytune {
namespace {

TEST(KnownRecords, FewerCyclesThanTheMultiplicationsTake_AreNotTrusted) {
  const Device device = load_device("esp32c3").value();
  const std::string text =
      "dense_s8 nhwc n1 in1x1x256 out1x1x16 k1x1 s1x1 d1x1 p0,0 g1 m1 zp0,0 act-128,127 lane1 long";
  const ConfigSpace space = space_of(parse_workload(text).value(), device);
  ASSERT_GE(space.size(), 2u);
  LogContents log;
  for (const uint64_t cycles : {uint64_t{3}, uint64_t{9000}}) {
    Measurement m;
    m.device = device.name;
    m.device_hash = device.hash;
    m.workload = text;
    m.schedule = to_text(space.schedule(log.measurements.size()));
    m.outcome = Outcome::kOk;
    m.cycles = {cycles};
    log.measurements.push_back(std::move(m));
  }
  std::vector<std::string> said;
  const Records records =
      applicable_records(log, "kws.jsonl", device, Fidelity::kSimulate,
                         [&](MessageKind, const std::string& line) { said.push_back(line); });
  ASSERT_NE(records.best(text), nullptr);
  EXPECT_EQ(records.best(text)->median_cycles(), 9000u);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said.front().find("1 record(s) not trusted"), std::string::npos) << said.front();
}

}  // namespace
}  // namespace tinytune
