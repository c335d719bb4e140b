/* Texels and coordinates of a case: see texture_cases.h. */
#include "texture_cases.h"

#include <math.h>
#include <string.h>

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static uint32_t bits_of(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static unsigned at_least_one(unsigned x) { return x ? x : 1; }

/* ---- texels ---- */

unsigned case_channel_bytes(const struct texture_case *c) {
  switch (c->format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8: return 1;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF: return 2;
  default: return 4;
  }
}

void case_extent(const struct texture_case *c, unsigned level, unsigned extent[3]) {
  extent[0] = at_least_one(c->width >> level);
  extent[1] = at_least_one(c->height >> level);
  extent[2] = c->layered || c->cube ? at_least_one(c->depth) : at_least_one(c->depth >> level);
}

/* Floats of magnitude up to 8 with full mantissas. */
static uint32_t texel_channel(const struct texture_case *c, uint64_t r) {
  if (c->format == CU_AD_FORMAT_FLOAT)
    return (uint32_t)((r & 1) << 31 | (124u + r / 2 % 6) << 23 | (r >> 16 & 0x7fffff));
  if (c->format == CU_AD_FORMAT_HALF)
    return (uint32_t)((r & 1) << 15 | (12u + r / 2 % 6) << 10 | (r >> 16 & 0x3ff));
  return (uint32_t)(r >> 8);
}

void case_texels(const struct texture_case *c, unsigned level, unsigned char *bytes) {
  unsigned extent[3], size = case_channel_bytes(c);
  case_extent(c, level, extent);
  size_t n = (size_t)extent[0] * extent[1] * extent[2] * c->channels;
  for (size_t i = 0; i < n; i++) {
    uint32_t x = texel_channel(c, mix(level + 77, i));
    memcpy(bytes + i * size, &x, size);
  }
}

/* ---- coordinates ---- */

static bool normalized(const struct texture_case *c) {
  return c->sampling.flags & CU_TRSF_NORMALIZED_COORDINATES;
}

/* A place near the range [0, n], in texels. */
static float spread(unsigned n, unsigned lane, uint64_t r) {
  static const float ODD[] = {-0.0f, 1e-40f, 3e38f, -3e38f, 1e9f, -1e9f, 70000.0f, -70000.0f};
  float size = (float)n, part = (float)(r >> 40) * 0x1p-24f;
  if (lane < 8) return ODD[(lane + r) % 8];
  if (lane < 10) return (lane & 1) ? INFINITY : -INFINITY;
  if (lane < 11) return NAN;
  switch (r % 8) {
  case 0: return (float)((int)(r >> 8 & 0xffff) % (int)(4 * n + 1) - (int)(2 * n)) + 0.0f;
  case 1: return (float)((int)(r >> 8 & 0xffff) % (int)(2 * n + 1)) * 0.5f;
  case 2: return (float)((int)(r >> 8 & 0xffff) % (int)(512 * n)) / 512.0f;
  case 3: return nextafterf((float)((int)(r >> 8 & 0xffff) % (int)(n + 1)), r >> 32 & 1 ? 1e9f : -1e9f);
  case 4: return part * size;
  default: return (part * 4.0f - 1.5f) * size;
  }
}

static float fine(unsigned n, unsigned lane, unsigned lanes, uint64_t r) {
  if (lane & 1) return (float)(r >> 40) * 0x1p-24f * (float)n;
  return ((float)lane + (float)(r % 3) * 0.25f) / (float)lanes * (float)n;
}

static int32_t whole(unsigned n, uint64_t r) {
  if (r % 16 == 0) return (int32_t)(r >> 32);
  return r % 4 ? (int32_t)((r >> 8) % n) : (int32_t)((r >> 8) % (3 * n)) - (int32_t)n;
}

static float direction(unsigned lane, unsigned axis, uint64_t r) {
  if (lane < 27) return (float)((int)(axis == 0 ? lane % 3 : axis == 1 ? lane / 3 % 3 : lane / 9) - 1);
  return (float)((double)(r >> 11) * 0x1p-52 * 4.0 - 4.0);
}

static uint32_t coordinate(const struct texture_case *c, unsigned axis, unsigned lane) {
  const unsigned extents[3] = {at_least_one(c->width), at_least_one(c->height), at_least_one(c->depth)};
  unsigned n = extents[axis];
  uint64_t r = mix(mix(lane, axis + 1), c->pattern);
  float scale = normalized(c) ? (float)n : 1.0f;
  switch (c->pattern) {
  case CASE_SPREAD: return bits_of(spread(n, lane, r) / scale);
  case CASE_FINE: return bits_of(fine(n, lane, c->lanes, r) / scale);
  case CASE_WAYS: return bits_of(direction(lane, axis, r));
  case CASE_BYTES: {
    unsigned unit = c->vector * c->value_bits / 8;
    if (axis == 0)
      return (uint32_t)whole(n * case_channel_bytes(c) * c->channels / unit, r) * unit;
    return (uint32_t)whole(n, r);
  }
  default: return (uint32_t)whole(n, r);
  }
}

/* ---- the rest of the words ---- */

static float level_of(const struct texture_case *c, unsigned lane, uint64_t r) {
  float part = (float)lane / (float)(c->lanes - 1);
  if (lane == 5) return NAN;
  if (lane % 3 == 0) return floorf(c->low_lod + part * (c->high_lod - c->low_lod)) + (float)(r % 3) * 0.5f;
  return c->low_lod + part * (c->high_lod - c->low_lod);
}

static uint32_t extra_word(const struct texture_case *c, unsigned i, unsigned lane) {
  uint64_t r = mix(mix(lane, 100 + i), 7);
  if (strcmp(c->extra_form, "lod") == 0)
    return c->float_coords ? bits_of(level_of(c, lane, r)) : (uint32_t)((r >> 8) % 5);
  if (strcmp(c->extra_form, "grad") == 0) {
    float d = exp2f(level_of(c, lane == 5 ? 6 : lane, r)) * ((float)(r >> 40) * 0x1p-24f - 0.5f);
    return bits_of(normalized(c) ? d / (float)c->width : d);
  }
  if (strcmp(c->extra_form, "offset") == 0) return (uint32_t)((int32_t)(r >> 8 & 15) - 8);
  if (c->floats) return (127u + (uint32_t)(r % 9) - 4) << 23 | (uint32_t)(r >> 41);
  return r % 3 ? (uint32_t)(r >> 32) : (uint32_t)(r >> 32) % 70000 - 35000;
}

void case_inputs(const struct texture_case *c, unsigned lane, uint32_t words[CASE_WORDS]) {
  uint64_t r = mix(lane, 999);
  unsigned layers = at_least_one(c->cube ? c->depth / 6 : c->depth);
  memset(words, 0, CASE_WORDS * sizeof *words);
  words[0] =
      (uint32_t)(r % 8 ? (int32_t)((r >> 8) % layers) : (int32_t)((r >> 8) % (3 * layers)) - (int32_t)layers);
  for (unsigned i = 0; i < c->coords; i++) words[1 + i] = coordinate(c, i, lane);
  for (unsigned i = 0; i < c->extra; i++) words[CASE_EXTRA + i] = extra_word(c, i, lane);
}

size_t case_result_words(const struct texture_case *c) {
  unsigned extent[3];
  if (c->kind != CASE_STORE) return (size_t)c->lanes * CASE_RESULTS;
  case_extent(c, 0, extent);
  return ((size_t)extent[0] * extent[1] * extent[2] * c->channels * case_channel_bytes(c) + 3) / 4;
}
