/* See texture_rows.h. Each step is a loop over 32 lanes without a branch on a lane's values: coordinates to texels, texels to the range
 * of the texture, places to addresses, addresses to values. Lanes that do not sample compute with whatever is in their registers, and
 * look at the first texel. Compiled once per host instruction set. */
#include "exec/lanes/lanes.h"

#include "exec/float_bits.h"
#include "exec/texture/texture_rows.h"
#include "exec/texture/texture_sample.h"

#include <math.h>

enum {
  LANES = EXEC_ROW_LANES,
  UNIT = 256,
  OUTSIDE = -1,
  MOST = 1 << 20, /* texels on an axis; coordinates beyond twice that are cut off */
};

/* ---- one axis ----------------------------------------------------------------------------------------- */

struct axis {
  int32_t n;     /* texels */
  uint8_t mode;  /* enum exec_address_mode */
  bool scaled;   /* coordinates are normalised */
};

struct places { /* of all lanes on an axis; with a filter, of the second texel too */
  int32_t at[2][LANES] EXEC_ALIGNED;
  int32_t weight[LANES] EXEC_ALIGNED; /* of the second, in 256ths */
};

/* To texels from the edge, within what an int32_t of 256ths holds; NaN is 0. */
static void to_texels(const struct axis *a, const uint32_t *row, float x[LANES]) {
  const float most = 2.0f * MOST, n = (float)a->n;
  for (unsigned i = 0; i < LANES; i++) {
    const float u = exec_float(row[i]);
    x[i] = fabsf(u) < 0x1p-126f ? 0.0f : u;
  }
  if (a->scaled && a->mode == EXEC_WRAP)
    for (unsigned i = 0; i < LANES; i++) x[i] -= floorf(x[i]);
  if (a->scaled && a->mode == EXEC_MIRROR)
    for (unsigned i = 0; i < LANES; i++) x[i] -= 2.0f * floorf(x[i] * 0.5f);
  if (a->scaled)
    for (unsigned i = 0; i < LANES; i++) x[i] *= n;
  for (unsigned i = 0; i < LANES; i++) {
    const float u = x[i] > most ? most : x[i] < -most ? -most : x[i];
    x[i] = u == u ? u : 0.0f;
  }
}

/* Places from one texel before the axis on, or with a mode that does not repeat from anywhere. */
static void resolve(const struct axis *a, int32_t at[LANES]) {
  const int32_t n = a->n;
  switch (a->mode) {
  case EXEC_WRAP:
    for (unsigned i = 0; i < LANES; i++) at[i] += at[i] < 0 ? n : at[i] >= n ? -n : 0;
    break;
  case EXEC_MIRROR:
    for (unsigned i = 0; i < LANES; i++) {
      int32_t x = at[i] + (at[i] < 0 ? 2 * n : at[i] >= 2 * n ? -2 * n : 0);
      at[i] = x < n ? x : 2 * n - 1 - x;
    }
    break;
  case EXEC_CLAMP:
    for (unsigned i = 0; i < LANES; i++) at[i] = at[i] < 0 ? 0 : at[i] >= n ? n - 1 : at[i];
    break;
  default:
    for (unsigned i = 0; i < LANES; i++) at[i] = at[i] < 0 || at[i] >= n ? OUTSIDE : at[i];
  }
}

static void place_points(const struct axis *a, const uint32_t *row, struct places *p) {
  float x[LANES];
  to_texels(a, row, x);
  for (unsigned i = 0; i < LANES; i++) {
    int32_t k = (int32_t)x[i];
    p->at[0][i] = k - (x[i] < (float)k);
  }
  resolve(a, p->at[0]);
}

static void place_pairs(const struct axis *a, const uint32_t *row, struct places *p) {
  float x[LANES];
  to_texels(a, row, x);
  for (unsigned i = 0; i < LANES; i++) {
    double f = (double)x[i] * UNIT + 0.5;
    int32_t k = (int32_t)f;
    k -= (f < (double)k) + UNIT / 2;
    p->at[0][i] = k >> 8;
    p->at[1][i] = (k >> 8) + 1;
    p->weight[i] = k & (UNIT - 1);
  }
  resolve(a, p->at[0]);
  resolve(a, p->at[1]);
}

