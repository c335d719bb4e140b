/* The table of cases: see texture_cases.h. */
#include "texture_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct texture_cases *all, const struct texture_case *c) {
  if (all->count == all->capacity) {
    all->capacity = all->capacity ? all->capacity * 2 : 256;
    all->list = realloc(all->list, all->capacity * sizeof *all->list);
    if (!all->list) exit(2);
  }
  all->list[all->count++] = *c;
}

/* ---- words ---- */

struct format {
  const char *name;
  CUarray_format format;
  const char *type; /* of what an instruction returns */
};
static const struct format U8 = {"u8", CU_AD_FORMAT_UNSIGNED_INT8, "u32"},
                           U16 = {"u16", CU_AD_FORMAT_UNSIGNED_INT16, "u32"},
                           U32 = {"u32", CU_AD_FORMAT_UNSIGNED_INT32, "u32"},
                           S8 = {"s8", CU_AD_FORMAT_SIGNED_INT8, "s32"},
                           S16 = {"s16", CU_AD_FORMAT_SIGNED_INT16, "s32"},
                           S32 = {"s32", CU_AD_FORMAT_SIGNED_INT32, "s32"},
                           F16 = {"f16", CU_AD_FORMAT_HALF, "f32"}, F32 = {"f32", CU_AD_FORMAT_FLOAT, "f32"};
static const struct format *const FORMATS[] = {&U8, &U16, &U32, &S8, &S16, &S32, &F16, &F32};
static const struct format *const NARROW[] = {&U8, &U16, &S8, &S16};
enum { N_FORMATS = 8, N_NARROW = 4 };

struct geometry {
  const char *name;
  unsigned coords, width, height, depth;
  bool layered, cube;
};
static const struct geometry G1D = {"1d", 1, 16, 0, 0, false, false}, G2D = {"2d", 2, 16, 8, 0, false, false},
                             G3D = {"3d", 3, 8, 4, 4, false, false}, GA1D = {"a1d", 1, 16, 0, 3, true, false},
                             GA2D = {"a2d", 2, 16, 8, 3, true, false},
                             GCUBE = {"cube", 3, 8, 8, 6, false, true},
                             GACUBE = {"acube", 3, 8, 8, 12, true, true};
static const struct geometry *const GEOMETRIES[] = {&G1D, &G2D, &G3D, &GA1D, &GA2D, &GCUBE, &GACUBE};
enum { N_GEOMETRIES = 7, N_SURFACES = 5 /* the first of them */ };

static const char *const MODES[] = {"wrap", "clamp", "mirror", "border"};

/* A tex case on an array with the defaults: point, clamp, not normalised, whole numbers not as floats. */
static struct texture_case start(const struct geometry *g, const struct format *f, unsigned channels) {
  struct texture_case c = {.kind = CASE_FETCH,
                           .resource = CASE_ARRAY,
                           .format = f->format,
                           .channels = channels,
                           .width = g->width,
                           .height = g->height,
                           .depth = g->depth,
                           .levels = 1,
                           .layered = g->layered,
                           .cube = g->cube,
                           .coords = g->coords,
                           .layer = g->layered,
                           .extra_form = "",
                           .float_coords = true,
                           .pattern = g->cube ? CASE_WAYS : CASE_SPREAD,
                           .lanes = 128};
  for (unsigned i = 0; i < 3; i++) c.sampling.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
  c.sampling.flags = CU_TRSF_READ_AS_INTEGER;
  return c;
}

static void set_modes(struct texture_case *c, unsigned mode) {
  for (unsigned i = 0; i < 3; i++) c->sampling.addressMode[i] = (CUaddress_mode)mode;
  if (mode != CU_TR_ADDRESS_MODE_BORDER) return;
  for (unsigned i = 0; i < 4; i++) c->sampling.borderColor[i] = 0.25f + (float)i;
}

/* Results of linear filters are compared within this. Texels reach 8; whole numbers read as floats reach 1. Silicon
 * filters floats in single precision, narrower texels with 16 bits. Over three axes, and between levels, it may give a
 * 256th of the weight to another texel: one 256th of the largest difference of two texels. */
