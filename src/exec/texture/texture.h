/* Texture and surface descriptors: made by the CUDA layer, read by the texture instructions.
 *
 * A texture or surface object is a 64-bit handle in a register; exec_texture_find turns it into a descriptor. A `.texref` or `.surfref`
 * variable holds such a handle in its eight bytes of device memory (0: nothing bound), so an instruction that names a variable reads the
 * handle from the variable's address and continues in the same way. A `.samplerref` variable holds the handle of a texture whose sampler
 * part is meant.
 *
 * Owns: the table of live descriptors of the process. Handles count up from 1 and are never reused, so a stale handle is detected. Does not
 * own the texels, which lie in device memory.
 *
 * Texels of an array lie row after row without gaps: element (x, y, z) of level L is at
 *
 *   levels[L].base + x * texel_bytes + y * levels[L].row_bytes + z * levels[L].slice_bytes
 *
 * with z the slice of a 3D texture, or the layer, or 6 * layer + face of a cube map. */
#ifndef EXEC_TEXTURE_H
#define EXEC_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum exec_texture_shape {
  EXEC_TEX_BUFFER, /* linear memory: 1D, integer coordinates only */
  EXEC_TEX_1D,
  EXEC_TEX_2D,
  EXEC_TEX_3D,
  EXEC_TEX_1D_LAYERED,
  EXEC_TEX_2D_LAYERED,
  EXEC_TEX_CUBE,
  EXEC_TEX_CUBE_LAYERED
};
enum exec_texel { /* one channel */
                  EXEC_TEXEL_U8,
                  EXEC_TEXEL_U16,
                  EXEC_TEXEL_U32,
                  EXEC_TEXEL_S8,
                  EXEC_TEXEL_S16,
                  EXEC_TEXEL_S32,
                  EXEC_TEXEL_F16,
                  EXEC_TEXEL_F32
};
enum exec_address_mode { EXEC_WRAP, EXEC_CLAMP, EXEC_MIRROR, EXEC_BORDER };
enum exec_filter { EXEC_POINT, EXEC_LINEAR };

enum { EXEC_TEX_LEVELS = 18 };

struct exec_texture_level {
  uint64_t base;
  uint32_t width, height,
      depth; /* texels; at least 1 each; depth counts slices, layers, or faces of all layers */
  uint64_t row_bytes, slice_bytes;
};

struct exec_texture {
  uint8_t shape;              /* enum exec_texture_shape */
  uint8_t texel;              /* enum exec_texel */
  uint8_t channels;           /* 1, 2 or 4 */
  uint8_t texel_bytes;        /* of all channels */
  bool surface;               /* made as a surface object: suld, sust and sured only */
  bool normalized;            /* coordinates in [0, 1) */
  bool as_float;              /* 8- and 16-bit integers are read as floats in [0, 1] or [-1, 1] */
  bool srgb;                  /* 8-bit texels are decoded from sRGB */
  bool seamless;              /* cube maps filter across faces */
  uint8_t address[3];         /* enum exec_address_mode */
  uint8_t filter, mip_filter; /* enum exec_filter */
  float mip_bias, mip_min, mip_max;
  uint32_t max_anisotropy;
  float border[4];
  uint32_t n_levels;    /* at least 1 */
  struct exec_texture_level levels[EXEC_TEX_LEVELS];
};

/* Enters a copy of *t and returns its handle. */
uint64_t exec_texture_add(const struct exec_texture *t);
/* Replaces the descriptor behind a handle: texture references. False if the handle is not live. */
bool exec_texture_change(uint64_t handle, const struct exec_texture *t);
bool exec_texture_remove(uint64_t handle); /* false if it is not live */
/* The descriptor, or NULL if the handle is not live. Valid until the handle is removed. */
const struct exec_texture *exec_texture_find(uint64_t handle);

#endif
