/* Which registers are alive at a place of a function, exactly, where ptx_find_live gives the first and the last place of each: copies of a
 * loop's turns use the same registers in several blocks, and are dead between them.
 *
 * A guarded write leaves lanes with what was there before, and so does not end what was alive; but where a register is read behind
 * it in the same block alone, nothing was there. */
#include "ptx/lower/lower.h"

#include <stdlib.h>
#include <string.h>

static bool is_in(const uint64_t *set, int32_t r) { return set[r / 64] >> r % 64 & 1; }
static void add_to(uint64_t *set, int32_t r) { set[r / 64] |= UINT64_C(1) << r % 64; }
static void take_from(uint64_t *set, int32_t r) { set[r / 64] &= ~(UINT64_C(1) << r % 64); }

/* What is alive behind an instruction becomes what is alive in front of it. */
static void step_back(const struct lower_alive *a, uint32_t i, uint64_t *set) {
  struct ptx_touched t;
  const struct ptx_inst *in = &a->f->insts[i];
  ptx_touches(a->f, in, &t);
  for (uint32_t k = 0; k < t.n_writes; k++)
    if (!in->guarded || !is_in(a->wide, t.writes[k])) take_from(set, t.writes[k]);
  for (uint32_t k = 0; k < t.n_reads; k++) add_to(set, t.reads[k]);
}

/* Registers that are read in another block than where they are written, or before. */
static void find_wide(struct lower_alive *a) {
  uint32_t *seen = must_alloc((a->f->n_regs + 1) * sizeof *seen); /* register -> block of its last write so far, and one */
  struct ptx_touched t;
  for (uint32_t i = 0; i < a->f->n_insts; i++) {
    ptx_touches(a->f, &a->f->insts[i], &t);
    for (uint32_t k = 0; k < t.n_reads; k++)
      if (seen[t.reads[k]] != a->f->block_of[i] + 1) add_to(a->wide, t.reads[k]);
    for (uint32_t k = 0; k < t.n_writes; k++) seen[t.writes[k]] = a->f->block_of[i] + 1;
  }
  free(seen);
}

static void add_successors(const struct lower_alive *a, uint32_t block, uint64_t *set) {
  const struct ptx_block *b = &a->f->blocks[block];
  for (uint32_t k = 0; k < b->n_succ; k++)
    for (uint32_t w = 0; w < a->words; w++) set[w] |= a->in[(size_t)b->succ[k] * a->words + w];
}

void lower_alive_at(const struct lower_alive *a, uint32_t block, uint32_t at, uint64_t *set) {
  memset(set, 0, a->words * sizeof *set);
  add_successors(a, block, set);
  for (uint32_t i = a->f->blocks[block].end; i-- > at;) step_back(a, i, set);
}

void lower_find_alive(struct lower_alive *a, const struct ptx_func *f) {
  *a = (struct lower_alive){.f = f, .words = f->n_regs / 64 + 1};
  a->wide = must_alloc(a->words * sizeof *a->wide);
  a->in = must_alloc(f->n_blocks * a->words * sizeof *a->in);
  uint64_t *set = must_alloc(a->words * sizeof *set);
  find_wide(a);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t b = f->n_blocks; b-- > 0;) {
      uint64_t *in = a->in + (size_t)b * a->words;
      lower_alive_at(a, b, f->blocks[b].first, set);
      more |= memcmp(in, set, a->words * sizeof *set) != 0;
      memcpy(in, set, a->words * sizeof *set);
    }
  }
  free(set);
}

void lower_free_alive(struct lower_alive *a) {
  free(a->wide);
  free(a->in);
}
