/* Which open question of a paper decides its result: for each claim of a speed-up, how far each other reading
 * (reading.h), taken one at a time, moves the measured figure, and the three that move it the most. */
#ifndef LAB_CLAIM_SENSITIVITY_H
#define LAB_CLAIM_SENSITIVITY_H

#include <jansson.h>

enum { CLAIM_MOST_BARS = 3 };

/* `usual` are the scores under the defaults, `others` those under other readings, each with its "reading"; both as
 * claim_evaluate makes them. Returns a list, owned by the caller, of {id, label, unit, published, measured, bars:
 * [{reading, measured}]}, with the largest effect first; claims that no reading moves are left out. */
json_t *claim_sensitivity(const json_t *usual, const json_t *others);

#endif
