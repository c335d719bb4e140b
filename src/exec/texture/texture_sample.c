/* See texture_sample.h. Coordinates become fixed-point numbers with eight fractional bits, as the CUDA programming guide says: a linear
 * filter has weights of 256ths. Sums are formed in double and rounded once. What the guide leaves open follows an H200: the weights of two
 * or three axes are rounded to 256ths again, and the level's weight is truncated to 256ths; tests/conformance_texture compares the results.
 *
 * Simplified: anisotropic filtering is not done (an isotropic level is chosen from the gradients). */
#include "exec/texture/texture_sample.h"

#include "exec/float_bits.h"

#include <math.h>

enum { UNIT = 256, OUTSIDE = -1 };

struct view { /* one level of an image with a sampler */
  const struct exec_texture *image, *sampler;
  const struct exec_texture_level *level;
  uint64_t *first;
};

static unsigned dimensions(const struct exec_texture *t) {
  switch (t->shape) {
  case EXEC_TEX_BUFFER:
  case EXEC_TEX_1D:
  case EXEC_TEX_1D_LAYERED: return 1;
  case EXEC_TEX_3D: return 3;
  default: return 2;
  }
}

static bool is_cube(const struct exec_texture *t) {
  return t->shape == EXEC_TEX_CUBE || t->shape == EXEC_TEX_CUBE_LAYERED;
}

static uint32_t extent(const struct exec_texture_level *l, unsigned axis) {
  return axis == 0 ? l->width : axis == 1 ? l->height : l->depth;
}

static bool reads_floats(const struct exec_texture *t) {
  return t->as_float || t->texel == EXEC_TEXEL_F16 || t->texel == EXEC_TEXEL_F32;
}

static bool filters(const struct view *v) {
  return v->sampler->filter == EXEC_LINEAR && reads_floats(v->image) && v->image->shape != EXEC_TEX_BUFFER;
}

/* ---- one axis ----------------------------------------------------------------------------------------- */

struct axis {
  int64_t at[2];   /* texels, or OUTSIDE */
  uint32_t weight; /* of the second, in 256ths */
};

/* Wrapping and mirroring need normalised coordinates, and faces of a cube have neither. */
static uint8_t mode_of(const struct view *v, unsigned axis) {
  uint8_t mode = v->sampler->address[axis];
  if (is_cube(v->image)) return mode == EXEC_BORDER ? EXEC_BORDER : EXEC_CLAMP;
  return !v->sampler->normalized && mode != EXEC_BORDER ? EXEC_CLAMP : mode;
}

static int64_t resolve(int64_t i, int64_t n, uint8_t mode) {
  switch (mode) {
  case EXEC_WRAP: return (i % n + n) % n;
  case EXEC_MIRROR: i = (i % (2 * n) + 2 * n) % (2 * n); return i < n ? i : 2 * n - 1 - i;
  case EXEC_CLAMP: return i < 0 ? 0 : i >= n ? n - 1 : i;
  default: return i < 0 || i >= n ? OUTSIDE : i;
  }
}

/* Reduces a normalised coordinate to one period of the mode, and converts it to texels. */
static float scale(float u, uint32_t n, uint8_t mode) {
  if (mode == EXEC_WRAP) u -= floorf(u);
  if (mode == EXEC_MIRROR) u -= 2.0f * floorf(u * 0.5f);
  return u * (float)n;
}

static float without_subnormals(float x) { return fabsf(x) < 0x1p-126f ? 0.0f : x; }

/* The next lower whole number; NaN becomes 0, and values far outside stay there. */
static int64_t below(double x) {
  const double most = 0x1p40;
  if (!(x > -most)) return x == x ? -((int64_t)1 << 40) : 0;
  if (x > most) return (int64_t)1 << 40;
  int64_t i = (int64_t)x;
  return i - (x < (double)i);
}

/* In 256ths of a texel. */
static int64_t fixed_point(float x) { return below((double)x * UNIT + 0.5); }
static int64_t whole_point(float x) { return below((double)x); }

static struct axis place(const struct view *v, unsigned axis, float u, int32_t offset, bool linear) {
  uint32_t n = extent(v->level, axis);
  uint8_t mode = mode_of(v, axis);
  struct axis a = {.weight = 0};
  u = without_subnormals(u);
  float x = v->sampler->normalized || is_cube(v->image) ? scale(u, n, mode) : u;
  int64_t i = whole_point(x);
  if (linear) {
    int64_t f = fixed_point(x) - UNIT / 2;
    i = f >> 8;
    a.weight = (uint32_t)(f & (UNIT - 1));
  }
  a.at[0] = resolve(i + offset, n, mode);
  a.at[1] = resolve(i + offset + 1, n, mode);
  return a;
}

