#include "simulator/helium/unit.h"

#include <utility>

#include "simulator/helium/executor.h"
#include "simulator/helium/footprint.h"

namespace tinytune {
namespace {

/// Returns the instruction as the manual draws it: the half word at the lower address first.
constexpr uint32_t drawn(uint32_t code) { return code >> 16 | code << 16; }

/// Returns whether the emulator decodes `code` as ORRS, with a register that ORRS does not allow.
constexpr bool is_orr(uint32_t code) { return (code & 0xFFF0) == 0xEA50 && (code >> 31) == 0; }

class HeliumUnit final : public VectorUnit {
 public:
  void reset() override { executor_ = helium::Executor(); }

  Claim claim(uint32_t code) const override {
    if ((code & 0xFFFF) < 0xE800) return Claim::kOther;  // 16 bits
    if (runs_natively(code)) return Claim::kOther;
    const helium::Row* row = helium::find_row(drawn(code));
    if (row == nullptr) return Claim::kOther;
    return is_orr(code) ? Claim::kLacks : Claim::kRuns;
  }

  // Only shifts of pairs: those of words have PC as the destination of ORRS, so the emulator would
  // jump.
  bool taken_for_another(uint32_t code) const override {
    return is_orr(code) && (code >> 24 & 0xF) != 0xF && helium::find_row(drawn(code)) != nullptr;
  }

  bool runs_natively(uint32_t code) const override {
    const helium::Row* row = (code & 0xFFFF) < 0xEC00 ? nullptr : helium::find_row(drawn(code));
    if (row == nullptr || row->kind != helium::Kind::kOutside) return false;
    // Bits 11:9 of the floating-point unit's instructions are 101. So are those of moves of VPR and
    // of lanes narrower than a word, which that unit lacks.
    const uint32_t second = code >> 16;
    if ((second & 0x0E00) != 0x0A00) return false;
    if (row->name == "vmrs" || row->name == "vmsr" || row->name == "vmovx" || row->name == "vins" ||
        row->name == "vscclrm")
      return false;
    const bool lane = (code & 0xFF00) == 0xEE00 && (second & 0x0F1F) == 0x0B10;
    return !lane;
  }

  // Covers loads, stores, moves to lanes, and arithmetic on whole vectors.
  Use use(uint32_t code) const override {
    const uint32_t whole = drawn(code);
    const helium::Row* row = helium::find_row(whole);
    if (row == nullptr || row->kind == helium::Kind::kScalar || row->kind == helium::Kind::kBranch)
      return {};
    const auto has = [&](char letter) { return row->pattern.find(letter) != row->pattern.npos; };
    if (has('t') && (row->name == "vmov" || row->name == "vdup")) {  // core registers
      const helium::Footprint moved = helium::footprint_of(code);
      if (moved.writes != 0) return {.writes = moved.writes};
      return {.reads = moved.reads};
    }
    Use use;
    if (has('d')) use.writes = 1u << helium::qd(whole);
    if (row->kind == helium::Kind::kStore) std::swap(use.reads, use.writes);
    if (row->kind != helium::Kind::kVector) return use;
    if (has('n')) use.reads |= 1u << helium::qn(whole);
    if (has('m')) use.reads |= 1u << helium::qm(whole);
    const bool multiplies =
        row->name.starts_with("vmla") || row->name.find("mul") != row->name.npos;
    use.multiplies = multiplies && has('n') && has('m');
    return use;
  }

  std::span<uint8_t> registers() override { return executor_.state().bytes; }

  Outcome execute(uint32_t address, uint32_t code, Core& core) override {
    Adapter adapter(core);
    const auto result = executor_.execute(drawn(code), address, adapter);
    if (executor_.next() != address + 4 && result == helium::Executor::Result::kDone)
      core.jump(executor_.next());
    if (result == helium::Executor::Result::kDone) return Outcome::kExecuted;
    reason_ = adapter.misaligned
                  ? "the address is not aligned to the element, on which every core faults"
                  : "the architecture leaves its effect here undefined or unpredictable";
    if (result == helium::Executor::Result::kFault && !adapter.misaligned) return Outcome::kFault;
    return Outcome::kIllegal;
  }
  const char* reason() const override { return reason_; }

 private:
  /// Adapts the engine's core to the executor's interface.
  class Adapter final : public helium::Core {
   public:
    explicit Adapter(VectorUnit::Core& core) : core_(core) {}
    uint32_t get(unsigned reg) override { return core_.get(reg); }
    void set(unsigned reg, uint32_t value) override { core_.set(reg, value); }
    uint32_t flags() override { return core_.get(kFlags); }
    void set_flags(uint32_t apsr) override { core_.set(kFlags, apsr); }
    uint8_t* access(uint32_t address, uint32_t size_bytes, uint32_t element_bytes,
                    bool is_write) override {
      misaligned = address % element_bytes != 0;
      if (misaligned) return nullptr;
      const auto bytes = core_.vector_access(address, size_bytes, element_bytes, is_write);
      return bytes.empty() ? nullptr : bytes.data();
    }
    bool misaligned = false;

   private:
    static constexpr unsigned kFlags = 16;
    VectorUnit::Core& core_;
  };

  helium::Executor executor_;
  const char* reason_ = "";
};

}  // namespace

std::unique_ptr<VectorUnit> make_helium_unit(const Target&) {
  return std::make_unique<HeliumUnit>();
}

}  // namespace tinytune
