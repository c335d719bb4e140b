/* Block CTA scheduling (Lee et al., HPCA 2014): pairs of consecutive CTAs go to the same SM. The second CTA of a pair
 * waits for the next free slot of its SM; the warp scheduler does not know of pairs. */
#include "gpu/cta_sched.h"

#include "base/arena.h"

#include <stdlib.h>

struct pairs {
  uint64_t next, total;
  uint32_t sms;
  uint64_t second[]; /* CTA of a pair that is reserved for an SM, or GPU_NO_CTA */
};

static void *create(const struct cfg *cfg, const struct gpu_cta_place *place, struct err *e) {
  (void)cfg;
  (void)e;
  struct pairs *s = must_alloc(sizeof *s + place->sms * sizeof *s->second);
  s->sms = place->sms;
  return s;
}

static void begin(void *state, uint64_t ctas) {
  struct pairs *s = state;
  s->next = 0;
  s->total = ctas;
  for (uint32_t i = 0; i < s->sms; i++) s->second[i] = GPU_NO_CTA;
}

static uint64_t next(void *state, uint32_t sm) {
  struct pairs *s = state;
  uint64_t cta = s->second[sm];
  s->second[sm] = GPU_NO_CTA;
  if (cta != GPU_NO_CTA) return cta;
  if (s->next >= s->total) return GPU_NO_CTA;
  cta = s->next++;
  if (s->next < s->total) s->second[sm] = s->next++;
  return cta;
}

const struct gpu_cta_sched cta_block = {
    .policy = {.name = "block", .meaning = "pairs of consecutive CTAs go to one SM",
               .paper = "Lee et al.: Improving GPGPU resource utilization through alternative thread block scheduling, HPCA 2014"},
    .create = create, .destroy = free, .begin = begin, .next = next};
