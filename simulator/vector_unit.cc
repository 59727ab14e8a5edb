#include "simulator/vector_unit.h"

#include "simulator/helium/unit.h"
#include "simulator/rvv/unit.h"

namespace tinytune {
namespace {

struct Row {
  CoreFamily family;
  std::string_view cpu;      ///< empty: any
  std::string_view feature;  ///< of LLVM's list; empty: any
  std::unique_ptr<VectorUnit> (*make)(const Target& target);
};

constexpr Row kUnits[] = {
    {CoreFamily::kRiscv32, "", "+zve32x", make_rvv_unit},
    {CoreFamily::kArmM, "cortex-m55", "", make_helium_unit},
};

}  // namespace

VectorUnit::Outcome execute_run(VectorUnit& unit, std::span<const Instruction> run,
                                VectorUnit::Core& core, uint32_t& address) {
  for (const Instruction& at : run) {
    address = at.address;
    const auto outcome = unit.execute(address, at.vector_code, core);
    if (outcome != VectorUnit::Outcome::kExecuted) return outcome;
  }
  return VectorUnit::Outcome::kExecuted;
}

std::unique_ptr<VectorUnit> make_vector_unit(const Target& target) {
  for (const Row& row : kUnits)
    if (target.family == row.family && (row.cpu.empty() || target.cpu == row.cpu) &&
        target.features.find(row.feature) != std::string::npos)
      return row.make(target);
  return nullptr;
}

}  // namespace tinytune
