/* See feedback.h. */
#include "gpu/feedback.h"

#include "base/arena.h"

#include <stdlib.h>

static uint64_t slice_of(void *user, uint32_t sm, uint64_t line) {
  const struct sm *s = &((const struct sm *)user)[sm];
  return s->slice_of(s->slice_user, line);
}

bool gpu_feedback_init(struct gpu_feedback *f, const struct cfg *cfg, struct sm *sms, uint32_t n_sms,
                       struct llc_slice *const *slices, uint32_t n_slices, struct err *e) {
  const struct l1_bypass *ops = sms[0].l1.bypass_ops;
  *f = (struct gpu_feedback){.next = UINT64_MAX, .sms = sms, .slices = slices, .n_sms = n_sms, .n_slices = n_slices};
  if (!ops->share) return true;
  const struct l1_gpu gpu = {.sms = n_sms, .slices = n_slices, .slice_of = slice_of, .user = sms};
  f->shared = ops->share(cfg, &gpu, e);
  if (!f->shared) return false;
  f->ops = ops;
  f->instructions = must_alloc(n_sms * sizeof *f->instructions);
  f->occupancy = must_alloc(n_slices * sizeof *f->occupancy);
  for (uint32_t i = 0; i < n_sms; i++) ops->join(f->shared, sms[i].l1.bypass, i);
  return true;
}

void gpu_feedback_free(struct gpu_feedback *f) {
  if (f->ops) f->ops->unshare(f->shared);
  free(f->instructions);
  free(f->occupancy);
}

static struct l1_snapshot look(struct gpu_feedback *f, uint64_t cycle, uint64_t now) {
  const struct llc_slice *first = f->slices[0];
  for (uint32_t i = 0; i < f->n_sms; i++) f->instructions[i] = f->sms[i].stats[SM_S_THREAD_INSTRUCTIONS];
  for (uint32_t i = 0; i < f->n_slices; i++) f->occupancy[i] = llc_input_occupancy(f->slices[i], now);
  return (struct l1_snapshot){.cycle = cycle,
                           .instructions = f->instructions,
                           .occupancy = f->occupancy,
                           .full = now / first->wake.period * first->in.capacity};
}

void gpu_feedback_begin(struct gpu_feedback *f, uint64_t cycle, uint64_t now) {
  if (!f->ops) return;
  struct l1_snapshot s = look(f, cycle, now);
  f->next = f->ops->begin(f->shared, &s);
}

void gpu_feedback_look(struct gpu_feedback *f, uint64_t cycle, uint64_t now) {
  struct l1_snapshot s = look(f, cycle, now);
  f->next = f->ops->update(f->shared, &s);
  for (uint32_t i = 0; i < f->n_sms; i++) sm_reconsider(&f->sms[i], now);
}
