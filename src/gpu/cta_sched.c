/* The CTA schedulers.
 *
 * round-robin   one CTA to each SM in turn, then to whichever SM has a free slot
 * two-level     the same, but consecutive CTAs go to different clusters first (the order in which SMs are asked)
 * block         consecutive pairs of CTAs go to the same SM (BCS, Lee et al., HPCA 2014: here the second CTA of a
 *               pair waits for the next free slot of its SM; the warp scheduler does not know)
 * distributed   each cluster has a contiguous range of the grid (DCS, MCM-GPU, ISCA 2017) */
#include "gpu/cta_sched.h"

#include "base/arena.h"

#include <stdlib.h>

static void begin_plain(struct gpu_cta_state *s) { s->next = 0; }

static uint64_t next_plain(struct gpu_cta_state *s, uint32_t sm) {
  (void)sm;
  return s->next < s->total ? s->next++ : GPU_NO_CTA;
}

static void begin_block(struct gpu_cta_state *s) {
  s->next = 0;
  for (uint32_t i = 0; i < s->sms; i++) s->pair[i] = GPU_NO_CTA;
}

static uint64_t next_block(struct gpu_cta_state *s, uint32_t sm) {
  uint64_t cta = s->pair[sm];
  s->pair[sm] = GPU_NO_CTA;
  if (cta != GPU_NO_CTA) return cta;
  if (s->next >= s->total) return GPU_NO_CTA;
  cta = s->next++;
  if (s->next < s->total) s->pair[sm] = s->next++;
  return cta;
}

static void begin_distributed(struct gpu_cta_state *s) {
  for (uint32_t c = 0; c < s->clusters; c++) {
    s->range_next[c] = s->total * c / s->clusters;
    s->range_end[c] = s->total * (c + 1) / s->clusters;
  }
}

static uint64_t next_distributed(struct gpu_cta_state *s, uint32_t sm) {
  uint32_t c = sm / (s->sms / s->clusters);
  return s->range_next[c] < s->range_end[c] ? s->range_next[c]++ : GPU_NO_CTA;
}

static const struct gpu_cta_sched round_robin = {{.name = "round-robin", .meaning = "one CTA an SM in turn"},
                                                 false, false, begin_plain, next_plain};
static const struct gpu_cta_sched two_level = {{.name = "two-level", .meaning = "round robin over clusters, then over their SMs"},
                                               true, false, begin_plain, next_plain};
static const struct gpu_cta_sched block = {
    {.name = "block", .meaning = "pairs of consecutive CTAs on one SM",
     .paper = "Lee et al.: Improving GPGPU resource utilization through alternative thread block scheduling, HPCA 2014"},
    false, false, begin_block, next_block};
static const struct gpu_cta_sched distributed = {
    {.name = "distributed", .meaning = "a contiguous range of the grid a cluster",
     .paper = "Arunkumar et al.: MCM-GPU: multi-chip-module GPUs for continued performance scalability, ISCA 2017"},
    true, true, begin_distributed, next_distributed};

const struct policy *const gpu_cta_scheds[] = {&round_robin.policy, &two_level.policy, &block.policy, &distributed.policy, NULL};

void gpu_cta_state_init(struct gpu_cta_state *s, uint32_t sms, uint32_t clusters) {
  *s = (struct gpu_cta_state){.sms = sms, .clusters = clusters};
  s->range_next = must_alloc(clusters * sizeof *s->range_next);
  s->range_end = must_alloc(clusters * sizeof *s->range_end);
  s->pair = must_alloc(sms * sizeof *s->pair);
}

void gpu_cta_state_free(struct gpu_cta_state *s) {
  free(s->range_next);
  free(s->range_end);
  free(s->pair);
}
