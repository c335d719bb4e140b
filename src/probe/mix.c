/* Probe "mix": warp instructions by class, and how many of a warp's lanes do something. */
#include "base/arena.h"
#include "probe/probe.h"

#include <stdlib.h>

struct mix {
  uint64_t instructions[PROBE_CLASSES], lanes;
};

static void *create(const struct probe_shape *shape) {
  (void)shape;
  return must_alloc(sizeof(struct mix));
}

static void issue(void *state, const struct probe_issue *i) {
  struct mix *s = state;
  s->instructions[i->class_]++;
  s->lanes += i->lanes;
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  static const char *const names[PROBE_CLASSES] = {
      [PROBE_INTEGER] = "integer",         [PROBE_FLOAT] = "float",     [PROBE_DOUBLE] = "double",
      [PROBE_HALF] = "half",               [PROBE_SPECIAL] = "special", [PROBE_TENSOR] = "tensor",
      [PROBE_CONVERT] = "convert",         [PROBE_SHUFFLE] = "shuffle", [PROBE_BRANCH] = "branch",
      [PROBE_SYNC] = "barrier and fence",  [PROBE_GLOBAL_LOAD] = "global load",
      [PROBE_GLOBAL_STORE] = "global store", [PROBE_ATOMIC] = "atomic", [PROBE_LOCAL] = "local",
      [PROBE_SHARED] = "shared",           [PROBE_CONSTANT] = "constant", [PROBE_TEXTURE] = "texture"};
  struct mix all = {0};
  uint64_t total = 0;
  (void)shape;
  for (uint32_t i = 0; i < n; i++) {
    const struct mix *s = states[i];
    for (unsigned k = 0; k < PROBE_CLASSES; k++) all.instructions[k] += s->instructions[k], total += s->instructions[k];
    all.lanes += s->lanes;
  }
  json_t *o = json_object();
  json_object_set_new(o, "warp_instructions", json_integer((json_int_t)total));
  json_object_set_new(o, "mean_lanes", json_real(probe_ratio(all.lanes, total)));
  probe_put_shares(o, "classes", all.instructions, names, PROBE_CLASSES);
  return o;
}

const struct probe probe_mix = {.name = "mix",
                                .meaning = "warp instructions by class, and active lanes",
                                .create = create,
                                .destroy = free,
                                .issue = issue,
                                .report = report};
