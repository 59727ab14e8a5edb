#include "simulator/rvv/unit.h"

#include "simulator/rvv/configure.h"
#include "simulator/rvv/footprint.h"
#include "simulator/rvv/memory.h"
#include "simulator/rvv/operations.h"
#include "simulator/rvv/state.h"

namespace tinytune {
namespace {

using rvv::Code;

constexpr unsigned kLoad = 0x07, kStore = 0x27, kArithmetic = 0x57;
constexpr unsigned kConfigure = 7;  // funct3

/// Returns whether `code` is a vector load or store; the scalar floating-point ones have the same
/// opcodes, with other widths.
bool is_memory(Code code) {
  const bool vector_width = code.funct3() == 0 || code.funct3() >= 5;
  return (code.opcode() == kLoad || code.opcode() == kStore) && vector_width;
}

class Unit final : public VectorUnit {
 public:
  explicit Unit(unsigned vector_bits) : state_(vector_bits) {}

  void reset() override { state_ = rvv::State(state_.vlenb * 8); }

  Claim claim(uint32_t word) const override {
    const Code code{word};
    if (rvv::is_csr_access(code)) return Claim::kRuns;
    bool runs = false;
    if (is_memory(code)) {
      runs = rvv::runs_memory(code);
    } else if (code.opcode() == kArithmetic) {
      runs = code.funct3() == kConfigure || rvv::shape_of(code) != rvv::Shape::kNone;
    } else {
      return Claim::kOther;
    }
    return runs ? Claim::kRuns : Claim::kLacks;
  }

  Outcome execute(uint32_t, uint32_t word, Core& core) override {
    const Code code{word};
    if (is_memory(code)) {
      const Outcome outcome = rvv::run_memory(state_, code, core, reason_);
      if (outcome == Outcome::kExecuted) state_.vstart = 0;
      return outcome;
    }
    if (rvv::is_csr_access(code))
      return rvv::access_csr(state_, code, core) ? Outcome::kExecuted
                                                 : illegal("register cannot be written");
    if (code.funct3() == kConfigure) {
      rvv::configure(state_, code, core);
      return Outcome::kExecuted;
    }
    const rvv::Operands of = rvv::operands_of(code, core);
    if (const char* why = rvv::refusal_of(state_, of)) return illegal(why);
    rvv::run(state_, of, core);
    state_.vstart = 0;
    return Outcome::kExecuted;
  }

  const char* reason() const override { return reason_; }

  Use use(uint32_t word) const override {
    const Code code{word};
    const uint32_t vd = 1u << code.vd();
    const rvv::Footprint of = rvv::footprint_of(code, 0, state_.vlenb);
    if (of.unit == rvv::Footprint::Unit::kMemory) {
      const uint32_t moved = rvv::moves_whole_registers(code) ? of.writes | of.sources[0] : vd;
      return of.is_store ? Use{.reads = moved} : Use{.writes = moved};
    }
    return {.reads = (of.sources[0] != 0 ? 1u << code.vs2() : 0) |
                     (of.sources[1] != 0 ? 1u << code.vs1() : 0),
            .writes = of.writes != 0 ? vd : 0,
            .multiplies = rvv::is_product(code),
            .adds = of.sources[2] != 0};
  }

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
