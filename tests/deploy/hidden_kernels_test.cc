// Kernels whose constants arrive while the core computes, so that products and transfers overlap.
#include "deploy/selection/hidden_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "codegen/networks/arriving_layers.h"
#include "deploy/selection/estimated_kernels.h"
#include "deploy/selection/low_scratch_schedules.h"
#include "templates/kernel_template.h"
#include "tests/templates/random_layer.h"

namespace tinytune::test {
namespace {

constexpr uint64_t kAnyScratch = std::numeric_limits<uint64_t>::max();

/// A dense layer whose channels all have the same scale.
KernelOp dense_layer() {
  RandomLayer layer = random_layer(
      *parse_workload("dense_s8 nhwc n1 in1x1x128 out1x1x64 k1x1 s1x1 d1x1 p0,0 g1 m1 zp-128,-128 "
                      "act-128,127 lane1 long"),
      Scales::kTypical, 9);
  std::fill(layer.data.multiplier.begin(), layer.data.multiplier.end(), 1518500250);
  std::fill(layer.data.shift.begin(), layer.data.shift.end(), -8);
  layer.workload.facts = prove_facts(layer.workload, layer.data);
  return {layer.workload, layer.data};
}

uint64_t bytes_of(const KernelOp& op, const Schedule& schedule) {
  const auto constants = (*find_template(schedule))->pack(op.workload, op.data, schedule);
  uint64_t bytes = 0;
  for (const PackedConstant& constant : *constants) bytes += constant.bytes.size();
  return bytes;
}

Schedule hidden_by(const KernelOp& op, uint32_t piece_cycles) {
  const Device device = *load_device("esp32c3");
  ArrivalWay way = load_arrival_ways("esp32c3")->front();
  way.piece_cycles = piece_cycles;
  const KernelOp* const ops[] = {&op};
  return *hidden_kernel(ops, 1, way, device, kAnyScratch);
}

TEST(HiddenKernels, WhereBytesTakeLong_HaveTheFewest) {
  const KernelOp op = dense_layer();
  const uint64_t least = bytes_of(op, hidden_by(op, 10'000));
  for (const Schedule& schedule : default_schedules_of(op.workload, *load_device("esp32c3")))
    if ((*find_template(schedule))->pack(op.workload, op.data, schedule)) {
      EXPECT_LE(least, bytes_of(op, schedule)) << to_text(schedule);
    }
}

TEST(HiddenKernels, WhereBytesTakeNoTime_AreTheFastest) {
  const KernelOp op = dense_layer();
  const Schedule fastest =
      estimated_kernels(op.workload, op.data, *load_device("esp32c3"), {}).front().schedule;
  EXPECT_EQ(to_text(hidden_by(op, 0)), to_text(fastest));
}

TEST(HiddenKernels, OfBlocks_AreInTheSpaceOfABlock) {
  const KernelOp op = dense_layer();
  const Device device = *load_device("esp32c3");
  const ArrivalWay way = load_arrival_ways("esp32c3")->front();
  const KernelOp* const ops[] = {&op};
  const auto schedule = hidden_kernel(ops, 8, way, device, kAnyScratch);
  ASSERT_TRUE(schedule);
  const KernelTemplate& owner = **find_template(*schedule);
  for (int at = 0; at < 8; ++at) {
    const KernelOp block = block_of(op, 8, at);
    EXPECT_TRUE(owner.space(block.workload, device).find(*schedule));
    EXPECT_TRUE(owner.pack(block.workload, block.data, *schedule));
  }
}

TEST(HiddenKernels, TakeNoMoreScratchThanTheyMay) {
  const RandomLayer layer = random_layer(
      *parse_workload("conv2d_s8 nhwc n1 in8x8x16 out8x8x16 k3x3 s1x1 d1x1 p1,1 g1 m1 zp-128,-128 "
                      "act-128,127 lane1 long"),
      Scales::kTypical, 11);
  const KernelOp op{layer.workload, layer.data};
  const Device device = *load_device("rp2040");
  const ArrivalWay way = load_arrival_ways("rp2040")->front();
  const KernelOp* const ops[] = {&op};
  const auto free = hidden_kernel(ops, 1, way, device, kAnyScratch);
  ASSERT_TRUE(free);
  const uint64_t wanted = scratch_bytes_of(op.workload, *free);
  ASSERT_GT(wanted, 0u);
  const auto less = hidden_kernel(ops, 1, way, device, wanted - 1);
  ASSERT_TRUE(less);
  EXPECT_LT(scratch_bytes_of(op.workload, *less), wanted);
}

}  // namespace
}  // namespace tinytune::test
