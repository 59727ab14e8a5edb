#include "tinytune/tinytune.h"

namespace tinytune {

const char* version() { return TINYTUNE_VERSION; }

}  // namespace tinytune
