// RISC-V vectors where QEMU cannot be the oracle: VLEN 64, refusals, and the bounds of accesses.
// Everything else is compared with QEMU by bench/simulator/vector_oracle.py.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

constexpr const char* kName = "rv32imc_zve32x";

Device with_vlen(uint32_t bits) {
  Device device = *load_device(kName);
  device.target.vector_bits = bits;
  return device;
}

template <typename T>
void put(Program& program, uint32_t offset, const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  ASSERT_TRUE(program.simulator().write(program.data() + offset, bytes));
}

template <typename T>
std::vector<T> get(Program& program, uint32_t offset, size_t count) {
  const auto bytes = *program.simulator().read(program.data() + offset, count * sizeof(T));
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Calls `source` with the address of the data memory; returns what stopped it.
std::string stop_of(const std::string& source, const CallOptions& options = {}) {
  Program program(kName, source);
  return program.call({program.data()}, options).detail;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RvvUnit, Vlen64_GroupOfEightRegistersAndItsTail) {
  Program program(with_vlen(64),
                  "f: vsetvli a1,x0,e8,m8,ta,ma\nvle8.v v8,(a0)\nli a2,61\n"
                  "vsetvli x0,a2,e8,m8,ta,ma\nvadd.vi v8,v8,3\n"
                  "vsetvli x0,x0,e8,m8,ta,ma\nli a2,64\nvsetvli x0,a2,e8,m8,ta,ma\n"
                  "vse8.v v8,(a0)\nmv a0,a1\nret");
  std::vector<int8_t> values(64);
  std::iota(values.begin(), values.end(), int8_t{0});
  put(program, 0, values);
  const CallReport report = program.call({program.data()});
  ASSERT_EQ(report.end, CallEnd::kReturned) << report.detail;
  EXPECT_EQ(report.return_value, 64u);
  for (int i = 0; i < 61; ++i) values[i] = static_cast<int8_t>(i + 3);
  EXPECT_EQ(get<int8_t>(program, 0, 64), values);
}

TEST(RvvUnit, Vlen64_WideningAndNarrowing) {
  Program program(with_vlen(64),
                  "f: vsetivli x0,8,e8,m1,ta,ma\nvle8.v v1,(a0)\naddi a0,a0,8\nvle8.v v2,(a0)\n"
                  "vwmul.vv v4,v1,v2\nvwmacc.vv v4,v1,v2\ncsrwi vxrm,0\nvnclip.wi v3,v4,1\n"
                  "addi a0,a0,8\nvse8.v v3,(a0)\ncsrr a0,vxsat\nret");
  put<int8_t>(program, 0, {1, -128, 127, 5, -3, 100, 0, -1});
  put<int8_t>(program, 8, {2, -128, 127, -7, 9, 1, 4, -1});
  EXPECT_EQ(program.call({program.data()}).return_value, 1u);  // saturated
  EXPECT_EQ(get<int8_t>(program, 16, 8), (std::vector<int8_t>{2, -128, 127, -35, -27, 100, 0, 1}));
}

TEST(RvvUnit, Vlen64_GatherAndSlideCrossRegisters) {
  Program program(with_vlen(64),
                  "f: vsetivli x0,16,e8,m2,ta,ma\nvle8.v v2,(a0)\nvid.v v4\nvrsub.vi v4,v4,15\n"
                  "vrgather.vv v6,v2,v4\nvslidedown.vi v8,v2,7\nli a1,5\nvslide1up.vx v10,v2,a1\n"
                  "addi a0,a0,16\nvse8.v v6,(a0)\naddi a0,a0,16\nvse8.v v8,(a0)\n"
                  "addi a0,a0,16\nvse8.v v10,(a0)\nret");
  std::vector<uint8_t> values(16);
  std::iota(values.begin(), values.end(), uint8_t{100});
  put(program, 0, values);
  ASSERT_EQ(program.call({program.data()}).end, CallEnd::kReturned);
  const auto result = get<uint8_t>(program, 16, 48);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(result[i], values[15 - i]);
    EXPECT_EQ(result[16 + i], i < 9 ? values[i + 7] : 0);
    EXPECT_EQ(result[32 + i], i == 0 ? 5 : values[i - 1]);
  }
}

TEST(RvvUnit, EveryRounding_IsTheSpecifications) {
  // 5/2, 7/2, -5/2, 6/2, 1/2: to nearest with ties up, to nearest with ties to even, down, to odd.
  const std::vector<std::vector<int8_t>> expected = {
      {3, 4, -2, 3, 1}, {2, 4, -2, 3, 0}, {2, 3, -3, 3, 0}, {3, 3, -3, 3, 1}};
  for (unsigned mode = 0; mode < 4; ++mode) {
    Program program(with_vlen(64),
                    "f: csrw vxrm,a1\nvsetivli x0,5,e8,m1,ta,ma\nvle8.v v1,(a0)\n"
                    "vssra.vi v1,v1,1\nvse8.v v1,(a0)\nret");
    put<int8_t>(program, 0, {5, 7, -5, 6, 1});
    ASSERT_EQ(program.call({program.data(), mode}).end, CallEnd::kReturned);
    EXPECT_EQ(get<int8_t>(program, 0, 5), expected[mode]) << mode;
  }
}

