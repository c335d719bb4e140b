/* Units and meanings of the numbers in a report, from the tables of statistics of the GPU that it was measured on. */
#ifndef LAB_UNITS_H
#define LAB_UNITS_H

#include "base/err.h"

#include <jansson.h>

struct lab_units;
/* `config` is that of a report, an object from keys to values. If no GPU can be built from it (a report of another
 * version), the units of the default GPU are used. */
struct lab_units *lab_units_new(const json_t *config);
void lab_units_delete(struct lab_units *u);
/* The unit and the meaning of a number; "" if the name is not known. */
const char *lab_unit(const struct lab_units *u, const char *name);
const char *lab_meaning(const struct lab_units *u, const char *name);

#endif
