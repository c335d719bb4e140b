/* Finds PTX in what a program passes as a module image.
 *
 * An image is PTX text, a fat binary (one or more containers, each with entries of PTX or machine code, plain or compressed), the wrapper
 * that the compiler puts around a fat binary, or machine code alone. Every length in it is checked against the image's size and against
 * what is mapped at its address; if the size is not known (the caller passed only a pointer), only against what is mapped. A wrapper of the
 * second version names several fat binaries, compiled separately, that form one module: their PTX is joined. */
#ifndef CUDA_FATBIN_H
#define CUDA_FATBIN_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* Size of an image of which only the address is known. */
#define FATBIN_UNKNOWN ((size_t)-1)

/* Returns the best PTX for a device of compute capability sm (90 for 9.0), zero-terminated, to be freed; if there is machine code for it
 * and no PTX, the PTX for later devices. NULL with *e filled if there is none; e->code is the CUresult that a caller should see. */
char *fatbin_ptx(const void *image, size_t bytes, unsigned sm, struct err *e);

/* Adds a module's PTX to that of others (fatbin_join.c). The first occurrence of lines that a module has once (.version, .target,
 * .address_size) stays, and local names of the modules are kept apart. */
void fatbin_join(struct str *text, const char *ptx);

/* Decompresses a block of the older compression (literals and copies, 16-bit distances). Returns the bytes
 * written, or 0 if the input is not of that form or the output does not fit. */
size_t fatbin_unpack_lz4(unsigned char *out, size_t capacity, const unsigned char *in, size_t bytes);

#endif
