/* Probe "mix": warp instructions by class, and how many lanes of a warp are active. */
#include "base/arena.h"
#include "probe/probe.h"

#include <stdlib.h>

struct mix {
  uint64_t instructions[MEM_SEEN_CLASSES], lanes;
};

static void *create(const struct probe_shape *shape) {
  (void)shape;
  return must_alloc(sizeof(struct mix));
}

static void issue(void *state, const struct mem_seen_issue *i) {
  struct mix *s = state;
  s->instructions[i->class_]++;
  s->lanes += i->lanes;
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  static const char *const names[MEM_SEEN_CLASSES] = {
      [MEM_SEEN_INTEGER] = "integer",         [MEM_SEEN_FLOAT] = "float",     [MEM_SEEN_DOUBLE] = "double",
      [MEM_SEEN_HALF] = "half",               [MEM_SEEN_SPECIAL] = "special", [MEM_SEEN_TENSOR] = "tensor",
      [MEM_SEEN_CONVERT] = "convert",         [MEM_SEEN_SHUFFLE] = "shuffle", [MEM_SEEN_BRANCH] = "branch",
      [MEM_SEEN_SYNC] = "barrier and fence",  [MEM_SEEN_GLOBAL_LOAD] = "global load",
      [MEM_SEEN_GLOBAL_STORE] = "global store", [MEM_SEEN_ATOMIC] = "atomic", [MEM_SEEN_LOCAL] = "local",
      [MEM_SEEN_SHARED] = "shared",           [MEM_SEEN_CONSTANT] = "constant", [MEM_SEEN_TEXTURE] = "texture"};
  struct mix all = {0};
  uint64_t total = 0;
  (void)shape;
  for (uint32_t i = 0; i < n; i++) {
    const struct mix *s = states[i];
    for (unsigned k = 0; k < MEM_SEEN_CLASSES; k++) all.instructions[k] += s->instructions[k], total += s->instructions[k];
    all.lanes += s->lanes;
  }
  json_t *o = json_object();
  json_object_set_new(o, "warp_instructions", json_integer((json_int_t)total));
  json_object_set_new(o, "mean_lanes", json_real(probe_ratio(all.lanes, total)));
  probe_put_shares(o, "classes", all.instructions, names, MEM_SEEN_CLASSES);
  return o;
}

const struct probe probe_mix = {.name = "mix",
                                .meaning = "warp instructions by class, and active lanes",
                                .create = create,
                                .destroy = free,
                                .events.issue = issue,
                                .report = report};