/* ---- texels ------------------------------------------------------------------------------------------- */

static uint64_t address_of(const struct view *v, int64_t x, int64_t y, int64_t z) {
  const struct exec_texture_level *l = v->level;
  return l->base + (uint64_t)x * v->image->texel_bytes + (uint64_t)y * l->row_bytes +
         (uint64_t)z * l->slice_bytes;
}

static void fetch(const struct view *v, int64_t x, int64_t y, int64_t z, uint32_t out[4]) {
  bool outside = x == OUTSIDE || y == OUTSIDE || z == OUTSIDE;
  uint64_t at = address_of(v, outside ? 0 : x, outside ? 0 : y, outside ? 0 : z);
  if (!*v->first) *v->first = at;
  if (!outside) {
    exec_texel_read(v->image, (const unsigned char *)(uintptr_t)at, out);
    return;
  }
  for (unsigned i = 0; i < 4; i++) out[i] = i < v->image->channels ? exec_bits32(v->sampler->border[i]) : 0;
}

/* The weights of the eight corners (bit 0: the second texel in x, bit 1 in y, bit 2 in z), in 256ths with sum 256: x and z share one
 * rounding, then each part is split in y. Exact in one and two dimensions; in three, the hardware sometimes puts a remaining 256th at
 * another corner. */
static void weigh(const struct axis a[3], uint32_t weight[8]) {
  const uint32_t x = a[0].weight, y = a[1].weight, z = a[2].weight, both = (x * z + UNIT / 2) / UNIT;
  const uint32_t plane[4] = {UNIT - x - z + both, x - both, z - both, both};
  for (unsigned i = 0; i < 4; i++) {
    unsigned corner = (i & 1) | (i & 2) << 1;
    uint32_t second = (plane[i] * y + UNIT / 2 - !(i & 1)) / UNIT; /* a tie goes to the second texel in x */
    weight[corner | 2] = second;
    weight[corner] = plane[i] - second;
  }
}

/* Eight texels at most, weighted; axes that the texture does not have have weight 0. */
static void blend(const struct view *v, const struct axis a[3], double out[4]) {
  uint32_t weight[8], texel[4];
  weigh(a, weight);
  for (unsigned c = 0; c < 4; c++) out[c] = 0.0;
  for (unsigned corner = 0; corner < 8; corner++) {
    if (!weight[corner]) continue;
    fetch(v, a[0].at[corner & 1], a[1].at[corner >> 1 & 1], a[2].at[corner >> 2], texel);
    for (unsigned c = 0; c < 4; c++) out[c] += (double)weight[corner] * (double)exec_float(texel[c]) / UNIT;
  }
}

/* ---- cube maps ---------------------------------------------------------------------------------------- */

/* The face that a direction points at, and the place there: s and t in [0, 1]. */
static unsigned face_of(const float d[3], float *s, float *t) {
  float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]), sc, tc, ma;
  unsigned face;
  if (z >= x && z >= y) {
    face = d[2] < 0 ? 5 : 4, ma = z;
    sc = face == 5 ? -d[0] : d[0], tc = -d[1];
  } else if (y >= x) {
    face = d[1] < 0 ? 3 : 2, ma = y;
    sc = d[0], tc = face == 3 ? -d[2] : d[2];
  } else {
    face = d[0] < 0 ? 1 : 0, ma = x;
    sc = face == 1 ? d[2] : -d[2], tc = -d[1];
  }
  *s = ma > 0 ? (sc / ma + 1.0f) * 0.5f : 0.5f;
  *t = ma > 0 ? (tc / ma + 1.0f) * 0.5f : 0.5f;
  return face;
}

