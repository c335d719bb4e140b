/* Instruction fetch: which line of the instruction cache holds a warp's next instruction, and waiting for that line.
 *
 * The position of an instruction in machine code is known if its issue slots were counted (ptx_count_slots); otherwise every PTX
 * instruction takes sm.instruction_bytes. With sm.preload_code the beginning of a function is present when it is called. With
 * sm.fetch_ahead, a warp that reaches a line requests the lines that follow within so many bytes.
 *
 * Preloaded code has to come from somewhere too (sm.code_rate), unless the instruction cache holds it when a kernel begins. Its lines
 * arrive one after the other from then on. Warps receive consecutive lines, one per sm.code_step cycles, up to sm.fetch_ahead beyond where
 * they are; another line, behind a jump, takes sm.code_jump. A line from which any warp of the SM has run is present for all warps.
 *
 * Owns: when lines arrive (sm_code). Does not handle instruction buffers (sm_buffer.c), nor what a taken branch costs in addition
 * (sm.branch_latency). Simplified: the 32 KB size of a machine's innermost instruction cache is not modelled. */
#include "base/arena.h"
#include "mem/mem_stall.h"
#include "sm/sm.h"

#define CODE_PHYSICAL (UINT64_C(0x7000) << 32)

/* Lines of preloaded code with a known time of arrival, the last one of each index. */
enum { CODE_LINES = 512 };
struct sm_code {
  uint64_t begun;      /* when the kernel's first line was requested */
  uint64_t last, came; /* the line that was requested last for the first time, and when it arrived */
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

/* The address of a function's code. */
static uint64_t base_of(const struct sm *s, const struct exec_func *f) {
  uint64_t func = (f->module->code_base - EXEC_CODE_WINDOW) / 16 + (uint64_t)(f - f->module->funcs);
  if (s->config->packed_code) { /* each function ends with a return that PTX does not contain */
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

/* Prefetches the missing lines behind one, up to the end of the function. */
static void fetch_ahead(struct sm *s, const struct exec_func *f, uint64_t offset, uint64_t now) {
  uint64_t end = offset_of(s, f, f->ptx->n_insts), to = offset + s->config->fetch_ahead;
  for (uint64_t at = offset + MEM_LINE; at < to && at < end; at += MEM_LINE)
    if (at >= s->config->preloaded) ro_prefetch(&s->instruction, line_of(base_of(s, f) + at), now);
}

/* When a line arrives that is requested for the first time. */
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

/* When a warp can run from a preloaded line. */
static uint64_t there_from(struct sm *s, const struct exec_func *f, uint64_t line, uint64_t offset, uint64_t now) {
  struct sm_code *c = s->code;
  unsigned place = (unsigned)(line / MEM_LINE % CODE_LINES);
  if (!ro_holds(&s->instruction, line)) {
    c->there[place].at = arrival(s, line, offset & ~(uint64_t)(MEM_LINE - 1), f->ptx->is_entry, now);
    c->there[place].line = c->last = line;
    uint64_t most = s->config->fetch_ahead / MEM_LINE * s->config->code_step * s->wake.period; /* how much earlier it may have arrived */
    c->came = now > most ? mem_later(c->there[place].at, now - most) : c->there[place].at;
  }
  return c->there[place].line == line ? c->there[place].at : 0;
}

bool sm_fetch(struct sm *s, unsigned slot, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  const struct exec_func *f = w->x->frame->func;
  uint64_t offset = offset_of(s, f, w->x->pc), line = line_of(base_of(s, f) + offset);
  if (w->fetched == (line | 1)) return true;
  /* A preloaded line is put into the cache when it is first needed, instead of at the call. */
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
