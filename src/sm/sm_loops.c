/* Additions of floating-point numbers in shared memory, which a machine performs by a loop: load, add, compare-and-swap, compare, branch
 * (sm.atomic_loop). In each turn, one lane of each word that the warp addresses succeeds, unless another warp has changed the word since
 * this warp loaded it. A turn in which no lane succeeds was in vain. Turns of all warps share the banks.
 *
 * Owns: the words of each warp's loop, and when words were last changed, indexed by word modulo PLACES (two words with the same index
 * disturb each other). Beyond what the load/store unit charges for the first turn, the loops do not keep other accesses from the banks. */
#include "sm/sm.h"

#include "base/arena.h"

#include <stdlib.h>

enum {
  PLACES = 8192,
  LOAD = 0, /* issue slots of a turn */
  SWAP = 2,
  TURN_CYCLES = 3 /* of the banks: 64 warps that do not disturb each other take 3.02 cycles per turn on an H200 */
};

struct loop {
  uint64_t loaded;
  unsigned n;
  bool vain; /* no lane has succeeded in this turn yet */
  uint16_t place[EXEC_LANES];
  uint8_t left[EXEC_LANES]; /* remaining lanes of that word */
};

struct sm_loops {
  uint64_t banks_free;
  uint64_t changed[PLACES]; /* when it was last swapped */
  struct loop of[SM_MAX_WARPS];
};

struct sm_loops *sm_loops_new(void) { return must_alloc(sizeof(struct sm_loops)); }

static uint16_t place_of(uint64_t word, unsigned cta) { return (uint16_t)((word + cta * 2053) % PLACES); }

void sm_loops_begin(struct sm_loops *l, unsigned slot, unsigned cta, const struct exec_access *a) {
  struct loop *p = &l->of[slot];
  p->n = 0;
  for (uint32_t mask = a->mask; mask;) {
    uint64_t at = a->addr[__builtin_ctz(mask)];
    p->place[p->n] = place_of(at / 4, cta);
    p->left[p->n] = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
      if (a->addr[__builtin_ctz(rest)] == at) {
        p->left[p->n]++;
        mask &= ~(rest & -rest);
      }
    p->n++;
  }
}

static void swap_words(struct sm_loops *l, struct loop *p, uint64_t at) {
  unsigned n = 0;
  p->vain = true;
  for (unsigned i = 0; i < p->n; i++) {
    uint16_t place = p->place[i];
    uint8_t left = p->left[i];
    if (l->changed[place] <= p->loaded) {
      l->changed[place] = at;
      p->vain = false;
      left--;
    }
    if (left) p->place[n] = place, p->left[n++] = left;
  }
  p->n = n;
}

uint64_t sm_loops_slot(struct sm_loops *l, unsigned slot, unsigned of_turn, uint64_t period, uint64_t now) {
  struct loop *p = &l->of[slot];
  if (of_turn == SWAP) swap_words(l, p, now);
  if (of_turn != LOAD) return now;
  p->loaded = l->banks_free > now ? l->banks_free : now;
  l->banks_free = p->loaded + TURN_CYCLES * period;
  return p->loaded;
}

bool sm_loops_in_vain(const struct sm_loops *l, unsigned slot, unsigned of_turn) { return of_turn >= SWAP && l->of[slot].vain; }

bool sm_loops_again(const struct sm_loops *l, unsigned slot) { return l->of[slot].n > 0; }