/* Whole coordinates: the nearest texel is looked at, but what lies outside is outside; returns which lanes do. */
static uint32_t place_whole(const struct axis *a, const uint32_t *row, struct places *p) {
  const int32_t n = a->n;
  uint32_t outside = 0;
  for (unsigned i = 0; i < LANES; i++) {
    int32_t x = (int32_t)row[i];
    p->at[0][i] = x < 0 ? 0 : x >= n ? n - 1 : x;
    outside |= (uint32_t)(x < 0 || x >= n) << i;
  }
  return outside;
}

/* ---- texels ------------------------------------------------------------------------------------------- */

struct texels { /* of all lanes, by channel */
  uint32_t v[4][LANES] EXEC_ALIGNED;
};

/* Addresses, and which lanes lie outside: there, and where a lane does not sample, the first texel's is taken. */
static uint32_t find_texels(const struct exec_texture *t, uint32_t lanes, const int32_t *x, const int32_t *y, const int32_t *z,
                            uint64_t at[LANES]) {
  const uint64_t base = t->levels[0].base, size = t->texel_bytes, row = t->levels[0].row_bytes, slice = t->levels[0].slice_bytes;
  uint32_t outside = 0;
  for (unsigned i = 0; i < LANES; i++) outside |= (x[i] | y[i] | z[i]) < 0 ? exec_lane_bit[i] : 0;
  const uint64_t there = lanes & ~outside;
  for (unsigned i = 0; i < LANES; i++) {
    const uint64_t far = (uint32_t)x[i] * size + (uint32_t)y[i] * row + (uint32_t)z[i] * slice;
    at[i] = base + (there & exec_lane_bit64[i] ? far : 0);
  }
  return outside;
}

static const unsigned char *texel_at(uint64_t at) { return (const unsigned char *)(uintptr_t)at; }

static bool neighbours(const uint64_t at[LANES], uint64_t bytes) {
  uint64_t differ = 0;
  for (unsigned i = 0; i < LANES; i++) differ |= (at[i] - at[0]) ^ (bytes * i);
  return !differ;
}

/* Channels of 32 bits, as many as `words`. */
static void read_words(unsigned words, const uint64_t at[LANES], struct texels *x) {
  if (words == 1 && neighbours(at, 4)) {
    memcpy(x->v[0], texel_at(at[0]), sizeof x->v[0]);
    return;
  }
  for (unsigned i = 0; i < LANES; i++)
    for (unsigned c = 0; c < words; c++) memcpy(&x->v[c][i], texel_at(at[i]) + 4 * c, 4);
}

/* Channels of 8 and 16 bits, without sRGB: what texture_texel.c does with one. */
static void widen(const struct exec_texture *t, uint32_t v[LANES]) {
  switch (t->texel) {
  case EXEC_TEXEL_U8:
  case EXEC_TEXEL_U16:
    if (!t->as_float) return;
    const float most = t->texel == EXEC_TEXEL_U8 ? 255.0f : 65535.0f;
    for (unsigned i = 0; i < LANES; i++) v[i] = exec_bits32((float)(int32_t)v[i] / most);
    return;
  case EXEC_TEXEL_S8:
  case EXEC_TEXEL_S16:;
    const bool small = t->texel == EXEC_TEXEL_S8;
    for (unsigned i = 0; i < LANES; i++) v[i] = small ? (uint32_t)(int8_t)v[i] : (uint32_t)(int16_t)v[i];
    if (!t->as_float) return;
    for (unsigned i = 0; i < LANES; i++) {
      float f = (float)(int32_t)v[i] / (small ? 127.0f : 32767.0f);
      v[i] = exec_bits32(f < -1.0f ? -1.0f : f);
    }
    return;
  default:
    for (unsigned i = 0; i < LANES; i++) v[i] = exec_bits32(exec_f16_to_float(v[i]));
  }
}

static void read_small(const struct exec_texture *t, const uint64_t at[LANES], struct texels *x) {
  const unsigned channels = t->channels;
  if (t->texel_bytes == channels) {
    for (unsigned i = 0; i < LANES; i++)
      for (unsigned c = 0; c < channels; c++) x->v[c][i] = texel_at(at[i])[c];
  } else {
    for (unsigned i = 0; i < LANES; i++)
      for (unsigned c = 0; c < channels; c++) {
        uint16_t half;
        memcpy(&half, texel_at(at[i]) + 2 * c, 2);
        x->v[c][i] = half;
      }
  }
  for (unsigned c = 0; c < channels; c++) widen(t, x->v[c]);
}

