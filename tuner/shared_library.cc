// The one source of libtinytune.so's own: a shared library needs one; its contents are tuner/.
#include "tinytune/tinytune_c.h"

extern "C" const char* tinytune_shared_library_version(void);
const char* tinytune_shared_library_version(void) { return tinytune_version(); }
