/* See texture_rows.h. Each step is a loop over 32 lanes without a branch on a lane's values: coordinates become places on an axis in bytes,
 * these become positions in the texture, then words, channels and values. Inactive lanes compute with whatever their registers hold, which
 * every mode maps into the texture. Compiled once per host instruction set. */
#include "exec/lanes/lanes.h"

#include "exec/float_bits.h"
#include "exec/texture/texture_rows.h"
#include "exec/texture/texture_sample.h"

#include <math.h>

enum {
  LANES = EXEC_ROW_LANES,
  UNIT = 256,
  MOST = 1 << 20,          /* texels on an axis */
  MOST_BITS = 0x4a000000, /* of the float 2^21: coordinates beyond are clamped */
};

/* ---- one axis ----------------------------------------------------------------------------------------- */

struct axis {
  int32_t n;      /* texels */
  uint32_t apart; /* bytes from one to the next */
  uint8_t mode;   /* enum exec_address_mode; those that repeat have normalised coordinates */
  float scale;    /* texels, of normalised coordinates; else 1 */
};

struct places { /* of all lanes on an axis; with a filter, of the second texel too */
  uint32_t far[2][LANES] EXEC_ALIGNED; /* bytes from the first texel */
  uint32_t weight[LANES] EXEC_ALIGNED; /* of the second, in 256ths */
  uint32_t outside[2];                 /* lanes outside; they have the first texel's place */
};

/* To texels from the edge, within what an int32_t of 512ths can hold; NaN is 0. Compared as bits, which takes the fewest steps. */
static inline float to_texels(uint32_t bits, float scale, uint8_t mode) {
  float x = exec_float(bits & 0x7f800000u ? bits : 0); /* subnormals are 0 */
  if (mode == EXEC_WRAP) x -= floorf(x);
  if (mode == EXEC_MIRROR) x -= 2.0f * floorf(x * 0.5f);
  const uint32_t scaled = exec_bits32(x * scale);
  int32_t size = (int32_t)(scaled & 0x7fffffffu);
  size = size > 0x7f800000 ? 0 : size;
  size = size < MOST_BITS ? size : MOST_BITS;
  return exec_float((uint32_t)size | (scaled & 0x80000000u));
}

/* Maps a place into the axis: places from one texel before the axis on, or any place in a mode that does not repeat. With a border, places
 * outside are handled by measure(). */
static inline int32_t resolve(int32_t at, int32_t n, uint8_t mode) {
  if (mode == EXEC_WRAP) return at + (at < 0 ? n : at >= n ? -n : 0);
  if (mode == EXEC_MIRROR) {
    const int32_t x = at + (at < 0 ? 2 * n : at >= 2 * n ? -2 * n : 0);
    return x < n ? x : 2 * n - 1 - x;
  }
  const int32_t least = at > 0 ? at : 0;
  return mode == EXEC_BORDER ? at : least < n - 1 ? least : n - 1;
}

/* Converts places to bytes. */
static inline void measure(const struct axis *a, const int32_t at[LANES], uint8_t mode, unsigned which, struct places *p) {
  const int32_t n = a->n;
  const uint32_t apart = a->apart;
  uint32_t outside[LANES] EXEC_ALIGNED;
  p->outside[which] = 0;
  EXEC_EACH_LANE(i) {
    const uint32_t x = (uint32_t)resolve(at[i], n, mode), far = x * apart;
    p->far[which][i] = mode == EXEC_BORDER && x >= (uint32_t)n ? 0 : far;
    if (mode == EXEC_BORDER) outside[i] = x >= (uint32_t)n ? ~0u : 0;
  }
  if (mode == EXEC_BORDER) p->outside[which] = exec_gather32(outside);
}

/* The whole number below. */
static inline int32_t below(float x) {
  const int32_t k = (int32_t)x;
  return k - (x < (float)k);
}

