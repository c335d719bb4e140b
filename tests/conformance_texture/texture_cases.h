/* The cases of the texture conformance kit: a resource, how it is sampled, one instruction, and its inputs.
 *
 * Everything is computed from the case and the lane, so that the recorder and the checker see the same
 * numbers. A lane has CASE_WORDS input words: the layer, x, y, z, and from CASE_EXTRA on what the instruction
 * needs besides (level, gradients, offsets, or the value to store). */
#ifndef TEXTURE_CASES_H
#define TEXTURE_CASES_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CASE_WORDS = 10, CASE_EXTRA = 4, CASE_RESULTS = 4 };

enum case_resource { CASE_ARRAY, CASE_MIPMAP, CASE_LINEAR, CASE_PITCH };
enum case_kind {
  CASE_FETCH, /* tex, tld4: four results a lane */
  CASE_ASK,   /* txq, suq, istypep: one result */
  CASE_LOAD,  /* suld */
  CASE_STORE  /* sust, sured: the result is the surface afterwards */
};
enum case_coords {
  CASE_SPREAD, /* in and around the texture, with edges, halves, huge values and NaN */
  CASE_FINE,   /* inside, in small steps */
  CASE_WHOLE,  /* whole numbers in and around */
  CASE_BYTES,  /* the same, x in bytes */
  CASE_WAYS    /* directions */
};

struct texture_case {
  char name[128];
  char op[80]; /* opcode */
  enum case_kind kind;
  /* resource */
  enum case_resource resource;
  CUarray_format format;
  unsigned channels, width, height, depth, levels; /* height, depth 0: no such axis */
  bool layered, cube;
  /* sampling */
  CUDA_TEXTURE_DESC sampling;
  /* instruction */
  unsigned coords;             /* x, y, z */
  bool layer;                  /* the instruction has a layer */
  unsigned extra;              /* further words: 1 level, 2 * coords gradients, coords offsets, values */
  const char *extra_form;      /* "lod", "grad", "offset", "value" or "" */
  unsigned vector, value_bits; /* of suld and sust */
  bool float_coords;
  bool floats; /* the values to store are floats */
  /* inputs */
  enum case_coords pattern;
  unsigned lanes;
  float low_lod, high_lod;
  double tolerance;  /* 0: bit for bit */
  double may_differ; /* share of the words that may be beyond it */
};

struct texture_cases {
  struct texture_case *list;
  size_t count, capacity;
};

void cases_build(struct texture_cases *all);

unsigned case_channel_bytes(const struct texture_case *c);
/* Elements of a level: width, height and depth in texels, at least 1. */
void case_extent(const struct texture_case *c, unsigned level, unsigned extent[3]);
/* Fills the texels of a level. */
void case_texels(const struct texture_case *c, unsigned level, unsigned char *bytes);
/* The input words of a lane. */
void case_inputs(const struct texture_case *c, unsigned lane, uint32_t words[CASE_WORDS]);
/* 32-bit words of the case's result. */
size_t case_result_words(const struct texture_case *c);

#endif
