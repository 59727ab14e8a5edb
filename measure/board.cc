#include "measure/board.h"

namespace tinytune {

Digest digest_of(std::span<const uint8_t> bytes) { return Digester().add(bytes).value(); }

}  // namespace tinytune