/* The mode is a constant where these two are used, so that their loops have no branch. */
static inline __attribute__((always_inline)) void points(const struct axis *a, const uint32_t *row, uint8_t mode, struct places *p) {
  const float scale = a->scale;
  int32_t at[LANES] EXEC_ALIGNED;
  EXEC_EACH_LANE(i) at[i] = below(to_texels(row[i], scale, mode));
  measure(a, at, mode, 0, p);
}
static inline __attribute__((always_inline)) void pairs(const struct axis *a, const uint32_t *row, uint8_t mode, struct places *p) {
  const float scale = a->scale;
  int32_t at[2][LANES] EXEC_ALIGNED;
  EXEC_EACH_LANE(i) {
    const float x = to_texels(row[i], scale, mode);
    const int32_t k = ((below(x * (2 * UNIT)) + 1) >> 1) - UNIT / 2; /* the nearest 256th */
    at[0][i] = k >> 8;
    at[1][i] = (k >> 8) + 1;
    p->weight[i] = (uint32_t)k & (UNIT - 1);
  }
  measure(a, at[0], mode, 0, p);
  measure(a, at[1], mode, 1, p);
}

#define IN_EACH_MODE(PLACE)                                                                                   \
  switch (a->mode) {                                                                                         \
  case EXEC_WRAP: PLACE(a, row, EXEC_WRAP, p); break;                                                        \
  case EXEC_MIRROR: PLACE(a, row, EXEC_MIRROR, p); break;                                                    \
  case EXEC_CLAMP: PLACE(a, row, EXEC_CLAMP, p); break;                                                      \
  default: PLACE(a, row, EXEC_BORDER, p);                                                                    \
  }
static void place_points(const struct axis *a, const uint32_t *row, struct places *p) { IN_EACH_MODE(points) }
static void place_pairs(const struct axis *a, const uint32_t *row, struct places *p) { IN_EACH_MODE(pairs) }

/* Whole coordinates: the nearest texel is read, but places outside still count as outside. */
static void place_whole(const struct axis *a, const uint32_t *row, struct places *p) {
  const int32_t n = a->n;
  const uint32_t apart = a->apart;
  uint32_t signs[LANES] EXEC_ALIGNED;
  EXEC_EACH_LANE(i) {
    const int32_t x = (int32_t)row[i];
    p->far[0][i] = (uint32_t)(x < 0 ? 0 : x >= n ? n - 1 : x) * apart;
    signs[i] = x < 0 || x >= n ? ~0u : 0;
  }
  p->outside[0] = exec_gather32(signs);
}

/* ---- texels ------------------------------------------------------------------------------------------- */

struct rows { /* of all lanes, by channel, or by word of their texels */
  uint32_t v[4][LANES] EXEC_ALIGNED;
};

/* One texel per lane: bytes from the texture's first one, and which lanes lie outside. */
struct spots {
  uint32_t far[LANES] EXEC_ALIGNED;
  uint32_t outside;
};

/* On n axes; bit i of `corner`: of the second place on axis i. */
static void find_spots(unsigned n, const struct places *p, unsigned corner, struct spots *s) {
  exec_copy(s->far, p[0].far[corner & 1], sizeof s->far);
  s->outside = p[0].outside[corner & 1];
  for (unsigned k = 1; k < n; k++) {
    const uint32_t *far = p[k].far[corner >> k & 1];
    EXEC_EACH_LANE(i) s->far[i] += far[i];
    s->outside |= p[k].outside[corner >> k & 1];
  }
}

/* Records the address that each lane read; lanes outside, with a border, read the first texel. */
static void note_spots(const struct exec_texture *t, const struct exec_texture_row *q, uint32_t lanes, const struct spots *s) {
  const uint64_t base = t->levels[0].base;
  const uint32_t outside = q->whole ? 0 : s->outside;
  EXEC_EACH_LANE(i) {
    const uint64_t at = base + (outside & exec_lane_bit[i] ? 0 : s->far[i]), before = q->first[i];
    q->first[i] = lanes & exec_lane_bit[i] ? at : before;
  }
}