static void read_texels(const struct exec_texture *t, const uint64_t at[LANES], struct texels *x) {
  if (t->texel == EXEC_TEXEL_U32 || t->texel == EXEC_TEXEL_S32 || t->texel == EXEC_TEXEL_F32) {
    read_words(t->channels, at, x);
  } else if (!t->srgb) {
    read_small(t, at, x);
  } else {
    for (unsigned i = 0; i < LANES; i++) {
      uint32_t value[4];
      exec_texel_read(t, texel_at(at[i]), value);
      for (unsigned c = 0; c < t->channels; c++) x->v[c][i] = value[c];
    }
  }
}

/* The texels at `at`, with the border's channels (0 for whole coordinates) in the lanes of `outside`. */
static void look_up(const struct exec_texture *t, bool whole, const uint64_t at[LANES], uint32_t outside, struct texels *x) {
  read_texels(t, at, x);
  if (!outside) return;
  for (unsigned c = 0; c < t->channels; c++) {
    const uint32_t border = whole ? 0 : exec_bits32(t->border[c]);
    for (unsigned i = 0; i < LANES; i++) x->v[c][i] = outside & exec_lane_bit[i] ? border : x->v[c][i];
  }
}

/* Channels that a texel does not have are 0. */
static void write_row(const struct exec_texture *t, const struct exec_texture_row *q, const struct texels *x, const uint64_t first[LANES]) {
  static const uint32_t none[LANES] EXEC_ALIGNED;
  for (unsigned c = 0; c < 4; c++)
    if (q->out[c]) exec_merge32(q->out[c], c < t->channels ? x->v[c] : none, q->lanes);
  for (unsigned i = 0; i < LANES; i++) q->first[i] = q->lanes & exec_lane_bit[i] ? first[i] : q->first[i];
}

/* Lanes of `outside` are outside whatever their places are. */
static void sample_points(const struct exec_texture *t, const struct exec_texture_row *q, const struct places p[3], uint32_t outside) {
  uint64_t at[LANES] EXEC_ALIGNED;
  struct texels x;
  outside |= find_texels(t, q->lanes, p[0].at[0], p[1].at[0], p[2].at[0], at);
  look_up(t, q->whole, at, outside & q->lanes, &x);
  write_row(t, q, &x, at);
}

/* ---- filtering in one or two dimensions --------------------------------------------------------------- */

/* The weights of the four corners: see weigh() in texture_sample.c. */
static void weigh_corners(const struct places p[2], int32_t weight[4][LANES]) {
  for (unsigned i = 0; i < LANES; i++) {
    const int32_t x = p[0].weight[i], y = p[1].weight[i];
    weight[2][i] = ((UNIT - x) * y + UNIT / 2 - 1) / UNIT;
    weight[0][i] = UNIT - x - weight[2][i];
    weight[3][i] = (x * y + UNIT / 2) / UNIT;
    weight[1][i] = x - weight[3][i];
  }
}

static bool weighs_anything(const int32_t weight[LANES], uint32_t lanes) {
  uint32_t any = 0;
  for (unsigned i = 0; i < LANES; i++) any |= lanes & exec_lane_bit[i] ? (uint32_t)weight[i] : 0;
  return any;
}

/* A corner without weight adds nothing, whatever lies there. */
static void add_corner(double sum[LANES], const int32_t weight[LANES], const uint32_t v[LANES]) {
  for (unsigned i = 0; i < LANES; i++) {
    const double part = (double)weight[i] * (double)exec_float(v[i]) / UNIT;
    sum[i] += weight[i] ? part : 0.0;
  }
}

