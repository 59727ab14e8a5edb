#include "simulator/peripheral.h"

#include <vector>

namespace tinytune {

#ifdef TINYTUNE_USER_PERIPHERALS  // rows of a program outside this tree:
                                  // cmake/TinytuneProgram.cmake
#define PERIPHERAL(row) extern const PeripheralKind row;
#include TINYTUNE_USER_PERIPHERALS
#undef PERIPHERAL
#endif

std::span<const PeripheralKind> peripheral_kinds() {
  static const std::vector<PeripheralKind> kRows = {
#ifdef TINYTUNE_USER_PERIPHERALS
#define PERIPHERAL(row) row,
#include TINYTUNE_USER_PERIPHERALS
#undef PERIPHERAL
#endif
  };
  return kRows;
}

}  // namespace tinytune
