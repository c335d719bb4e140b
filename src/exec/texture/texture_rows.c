/* See texture_rows.h. Each step is a loop over 32 lanes without a branch on a lane's values: coordinates to texels, texels to the range
 * of the texture, places to addresses. Lanes that do not sample compute with whatever is in their registers; only their
 * memory is not touched. */
#include "exec/texture/texture_rows.h"

#include "exec/float_bits.h"
#include "exec/texture/texture_sample.h"

#include <math.h>
#include <string.h>

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
  int32_t at[2][LANES];
  int32_t weight[LANES]; /* of the second, in 256ths */
};

static float whole_below(float u) {
  if (!(fabsf(u) < 0x1p23f)) return u;
  float i = (float)(int32_t)u;
  return i - (float)(u < i);
}

/* To texels from the edge, within what an int32_t of 256ths holds; NaN is 0. */
static void to_texels(const struct axis *a, const uint32_t *row, float x[LANES]) {
  const float most = 2.0f * MOST, n = (float)a->n;
  for (unsigned i = 0; i < LANES; i++) {
    float u = exec_float(row[i]);
    u = fabsf(u) < 0x1p-126f ? 0.0f : u;
    if (a->scaled && a->mode == EXEC_WRAP) u -= whole_below(u);
    if (a->scaled && a->mode == EXEC_MIRROR) u -= 2.0f * whole_below(u * 0.5f);
    if (a->scaled) u *= n;
    u = u > most ? most : u;
    x[i] = u >= -most ? u : u < -most ? -most : 0.0f;
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

static unsigned words_of(const struct exec_texture *t) {
  return t->texel == EXEC_TEXEL_U32 || t->texel == EXEC_TEXEL_S32 || t->texel == EXEC_TEXEL_F32 ? t->channels : 0;
}

/* words: channels of 32 bits, as many; 0: another format. */
static inline void read_texel(const struct exec_texture *t, unsigned words, uint64_t at, uint32_t out[4]) {
  const unsigned char *p = (const unsigned char *)(uintptr_t)at;
  switch (words) {
  case 1: memcpy(out, p, 4); break;
  case 2: memcpy(out, p, 8); break;
  case 4: memcpy(out, p, 16); break;
  default: exec_texel_read(t, p, out);
  }
}

static void write_lane(const struct exec_texture_row *q, unsigned lane, const uint32_t value[4]) {
  for (unsigned c = 0; c < 4; c++)
    if (q->out[c]) q->out[c][lane] = value[c];
}

/* Addresses and which lanes lie outside, where the first texel's is taken. */
static uint32_t find_texels(const struct exec_texture *t, const int32_t *x, const int32_t *y, const int32_t *z, uint64_t at[LANES]) {
  const struct exec_texture_level *l = &t->levels[0];
  uint32_t outside = 0;
  for (unsigned i = 0; i < LANES; i++) {
    bool out = (x[i] | y[i] | z[i]) < 0;
    uint64_t far = (uint64_t)(uint32_t)x[i] * t->texel_bytes + (uint64_t)(uint32_t)y[i] * l->row_bytes +
                   (uint64_t)(uint32_t)z[i] * l->slice_bytes;
    at[i] = l->base + (out ? 0 : far);
    outside |= (uint32_t)out << i;
  }
  return outside;
}

static void border_of(const struct exec_texture *t, bool whole, uint32_t out[4]) {
  for (unsigned c = 0; c < 4; c++) out[c] = c < t->channels && !whole ? exec_bits32(t->border[c]) : 0;
}

/* Lanes of `outside` are outside whatever their places are. */
static void sample_points(const struct exec_texture *t, const struct exec_texture_row *q, const struct places p[3], uint32_t outside) {
  uint64_t at[LANES];
  uint32_t border[4];
  unsigned words = words_of(t);
  outside |= find_texels(t, p[0].at[0], p[1].at[0], p[2].at[0], at);
  border_of(t, q->whole, border);
  for (uint32_t m = q->lanes; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    uint32_t value[4] = {0};
    q->first[i] = at[i];
    if (!(outside >> i & 1)) read_texel(t, words, at[i], value);
    write_lane(q, i, outside >> i & 1 ? border : value);
  }
}

/* The weights of the four corners: see weigh() in texture_sample.c. */
static void weigh(int32_t x, int32_t y, int32_t weight[4]) {
  weight[2] = ((UNIT - x) * y + UNIT / 2 - 1) / UNIT;
  weight[0] = UNIT - x - weight[2];
  weight[3] = (x * y + UNIT / 2) / UNIT;
  weight[1] = x - weight[3];
}

/* The corners' texels of all lanes, looked up. */
struct corners {
  uint64_t at[4][LANES];
  uint32_t outside[4], border[4];
  int32_t weight[4][LANES];
};

static void find_corners(const struct exec_texture *t, const struct places p[2], struct corners *c) {
  static const int32_t none[LANES];
  border_of(t, false, c->border);
  for (unsigned k = 0; k < 4; k++) c->outside[k] = find_texels(t, p[0].at[k & 1], p[1].at[k >> 1], none, c->at[k]);
  for (unsigned i = 0; i < LANES; i++) {
    int32_t weight[4];
    weigh(p[0].weight[i], p[1].weight[i], weight);
    for (unsigned k = 0; k < 4; k++) c->weight[k][i] = weight[k];
  }
}

static inline void sample_pair(const struct exec_texture *t, unsigned words, const struct exec_texture_row *q, const struct corners *x,
                               unsigned channels, unsigned i) {
  double sum[4] = {0};
  uint32_t value[4] = {0};
  uint64_t first = 0;
  for (unsigned k = 0; k < 4; k++) {
    if (!x->weight[k][i]) continue;
    if (!first) first = x->at[k][i];
    bool out = x->outside[k] >> i & 1;
    if (!out) read_texel(t, words, x->at[k][i], value);
    for (unsigned c = 0; c < channels; c++)
      sum[c] += (double)x->weight[k][i] * (double)exec_float(out ? x->border[c] : value[c]) / UNIT;
  }
  q->first[i] = first;
  for (unsigned c = 0; c < channels; c++) value[c] = exec_bits32(exec_nan32((float)sum[c]));
  for (unsigned c = channels; c < 4; c++) value[c] = 0;
  write_lane(q, i, value);
}

static void sample_pairs(const struct exec_texture *t, const struct exec_texture_row *q, const struct places p[2]) {
  struct corners x;
  unsigned words = words_of(t);
  find_corners(t, p, &x);
  for (uint32_t m = q->lanes; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    if (words == 1) sample_pair(t, 1, q, &x, 1, i);
    else sample_pair(t, words, q, &x, t->channels, i);
  }
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

bool exec_texture_sample_row(const struct exec_texture *t, const struct exec_texture_row *q) {
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
