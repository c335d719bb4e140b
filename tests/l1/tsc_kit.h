/* One L1D organisation on a bench: made from settings by name, driven by line number and chunk mask. */
#ifndef TSC_KIT_H
#define TSC_KIT_H

#include "test_settings.h"

#include "gpu/gpu.h"
#include "l1/l1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kit {
  struct cfg *cfg;
  const struct l1_org *ops;
  void *org;
  unsigned chunk; /* bytes a bit of a mask stands for */
  uint64_t *stats; /* its own */
};

static inline struct cfg *kit_cfg(const char *const *settings) { return with_settings(gpu_cfg_new(), settings); }

static inline const struct l1_org *kit_ops(const char *name) {
  const struct l1_org *ops = policy_find(l1_orgs, name);
  if (!ops) fail_msg("no organisation '%s'", name);
  return ops;
}

static inline void kit_open(struct kit *k, const char *org, uint64_t seed, const char *const *settings) {
  struct err e = {0};
  *k = (struct kit){.cfg = kit_cfg(settings), .ops = kit_ops(org), .chunk = MEM_SECTOR};
  k->stats = policy_counters(&k->ops->policy);
  static const struct mem_observers nobody;
  static const uint8_t warp;
  k->org = k->ops->create(k->cfg, &(struct l1_place){.seed = seed, .stats = k->stats, .warp = &warp, .observers = &nobody}, &e);
  if (!k->org) fail_msg("%s", e.text);
}

static inline void kit_close(struct kit *k) {
  k->ops->destroy(k->org);
  free(k->stats);
  cfg_delete(k->cfg);
}

static inline uint64_t kit_stat(const struct kit *k, const char *name) { return own_stat(&k->ops->policy, k->stats, name); }

static inline struct mem_bytes kit_bytes(const struct kit *k, unsigned mask) {
  struct mem_bytes m = {{0, 0}};
  for (unsigned i = 0; i < MEM_LINE; i++)
    if (mask >> (i / k->chunk) & 1) m.b[i / 64] |= UINT64_C(1) << i % 64;
  return m;
}
static inline unsigned kit_mask(const struct kit *k, struct mem_bytes m) {
  unsigned mask = 0;
  for (unsigned i = 0; i < MEM_LINE; i++)
    if (m.b[i / 64] >> i % 64 & 1) mask |= 1u << i / k->chunk;
  return mask;
}

/* Line numbers, not addresses. */
static inline unsigned kit_probe(struct kit *k, uint64_t n, unsigned mask) {
  return kit_mask(k, k->ops->probe(k->org, n * MEM_LINE, kit_bytes(k, mask)));
}
static inline bool kit_reserve(struct kit *k, uint64_t n, unsigned mask) {
  uint32_t cycles = 0;
  return k->ops->reserve(k->org, n * MEM_LINE, kit_bytes(k, mask), &cycles);
}
static inline void kit_fill(struct kit *k, uint64_t n, unsigned mask) {
  k->ops->fill(k->org, n * MEM_LINE, kit_bytes(k, mask));
}
static inline void kit_wrote(struct kit *k, uint64_t n, unsigned mask) {
  k->ops->wrote(k->org, n * MEM_LINE, kit_bytes(k, mask), false);
}
/* A load that waits for its data; returns the mask that had to be fetched. */
static inline unsigned kit_load(struct kit *k, uint64_t n, unsigned mask) {
  unsigned missing = kit_probe(k, n, mask);
  if (!missing) return 0;
  if (!kit_reserve(k, n, missing)) fail_msg("no free chunks for line %lu", (unsigned long)n);
  kit_fill(k, n, missing);
  return missing;
}

#endif
