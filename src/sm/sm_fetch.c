/* Fetching code: which line of the instruction cache a warp's next instruction is in, and waiting for it.
 *
 * Where an instruction stands in a machine's code is known where its slots were counted (ptx_count_slots); else every one of PTX takes
 * sm.instruction_bytes. With sm.preload_code the beginning of a function is there when it is called. With sm.fetch_ahead whoever
 * comes to a line asks for those that follow it within so many bytes.
 *
 * What is loaded beforehand comes all the same from somewhere (sm.code_rate), if the instruction cache does not have it when a kernel
 * begins: its lines arrive one behind the other from then on, the warps get those that follow each other a line in sm.code_step cycles, as
 * far ahead as sm.fetch_ahead, and one that is not among these, behind a jump, after sm.code_jump. A line that any warp of the SM has run
 * from is there for all.
 *
 * Owns when lines come (sm_code). Does not know instruction buffers (sm_buffer.c), nor what a taken branch costs besides
 * (sm.branch_latency), nor that a machine's nearest instruction cache keeps 32 KB. */
#include "base/arena.h"
#include "mem/mem_stall.h"
#include "sm/sm.h"

#define CODE_PHYSICAL (UINT64_C(0x7000) << 32)

/* Lines of a function's beginning for which it is known when they came, the first of each place. */
enum { CODE_LINES = 512 };
struct sm_code {
  uint64_t begun;      /* when the kernel's first line was asked for */
  uint64_t last, came; /* the line that was asked for last for the first time, and when it was there */
  struct {
    uint64_t line, at;
  } there[CODE_LINES];
};

struct sm_code *sm_code_new(void) { return must_alloc(sizeof(struct sm_code)); }

static uint64_t offset_of(const struct sm *s, const struct exec_func *f, uint32_t pc) {
  uint32_t n = f->ptx->n_insts;
  uint64_t place = f->ptx->place ? f->ptx->place[pc < n ? pc : n] : pc;
  return place * s->config->instruction_bytes;
}

/* Where a function's code is. */
static uint64_t base_of(const struct sm *s, const struct exec_func *f) {
  uint64_t func = (f->module->code_base - EXEC_CODE_WINDOW) / 16 + (uint64_t)(f - f->module->funcs);
  if (s->config->packed_code) { /* each function is followed by a return that PTX does not have */
    uint64_t index = (uint64_t)(f - f->module->funcs), before = f->first_pc - index;
    return CODE_PHYSICAL + ((func - index) << 20) + before * s->config->instruction_bytes;
  }
  return CODE_PHYSICAL + (func << 20);
}

static uint64_t line_of(uint64_t address) { return address & ~(uint64_t)(MEM_LINE - 1); }

enum l1_result sm_fetch_line(struct sm *s, unsigned slot, uint32_t pc, uint64_t now) {
  const struct exec_func *f = s->warps[slot].x->frame->func;
  return ro_access(&s->instruction, line_of(base_of(s, f) + offset_of(s, f, pc)), slot, now);
}

/* Asks for what is not there of the lines behind one, as far as the function goes. */
static void fetch_ahead(struct sm *s, const struct exec_func *f, uint64_t offset, uint64_t now) {
  uint64_t end = offset_of(s, f, f->ptx->n_insts), to = offset + s->config->fetch_ahead;
  for (uint64_t at = offset + MEM_LINE; at < to && at < end; at += MEM_LINE)
    if (at >= s->config->preloaded) ro_prefetch(&s->instruction, line_of(base_of(s, f) + at), now);
}

/* When a line comes that is asked for the first time. */
static uint64_t arrival(struct sm *s, uint64_t line, uint64_t offset, bool entry, uint64_t now) {
  struct sm_code *c = s->code;
  const struct sm_config *k = s->config;
  if (entry && !offset) return c->begun = now;
  uint64_t at = sm_after(s, now, k->code_jump);
  if (line > c->last) {
    uint32_t lines = (uint32_t)((line - c->last) / MEM_LINE), ahead = (uint32_t)(k->fetch_ahead / MEM_LINE);
    uint64_t next = sm_after(s, c->came, lines * k->code_step);
    if (lines > ahead) next = mem_later(next, sm_after(s, now, (lines - ahead) * k->code_step));
    if (next < at) at = next;
  }
  return entry ? mem_later(at, sm_after(s, c->begun, (uint32_t)(offset / k->code_rate))) : at;
}

/* When a warp can run from a line that was loaded beforehand. */
static uint64_t there_from(struct sm *s, const struct exec_func *f, uint64_t line, uint64_t offset, uint64_t now) {
  struct sm_code *c = s->code;
  unsigned place = (unsigned)(line / MEM_LINE % CODE_LINES);
  if (!ro_holds(&s->instruction, line)) {
    c->there[place].at = arrival(s, line, offset & ~(uint64_t)(MEM_LINE - 1), f->ptx->is_entry, now);
    c->there[place].line = c->last = line;
    uint64_t most = s->config->fetch_ahead / MEM_LINE * s->config->code_step * s->wake.period; /* that it may have been there before */
    c->came = now > most ? mem_later(c->there[place].at, now - most) : c->there[place].at;
  }
  return c->there[place].line == line ? c->there[place].at : 0;
}

bool sm_fetch(struct sm *s, unsigned slot, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  const struct exec_func *f = w->x->frame->func;
  uint64_t offset = offset_of(s, f, w->x->pc), line = line_of(base_of(s, f) + offset);
  if (w->fetched == (line | 1)) return true;
  /* In place of loading the beginning of a function at its call: a line is put there when it is first needed. */
  bool preloaded = offset < s->config->preloaded;
  uint64_t from = preloaded && s->code ? there_from(s, f, line, offset, now) : 0;
  enum l1_result r = preloaded ? ro_access_preloaded(&s->instruction, line) : ro_access(&s->instruction, line, slot, now);
  if (s->config->fetch_ahead) fetch_ahead(s, f, offset, now);
  if (r == L1_HIT) {
    w->fetched = line | 1;
    uint64_t t = sm_after(s, now, 1 + s->config->fetch_latency);
    if (from > t) t = w->code_from = from;
    if (t > w->not_before) w->not_before = t;
    return true;
  }
  w->fetching = r == L1_MISS;
  if (r == L1_STALL) s->fetch_retry |= UINT64_C(1) << slot;
  return false;
}
