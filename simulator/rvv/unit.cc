#include "simulator/rvv/unit.h"

#include "simulator/rvv/configure.h"
#include "simulator/rvv/state.h"

namespace tinytune {
namespace {

using rvv::Code;

constexpr unsigned kLoad = 0x07, kStore = 0x27, kArithmetic = 0x57;
constexpr unsigned kConfigure = 7;  // funct3

/// Loads and stores share their opcodes with floating point's, which have other widths.
bool is_vector_width(unsigned funct3) { return funct3 == 0 || funct3 >= 5; }

class Unit final : public VectorUnit {
 public:
  explicit Unit(unsigned vector_bits) : state_(vector_bits) {}

  void reset() override { state_ = rvv::State(state_.vlenb * 8); }

  Claim claim(uint32_t word) const override {
    const Code code{word};
    if (rvv::is_csr_access(code)) return Claim::kRuns;
    if (code.opcode() == kLoad || code.opcode() == kStore)
      return is_vector_width(code.funct3()) ? Claim::kLacks : Claim::kOther;
    if (code.opcode() != kArithmetic) return Claim::kOther;
    return code.funct3() == kConfigure ? Claim::kRuns : Claim::kLacks;
  }

  Outcome execute(uint32_t, uint32_t word, Core& core) override {
    const Code code{word};
    if (code.opcode() == kArithmetic && code.funct3() == kConfigure) {
      rvv::configure(state_, code, core);
      return Outcome::kExecuted;
    }
    if (rvv::is_csr_access(code))
      return rvv::access_csr(state_, code, core) ? Outcome::kExecuted
                                                 : illegal("read-only register");
    return illegal("not simulated");
  }

  const char* reason() const override { return reason_; }

 private:
  Outcome illegal(const char* why) {
    reason_ = why;
    return Outcome::kIllegal;
  }

  rvv::State state_;
  const char* reason_ = "";
};

}  // namespace

std::unique_ptr<VectorUnit> make_rvv_unit(const Target& target) {
  return std::make_unique<Unit>(target.vector_bits);
}

}  // namespace tinytune
