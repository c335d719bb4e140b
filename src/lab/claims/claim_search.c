/* See claim_search.h. */
#include "lab/claims/claim_search.h"

#include <math.h>
#include <stdbool.h>

static const double golden = 0.381966;

struct bracket {
  unsigned low, middle, high; /* low and high are not tried: they have been, or are outside */
  double lowest;              /* cost of the middle */
};

static unsigned next_coarse(unsigned at, unsigned most) { return at == most ? most + 1 : 2 * at < most ? 2 * at : most; }

/* Every coarse place is asked for, whatever is known. */
static bool coarse(unsigned most, double (*cost)(void *, unsigned), void *user, struct bracket *b) {
  bool known = true;
  double next = NAN, last = NAN; /* of the place after the middle, which is not `most`, and of `most` */
  *b = (struct bracket){.lowest = INFINITY};
  for (unsigned at = 1, before = 0; at <= most; before = at, at = next_coarse(at, most)) {
    last = cost(user, at);
    known = known && !isnan(last);
    if (last < b->lowest) *b = (struct bracket){before, at, next_coarse(at, most), last};
    else if (before == b->middle && at < most) next = last;
  }
  if (next == b->lowest && last == b->lowest) b->high = b->middle + 1;
  return known;
}

/* In the wider gap, at the golden section from the middle. */
static unsigned next_try(const struct bracket *b) {
  unsigned left = b->middle - b->low, right = b->high - b->middle, gap = left > right ? left : right;
  unsigned step = (unsigned)(golden * gap + 0.5);
  step = step ? step : 1;
  return left > right ? b->middle - step : b->middle + step;
}

static void narrow(struct bracket *b, unsigned x, double c) {
  bool below = x < b->middle, better = below ? c <= b->lowest : c < b->lowest;
  if (!better) *(below ? &b->low : &b->high) = x;
  else {
    *(below ? &b->high : &b->low) = b->middle;
    b->middle = x;
    b->lowest = c;
  }
}

unsigned claim_search(unsigned most, double (*cost)(void *user, unsigned at), void *user) {
  struct bracket b;
  if (!coarse(most, cost, user, &b)) return 0;
  while (b.high - b.low > 2) {
    unsigned x = next_try(&b);
    double c = cost(user, x);
    if (isnan(c)) return 0;
    narrow(&b, x, c);
  }
  return b.middle;
}
