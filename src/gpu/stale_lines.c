/* See stale_lines.h. */
#include "gpu/stale_lines.h"

#include "base/arena.h"
#include "base/table.h"
#include "exec/memory/address.h"
#include "exec/memory/view.h"
#include "mem/mem_mask.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECTORY = 1 << 16 };

struct one_sm {
  struct exec_view view; /* view.stale: how many sectors `old` has */
  struct gpu_stale *all;
  struct sm *sm;
  struct table old; /* by a sector's device address, its bytes */
};
struct gpu_stale {
  uint32_t n_sms, words;
  uint64_t *holders; /* DIRECTORY sets of SMs whose L1Ds may hold a line, `words` each */
  struct one_sm *sms;
};

static uint64_t *holders_of(const struct gpu_stale *s, uint64_t line) {
  uint64_t hash = (line / MEM_LINE) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
  return &s->holders[(hash & (DIRECTORY - 1)) * s->words];
}

/* ---- old bytes of one SM -------------------------------------------------------------------------------------------- */

static unsigned char *find(const struct one_sm *o, uint64_t sector) { return table_find(&o->old, sector); }

static void keep(struct one_sm *o, uint64_t sector) {
  bool fresh;
  unsigned char *bytes = table_put(&o->old, sector, MEM_SECTOR, &fresh);
  if (fresh) memcpy(bytes, exec_mem_ptr(sector), MEM_SECTOR);
  o->view.stale = (uint32_t)o->old.n;
}

static void forget(struct one_sm *o, uint64_t sector) {
  table_remove(&o->old, sector);
  o->view.stale = (uint32_t)o->old.n;
}

/* Of the 32 bits of a sector in a mask of a line's bytes. */
static uint32_t sector_bits(struct mem_bytes m, unsigned sector) { return (uint32_t)(m.b[sector / 2] >> sector % 2 * MEM_SECTOR); }

/* ---- what L1D notifies ---------------------------------------------------------------------------------------------- */

/* Several SMs may be visited at once. */
static void note_holder(const struct one_sm *o, uint64_t line) {
  uint64_t *word = holders_of(o->all, line) + o->sm->id / 64, bit = UINT64_C(1) << o->sm->id % 64;
  if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit)) __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

static void changed(void *user, uint64_t line, struct mem_bytes bytes, bool here) {
  struct one_sm *o = user;
  if (here) note_holder(o, line);
  for (unsigned k = 0; o->view.stale && k < MEM_SECTORS; k++) {
    uint32_t bits = sector_bits(bytes, k);
    unsigned char *old = bits ? find(o, line + k * MEM_SECTOR) : NULL;
    if (!old) continue;
    if (!here || bits == UINT32_MAX) forget(o, line + k * MEM_SECTOR);
    for (uint32_t left = here && bits != UINT32_MAX ? bits : 0; left; left &= left - 1) {
      unsigned i = (unsigned)__builtin_ctz(left);
      old[i] = *(unsigned char *)exec_mem_ptr(line + k * MEM_SECTOR + i);
    }
  }
}

static void emptied(void *user) {
  struct one_sm *o = user;
  table_clear(&o->old);
  o->view.stale = 0;
}

/* ---- what CTAs do ---------------------------------------------------------------------------------------------------- */

static bool held_here(const struct one_sm *o, uint64_t addr, uint32_t bytes) {
  uint64_t line = addr & ~(uint64_t)(MEM_LINE - 1);
  uint32_t bits = sector_bits(l1_held(&o->sm->l1, line), (unsigned)(addr - line) / MEM_SECTOR);
  uint32_t want = (bytes >= MEM_SECTOR ? UINT32_MAX : (UINT32_C(1) << bytes) - 1) << addr % MEM_SECTOR;
  return (bits & want) == want;
}

