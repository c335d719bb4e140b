/* The search for the best of a row of settings, where each try is a run: the lowest cost over 1 to `most`.
 *
 * First 1, 2, 4, 8 ... and `most` are tried, then a golden-section search goes on between the neighbours of the best of these: of 48,
 * at most 14 are tried. The result is the smallest of the lowest wherever the cost falls strictly, then rises strictly, and then
 * may stay the same, any of the three being absent: a limit of warps costs time first by idleness, then by lost locality, and
 * changes nothing once no SM has as many warps. The argument: a bracket (low, middle, high) has cost(low) > cost(middle) <= cost(high),
 * and the smallest of the lowest lies strictly between low and high. A try x < middle with cost(x) <= cost(middle) leaves it below the
 * middle (both on the flat end, or on two sides of it); with cost(x) > cost(middle) above x. A try x > middle with cost(x) <
 * cost(middle) leaves it above the middle, otherwise below x. If the best of the first tries costs the same as the next one and as
 * `most`, a third, they are on the flat end (cycles are not the same by chance), and nothing above it is tried. Where a cost has several
 * valleys the wide ones are distinguished by the first tries, and narrow ones may be missed. */
#ifndef LAB_CLAIM_SEARCH_H
#define LAB_CLAIM_SEARCH_H

/* 0 if a cost is not known yet (NAN): all that can be tried now has then been asked for. The same place may be asked for again. */
unsigned claim_search(unsigned most, double (*cost)(void *user, unsigned at), void *user);

#endif
