/* The common case of tex for a whole warp at once: one texture of one level and less than 4 GB, without layers, faces, offsets or a sampler
 * of its own, sampled at a point (in up to three dimensions, or at whole coordinates) or filtered in one or two dimensions. Values and
 * addresses are those of texture_sample.c, lane by lane; it handles everything else. */
#ifndef EXEC_TEXTURE_ROWS_H
#define EXEC_TEXTURE_ROWS_H

#include "exec/texture/texture.h"

enum { EXEC_ROW_LANES = 32 };

struct exec_texture_row { /* rows of words are aligned to 64 bytes */
  bool whole;                 /* coordinates are whole numbers */
  const uint32_t *coords[3];  /* by axis; as many as the texture has dimensions */
  uint32_t lanes;             /* that sample */
  uint32_t *out[4];           /* by channel; NULL: not needed */
  uint64_t *first;            /* by lane: see exec_texture_sample; NULL: not needed */
  unsigned lane;              /* the lane whose texture it is */
  const uint64_t *objects;    /* by lane: if they differ, the case is not handled; NULL: they are all the same */
};

/* `sample_row` of struct exec_lanes. False: the case is not handled, and nothing was done. */
typedef bool (*exec_sample_row_fn)(const struct exec_texture *t, const struct exec_texture_row *q);

#endif