/* The direction of a point on a face, in texels from its corner. */
static void direction_of(unsigned face, float x, float y, float n, float d[3]) {
  float s = 2.0f * x / n - 1.0f, t = 2.0f * y / n - 1.0f;
  const float table[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
  for (unsigned i = 0; i < 3; i++) d[i] = table[face][i];
}

/* A texel that may lie beyond the edges of its face, and is then on the neighbouring face. False at a corner, where there is none. */
static bool fetch_seamless(const struct view *v, unsigned base, unsigned face, int64_t x, int64_t y,
                           double out[4]) {
  int64_t n = v->level->width;
  bool across_x = x < 0 || x >= n, across_y = y < 0 || y >= n;
  uint32_t texel[4];
  if (across_x && across_y) return false;
  if (across_x || across_y) {
    float d[3], s, t;
    direction_of(face, (float)x + 0.5f, (float)y + 0.5f, (float)n, d);
    face = face_of(d, &s, &t);
    x = resolve(whole_point(s * (float)n), n, EXEC_CLAMP);
    y = resolve(whole_point(t * (float)n), n, EXEC_CLAMP);
  }
  fetch(v, x, y, base + face, texel);
  for (unsigned c = 0; c < 4; c++) out[c] = (double)exec_float(texel[c]);
  return true;
}

/* At a corner of the cube the missing texel is the mean of the other three. */
static void blend_seamless(const struct view *v, unsigned base, unsigned face, float s, float t,
                           double out[4]) {
  int64_t fx = fixed_point(s * (float)v->level->width) - UNIT / 2;
  int64_t fy = fixed_point(t * (float)v->level->width) - UNIT / 2;
  double texel[4][4], mean[4] = {0}, wx = (double)(fx & 255) / UNIT, wy = (double)(fy & 255) / UNIT;
  const double weight[4] = {(1 - wx) * (1 - wy), wx * (1 - wy), (1 - wx) * wy, wx * wy};
  int missing = -1;
  for (int i = 0; i < 4; i++) {
    if (!fetch_seamless(v, base, face, (fx >> 8) + (i & 1), (fy >> 8) + (i >> 1), texel[i]))
      missing = i;
    else
      for (unsigned c = 0; c < 4; c++) mean[c] += texel[i][c] / 3.0;
  }
  for (unsigned c = 0; c < 4; c++) {
    out[c] = 0.0;
    for (int i = 0; i < 4; i++) out[c] += weight[i] * (i == missing ? mean[c] : texel[i][c]);
  }
}

/* ---- a level ------------------------------------------------------------------------------------------ */

/* Where on a level: the axes, the third being the slice of a layered texture or the face. */
struct spot {
  struct axis axis[3];
  unsigned face, layer;
  float s, t; /* on the face */
};

static bool is_layered(const struct exec_texture *t) {
  return t->shape == EXEC_TEX_1D_LAYERED || t->shape == EXEC_TEX_2D_LAYERED;
}

static int64_t layer_of(const struct view *v, uint32_t layer, int64_t per_layer) {
  int64_t n = (int64_t)v->level->depth / per_layer;
  return resolve(layer, n < 1 ? 1 : n, EXEC_CLAMP);
}

static void find_spot(const struct view *v, const struct exec_texture_query *q, bool linear, struct spot *p) {
  unsigned dims = dimensions(v->image);
  const float *u = q->u;
  float st[2];
  *p = (struct spot){.face = 0};
  if (is_cube(v->image)) {
    p->face = face_of(q->u, &p->s, &p->t);
    p->layer = (unsigned)layer_of(v, q->layer, 6);
    st[0] = p->s, st[1] = p->t, u = st;
    p->axis[2].at[0] = (int64_t)p->layer * 6 + p->face;
  } else if (is_layered(v->image)) {
    p->axis[2].at[0] = layer_of(v, q->layer, 1);
  }
  for (unsigned i = 0; i < dims; i++) p->axis[i] = place(v, i, u[i], q->offset[i], linear);
  /* A one-dimensional array is one row, sampled at its edge: half of what lies outside contributes. */
  if (v->image->shape == EXEC_TEX_1D) p->axis[1] = place(v, 1, 0.0f, 0, linear);
}

/* A place on an axis of whole coordinates: with several levels the nearest one inside, otherwise inside or not. */
static bool settle_whole(const struct view *v, int64_t n, int64_t *i) {
  if (*i >= 0 && *i < n) return true;
  *i = *i < 0 ? 0 : n - 1;
  return v->image->n_levels > 1;
}

/* Whole coordinates: places outside read as zeros, and so does any place of a one-dimensional array. */
static void fetch_whole(const struct view *v, const struct exec_texture_query *q, uint32_t out[4]) {
  int64_t at[3] = {0, 0, 0};
  bool inside = v->image->shape != EXEC_TEX_1D;
  if (is_layered(v->image)) {
    at[2] = q->layer;
    inside = settle_whole(v, v->level->depth, &at[2]) && inside;
  }
  for (unsigned i = 0; i < dimensions(v->image); i++) {
    at[i] = (int64_t)q->at[i] + q->offset[i];
    inside = settle_whole(v, extent(v->level, i), &at[i]) && inside;
  }
  fetch(v, at[0], at[1], at[2], out);
  if (!inside) out[0] = out[1] = out[2] = out[3] = 0;
}

static void sample_level(const struct view *v, const struct exec_texture_query *q, uint32_t bits[4],
                         double out[4]) {
  struct spot p;
  bool linear = filters(v);
  if (q->whole) {
    fetch_whole(v, q, bits);
  } else {
    find_spot(v, q, linear, &p);
    if (linear && is_cube(v->image) && v->sampler->seamless) {
      blend_seamless(v, p.layer * 6, p.face, p.s, p.t, out);
      return;
    }
    if (linear) {
      blend(v, p.axis, out);
      return;
    }
    fetch(v, p.axis[0].at[0], p.axis[1].at[0], p.axis[2].at[0], bits);
  }
  for (unsigned c = 0; c < 4; c++) out[c] = (double)exec_float(bits[c]);
}

/* ---- levels ------------------------------------------------------------------------------------------- */

/* The length of a vector of two components without a square root, as the hardware computes it. */
static double rough_length(double a, double b) { return fmax(fmax(a, b), 0.6875 * (a + b)); }

/* Texels that a step covers: the longer semi-axis of the ellipse into which the two gradients map a circle, computed from the component of
 * each gradient along it. Exact if only one has a component; how the hardware finds the axis is not published, and this is right on
 * average, not in each case. */
static float footprint(const struct exec_texture *t, const struct exec_texture *s, const struct exec_texture_query *q) {
  double x = 0.0, y = 0.0, both = 0.0;
  unsigned n = is_cube(t) ? 3 : dimensions(t);
  for (unsigned i = 0; i < n; i++) {
    double texels = s->normalized ? (double)extent(&t->levels[0], is_cube(t) ? 0 : i) : 1.0;
    double dx = (double)q->dx[i] * texels, dy = (double)q->dy[i] * texels;
    x += dx * dx, y += dy * dy, both += dx * dy;
  }
  double apart = sqrt((x - y) * (x - y) + 4.0 * both * both);
  double part_x = apart > 0.0 ? (x + y + apart) / 2.0 * (0.5 + (x - y) / (2.0 * apart)) : x;
  double part_y = apart > 0.0 ? (x + y + apart) / 2.0 - part_x : 0.0;
  return (float)rough_length(sqrt(part_x), sqrt(fmax(part_y, 0.0)));
}

static float lod_of(const struct exec_texture *t, const struct exec_texture *s,
                    const struct exec_texture_query *q) {
  float lod = q->lod;
  if (q->gradients) lod = log2f(footprint(t, s, q));
  /* Truncated to 256ths, towards zero, before the bias is added; NaN is level 0. */
  lod = (isnan(lod) ? 0.0f : truncf(lod * UNIT) / UNIT) + s->mip_bias;
  if (lod < s->mip_min) lod = s->mip_min;
  if (lod > s->mip_max) lod = s->mip_max;
  float last = (float)(t->n_levels - 1);
  return lod < 0.0f ? 0.0f : lod > last ? last : lod;
}

static struct view view_of(const struct exec_texture *t, const struct exec_texture *s, unsigned level,
                           uint64_t *first) {
  return (struct view){t, s, &t->levels[level], first};
}

/* The level nearest to the level of detail, and with a linear filter between levels the next one's weight. */
static unsigned choose_level(const struct exec_texture *s, float lod, double *weight) {
  *weight = 0.0;
  if (s->mip_filter == EXEC_POINT) return (unsigned)floorf(lod + 0.5f);
  unsigned level = (unsigned)floorf(lod);
  *weight = floor((double)(lod - (float)level) * UNIT) / UNIT;
  return level;
}

void exec_texture_sample(const struct exec_texture *image, const struct exec_texture *sampler,
                         const struct exec_texture_query *q, uint32_t out[4], uint64_t *first) {
  double a[4], b[4], weight = 0.0;
  *first = 0;
  unsigned level = image->n_levels > 1 ? choose_level(sampler, lod_of(image, sampler, q), &weight) : 0;
  struct view v = view_of(image, sampler, level, first);
  sample_level(&v, q, out, a);
  bool between = weight > 0.0 && reads_floats(image);
  if (!filters(&v) && !between) return;
  if (between) {
    uint32_t unused[4];
    v = view_of(image, sampler, level + 1, first);
    sample_level(&v, q, unused, b);
    for (unsigned c = 0; c < 4; c++) a[c] = a[c] * (1.0 - weight) + b[c] * weight;
  }
  if (q->whole && !between) return;
  for (unsigned c = 0; c < 4; c++) out[c] = exec_bits32(exec_nan32((float)a[c]));
}

void exec_texture_gather(const struct exec_texture *image, const struct exec_texture *sampler,
                         const struct exec_texture_query *q, unsigned channel, uint32_t out[4],
                         uint64_t *first) {
  static const uint8_t ORDER[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  struct spot p;
  *first = 0;
  struct view v = view_of(image, sampler, 0, first);
  find_spot(&v, q, true, &p);
  for (unsigned i = 0; i < 4; i++) {
    uint32_t texel[4];
    fetch(&v, p.axis[0].at[ORDER[i][0]], p.axis[1].at[ORDER[i][1]], p.axis[2].at[0], texel);
    out[i] = texel[channel];
  }
}
