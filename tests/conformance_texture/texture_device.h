/* Runs cases on a CUDA device through the driver API, in a child process, so that a case that ends the
 * context does not end the run. */
#ifndef TEXTURE_DEVICE_H
#define TEXTURE_DEVICE_H

#include "texture_cases.h"

enum run_state { RUN_PENDING, RUN_OK, RUN_REFUSED /* an object or the kernel was not made */, RUN_FAILED };

struct texture_outcome {
  enum run_state state;
  char error[120];
  uint32_t *words; /* case_result_words of them */
};

/* Runs the cases in order; false when there is no device. */
bool texture_run(const struct texture_case *const *list, size_t count, struct texture_outcome *outcomes);

#endif
