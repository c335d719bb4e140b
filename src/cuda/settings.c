/* Reads the environment variables listed in settings.h. Knows nothing of what they mean. */
#include "cuda/settings.h"

#include <stdlib.h>
#include <string.h>

static const char *text(const char *name) {
  const char *v = getenv(name);
  return v && *v ? v : NULL;
}

static bool yes(const char *name) {
  const char *v = text(name);
  return v && strcmp(v, "0") != 0;
}

struct cuda_settings cuda_read_settings(void) {
  const char *memory = text("HEDDLE_MEMORY");
  return (struct cuda_settings){
      .gpu = text("HEDDLE_GPU"),
      .set = text("HEDDLE_SET"),
      .report = text("HEDDLE_REPORT"),
      .functional = yes("HEDDLE_FUNCTIONAL"),
      .no_check = yes("HEDDLE_NO_CHECK"),
      .verbose = yes("HEDDLE_VERBOSE"),
      .memory = memory ? strtoull(memory, NULL, 0) : 0,
  };
}