static void linear(struct texture_case *c) {
  bool floats = c->format == CU_AD_FORMAT_FLOAT, halves = c->format == CU_AD_FORMAT_HALF;
  bool weights_differ = (c->depth && !c->layered && !c->cube) ||
                        (c->resource == CASE_MIPMAP && c->sampling.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR);
  c->sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
  c->tolerance = floats ? 4e-6 : halves ? 0x1p-8 : 0x1p-15;
  if (weights_differ) c->tolerance = floats || halves ? 16.0 / 256 : 2.0 / 256;
}

/* ---- tex ---- */

static void add_formats(struct texture_cases *all) {
  for (unsigned f = 0; f < N_FORMATS; f++)
    for (unsigned channels = 1; channels <= 4; channels *= 2)
      for (unsigned whole = 0; whole < 2; whole++) {
        struct texture_case c = start(&G2D, FORMATS[f], channels);
        c.float_coords = !whole;
        if (whole) c.pattern = CASE_WHOLE;
        sprintf(c.op, "tex.2d.v4.%s.%s", FORMATS[f]->type, whole ? "s32" : "f32");
        sprintf(c.name, "%s point clamp %sx%u", c.op, FORMATS[f]->name, channels);
        add(all, &c);
      }
}

static void add_as_floats(struct texture_cases *all) {
  for (unsigned f = 0; f < N_NARROW; f++)
    for (unsigned channels = 1; channels <= 4; channels *= 2)
      for (unsigned filter = 0; filter < 2; filter++) {
        struct texture_case c = start(&G2D, NARROW[f], channels);
        c.sampling.flags = 0;
        if (filter) linear(&c);
        sprintf(c.op, "tex.2d.v4.f32.f32");
        sprintf(c.name, "%s %s clamp %sx%u as floats", c.op, filter ? "linear" : "point", NARROW[f]->name,
                channels);
        add(all, &c);
      }
}

static void add_srgb(struct texture_cases *all) {
  for (unsigned filter = 0; filter < 2; filter++) {
    struct texture_case c = start(&G2D, &U8, 4);
    c.sampling.flags = CU_TRSF_SRGB;
    c.width = 64;
    c.pattern = CASE_FINE;
    c.lanes = 256;
    if (filter) linear(&c);
    c.tolerance = filter ? 2.0 / 256 : 1.0 / 256; /* silicon's decoding has eight bits */
    sprintf(c.op, "tex.2d.v4.f32.f32");
    sprintf(c.name, "%s %s clamp u8x4 sRGB", c.op, filter ? "linear" : "point");
    add(all, &c);
  }
}

static void add_address_modes(struct texture_cases *all) {
  for (unsigned g = 0; g < N_GEOMETRIES; g++)
    for (unsigned mode = 0; mode < 4; mode++)
      for (unsigned filter = 0; filter < 2; filter++)
        for (unsigned normal = 0; normal < 2; normal++) {
          struct texture_case c = start(GEOMETRIES[g], &F32, 1);
          if (c.cube && (!normal || mode == 0 || mode == 2)) continue;
          set_modes(&c, mode);
          if (filter) linear(&c);
          if (normal) c.sampling.flags |= CU_TRSF_NORMALIZED_COORDINATES;
          sprintf(c.op, "tex.%s.v4.f32.f32", GEOMETRIES[g]->name);
          sprintf(c.name, "%s %s %s%s f32x1", c.op, filter ? "linear" : "point", MODES[mode],
                  normal ? " normalized" : "");
          add(all, &c);
        }
}

static void add_whole_coordinates(struct texture_cases *all) {
  for (unsigned g = 0; g < 5; g++)
    for (unsigned mode = 0; mode < 4; mode++) {
      struct texture_case c = start(GEOMETRIES[g], &F32, 1);
      set_modes(&c, mode);
      if (mode == 0 || mode == 2) c.sampling.flags |= CU_TRSF_NORMALIZED_COORDINATES;
      c.float_coords = false;
      c.pattern = CASE_WHOLE;
      sprintf(c.op, "tex.%s.v4.f32.s32", GEOMETRIES[g]->name);
      sprintf(c.name, "%s point %s f32x1", c.op, MODES[mode]);
      add(all, &c);
    }
}

