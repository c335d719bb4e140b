/* Instruction buffers (sm.instruction_buffer), as in GPGPU-Sim. A warp issues from its buffer. When the buffer is empty it is filled with
 * the next instructions; one warp of the SM is served per cycle, in turn. The warp can issue two cycles later: one cycle to fetch, one to
 * decode.
 *
 * A warp that jumps discards the contents of its buffer in the next cycle. If the buffer is empty at that time, it is already being filled
 * with what follows the jump; this is found out when the warp would issue. */
#include "mem/mem_stall.h"
#include "sm/sm.h"

enum { NOW, NEXT, LATER };

void sm_buffer_start(struct sm *s, unsigned slot) { s->fetch[NEXT] |= UINT64_C(1) << slot; }

void sm_buffer_end(struct sm *s, unsigned slot) {
  for (unsigned i = NOW; i <= LATER; i++) s->fetch[i] &= ~(UINT64_C(1) << slot);
}

void sm_buffer_issued(struct sm *s, unsigned slot, uint32_t straight, bool jumped) {
  struct sm_warp *w = &s->warps[slot];
  w->buffered--;
  w->left = straight;
  w->astray = jumped && !w->buffered;
  if (jumped && w->buffered) s->fetch[NEXT] |= UINT64_C(1) << slot;
  else if (!w->buffered) s->fetch[NOW] |= UINT64_C(1) << slot;
  if (jumped) w->buffered = 0;
}

void sm_buffer_answered(struct sm *s, unsigned slot) { s->fetch[NEXT] |= UINT64_C(1) << slot; }

static void fill(struct sm *s, unsigned slot, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  uint64_t bit = UINT64_C(1) << slot;
  enum l1_result r = sm_fetch_line(s, slot, w->astray ? w->left : w->x->pc, now);
  if (r == L1_STALL) return;
  s->fetch[NOW] &= ~bit;
  w->fetching = r == L1_MISS;
  if (w->fetching) return;
  if (w->astray) {
    w->astray = false;
    s->fetch[LATER] |= bit;
    return;
  }
  w->buffered = (uint8_t)s->config->instruction_buffer;
  w->not_before = mem_later(w->not_before, sm_after(s, now, 2));
  sm_refresh_warp(s, slot, now);
}

void sm_buffer_cycle(struct sm *s, uint64_t now) {
  uint64_t want = s->fetch[NOW];
  if (want) {
    uint32_t first = s->last_fetched + 1 < s->config->warps ? s->last_fetched + 1 : 0;
    uint64_t after = want >> first << first;
    unsigned slot = (unsigned)__builtin_ctzll(after ? after : want);
    s->last_fetched = slot;
    fill(s, slot, now);
  }
  s->fetch[NOW] |= s->fetch[NEXT];
  s->fetch[NEXT] = s->fetch[LATER];
  s->fetch[LATER] = 0;
}
