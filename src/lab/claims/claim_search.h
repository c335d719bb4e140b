/* Searches for the best of a row of settings, where each try is a run: the lowest cost over 1 to `most`.
 *
 * First 1, 2, 4, 8 ... and `most` are tried; then a golden-section search goes on between the neighbours of the best
 * of these. Of 48 settings, at most 14 are tried. The result is the smallest setting with the lowest cost whenever
 * the cost first falls strictly, then rises strictly, and then stays the same, where each of the three parts may be
 * absent. A limit of warps is like that: it costs time at first by idleness, then by lost locality, and changes
 * nothing once no SM has as many warps.
 *
 * The argument: a bracket (low, middle, high) has cost(low) > cost(middle) <= cost(high), and the result lies
 * strictly between low and high. A try x < middle with cost(x) <= cost(middle) leaves it below the middle (both are
 * on the flat end, or on two sides of it), and with cost(x) > cost(middle) above x. A try x > middle with cost(x) <
 * cost(middle) leaves it above the middle, otherwise below x. If the best of the first tries costs the same as the
 * next one and as `most`, a third one, they are on the flat end (cycles are not equal by chance), and nothing above
 * it is tried. If a cost has several valleys, the first tries find the wide ones, and narrow ones may be missed. */
#ifndef LAB_CLAIM_SEARCH_H
#define LAB_CLAIM_SEARCH_H

/* The best setting; 0 if a cost is not known yet (NAN), in which case all that can be tried now has been asked for.
 * `cost` may be called for the same setting again. */
unsigned claim_search(unsigned most, double (*cost)(void *user, unsigned at), void *user);

#endif