/* Weights and sums of the linear filter. */
static void add_fine(struct texture_cases *all) {
  static const struct format *const KINDS[] = {&F32, &F16, &U8, &U16, &S8, &S16};
  for (unsigned g = 0; g < N_GEOMETRIES; g++)
    for (unsigned f = 0; f < 6; f++) {
      struct texture_case c = start(GEOMETRIES[g], KINDS[f], 4);
      if (f > 2 && g > 1) continue;
      c.sampling.flags = c.cube ? CU_TRSF_NORMALIZED_COORDINATES : 0;
      if (!c.cube) c.pattern = CASE_FINE;
      c.lanes = g < 2 ? 512 : 256;
      linear(&c);
      sprintf(c.op, "tex.%s.v4.f32.f32", GEOMETRIES[g]->name);
      sprintf(c.name, "%s linear fine %sx4", c.op, KINDS[f]->name);
      add(all, &c);
    }
  struct texture_case c = start(&GCUBE, &F32, 1);
  c.sampling.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SEAMLESS_CUBEMAP;
  c.lanes = 512;
  linear(&c);
  sprintf(c.op, "tex.cube.v4.f32.f32");
  c.tolerance = 16.0 / 256; /* at corners too, a 256th of a weight */
  sprintf(c.name, "%s linear seamless f32x1", c.op);
  add(all, &c);
}

static void add_offsets(struct texture_cases *all) {
  for (unsigned g = 0; g < 5; g++) {
    struct texture_case c = start(GEOMETRIES[g], &F32, 1);
    set_modes(&c, CU_TR_ADDRESS_MODE_WRAP);
    c.sampling.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    c.extra_form = "offset";
    c.extra = c.coords;
    sprintf(c.op, "tex.%s.v4.f32.f32", GEOMETRIES[g]->name);
    sprintf(c.name, "%s point wrap normalized f32x1 offset", c.op);
    add(all, &c);
  }
}

/* ---- levels ---- */

static void make_mipmap(struct texture_case *c, unsigned filter, unsigned between) {
  c->resource = CASE_MIPMAP;
  c->width = 16;
  if (c->height) c->height = 16;
  if (c->depth && !c->layered && !c->cube) c->depth = 16;
  c->levels = 5;
  c->pattern = c->cube ? CASE_WAYS : CASE_FINE;
  c->sampling.flags = CU_TRSF_NORMALIZED_COORDINATES;
  c->sampling.mipmapFilterMode = (CUfilter_mode)between;
  c->sampling.maxMipmapLevelClamp = 4;
  c->lanes = 256;
  c->low_lod = -1;
  c->high_lod = 5;
  c->tolerance = 4e-6;
  if (filter) linear(c);
}

static void add_levels(struct texture_cases *all) {
  for (unsigned g = 0; g < N_GEOMETRIES; g++)
    for (unsigned filter = 0; filter < 2; filter++)
      for (unsigned between = 0; between < 2; between++)
        for (unsigned grad = 0; grad < 2; grad++) {
          struct texture_case c = start(GEOMETRIES[g], &F32, 1);
          make_mipmap(&c, filter, between);
          c.extra_form = grad ? "grad" : "lod";
          c.extra = grad ? 2 * c.coords : 1;
          if (grad) c.tolerance = 1.0 / 8, c.may_differ = 0.1; /* silicon approximates the level */
          if (grad && c.cube) continue;
          sprintf(c.op, "tex.%s.%s.v4.f32.f32", grad ? "grad" : "level", GEOMETRIES[g]->name);
          sprintf(c.name, "%s %s levels %s", c.op, filter ? "linear" : "point", between ? "linear" : "point");
          add(all, &c);
        }
}