/* Elements at the spots, one a lane; most warps read neighbours. */
#define READER(T)                                                                                            \
  static inline void read_##T(const unsigned char *base, const uint32_t far[LANES], T out[LANES]) {          \
    uint32_t gaps = 0;                                                                                       \
    for (unsigned i = 0; i < LANES; i++) gaps |= far[i] ^ (far[0] + i * (uint32_t)sizeof(T));                \
    if (!gaps) {                                                                                             \
      exec_copy(out, base + far[0], LANES * sizeof(T));                                                      \
      return;                                                                                                \
    }                                                                                                        \
    for (unsigned i = 0; i < LANES; i++) memcpy(&out[i], base + far[i], sizeof(T));                          \
  }
typedef uint64_t uint128 __attribute__((vector_size(16), may_alias));
READER(uint8_t)
READER(uint16_t)
READER(uint32_t)
READER(uint64_t)
READER(uint128)

void EXEC_LANES_NAME(take_quads)(const void *from, uint32_t *const rows[4]);

/* The words of texels, the last one filled up with zeros. */
static void read_words(const struct exec_texture *t, const struct spots *s, struct rows *x) {
  const unsigned char *base = (const unsigned char *)(uintptr_t)t->levels[0].base;
  uint8_t bytes[LANES] EXEC_ALIGNED;
  uint16_t halves[LANES] EXEC_ALIGNED;
  uint64_t pairs[LANES] EXEC_ALIGNED;
  uint128 quads[LANES] EXEC_ALIGNED;
  switch (t->texel_bytes) {
  case 1:
    read_uint8_t(base, s->far, bytes);
    for (unsigned i = 0; i < LANES; i++) x->v[0][i] = bytes[i];
    break;
  case 2:
    read_uint16_t(base, s->far, halves);
    for (unsigned i = 0; i < LANES; i++) x->v[0][i] = halves[i];
    break;
  case 4: read_uint32_t(base, s->far, x->v[0]); break;
  case 8:
    read_uint64_t(base, s->far, pairs);
    for (unsigned i = 0; i < LANES; i++) x->v[0][i] = (uint32_t)pairs[i];
    for (unsigned i = 0; i < LANES; i++) x->v[1][i] = (uint32_t)(pairs[i] >> 32);
    break;
  default:
    read_uint128(base, s->far, quads);
    EXEC_LANES_NAME(take_quads)(quads, (uint32_t *const[4]){x->v[0], x->v[1], x->v[2], x->v[3]});
  }
}

/* ---- channels ----------------------------------------------------------------------------------------- */

/* Converts whole numbers up to `most`, one less than a power of two, to floats: the exactly rounded quotient is the sum of these two. */
static void normalise(uint32_t v[LANES], float most) {
  const float unit = 1.0f / (most + 1.0f), rest = unit / most;
  for (unsigned i = 0; i < LANES; i++) {
    const float x = (float)(int32_t)v[i], f = x * unit + x * rest;
    v[i] = exec_bits32(f < -1.0f ? -1.0f : f);
  }
}

/* Channels of 8 and 16 bits, as texture_texel.c does for one. */
static void widen(const struct exec_texture *t, unsigned channel, uint32_t v[LANES]) {
  const float *linear = t->srgb && channel < 3 ? exec_srgb_to_linear() : NULL;
  switch (t->texel) {
  case EXEC_TEXEL_U8:
    if (t->as_float && linear)
      for (unsigned i = 0; i < LANES; i++) v[i] = exec_bits32(linear[v[i]]);
    else if (t->as_float) normalise(v, 255.0f);
    return;
  case EXEC_TEXEL_U16:
    if (t->as_float) normalise(v, 65535.0f);
    return;
  case EXEC_TEXEL_S8:
    for (unsigned i = 0; i < LANES; i++) v[i] = (uint32_t)(int8_t)v[i];
    if (t->as_float) normalise(v, 127.0f);
    return;
  case EXEC_TEXEL_S16:
    for (unsigned i = 0; i < LANES; i++) v[i] = (uint32_t)(int16_t)v[i];
    if (t->as_float) normalise(v, 32767.0f);
    return;
  default:
    for (unsigned i = 0; i < LANES; i++) v[i] = exec_bits32(exec_f16_to_float(v[i]));
  }
}