/* Accesses are aligned to their size, so that a lane's bytes are in one sector. */
static void read_lanes(struct exec_view *v, struct exec_reach *r) {
  struct one_sm *o = (struct one_sm *)v;
  uint64_t at[EXEC_LANES];
  uint32_t lanes = 0;
  for (uint32_t m = r->lanes; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint64_t in_sector = r->addr[i] % MEM_SECTOR;
    const unsigned char *old = find(o, r->addr[i] - in_sector);
    if (!old || !held_here(o, r->addr[i], r->bytes)) continue;
    at[i] = (uint64_t)(uintptr_t)(old + in_sector);
    lanes |= m & -m;
  }
  if (!lanes) return;
  for (unsigned i = 0; i < EXEC_LANES; i++) r->part[i] = lanes >> i & 1 ? at[i] : r->addr[i];
  r->addr = r->part;
  r->pattern = EXEC_SCATTERED;
  l1_count_stale(&o->sm->l1, (unsigned)__builtin_popcount(lanes));
}

/* Sectors of a line, from `from` to `to`, are about to be written. */
static void write_line(const struct one_sm *writer, uint64_t line, unsigned from, unsigned to) {
  const struct gpu_stale *s = writer->all;
  uint64_t *holders = holders_of(s, line);
  for (uint32_t w = 0; w < s->words; w++)
    for (uint64_t left = holders[w]; left; left &= left - 1) {
      uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(left);
      struct one_sm *o = &s->sms[i];
      if (o == writer) continue;
      struct mem_bytes held = l1_held(&o->sm->l1, line);
      if (mem_none(held)) holders[w] &= ~(left & -left);
      for (unsigned k = from; k <= to; k++)
        if (sector_bits(held, k)) keep(o, line + k * MEM_SECTOR);
    }
}

static void write_bytes(struct exec_view *v, uint64_t addr, uint64_t bytes) {
  const struct one_sm *o = (const struct one_sm *)v;
  for (uint64_t at = addr, end = addr + bytes; at < end;) {
    uint64_t line = at & ~(uint64_t)(MEM_LINE - 1), next = line + MEM_LINE, last = (end < next ? end : next) - 1;
    write_line(o, line, (unsigned)(at - line) / MEM_SECTOR, (unsigned)(last - line) / MEM_SECTOR);
    at = next;
  }
}

/* An SM reads what it has written itself at once; what becomes of the line in L1D is notified when the write gets there. */
static void written(struct exec_view *v, const struct exec_access *a) {
  struct one_sm *o = (struct one_sm *)v;
  for (uint32_t m = a->mask; m; m &= m - 1) {
    uint64_t addr = a->addr[__builtin_ctz(m)], sector = addr & ~(uint64_t)(MEM_SECTOR - 1);
    unsigned char *old = find(o, sector);
    if (old) memcpy(old + (addr - sector), exec_mem_ptr(addr), a->bytes);
  }
}

/* ---- all SMs ---------------------------------------------------------------------------------------------------------- */

struct gpu_stale *gpu_stale_new(const struct cfg *cfg, struct sm *sms, uint32_t n_sms) {
  static const struct mem_observer events = {.changed = changed, .emptied = emptied};
  if (cfg_bool(cfg, "l1.coherent")) return NULL;
  struct gpu_stale *s = must_alloc(sizeof *s);
  s->n_sms = n_sms;
  s->words = (n_sms + 63) / 64;
  s->holders = must_alloc(DIRECTORY * s->words * sizeof *s->holders);
  s->sms = must_alloc(n_sms * sizeof *s->sms);
  for (uint32_t i = 0; i < n_sms; i++) {
    s->sms[i] = (struct one_sm){.view = {.read = read_lanes, .write = write_bytes, .written = written}, .all = s, .sm = &sms[i]};
    sms[i].view = &s->sms[i].view;
    mem_observers_add(&sms[i].l1.observers, &events, &s->sms[i]);
  }
  return s;
}

void gpu_stale_delete(struct gpu_stale *s) {
  for (uint32_t i = 0; s && i < s->n_sms; i++) table_free(&s->sms[i].old);
  if (s) free(s->sms), free(s->holders);
  free(s);
}
