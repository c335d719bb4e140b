// Attention of one new token of each sequence over its paged cache.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>
#include <string.h>

WL_PTX(pagedattn);

enum { DIM = 128, PAGE = 16, THREADS = DIM };

struct shape {
  int sequences, heads, kv_heads, longest;
};

struct cache {
  int pages_each, pages;
  int *table, *lengths;
  uint16_t *keys, *values;
};

static float from_bf16(uint16_t bits) {
  uint32_t word = (uint32_t)bits << 16;
  float x;
  memcpy(&x, &word, sizeof x);
  return x;
}

// Numbers of either sign between 1/4 and 2, straight as bits.
static uint16_t *make_bf16(struct wl_run *r, long count) {
  uint16_t *bits = WL_NEW(r, uint16_t, count);
  for (long i = 0; i < count; i++) {
    uint32_t random = (uint32_t)wl_next(&r->rng);
    bits[i] = (uint16_t)((random & 0x8000u) | (0x3e80u + random % 0x180u));
  }
  return bits;
}

// Pages are handed out in random order, as after many sequences have come and gone.
static struct cache make_cache(struct wl_run *r, const struct shape *s) {
  struct cache c = {.pages_each = s->longest / PAGE};
  c.pages = c.pages_each * s->sequences;
  c.table = WL_NEW(r, int, c.pages);
  c.lengths = WL_NEW(r, int, s->sequences);
  for (int p = 0; p < c.pages; p++) {
    int other = (int)wl_below(&r->rng, (uint32_t)p + 1);
    c.table[p] = c.table[other];
    c.table[other] = p;
  }
  for (int i = 0; i < s->sequences; i++)
    c.lengths[i] = s->longest / 2 + 1 + (int)wl_below(&r->rng, (uint32_t)s->longest / 2);
  long values = (long)c.pages * s->kv_heads * PAGE * DIM;
  c.keys = make_bf16(r, values);
  c.values = make_bf16(r, values);
  return c;
}

static void reference(const struct shape *s, const struct cache *c, const float *query, int sequence,
                      int head, float scale, float *score, float *out) {
  int kv_head = head / (s->heads / s->kv_heads), length = c->lengths[sequence];
  float most = -INFINITY, total = 0.0f;
  for (int i = 0; i < length; i++) {
    long page = c->table[sequence * c->pages_each + i / PAGE];
    const uint16_t *key = c->keys + ((page * s->kv_heads + kv_head) * PAGE + i % PAGE) * DIM;
    float sum = 0.0f;
    for (int d = 0; d < DIM; d++) sum += query[d] * from_bf16(key[d]);
    score[i] = sum * scale;
    most = fmaxf(most, score[i]);
  }
  for (int i = 0; i < length; i++) {
    long page = c->table[sequence * c->pages_each + i / PAGE];
    const uint16_t *value = c->values + ((page * s->kv_heads + kv_head) * PAGE + i % PAGE) * DIM;
    float weight = expf(score[i] - most);
    total += weight;
    for (int d = 0; d < DIM; d++) out[d] += weight * from_bf16(value[d]);
  }
  for (int d = 0; d < DIM; d++) out[d] /= total;
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {{4, 4, 2, 128}, {16, 8, 2, 512}, {32, 16, 4, 1024}};
  struct shape s = shapes[r->size];
  struct cache c = make_cache(r, &s);
  long queries = (long)s.sequences * s.heads * DIM, values = (long)c.pages * s.kv_heads * PAGE * DIM;
  float scale = 0.088388348f, *query = wl_floats(r, queries, -1.0f, 1.0f);
  CUdeviceptr d_query = WL_UP(r, query, queries), d_keys = WL_UP(r, c.keys, values);
  CUdeviceptr d_values = WL_UP(r, c.values, values), d_table = WL_UP(r, c.table, c.pages);
  CUdeviceptr d_lengths = WL_UP(r, c.lengths, s.sequences), d_out = WL_DEV(r, float, queries);
  WL_LAUNCH(r, "paged_attention", wl_2d(s.heads, s.sequences), wl_1d(THREADS), 0, &d_query, &d_keys,
            &d_values, &d_table, &d_lengths, &d_out, &c.pages_each, &s.heads, &s.kv_heads, &scale);
  float *want = WL_NEW(r, float, queries), *score = WL_NEW(r, float, s.longest);
  for (int i = 0; i < s.sequences; i++)
    for (int h = 0; h < s.heads; h++) {
      long at = (long)(i * s.heads + h) * DIM;
      reference(&s, &c, query + at, i, h, scale, score, want + at);
    }
  return wl_near_f32(r, "out", WL_DOWN(r, float, d_out, queries), want, queries, 1e-3f, 1e-3f);
}

const struct workload wl_pagedattn = {
    .name = "pagedattn",
    .suite = "2026",
    .pattern = "pages of 4 KB gathered through a table, each read whole and shared by a few heads",
    .sizes = {"4 sequences to 128 tokens, 4 heads", "16 sequences to 512 tokens, 8 heads",
              "32 sequences to 1,024 tokens, 16 heads"},
    .ptx = wl_ptx_pagedattn,
    .run = run,
};