static void add_level_limits(struct texture_cases *all) {
  for (unsigned i = 0; i < 4; i++) {
    struct texture_case c = start(&G2D, &F32, 1);
    make_mipmap(&c, 0, 1);
    c.sampling.mipmapLevelBias = i & 1 ? 0.75f : 0.0f;
    c.sampling.minMipmapLevelClamp = i & 2 ? 1.25f : 0.0f;
    c.sampling.maxMipmapLevelClamp = i & 2 ? 2.5f : 4.0f;
    c.extra_form = "lod";
    c.extra = 1;
    sprintf(c.op, "tex.level.2d.v4.f32.f32");
    sprintf(c.name, "%s point levels linear%s%s", c.op, i & 1 ? " bias" : "", i & 2 ? " clamped" : "");
    add(all, &c);
  }
  struct texture_case c = start(&G2D, &F32, 1);
  make_mipmap(&c, 0, 0);
  c.float_coords = false;
  c.pattern = CASE_WHOLE;
  c.extra_form = "lod";
  c.extra = 1;
  c.tolerance = 0;
  sprintf(c.op, "tex.level.2d.v4.f32.s32");
  sprintf(c.name, "%s whole levels", c.op);
  add(all, &c);
  c = start(&G2D, &F32, 1);
  make_mipmap(&c, 0, 0);
  sprintf(c.op, "tex.2d.v4.f32.f32");
  sprintf(c.name, "%s of a mipmap", c.op);
  add(all, &c);
}

/* ---- other resources, tld4, questions ---- */

static void add_linear_memory(struct texture_cases *all) {
  for (unsigned f = 0; f < N_FORMATS; f++)
    for (unsigned channels = 1; channels <= 4; channels *= 4) {
      struct texture_case c = start(&G1D, FORMATS[f], channels);
      c.resource = CASE_LINEAR;
      c.width = 64;
      c.float_coords = false;
      c.pattern = CASE_WHOLE;
      sprintf(c.op, "tex.1d.v4.%s.s32", FORMATS[f]->type);
      sprintf(c.name, "%s linear memory %sx%u", c.op, FORMATS[f]->name, channels);
      add(all, &c);
    }
  for (unsigned i = 0; i < 4; i++) {
    struct texture_case c = start(&G2D, i & 1 ? &F32 : &U8, i & 1 ? 1 : 4);
    c.resource = CASE_PITCH;
    if (!(i & 1)) c.sampling.flags = 0;
    if (i & 2) linear(&c);
    sprintf(c.op, "tex.2d.v4.f32.f32");
    sprintf(c.name, "%s pitched memory %s %s", c.op, i & 2 ? "linear" : "point", i & 1 ? "f32x1" : "u8x4");
    add(all, &c);
  }
}

static void add_gathers(struct texture_cases *all) {
  for (unsigned ch = 0; ch < 4; ch++)
    for (unsigned i = 0; i < 4; i++) {
      struct texture_case c = start(&G2D, i == 3 ? &U8 : &F32, 4);
      set_modes(&c, i == 1   ? CU_TR_ADDRESS_MODE_WRAP
                    : i == 2 ? CU_TR_ADDRESS_MODE_BORDER
                             : CU_TR_ADDRESS_MODE_CLAMP);
      if (i == 1 || i == 2) c.sampling.flags |= CU_TRSF_NORMALIZED_COORDINATES;
      if (i == 3) c.sampling.flags = 0;
      sprintf(c.op, "tld4.%c.2d.v4.f32.f32", "rgba"[ch]);
      sprintf(c.name, "%s %s%s", c.op,
              i == 1   ? "wrap"
              : i == 2 ? "border"
                       : "clamp",
              i == 3 ? " u8 as floats" : "");
      add(all, &c);
    }
}

static void add_questions(struct texture_cases *all) {
  static const char *const TXQ[] = {"width",
                                    "height",
                                    "depth",
                                    "array_size",
                                    "num_mipmap_levels",
                                    "num_samples",
                                    "channel_data_type",
                                    "channel_order",
                                    "normalized_coords",
                                    "filter_mode",
                                    "addr_mode_0"};
  static const char *const SUQ[] = {"width",        "height", "depth", "array_size", "channel_data_type",
                                    "channel_order"};
  for (unsigned g = 0; g < N_GEOMETRIES; g++)
    for (unsigned i = 0; i < 17; i++) {
      struct texture_case c = start(GEOMETRIES[g], &F32, 2);
      c.kind = CASE_ASK;
      c.lanes = 32;
      sprintf(c.op, "%s.%s.b32", i < 11 ? "txq" : "suq", i < 11 ? TXQ[i] : SUQ[i - 11]);
      sprintf(c.name, "%s of %s", c.op, GEOMETRIES[g]->name);
      add(all, &c);
    }
}

