/* See cta_record.h. */
#include "gpu/results/cta_record.h"

#include "base/arena.h"

#include <stdlib.h>

void gpu_cta_record_open(struct gpu_cta_record *r, uint32_t sms, size_t most) {
  r->running = must_alloc(sms * sizeof *r->running);
  r->step = 1;
  r->most = most;
}

void gpu_cta_record_free(struct gpu_cta_record *r) {
  free(r->running);
  free(r->rows);
}

void gpu_cta_started(struct gpu_cta_record *r, uint32_t sm, uint32_t slot, uint64_t ticket, uint64_t cycle) {
  r->running[sm][slot] = (struct gpu_cta){.ticket = ticket, .start = cycle, .sm = (uint16_t)sm, .slot = (uint16_t)slot};
}

static void drop_every_second(struct gpu_cta_record *r) {
  for (size_t i = 0; 2 * i < r->n; i++) r->rows[i] = r->rows[2 * i];
  r->n = (r->n + 1) / 2;
  r->step *= 2;
}

void gpu_cta_ended(struct gpu_cta_record *r, uint32_t sm, uint32_t slot, uint64_t cycle) {
  if (r->seen++ % r->step) return;
  if (r->n == r->most) drop_every_second(r);
  if ((r->seen - 1) % r->step) return;
  GROW(r->rows, r->cap, r->n + 1);
  struct gpu_cta *row = &r->rows[r->n++];
  *row = r->running[sm][slot];
  row->cycles = cycle - row->start;
}
