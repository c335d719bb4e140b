/* Judges results: exact ones bit for bit against silicon, approximate ones against the mathematical function
 * within the error that the PTX ISA states. Beyond the range for which it states one, and where the result is
 * an infinity, a NaN or a flushed zero, an approximate result must be what silicon gave (any NaN for a NaN).
 */
#ifndef CONFORMANCE_BOUNDS_H
#define CONFORMANCE_BOUNDS_H

#include "variants.h"

struct verdict {
  bool passed;
  unsigned first_bad; /* lane, when not passed */
  unsigned bad;       /* lanes that differ */
  double worst;   /* largest error of the device under test, in the unit of the bound; 0 for exact variants */
  double silicon; /* largest error of the recorded results */
};

/* Judges all lanes of `v`. */
struct verdict bounds_judge(const struct variant *v, const unsigned char *expected, const unsigned char *got);

/* The unit of the variant's bound, for reports: "ulp", "relative", "absolute". */
const char *bounds_unit(const struct variant *v);

/* The bound itself, as a number in that unit. */
double bounds_limit(const struct variant *v);

#endif