TEST(RvvUnit, HighHalfOfAProduct_HasBothSigns) {
  // GCC 12 vectorises one formulation of this wrongly.
  Program program(with_vlen(64),
                  "f: vsetivli x0,8,e16,m2,ta,ma\nvle16.v v2,(a0)\naddi a0,a0,16\n"
                  "vle16.v v4,(a0)\nvmulh.vv v2,v2,v4\nvse16.v v2,(a0)\nret");
  const std::vector<int16_t> a = {-32768, 21468, -1, -30546, 7, 20754, -19167, 300};
  const std::vector<int16_t> b = {-32768, -1195, 1, -29597, -9, -18720, -1547, 400};
  put(program, 0, a);
  put(program, 16, b);
  ASSERT_EQ(program.call({program.data()}).end, CallEnd::kReturned);
  std::vector<int16_t> expected;
  for (int i = 0; i < 8; ++i) expected.push_back(static_cast<int16_t>(a[i] * b[i] >> 16));
  EXPECT_EQ(get<int16_t>(program, 16, 8), expected);
}

TEST(RvvUnit, InactiveElements_AreNotLoaded) {
  // The last element lies outside the memory.
  const std::string load =
      "li a2,0x01000000-12\nadd a0,a0,a2\nvsetivli x0,4,e32,m1,ta,ma\nvmv.v.i v0,7\n";
  EXPECT_EQ(stop_of("f: " + load + "vle32.v v1,(a0),v0.t\nret"), "");
  const std::string all = stop_of("f: " + load + "vle32.v v1,(a0)\nret");
  EXPECT_TRUE(says(all, "read of 4 bytes at 0x81000000 from pc 0x20000")) << all;
}

TEST(RvvUnit, StoreToConstants_IsAFault) {
  const std::string detail =
      stop_of("f: li a0,0x30000000\nvsetivli x0,4,e8,m1,ta,ma\nvse8.v v1,(a0)\nret");
  EXPECT_TRUE(says(detail, "write of 1 byte at 0x30000000 from pc")) << detail;
}

TEST(RvvUnit, WatchedAccess_FindsGuardsAndMisalignment) {
  CallOptions options;
  options.check_alignment = true;
  const uint32_t data = Program(kName, "f: ret").data();
  options.off_limits = {{data + 13, 1}};
  const std::string guard = stop_of("f: vsetivli x0,16,e8,m1,ta,ma\nvle8.v v1,(a0)\nret", options);
  EXPECT_TRUE(says(guard, "read of 1 byte at 0x8000000d from pc 0x20000004")) << guard;
  const std::string misaligned =
      stop_of("f: addi a0,a0,1\nvsetivli x0,2,e16,m1,ta,ma\nvle16.v v1,(a0)\nret", options);
  EXPECT_TRUE(says(misaligned, "misaligned read of 2 bytes at 0x80000001")) << misaligned;
}

TEST(RvvUnit, ReservedUse_IsIllegalAndSaysWhy) {
  const std::string group = stop_of("f: vsetivli x0,4,e8,m2,ta,ma\nvadd.vv v1,v2,v4\nret");
  EXPECT_TRUE(says(group, "vadd.vv")) << group;
  EXPECT_TRUE(says(group, "multiple of the group")) << group;
  const std::string type = stop_of("f: vsetivli x0,4,e64,m1,ta,ma\nvadd.vv v1,v2,v4\nret");
  EXPECT_TRUE(says(type, "vill")) << type;
  const std::string wide = stop_of("f: vsetivli x0,2,e32,m1,ta,ma\nvwadd.vv v2,v4,v5\nret");
  EXPECT_TRUE(says(wide, "ELEN")) << wide;
}

TEST(RvvUnit, InstructionNotImplemented_IsRefusedByName) {
  const std::string detail = stop_of("f: vsetivli x0,4,e8,m1,ta,ma\nvle8ff.v v1,(a0)\nret");
  EXPECT_TRUE(says(detail, "vle8ff.v is not simulated at 0x20000004")) << detail;
}

TEST(RvvUnit, Vstart_IsWhereElementsBegin) {
  Program program(with_vlen(64),
                  "f: vsetivli x0,8,e8,m1,ta,ma\nvmv.v.i v1,1\ncsrwi vstart,3\n"
                  "vadd.vi v1,v1,4\nvse8.v v1,(a0)\ncsrr a0,vstart\nret");
  EXPECT_EQ(program.call({program.data()}).return_value, 0u);
  EXPECT_EQ(get<int8_t>(program, 0, 8), (std::vector<int8_t>{1, 1, 1, 5, 5, 5, 5, 5}));
}

TEST(RvvUnit, LoadsAndStores_AreCounted) {
  Program program(kName, "f: vsetivli x0,4,e8,m1,ta,ma\nvle8.v v1,(a0)\nvse8.v v1,(a0)\nret");
  const CallReport report = program.call({program.data()});
  EXPECT_EQ(report.counts.instructions, 4u);
  EXPECT_EQ(report.counts.loads, 1u);
  EXPECT_EQ(report.counts.stores, 1u);
}

}  // namespace
}  // namespace tinytune
