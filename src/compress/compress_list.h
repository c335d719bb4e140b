/* The compressors there are, for the registry alone. */
#ifndef COMPRESS_LIST_H
#define COMPRESS_LIST_H

#include "compress/compress.h"

extern const struct compressor compress_dpc, compress_bdi, compress_fpc, compress_cpack;

#endif
