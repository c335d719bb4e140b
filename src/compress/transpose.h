/* Transposing a square of 32 x 32 bits: bit j of word i becomes bit i of word j. Its own inverse. */
#ifndef COMPRESS_TRANSPOSE_H
#define COMPRESS_TRANSPOSE_H

#include <stdint.h>

/* With the best instructions of this processor. */
void transpose_bits(const uint32_t in[32], uint32_t out[32]);
/* With none but those every processor has; the same result. */
void transpose_bits_portable(const uint32_t in[32], uint32_t out[32]);
/* Which one transpose_bits takes: "avx2" or "portable". */
const char *transpose_path(void);

#endif
