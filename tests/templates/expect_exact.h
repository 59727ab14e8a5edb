// Checks one schedule of a layer through the whole path: lower, LLVM, link, run, compare.
#pragma once

#include <gtest/gtest.h>

#include "base/rng.h"
#include "codegen/kernels/kernel.h"
#include "models/integer_op.h"
#include "simulator/simulator.h"
#include "templates/kernel_template.h"
#include "tests/templates/random_layer.h"

namespace tinytune {

inline uint32_t align(uint32_t address) { return (address + 15) & ~15u; }

inline void put(Simulator& simulator, uint32_t& next, std::vector<uint32_t>& arguments,
                std::span<const uint8_t> bytes) {
  ASSERT_TRUE(simulator.write(next, bytes)) << next;
  arguments.push_back(next);
  next = align(next + static_cast<uint32_t>(bytes.size()));
}

/// Returns whether the layer's constants permit `schedule`: some schedules need a proof from them.
inline bool packs(const RandomLayer& layer, const Schedule& schedule) {
  return bool{(*find_template(schedule))->pack(layer.workload, layer.data, schedule)};
}

/// Builds `schedule` for `layer`, runs it on `input` and compares every byte. `counts`, if given,
/// receives the run's counts.
inline void expect_exact_on(Simulator& simulator, const Device& device, const RandomLayer& layer,
                            const Schedule& schedule, const std::vector<uint8_t>& input,
                            Counts* counts = nullptr) {
  SCOPED_TRACE(to_text(layer.workload) + " | " + to_text(schedule));
  const auto* kernel_template = *find_template(schedule);
  const auto kernel = compile_kernel(layer.workload, schedule, device, "kernel", Emit::kObject);
  ASSERT_TRUE(kernel) << kernel.error().message();
  const std::vector<std::vector<uint8_t>> objects = {kernel->object};
  const auto image = link_image(objects, device, "kernel");
  ASSERT_TRUE(image) << image.error().message();
  const auto constants = kernel_template->pack(layer.workload, layer.data, schedule);
  ASSERT_TRUE(constants) << constants.error().message();

  std::vector<uint8_t> expected(static_cast<size_t>(layer.workload.output_bytes()));
  const std::span<const uint8_t> inputs[] = {input};
  run_reference(KernelOp{layer.workload, layer.data}, inputs, expected);

  const auto elf = simulator.load(image->elf);
  ASSERT_TRUE(elf) << elf.error().message();
  const MemoryRegion& memory = device.memory(device.data_memory);
  std::vector<uint32_t> arguments;
  // Places the input at the end of memory, where a read beyond it faults.
  const uint64_t end = uint64_t{memory.address} + memory.size_bytes;
  auto last = static_cast<uint32_t>((end - input.size()) & ~uint64_t{15});
  put(simulator, last, arguments, input);
  uint32_t next = memory.address;
  for (const PackedConstant& constant : *constants) put(simulator, next, arguments, constant.bytes);
  const auto scratch =
      static_cast<size_t>(kernel_template->scratch_bytes(layer.workload, schedule));
  if (scratch > 0) put(simulator, next, arguments, std::vector<uint8_t>(scratch, 0xa5));
  put(simulator, next, arguments, std::vector<uint8_t>(expected.size(), 0x5a));

  const auto report = simulator.call(elf->symbols.at("kernel").address, arguments);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->end, CallEnd::kReturned) << report->detail;
  EXPECT_TRUE(report->registers_restored) << report->clobbered;
  if (counts != nullptr) *counts = report->counts;
  const auto output = simulator.read(arguments.back(), expected.size());
  ASSERT_TRUE(output) << output.error().message();
  EXPECT_EQ(*output, expected);
}

/// The same on random inputs.
inline void expect_exact(Simulator& simulator, const Device& device, const RandomLayer& layer,
                         const Schedule& schedule, uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Rng rng(seed);
  std::vector<uint8_t> input(static_cast<size_t>(layer.workload.input_bytes()));
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(rng.next());
  expect_exact_on(simulator, device, layer, schedule, input);
}

}  // namespace tinytune
