#include "tests/simulator/pointwise_rvv.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tests/simulator/program.h"

namespace tinytune {
namespace {

constexpr unsigned kChannels = 64, kPixels = 10;

constexpr PointwiseRvv kKernels[] = {
    {"m1 wide, 5 pixels", 128, 1, true, 5, 8, 1, 25727},
    {"m1 groups of 2, 4 pixels", 128, 1, false, 4, 8, 2, 26254},
    {"m1 groups of 4, 4 pixels", 128, 1, false, 4, 16, 4, 22151},
    {"m1 groups of 8, 4 pixels", 128, 1, false, 4, 16, 8, 19946},
    {"m2 wide, 2 pixels", 128, 2, true, 2, 8, 1, 27899},
    {"m1 wide, 5 pixels, VLEN 256", 256, 1, true, 5, 8, 1, 14096},
    {"m1 groups of 4, 4 pixels, VLEN 256", 256, 1, false, 4, 16, 4, 12227},
};

/// Lines of assembly; registers are numbers.
class Writer {
 public:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  void type(unsigned bits, unsigned registers) {
    line("vsetvli zero, zero, e{}, m{}, ta, ma", bits, registers);
  }
  std::string text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::span<const PointwiseRvv> pointwise_rvv() { return kKernels; }

std::string PointwiseRvv::assembly() const {
  constexpr const char* kScalars[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "a6"};
  const unsigned lanes = vector_bits / 8 * lmul, m1 = lmul, m2 = 2 * lmul, m4 = 4 * lmul;
  std::vector<unsigned> sums, halves;  // from the top down
  for (unsigned i = 0; i < pixels; ++i) sums.push_back(32 - m4 * (i + 1));
  for (unsigned i = 0; !wide && i < pixels; ++i) halves.push_back(sums.back() - m2 * (i + 1));
  const unsigned low = wide ? sums.back() : halves.back(), of_weights = wide ? m2 : m1;
  unsigned held = 8;  // taps per load
  while (held * of_weights > std::min(8u, low) || unroll % held != 0) held /= 2;

  Writer w;
  w.line("f: addi sp, sp, -16\nsw ra, 12(sp)\nsw a3, 8(sp)\njal kernel");
  w.line("lw a3, 8(sp)\nlb a0, 0(a3)\nlw ra, 12(sp)\naddi sp, sp, 16\nret");
  w.line(".option norvc\n.balign 4\nkernel: addi sp, sp, -16\nsw s0, 0(sp)\nsw s1, 4(sp)");
  w.line("sw s2, 8(sp)\nsw tp, 12(sp)\nmv tp, a3\ncsrwi vxrm, 0");
  w.line("li s0, {}\n1: li s1, {}\nmv a5, a1\nmv a7, a2", (kPixels + pixels - 1) / pixels,
         kChannels / lanes);
  w.line("2: li t0, {}\nvsetvli zero, t0, e32, m{}, ta, ma", lanes, m4);
  w.line("vle32.v v{}, (a7)", sums[0]);
  for (unsigned i = 1; i < pixels; ++i) w.line("vmv.v.v v{}, v{}", sums[i], sums[0]);
  w.type(wide ? 16 : 8, of_weights);
  w.line("mv s2, a0\nli a3, {}\n3:", kChannels / unroll);
  unsigned scalar = 0;
  for (unsigned tap = 0; tap < unroll; ++tap) {
    if (tap % held == 0)
      w.line("vl{}re8.v v0, (a5)\naddi a5, a5, {}", held * of_weights,
             held * lanes * (wide ? 2 : 1));
    const unsigned weights = tap % held * of_weights, first = scalar;
    for (unsigned i = 0; i < pixels; ++i)
      w.line("lb {}, {}(s2)", kScalars[scalar++ % 8], i * kChannels + tap);
    for (unsigned i = 0; i < pixels; ++i) {
      const char* input = kScalars[(first + i) % 8];
      if (wide) {
        w.line("vwmacc.vx v{}, {}, v{}", sums[i], input, weights);
      } else if (tap % group == 0) {
        w.line("vwmul.vx v{}, v{}, {}", halves[i], weights, input);
      } else {
        w.line("vwmacc.vx v{}, {}, v{}", halves[i], input, weights);
      }
    }
    if (wide || tap % group != group - 1) continue;
    w.type(16, m2);
    for (unsigned i = 0; i < pixels; ++i) w.line("vwadd.wv v{0}, v{0}, v{1}", sums[i], halves[i]);
    w.type(8, m1);
  }
  w.line("addi s2, s2, {}\naddi a3, a3, -1\nbnez a3, 3b", unroll);
  w.line("addi a7, a7, {0}\nvl{1}re32.v v0, (a7)\naddi a7, a7, {0}", 4 * lanes, m4);
  w.line("vl{}re16.v v{}, (a7)\naddi a7, a7, {}", m2, m4, 2 * lanes);
  w.type(32, m4);
  for (const unsigned sum : sums) w.line("vsmul.vv v{0}, v{0}, v0", sum);
  w.type(16, m2);
  for (const unsigned sum : sums) w.line("vnclip.wv v{0}, v{0}, v{1}", sum, m4);
  for (const unsigned sum : sums) w.line("vsadd.vx v{0}, v{0}, a4", sum);
  w.type(8, m1);
  for (const unsigned sum : sums) w.line("vnclip.wi v{0}, v{0}, 0", sum);
  w.line("vse8.v v{}, (tp)", sums[0]);
  for (unsigned i = 1; i < pixels; ++i)
    w.line("addi t0, tp, {}\nvse8.v v{}, (t0)", i * kChannels, sums[i]);
  w.line("addi tp, tp, {}\naddi s1, s1, -1\nbnez s1, 2b\naddi s0, s0, -1\nbeqz s0, 4f", lanes);
  w.line("addi a0, a0, {}\naddi tp, tp, {}", pixels * kChannels, (pixels - 1) * kChannels);
  if (const unsigned rest = kPixels % pixels; rest != 0)
    w.line("li t0, 1\nbne s0, t0, 1b\naddi a0, a0, -{0}\naddi tp, tp, -{0}",
           (pixels - rest) * kChannels);
  w.line("j 1b\n4: lw s0, 0(sp)\nlw s1, 4(sp)\nlw s2, 8(sp)\nlw tp, 12(sp)");
  w.line("addi sp, sp, 16\nret");
  return w.text();
}

uint64_t PointwiseRvv::cycles() const {
  Device device = *load_device("vicuna");
  device.target.vector_bits = vector_bits;
  device.timing.cycles.at("pipe_kilobit") = 2048 / static_cast<int>(vector_bits);
  Program program(device, assembly());
  const uint32_t data = program.data();
  const CallReport report = program.call({data, data + 0x4000, data + 0x8000, data + 0xC000, 5});
  return report.end == CallEnd::kReturned ? report.counts.cycles : 0;
}

}  // namespace tinytune
