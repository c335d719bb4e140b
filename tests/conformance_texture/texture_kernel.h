/* Writes the PTX of a case: one entry `k` with the parameters out, in, the object, and the number of lanes.
 * Stores are made by one thread, lane after lane, so that lanes which meet at one place have an order. */
#ifndef TEXTURE_KERNEL_H
#define TEXTURE_KERNEL_H

#include "texture_cases.h"

void texture_kernel(const struct texture_case *c, char *text, size_t capacity);

#endif
