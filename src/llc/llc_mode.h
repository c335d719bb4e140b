/* How SMs see the last-level cache: the modes of llc.mode with their keys, and which slice an SM's request goes to.
 *
 * Shared: the slice is chosen by the address. Private: each cluster of SMs has one slice of every memory
 * controller, which keeps the controller's whole part of memory for that cluster; writes go through to DRAM,
 * because another cluster's copy or memory itself must not stay behind when the kernel ends. The mode is a
 * property of an SM, so that programs that share the GPU may each have their own. Adaptive memory-side
 * last-level caching, Zhao et al., ISCA 2019, sections 2.1 and 4.1. */
#ifndef LLC_MODE_H
#define LLC_MODE_H

#include "base/cfg.h"
#include "base/policy.h"
#include "mem/mem_map.h"

extern const struct cfg_key llc_mode_keys[];

struct llc_mode_config;
struct llc_sample;   /* llc_profile.h */
struct llc_estimate;
enum llc_rule { LLC_STAY_SHARED, LLC_RULE_1, LLC_RULE_2 };

/* A policy of llc.mode, listed in llc_mode.c. What becomes of its choices, and what a change costs, is llc_control.c's. */
struct llc_mode {
  struct policy policy;
  bool is_private; /* kernels begin with private slices */
  /* By which rule the slices become private, after a profile of a kernel that began with shared ones (may be NULL: they do not, and
   * nothing is profiled). */
  enum llc_rule (*decide)(const struct llc_mode_config *c, const struct llc_sample *s, struct llc_estimate *out);
};
extern const struct policy *const llc_modes[]; /* of llc.mode */
/* Slices are shared whatever happens. */
static inline bool llc_mode_stays_shared(const struct llc_mode *m) { return !m->is_private && !m->decide; }

enum { LLC_MAX_PROGRAMS = 8 };
struct llc_mode_config {
  const struct llc_mode *mode;
  const struct llc_mode *of[LLC_MAX_PROGRAMS]; /* each program's */
  uint64_t profile, epoch, gate; /* core cycles */
  uint32_t clusters, channels, slices; /* slices of a channel */
  uint32_t sampled_sets;
  bool any_router;    /* the tag directory keeps all routers that read a line instead of the last */
  double similar;     /* rule 1, miss rates as shares of one */
  double slice_bytes, memory_bytes; /* a second: of one slice, of all channels */
};
/* Refuses, by the key's name, a GPU that cannot have private slices if the mode may be private. */
bool llc_mode_read(struct llc_mode_config *c, const struct cfg *cfg, struct err *e);
/* No program can ever see private slices. */
bool llc_mode_always_shared(const struct llc_mode_config *c);

struct llc_view { /* one an SM */
  const struct mem_map *map;
  uint32_t slices, cluster;
  uint8_t program; /* whose lines its requests bring in */
  bool is_private;
};

/* Slice of the GPU that a line's requests go to. */
uint64_t llc_view_slice(const struct llc_view *v, uint64_t line);

#endif
