/* Transposes a square of 32 x 32 bits: bit j of word i becomes bit i of word j. It is its own inverse. */
#ifndef COMPRESS_BIT_PLANES_H
#define COMPRESS_BIT_PLANES_H

#include <stdint.h>

void transpose_bits(const uint32_t in[32], uint32_t out[32]);

#endif
