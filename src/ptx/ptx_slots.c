/* Dense register assignment: linear scan over the live intervals, one set of slots per class. Registers whose intervals do not overlap
 * share a slot; the number of slots is the least possible for intervals. */
#include "ptx/ptx_reader.h"

#include <stdlib.h>
#include <string.h>

enum {
  NONE = 0xffffffffu,
  /* An assembler reserves one register for the stack pointer and rarely manages with the bare minimum. */
  RESERVED = 1
};

struct scan {
  struct ptx_func *f;
  const struct ptx_live *live;
  uint32_t *starts_at, *next_start; /* point -> registers whose interval starts there, chained */
  uint32_t *ends_at, *next_end;
  uint32_t *free_slots[PTX_CLASSES];
  size_t n_free[PTX_CLASSES], cap_free[PTX_CLASSES];
};

static void chain_intervals(struct scan *s, uint32_t points) {
  memset(s->starts_at, 0xff, points * sizeof *s->starts_at);
  memset(s->ends_at, 0xff, points * sizeof *s->ends_at);
  for (uint32_t i = s->f->n_regs; i-- > 0;) {
    if (s->live->first[i] > s->live->last[i]) continue;
    s->next_start[i] = s->starts_at[s->live->first[i]];
    s->starts_at[s->live->first[i]] = i;
    s->next_end[i] = s->ends_at[s->live->last[i]];
    s->ends_at[s->live->last[i]] = i;
  }
}

static void take_slot(struct scan *s, uint32_t reg) {
  enum ptx_class c = ptx_reg_class((enum ptx_type)s->f->regs[reg].type);
  s->f->regs[reg].slot = s->n_free[c] ? (int32_t)s->free_slots[c][--s->n_free[c]] : (int32_t)s->f->slots[c]++;
}

static void give_slot(struct scan *s, uint32_t reg) {
  enum ptx_class c = ptx_reg_class((enum ptx_type)s->f->regs[reg].type);
  GROW(s->free_slots[c], s->cap_free[c], s->n_free[c] + 1);
  s->free_slots[c][s->n_free[c]++] = (uint32_t)s->f->regs[reg].slot;
}

void ptx_allocate_slots(struct ptx_func *f) {
  struct ptx_live live;
  uint32_t points = 2 * f->n_insts + 1;
  ptx_find_live(f, NULL, &live);
  uint32_t *memory = must_alloc((2 * (size_t)points + 2 * (size_t)f->n_regs) * sizeof *memory);
  struct scan s = {.f = f, .live = &live, .starts_at = memory, .ends_at = memory + points};
  s.next_start = memory + 2 * (size_t)points;
  s.next_end = s.next_start + f->n_regs;
  chain_intervals(&s, points);
  for (uint32_t p = 0; p < points; p++) {
    for (uint32_t i = s.starts_at[p]; i != NONE; i = s.next_start[i]) take_slot(&s, i);
    for (uint32_t i = s.ends_at[p]; i != NONE; i = s.next_end[i]) give_slot(&s, i);
  }
  f->regs_needed = live.most + RESERVED;
  for (int c = 0; c < PTX_CLASSES; c++) free(s.free_slots[c]);
  free(memory);
  ptx_free_live(&live);
}