/* A channel of the texels with words x; the result is one of these, or is put into `out`. */
static const uint32_t *take_channel(const struct exec_texture *t, const struct rows *x, unsigned channel, uint32_t out[LANES]) {
  const unsigned bits = 8u * t->texel_bytes / t->channels, at = channel * bits;
  if (bits == 32) return x->v[channel];
  const uint32_t *word = x->v[at / 32], shift = at % 32, mask = (UINT32_C(1) << bits) - 1;
  for (unsigned i = 0; i < LANES; i++) out[i] = word[i] >> shift & mask;
  widen(t, channel, out);
  return out;
}

/* ---- results ------------------------------------------------------------------------------------------ */

/* Writes a channel of all lanes; `outside` is what lanes outside the texture read. */
static void put_channel(const struct exec_texture_row *q, unsigned channel, const uint32_t *v, uint32_t lanes_outside, uint32_t outside) {
  uint32_t row[LANES] EXEC_ALIGNED;
  if (lanes_outside) {
    for (unsigned i = 0; i < LANES; i++) row[i] = lanes_outside & exec_lane_bit[i] ? outside : v[i];
    v = row;
  }
  exec_merge32(q->out[channel], v, q->lanes);
}

/* Channels that a texel does not have are 0. */
static void put_zeros(const struct exec_texture *t, const struct exec_texture_row *q) {
  static const uint32_t none[LANES] EXEC_ALIGNED;
  for (unsigned c = t->channels; c < 4; c++)
    if (q->out[c]) exec_merge32(q->out[c], none, q->lanes);
}

static void sample_points(const struct exec_texture *t, const struct exec_texture_row *q, const struct spots *s) {
  struct rows words;
  uint32_t row[LANES] EXEC_ALIGNED;
  read_words(t, s, &words);
  for (unsigned c = 0; c < t->channels; c++)
    if (q->out[c]) put_channel(q, c, take_channel(t, &words, c, row), s->outside, q->whole ? 0 : exec_bits32(t->border[c]));
  put_zeros(t, q);
  if (q->first) note_spots(t, q, q->lanes, s);
}

/* ---- filtering in one or two dimensions --------------------------------------------------------------- */

enum { CORNERS = 4 }; /* bit 0: the second texel in x, bit 1: in y */

struct corners {
  bool used[CORNERS]; /* it has weight in some lane */
  uint32_t weight[CORNERS][LANES] EXEC_ALIGNED;
  struct spots at[CORNERS];
  struct rows words[CORNERS];
};

/* See weigh() in texture_sample.c. Without a weight in x or in y, second texels have none. */
static void weigh_corners(const struct places p[2], uint32_t lanes, struct corners *k) {
  uint32_t any_x = 0, any_y = 0;
  EXEC_EACH_LANE(i) {
    const uint32_t x = p[0].weight[i], y = p[1].weight[i], there = lanes & exec_lane_bit[i] ? ~0u : 0;
    const uint32_t second = ((UNIT - x) * y + UNIT / 2 - 1) / UNIT, last = (x * y + UNIT / 2) / UNIT;
    k->weight[0][i] = UNIT - x - second;
    k->weight[1][i] = x - last;
    k->weight[2][i] = second;
    k->weight[3][i] = last;
    any_x |= x & there;
    any_y |= y & there;
  }
  k->used[0] = true;
  k->used[1] = any_x;
  k->used[2] = any_y;
  k->used[3] = any_x && any_y;
}

