/* Reads a texture at one point: coordinates, levels, addressing, filtering and formats. Knows descriptors and device memory, but neither
 * instructions nor warps. */
#ifndef EXEC_TEXTURE_SAMPLE_H
#define EXEC_TEXTURE_SAMPLE_H

#include "exec/texture/texture.h"

/* A sample to be taken. Coordinates are x, y, z; for a cube map the direction. */
struct exec_texture_query {
  bool whole; /* coordinates and lod are whole numbers: at[], not u[] */
  float u[3];
  int32_t at[3];
  uint32_t layer;
  int32_t offset[3]; /* in texels */
  float lod;         /* level of detail; 0 where the instruction gives none */
  bool gradients;    /* the level follows from dx and dy instead */
  float dx[3], dy[3];
};

/* Samples `image` with the sampler part of `sampler` (usually the same object). out receives four channels: floats, or whole numbers if the
 * texels are whole numbers and are not read as floats. *first is the address of the first texel read, or of the nearest one if all lie
 * outside. */
void exec_texture_sample(const struct exec_texture *image, const struct exec_texture *sampler,
                         const struct exec_texture_query *q, uint32_t out[4], uint64_t *first);
/* One channel of the four texels that a linear filter would read, in the order of tld4. */
void exec_texture_gather(const struct exec_texture *image, const struct exec_texture *sampler,
                         const struct exec_texture_query *q, unsigned channel, uint32_t out[4],
                         uint64_t *first);

/* One texel's channels as sample() returns them, and the reverse for formatted stores. */
void exec_texel_read(const struct exec_texture *t, const unsigned char *p, uint32_t out[4]);
void exec_texel_write(const struct exec_texture *t, unsigned char *p, const uint32_t in[4]);
/* What each of the 256 values of an sRGB channel is read as. */
const float *exec_srgb_to_linear(void);

#endif
