/* How much of this process's memory can be read: pointers that a program passes without a size may lead anywhere. */
#ifndef CUDA_MAPPING_H
#define CUDA_MAPPING_H

#include <stddef.h>

/* Bytes that can be read from an address on without a gap; 0: none, or the host does not report it. */
size_t cuda_readable(const void *at);

#endif