static void sample_pairs(const struct exec_texture *t, const struct exec_texture_row *q, const struct places p[2]) {
  static const int32_t none[LANES];
  int32_t weight[4][LANES] EXEC_ALIGNED;
  uint64_t at[LANES] EXEC_ALIGNED, first[LANES] EXEC_ALIGNED = {0};
  double sum[4][LANES] EXEC_ALIGNED;
  struct texels x;
  for (unsigned c = 0; c < t->channels; c++) memset(sum[c], 0, sizeof sum[c]);
  weigh_corners(p, weight);
  for (unsigned k = 0; k < 4; k++) {
    if (!weighs_anything(weight[k], q->lanes)) continue;
    uint32_t outside = find_texels(t, q->lanes, p[0].at[k & 1], p[1].at[k >> 1], none, at);
    look_up(t, false, at, outside & q->lanes, &x);
    for (unsigned i = 0; i < LANES; i++) first[i] = !first[i] && weight[k][i] ? at[i] : first[i];
    for (unsigned c = 0; c < t->channels; c++) add_corner(sum[c], weight[k], x.v[c]);
  }
  for (unsigned c = 0; c < t->channels; c++)
    for (unsigned i = 0; i < LANES; i++) x.v[c][i] = exec_bits32(exec_nan32((float)sum[c][i]));
  write_row(t, q, &x, first);
}

/* ---- a row -------------------------------------------------------------------------------------------- */

static bool reads_floats(const struct exec_texture *t) {
  return t->as_float || t->texel == EXEC_TEXEL_F16 || t->texel == EXEC_TEXEL_F32;
}

/* The axes of a shape that is handled here; 0: it is not. */
static unsigned axes_of(const struct exec_texture *t, struct axis a[3]) {
  const struct exec_texture_level *l = &t->levels[0];
  const uint32_t extent[3] = {l->width, l->height, l->depth};
  unsigned n = t->shape == EXEC_TEX_BUFFER || t->shape == EXEC_TEX_1D ? 1 : t->shape == EXEC_TEX_2D ? 2 : t->shape == EXEC_TEX_3D ? 3 : 0;
  for (unsigned i = 0; i < 3; i++) {
    uint8_t mode = t->address[i];
    a[i] = (struct axis){(int32_t)extent[i], !t->normalized && mode != EXEC_BORDER ? EXEC_CLAMP : mode, t->normalized};
    bool repeats = a[i].mode == EXEC_WRAP || a[i].mode == EXEC_MIRROR;
    if (i < n && repeats && extent[i] < 2) return 0;
  }
  return n;
}

static bool sample_whole(const struct exec_texture *t, const struct exec_texture_row *q, const struct axis a[3], unsigned n) {
  struct places p[3];
  if (t->shape == EXEC_TEX_1D || t->levels[0].width > INT32_MAX) return false;
  memset(p, 0, sizeof p);
  for (unsigned i = 0; i < n; i++)
    if (!q->coords[i]) return false;
  uint32_t outside = 0;
  for (unsigned i = 0; i < n; i++) outside |= place_whole(&a[i], q->coords[i], &p[i]);
  sample_points(t, q, p, outside);
  return true;
}

bool EXEC_LANES_NAME(sample_row)(const struct exec_texture *t, const struct exec_texture_row *q);
bool EXEC_LANES_NAME(sample_row)(const struct exec_texture *t, const struct exec_texture_row *q) {
  struct axis a[3];
  struct places p[3];
  unsigned n = t->n_levels == 1 ? axes_of(t, a) : 0;
  bool linear = t->filter == EXEC_LINEAR && reads_floats(t) && t->shape != EXEC_TEX_BUFFER;
  if (!n || (linear && n > 2)) return false;
  if (q->whole) return sample_whole(t, q, a, n);
  for (unsigned i = 0; i < n; i++)
    if (a[i].n > MOST || a[i].n < 1 || !q->coords[i]) return false;
  static const uint32_t zeros[LANES];
  memset(p, 0, sizeof p);
  for (unsigned i = 0; i < n; i++) (linear ? place_pairs : place_points)(&a[i], q->coords[i], &p[i]);
  /* An array of one dimension is one row, sampled at its edge. */
  if (t->shape == EXEC_TEX_1D) {
    a[1].mode = a[1].mode == EXEC_BORDER ? EXEC_BORDER : EXEC_CLAMP; /* of one texel, all others are the same */
    (linear ? place_pairs : place_points)(&a[1], zeros, &p[1]);
  }
  if (linear) sample_pairs(t, q, p);
  else sample_points(t, q, p, 0);
  return true;
}