/* ---- surfaces ---- */

static void surface_case(struct texture_cases *all, const struct geometry *g, enum case_kind kind,
                         unsigned vector, unsigned bits, const char *outside) {
  struct texture_case c = start(g,
                                vector * bits >= 32   ? &U32
                                : bits * vector == 16 ? &U16
                                                      : &U8,
                                vector * bits >= 32 ? vector * bits / 32 : 1);
  static const char *const VECTOR[] = {"", "", ".v2", "", ".v4"};
  c.kind = kind;
  c.pattern = CASE_BYTES;
  c.vector = vector;
  c.value_bits = bits;
  c.lanes = 64;
  c.extra_form = "value";
  c.extra = kind == CASE_STORE ? (vector * bits > 32 ? vector * bits / 32 : vector) : 0;
  sprintf(c.op, "%s.b.%s%s.b%u.%s", kind == CASE_STORE ? "sust" : "suld", g->name, VECTOR[vector], bits,
          outside);
  sprintf(c.name, "%s", c.op);
  add(all, &c);
}

static void add_surfaces(struct texture_cases *all) {
  for (unsigned g = 0; g < N_SURFACES; g++)
    for (unsigned store = 0; store < 2; store++)
      for (unsigned zero = 0; zero < 2; zero++)
        for (unsigned vector = 1; vector <= 4; vector *= 2)
          for (unsigned bits = 8; bits <= 64; bits *= 2) {
            if (vector * bits > 128 || (g > 1 && bits != 32)) continue;
            surface_case(all, GEOMETRIES[g], store ? CASE_STORE : CASE_LOAD, vector, bits,
                         zero ? "zero" : "clamp");
          }
}

static void add_formatted_stores(struct texture_cases *all) {
  for (unsigned f = 0; f < N_FORMATS; f++)
    for (unsigned vector = 1; vector <= 4; vector *= 2) {
      struct texture_case c = start(&G2D, FORMATS[f], vector);
      static const char *const VECTOR[] = {"", "", ".v2", "", ".v4"};
      c.kind = CASE_STORE;
      c.pattern = CASE_WHOLE;
      c.vector = c.extra = vector;
      c.value_bits = 32;
      c.lanes = 64;
      c.extra_form = "value";
      c.floats = FORMATS[f] == &F16 || FORMATS[f] == &F32;
      sprintf(c.op, "sust.p.2d%s.b32.zero", VECTOR[vector]);
      sprintf(c.name, "%s %sx%u", c.op, FORMATS[f]->name, vector);
      add(all, &c);
    }
}

static void add_reductions(struct texture_cases *all) {
  static const char *const OPS[] = {"add.2d.u32", "add.2d.s32", "add.2d.u64", "min.2d.u32",
                                    "min.2d.s32", "max.2d.u32", "max.2d.s32", "and.2d.b32",
                                    "or.2d.b32",  "min.2d.u64", "max.2d.s64"};
  for (unsigned i = 0; i < 11; i++)
    for (unsigned zero = 0; zero < 2; zero++) {
      struct texture_case c = start(&G2D, &U32, strstr(OPS[i], "64") ? 2 : 1);
      c.kind = CASE_STORE;
      c.pattern = CASE_BYTES;
      c.vector = 1;
      c.value_bits = strstr(OPS[i], "64") ? 64 : 32;
      c.extra = c.value_bits / 32;
      c.extra_form = "value";
      c.lanes = 64;
      sprintf(c.op, "sured.b.%s.%s", OPS[i], zero ? "zero" : "clamp");
      sprintf(c.name, "%s", c.op);
      add(all, &c);
    }
}

void cases_build(struct texture_cases *all) {
  *all = (struct texture_cases){0};
  add_formats(all);
  add_as_floats(all);
  add_srgb(all);
  add_address_modes(all);
  add_whole_coordinates(all);
  add_fine(all);
  add_offsets(all);
  add_levels(all);
  add_level_limits(all);
  add_linear_memory(all);
  add_gathers(all);
  add_questions(all);
  add_surfaces(all);
  add_formatted_stores(all);
  add_reductions(all);
}
