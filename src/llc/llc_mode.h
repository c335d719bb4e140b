/* How SMs see L2: the policies of llc.mode with their keys, and which slice an SM's request goes to.
 *
 * Shared: the address alone chooses the slice. Private: each cluster of SMs has one slice at every memory controller,
 * which caches all of that controller's memory for the cluster. Writes then go through to DRAM, because neither
 * another cluster's copy nor memory itself may be out of date when the kernel ends. The mode is a property of an SM,
 * so programs that share the GPU may have different modes. After adaptive memory-side last-level caching, Zhao et
 * al., ISCA 2019, sections 2.1 and 4.1. */
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

/* A policy of llc.mode, listed in llc_mode.c. Its choices are carried out by llc_control.c, which also charges what a change costs. */
struct llc_mode {
  struct policy policy;
  bool is_private; /* kernels begin with private slices */
  /* The rule by which the slices become private, after a profile of a kernel that began with shared slices (NULL: the
   * mode never changes, and nothing is profiled). */
  enum llc_rule (*decide)(const struct llc_mode_config *c, const struct llc_sample *s, struct llc_estimate *out);
};
extern const struct policy *const llc_modes[]; /* the policies of llc.mode */
/* True if the slices are shared throughout. */
static inline bool llc_mode_stays_shared(const struct llc_mode *m) { return !m->is_private && !m->decide; }

enum { LLC_MAX_PROGRAMS = 8 };
struct llc_mode_config {
  const struct llc_mode *mode;
  const struct llc_mode *of[LLC_MAX_PROGRAMS]; /* by program (llc.program_modes) */
  uint64_t profile, epoch, gate; /* core cycles */
  uint32_t clusters, channels, slices; /* slices of a channel */
  uint32_t sampled_sets;
  bool any_router;    /* the tag directory keeps all routers that touched a line, not only the last */
  double similar;     /* threshold of rule 1, as a difference of miss rates between 0 and 1 */
  double slice_bytes, memory_bytes; /* bytes a second of one slice, and of all memory channels */
};
/* Reads the keys. Refuses a mode that may be private on a GPU that cannot have private slices, and names the key at fault. */
bool llc_mode_read(struct llc_mode_config *c, const struct cfg *cfg, struct err *e);
/* True if no program can ever see private slices. */
bool llc_mode_always_shared(const struct llc_mode_config *c);

struct llc_view { /* one for each SM */
  const struct mem_map *map;
  uint32_t slices, cluster;
  uint8_t program; /* the program to which lines belong that its requests bring in */
  bool is_private;
};

/* The slice, numbered over the whole GPU, to which requests for a line go. */
uint64_t llc_view_slice(const struct llc_view *v, uint64_t line);

#endif