static void read_corners(const struct exec_texture *t, const struct places p[2], struct corners *k) {
  for (unsigned i = 0; i < CORNERS; i++) {
    if (!k->used[i]) continue;
    find_spots(2, p, i, &k->at[i]);
    read_words(t, &k->at[i], &k->words[i]);
  }
}

/* Sums of 256ths, exact in double except for the last rounding. A corner without weight adds nothing, whatever it holds. */
static void blend(const struct corners *k, const uint32_t *const v[CORNERS], uint32_t out[LANES]) {
  EXEC_EACH_LANE(i) {
    double sum = 0.0;
    for (unsigned c = 0; c < CORNERS; c++) {
      const uint32_t weight = k->weight[c][i];
      sum += (double)(int32_t)weight * (double)exec_float(weight ? v[c][i] : 0);
    }
    out[i] = exec_bits32(exec_nan32((float)(sum * (1.0 / UNIT))));
  }
}

static void blend_channel(const struct exec_texture *t, const struct exec_texture_row *q, const struct corners *k, unsigned channel) {
  static const uint32_t none[LANES] EXEC_ALIGNED;
  const uint32_t *v[CORNERS], border = exec_bits32(t->border[channel]);
  uint32_t rows[CORNERS][LANES] EXEC_ALIGNED, out[LANES] EXEC_ALIGNED;
  for (unsigned c = 0; c < CORNERS; c++) {
    const uint32_t outside = k->used[c] ? k->at[c].outside : 0;
    v[c] = k->used[c] ? take_channel(t, &k->words[c], channel, rows[c]) : none;
    if (!outside) continue;
    EXEC_EACH_LANE(i) rows[c][i] = outside & exec_lane_bit[i] ? border : v[c][i];
    v[c] = rows[c];
  }
  if (k->used[1] || k->used[2]) blend(k, v, out);
  else EXEC_EACH_LANE(i) out[i] = exec_bits32(exec_nan32(exec_float(v[0][i]) + 0.0f)); /* a sum is never -0 */
  exec_merge32(q->out[channel], out, q->lanes);
}

/* Records the first corner with weight of each lane. */
static void note_corners(const struct exec_texture *t, const struct exec_texture_row *q, const struct corners *k) {
  for (unsigned c = CORNERS; c-- > 0;) {
    uint32_t signs[LANES] EXEC_ALIGNED;
    EXEC_EACH_LANE(i) signs[i] = k->weight[c][i] ? ~0u : 0;
    if (k->used[c]) note_spots(t, q, q->lanes & exec_gather32(signs), &k->at[c]);
  }
}

static void sample_pairs(const struct exec_texture *t, const struct exec_texture_row *q, const struct places p[2]) {
  struct corners k;
  weigh_corners(p, q->lanes, &k);
  read_corners(t, p, &k);
  for (unsigned c = 0; c < t->channels; c++)
    if (q->out[c]) blend_channel(t, q, &k, c);
  put_zeros(t, q);
  if (q->first) note_corners(t, q, &k);
}

/* ---- a row -------------------------------------------------------------------------------------------- */

static bool reads_floats(const struct exec_texture *t) {
  return t->as_float || t->texel == EXEC_TEXEL_F16 || t->texel == EXEC_TEXEL_F32;
}

static unsigned axes_of(const struct exec_texture *t) {
  switch (t->shape) {
  case EXEC_TEX_BUFFER:
  case EXEC_TEX_1D: return 1;
  case EXEC_TEX_2D: return 2;
  case EXEC_TEX_3D: return 3;
  default: return 0;
  }
}

/* False: it is not handled here. */
static inline bool take_axis(const struct exec_texture *t, const struct exec_texture_row *q, unsigned i, uint32_t n, uint64_t apart,
                             struct axis *a) {
  const uint8_t mode = !t->normalized && t->address[i] != EXEC_BORDER ? EXEC_CLAMP : t->address[i];
  const uint32_t least = mode == EXEC_WRAP || mode == EXEC_MIRROR ? 2 : 1, most = q->whole ? (uint32_t)INT32_MAX : (uint32_t)MOST;
  *a = (struct axis){(int32_t)n, (uint32_t)apart, mode, t->normalized ? (float)n : 1.0f};
  return n >= least && n <= most && apart <= UINT32_MAX && n * apart <= UINT32_MAX && q->coords[i];
}

