/* Entry points of the runtime API that are refused (stubs.h). */
#include "cuda/stubs.h"

#include "cuda/runtime/runtime_stubs.def"
