/* See readiness.h. */
#include "sm/readiness.h"

void sm_readiness_init(struct sm_readiness *r, uint64_t period) {
  *r = (struct sm_readiness){.far_from = MEM_NEVER};
  while (UINT64_C(1) << r->shift < period) r->shift++;
  for (unsigned i = 0; i < SM_MAX_WARPS; i++) r->warp[i].bucket = SM_BUCKET_NONE;
}

static void leave_bucket(struct sm_readiness *r, unsigned slot) {
  uint64_t bit = UINT64_C(1) << slot;
  unsigned b = r->warp[slot].bucket;
  r->due &= ~bit;
  if (b < SM_BUCKETS) {
    r->bucket[b] &= ~bit;
    if (!r->bucket[b]) r->used &= ~(UINT64_C(1) << b);
  } else if (b == SM_BUCKET_FAR) {
    r->far &= ~bit;
  }
  r->warp[slot].bucket = SM_BUCKET_NONE;
}

/* A stamp in the past goes into the bucket of the last look, which the next look empties. */
static void enter_bucket(struct sm_readiness *r, unsigned slot) {
  uint64_t bit = UINT64_C(1) << slot, b = r->warp[slot].ready >> r->shift;
  if (b < r->at) b = r->at;
  if (b - r->at >= SM_BUCKETS) {
    r->far |= bit;
    if (b < r->far_from) r->far_from = b;
    r->warp[slot].bucket = SM_BUCKET_FAR;
    return;
  }
  b %= SM_BUCKETS;
  r->bucket[b] |= bit;
  r->used |= UINT64_C(1) << b;
  r->warp[slot].bucket = (uint8_t)b;
}

struct sm_stand *sm_readiness_take(struct sm_readiness *r, unsigned slot) {
  struct sm_stand *w = &r->warp[slot];
  uint64_t others = ~(UINT64_C(1) << slot);
  leave_bucket(r, slot);
  r->why[w->why] &= others;
  r->pipe[w->pipe] &= others;
  r->loads &= others;
  return w;
}

void sm_readiness_drop(struct sm_readiness *r, unsigned slot) {
  *sm_readiness_take(r, slot) = (struct sm_stand){.bucket = SM_BUCKET_NONE};
}

void sm_readiness_put(struct sm_readiness *r, unsigned slot) {
  const struct sm_stand *w = &r->warp[slot];
  r->why[w->why] |= UINT64_C(1) << slot;
  r->pipe[w->pipe] |= UINT64_C(1) << slot;
  r->loads |= (uint64_t)w->load << slot;
  if (w->ready != MEM_NEVER) enter_bucket(r, slot);
}

/* Moves the due warps of a bucket; the last bucket may hold some that are not due yet. */
static void empty_bucket(struct sm_readiness *r, unsigned b, uint64_t now) {
  for (uint64_t left = r->bucket[b]; left; left &= left - 1) {
    unsigned slot = (unsigned)__builtin_ctzll(left);
    if (r->warp[slot].ready > now) continue;
    leave_bucket(r, slot);
    r->due |= UINT64_C(1) << slot;
  }
}

static void bring_near(struct sm_readiness *r) {
  uint64_t far = r->far;
  r->far = 0;
  r->far_from = MEM_NEVER;
  for (; far; far &= far - 1) enter_bucket(r, (unsigned)__builtin_ctzll(far));
}

/* `used`, rotated so that bit 0 is the bucket of the last look. */
static uint64_t used_from(const struct sm_readiness *r) {
  unsigned first = r->at % SM_BUCKETS;
  return r->used >> first | r->used << (-first % SM_BUCKETS);
}

void sm_readiness_turn(struct sm_readiness *r, uint64_t now) {
  uint64_t to = now >> r->shift, passed = to - r->at;
  uint64_t left = used_from(r) & (passed >= SM_BUCKETS - 1 ? ~UINT64_C(0) : (UINT64_C(2) << passed) - 1);
  for (; left; left &= left - 1) empty_bucket(r, (unsigned)(r->at + (unsigned)__builtin_ctzll(left)) % SM_BUCKETS, now);
  r->at = to;
  if (r->far_from != MEM_NEVER && r->far_from < to + SM_BUCKETS) {
    bring_near(r);
    if (r->used >> to % SM_BUCKETS & 1) empty_bucket(r, (unsigned)(to % SM_BUCKETS), now);
  }
}

static uint64_t earliest(const struct sm_readiness *r, uint64_t warps) {
  uint64_t t = MEM_NEVER;
  for (; warps; warps &= warps - 1) {
    uint64_t ready = r->warp[__builtin_ctzll(warps)].ready;
    t = ready < t ? ready : t;
  }
  return t;
}

uint64_t sm_readiness_next(const struct sm_readiness *r, uint64_t warps) {
  for (uint64_t left = used_from(r); left; left &= left - 1) {
    uint64_t here = r->bucket[(r->at + (unsigned)__builtin_ctzll(left)) % SM_BUCKETS] & warps;
    if (here) return earliest(r, here);
  }
  return earliest(r, r->far & warps);
}