/* The axes of a texture that is handled here; 0: it is not. */
static unsigned take_axes(const struct exec_texture *t, const struct exec_texture_row *q, struct axis a[3]) {
  const struct exec_texture_level *l = &t->levels[0];
  const unsigned n = t->n_levels == 1 ? axes_of(t) : 0;
  if (n > 0 && !take_axis(t, q, 0, l->width, t->texel_bytes, &a[0])) return 0;
  if (n > 1 && !take_axis(t, q, 1, l->height, l->row_bytes, &a[1])) return 0;
  if (n > 2 && !take_axis(t, q, 2, l->depth, l->slice_bytes, &a[2])) return 0;
  return n;
}

/* A one-dimensional array is one row, sampled at its edge; with one texel all places but those outside are the same. */
static struct axis edge_of(const struct exec_texture *t) {
  return (struct axis){1, 0, t->address[1] == EXEC_BORDER ? EXEC_BORDER : EXEC_CLAMP, 1.0f};
}

static bool one_object(const struct exec_texture_row *q) {
  if (!q->objects) return true;
  const uint64_t lanes = q->lanes, one = q->objects[q->lane];
  uint64_t differ = 0;
  EXEC_EACH_LANE(i) differ |= lanes & exec_lane_bit64[i] ? q->objects[i] ^ one : 0;
  return !differ;
}

static const uint32_t zeros[LANES] EXEC_ALIGNED;

static void sample_nearest(const struct exec_texture *t, const struct exec_texture_row *q, const struct axis a[3], unsigned n) {
  struct places p[3];
  struct spots s;
  place_points(&a[0], q->coords[0], &p[0]);
  for (unsigned i = 1; i < n; i++) place_points(&a[i], q->coords[i], &p[i]);
  if (t->shape == EXEC_TEX_1D) {
    const struct axis y = edge_of(t);
    place_points(&y, zeros, &p[n++]);
  }
  find_spots(n, p, 0, &s);
  sample_points(t, q, &s);
}

static void sample_linear(const struct exec_texture *t, const struct exec_texture_row *q, const struct axis a[2]) {
  const struct axis y = t->shape == EXEC_TEX_1D ? edge_of(t) : a[1];
  struct places p[2];
  place_pairs(&a[0], q->coords[0], &p[0]);
  place_pairs(&y, t->shape == EXEC_TEX_1D ? zeros : q->coords[1], &p[1]);
  sample_pairs(t, q, p);
}

static void sample_whole(const struct exec_texture *t, const struct exec_texture_row *q, const struct axis a[3], unsigned n) {
  struct places p[3];
  struct spots s;
  place_whole(&a[0], q->coords[0], &p[0]);
  for (unsigned i = 1; i < n; i++) place_whole(&a[i], q->coords[i], &p[i]);
  find_spots(n, p, 0, &s);
  sample_points(t, q, &s);
}

bool EXEC_LANES_NAME(sample_row)(const struct exec_texture *t, const struct exec_texture_row *q);
bool EXEC_LANES_NAME(sample_row)(const struct exec_texture *t, const struct exec_texture_row *q) {
  const bool linear = t->filter == EXEC_LINEAR && reads_floats(t) && t->shape != EXEC_TEX_BUFFER;
  struct axis a[3];
  const unsigned n = one_object(q) ? take_axes(t, q, a) : 0;
  if (!n || (linear && n > 2) || (q->whole && t->shape == EXEC_TEX_1D)) return false;
  if (q->whole) sample_whole(t, q, a, n);
  else if (linear) sample_linear(t, q, a);
  else sample_nearest(t, q, a, n);
  return true;
}
