// Direct dense layers with one scale: the same bytes from fewer constants.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/rng.h"
#include "tests/templates/expect_exact.h"

namespace tinytune {
namespace {

const KernelTemplate& direct_dense_row() {
  return **find_template(Schedule("direct_dense", 1, {}));
}

RandomLayer scaled_alike(const std::string& zero_points, uint64_t seed) {
  RandomLayer layer = random_layer(
      *parse_workload("dense_s8 nhwc n1 in1x1x48 out1x1x12 k1x1 s1x1 d1x1 p0,0 g1 m1 " +
                      zero_points + " act-128,127 lane1 long"),
      Scales::kTypical, seed);
  std::fill(layer.data.multiplier.begin(), layer.data.multiplier.end(), 1518500250);
  std::fill(layer.data.shift.begin(), layer.data.shift.end(), -8);
  layer.workload.facts = prove_facts(layer.workload, layer.data);
  return layer;
}

void compute_dense_on(const char* name, std::set<Requantise>& forms) {
  const Device device = *load_device(name);
  auto simulator = Simulator::create(device);
  ASSERT_TRUE(simulator) << simulator.error().message();
  uint64_t seed = 40;
  for (const char* zero_points : {"zp83,-128", "zp-128,-5", "zp7,100"}) {
    RandomLayer layer = scaled_alike(zero_points, ++seed);
    for (const bool by_the_reference : {false, true}) {
      if (by_the_reference) layer.workload.facts.requantise = Requantise::kLong;
      forms.insert(layer.workload.facts.requantise);
      const ConfigSpace space = direct_dense_row().space(layer.workload, device);
      Rng rng(seed);
      for (int i = 0; i < 6; ++i) {
        const Schedule schedule = space.schedule(rng.below(space.size()));
        ASSERT_TRUE(packs(layer, schedule)) << to_text(schedule);
        expect_exact(*simulator, device, layer, schedule, ++seed);
      }
    }
  }
}

TEST(DirectDense, OnCoresOfEveryFamily_ComputesTheReferencesBytes) {
  std::set<Requantise> forms;
  for (const char* name : {"rv32imc", "rp2040", "cortex-m4"}) compute_dense_on(name, forms);
  EXPECT_TRUE(forms.contains(Requantise::kFused) && forms.contains(Requantise::kShort) &&
              forms.contains(Requantise::kLong));
}

TEST(DirectDense, KeepsAWordAChannel_AndScalesOnce) {
  const RandomLayer layer = scaled_alike("zp83,-128", 3);
  const Schedule schedule =
      direct_dense_row().default_schedule(layer.workload, *load_device("rp2040"));
  const auto constants = *direct_dense_row().pack(layer.workload, layer.data, schedule);
  ASSERT_EQ(constants.size(), 3u);
  EXPECT_EQ(constants[0].bytes.size(), layer.data.weights.size());
  ASSERT_EQ(layer.workload.facts.requantise, Requantise::kFused);
  EXPECT_EQ(constants[1].bytes.size(), 4u * 12) << "biases";
  EXPECT_EQ(constants[2].bytes.size(), 4u * (2 + 2)) << "scale, shifts";
}

TEST(DirectDense, ChannelsThatAreScaledDifferently_AreRefused) {
  RandomLayer layer = scaled_alike("zp-128,-5", 4);
  const Schedule schedule =
      direct_dense_row().default_schedule(layer.workload, *load_device("rp2040"));
  EXPECT_TRUE(packs(layer, schedule));
  EXPECT_TRUE(direct_dense_row().may_pack(layer.workload, layer.data)(schedule));
  ++layer.data.multiplier[5];
  EXPECT_FALSE(packs(layer, schedule));
  EXPECT_FALSE(direct_dense_row().may_pack(layer.workload, layer.data)(schedule));
}

}  // namespace
}  // namespace tinytune
