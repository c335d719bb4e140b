/* Entry points of the driver API that are refused (stubs.h). */
#include "cuda/stubs.h"

#include "cuda/driver/driver_stubs.def"
