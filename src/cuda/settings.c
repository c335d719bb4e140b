/* Reads the environment variables listed in settings.h, without interpreting them. */
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

static uint64_t number(const char *name) {
  const char *v = text(name);
  return v ? strtoull(v, NULL, 0) : 0;
}

struct cuda_settings cuda_read_settings(void) {
  const char *stable = text("HEDDLE_STOP_STABLE");
  return (struct cuda_settings){
      .gpu = text("HEDDLE_GPU"),
      .set = text("HEDDLE_SET"),
      .report = text("HEDDLE_REPORT"),
      .probe = text("HEDDLE_PROBE"),
      .trace = text("HEDDLE_TRACE"),
      .trace_limit = number("HEDDLE_TRACE_LIMIT"),
      .check = text("HEDDLE_CHECK_LOG") ? text("HEDDLE_CHECK") : NULL,
      .check_log = text("HEDDLE_CHECK_LOG"),
      .lockstep = yes("HEDDLE_LOCKSTEP"),
      .functional = yes("HEDDLE_FUNCTIONAL"),
      .no_check = yes("HEDDLE_NO_CHECK"),
      .strict = yes("HEDDLE_STRICT"),
      .per_sm = yes("HEDDLE_PER_SM"),
      .profile = yes("HEDDLE_PROFILE"),
      .detail = yes("HEDDLE_DETAIL"),
      .max_instructions = number("HEDDLE_MAX_INSTRUCTIONS"),
      .max_cycles = number("HEDDLE_MAX_CYCLES"),
      .interval = number("HEDDLE_INTERVAL"),
      .stop_stable = stable ? strtod(stable, NULL) : 0,
      .only = text("HEDDLE_ONLY"),
      .skip_to = text("HEDDLE_SKIP_TO"),
      .sample_plan = yes("HEDDLE_SAMPLE_PLAN"),
      .memory = number("HEDDLE_MEMORY"),
      .expected = number("HEDDLE_EXPECTED"),
  };
}
