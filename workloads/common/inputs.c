// Seeded inputs that several workloads share. Nothing here depends on the machine: sums of floats are made in
// a fixed order and no library function is called whose last digit may differ.
#include "common/inputs.h"
#include <math.h>
#include <string.h>

// ---- arrays ----

float *wl_floats(struct wl_run *r, long count, float low, float high) {
  float *a = WL_NEW(r, float, count);
  for (long i = 0; i < count; i++) a[i] = wl_uniform(&r->rng, low, high);
  return a;
}

int *wl_ints(struct wl_run *r, long count, int low, int high) {
  int *a = WL_NEW(r, int, count);
  for (long i = 0; i < count; i++) a[i] = low + (int)wl_below(&r->rng, (uint32_t)(high - low));
  return a;
}

// Each number is the sum of the 3rd and the 31st before it, without its last bit; the first 310 are left out.
int *wl_library_ints(struct wl_run *r, int seed, long count, int below) {
  enum { STATE = 31, FAR = 3, SKIPPED = 310 };
  uint32_t state[STATE + FAR] = {seed ? (uint32_t)seed : 1};
  for (int i = 1; i < STATE; i++) state[i] = (uint32_t)(16807 * (uint64_t)state[i - 1] % INT32_MAX);
  for (int i = STATE; i < STATE + FAR; i++) state[i] = state[i - STATE];
  int *a = WL_NEW(r, int, count);
  for (long i = FAR; i < SKIPPED + FAR + count; i++) {
    uint32_t *oldest = &state[FAR + (i - FAR) % STATE];
    *oldest += state[FAR + (i - FAR + STATE - FAR) % STATE];
    if (i >= SKIPPED + FAR) a[i - SKIPPED - FAR] = (int)(*oldest >> 1) % below;
  }
  return a;
}

// ---- graphs ----

struct edge {
  int from, to, weight;
};

static int draw_weight(struct wl_rng *rng) { return 1 + (int)wl_below(rng, 63); }

// Sorts edges into compressed rows, keeping the order in which they were made; with `both`, each edge in both
// directions.
static struct wl_graph compress(struct wl_run *r, int nodes, const struct edge *edges, size_t count,
                                bool both) {
  struct wl_graph g = {.nodes = nodes, .edges = (int)(both ? 2 * count : count)};
  g.row = WL_NEW(r, int, nodes + 1);
  g.col = WL_NEW(r, int, g.edges);
  g.weight = WL_NEW(r, int, g.edges);
  for (size_t i = 0; i < count; i++) {
    g.row[edges[i].from + 1]++;
    if (both) g.row[edges[i].to + 1]++;
  }
  for (int n = 0; n < nodes; n++) g.row[n + 1] += g.row[n];
  int *next = WL_NEW(r, int, nodes);
  memcpy(next, g.row, (size_t)nodes * sizeof *next);
  for (size_t i = 0; i < count; i++) {
    const struct edge *e = &edges[i];
    g.col[next[e->from]] = e->to;
    g.weight[next[e->from]++] = e->weight;
    if (!both) continue;
    g.col[next[e->to]] = e->from;
    g.weight[next[e->to]++] = e->weight;
  }
  return g;
}

struct wl_graph wl_road_graph(struct wl_run *r, int width, int height) {
  int nodes = width * height;
  struct edge *edges = WL_NEW(r, struct edge, 2 * (size_t)nodes);
  int *degree = WL_NEW(r, int, nodes);
  for (int n = 0; n < nodes; n++) {
    int x = n % width, y = n / width;
    degree[n] = (x > 0) + (x + 1 < width) + (y > 0) + (y + 1 < height);
  }
  size_t count = 0;
  for (int n = 0; n < nodes; n++) {
    for (int down = 0; down < 2; down++) {
      if (down ? n + width >= nodes : n % width + 1 == width) continue;
      int other = down ? n + width : n + 1;
      if (degree[n] > 2 && degree[other] > 2 && wl_below(&r->rng, 100) < 35) {
        degree[n]--;
        degree[other]--;
        continue;
      }
      edges[count++] = (struct edge){n, other, draw_weight(&r->rng)};
    }
  }
  return compress(r, nodes, edges, count, true);
}

struct wl_graph wl_powerlaw_graph(struct wl_run *r, int nodes, int links) {
  struct edge *edges = WL_NEW(r, struct edge, (size_t)nodes * (size_t)links);
  int *label = WL_NEW(r, int, nodes);
  for (int n = 0; n < nodes; n++) {
    int other = (int)wl_below(&r->rng, (uint32_t)n + 1);
    label[n] = label[other];
    label[other] = n;
  }
  size_t count = 0;
  for (int n = 1; n < nodes; n++) {
    for (int k = 0; k < links && k < n; k++) {
      // An end of an earlier edge is drawn in proportion to its node's degree.
      int to = (int)wl_below(&r->rng, (uint32_t)n);
      if (count > 0 && wl_below(&r->rng, 4) != 0) {
        const struct edge *e = &edges[wl_below(&r->rng, (uint32_t)count)];
        to = wl_below(&r->rng, 2) ? e->from : e->to;
      }
      if (to == n) to = n - 1;
      edges[count++] = (struct edge){n, to, draw_weight(&r->rng)};
    }
  }
  for (size_t i = 0; i < count; i++) {
    edges[i].from = label[edges[i].from];
    edges[i].to = label[edges[i].to];
  }
  return compress(r, nodes, edges, count, true);
}

struct wl_graph wl_random_graph(struct wl_run *r, int nodes, int degree) {
  struct edge *edges = WL_NEW(r, struct edge, (size_t)nodes * (size_t)(2 * degree));
  size_t count = 0;
  for (int n = 0; n < nodes; n++) {
    int own = 1 + (int)wl_below(&r->rng, (uint32_t)(2 * degree - 1));
    for (int k = 0; k < own; k++)
      edges[count++] = (struct edge){n, (int)wl_below(&r->rng, (uint32_t)nodes), draw_weight(&r->rng)};
  }
  return compress(r, nodes, edges, count, false);
}

struct wl_graph wl_regular_graph(struct wl_run *r, int nodes, int degree, int heaviest) {
  struct edge *edges = WL_NEW(r, struct edge, (size_t)nodes * (size_t)degree);
  size_t count = 0;
  for (int n = 0; n < nodes; n++)
    for (int k = 0; k < degree; k++)
      edges[count++] = (struct edge){n, (int)wl_below(&r->rng, (uint32_t)nodes), 1 + (int)wl_below(&r->rng, (uint32_t)heaviest)};
  return compress(r, nodes, edges, count, false);
}

struct wl_graph wl_even_graph(struct wl_run *r, int nodes, int links) {
  struct edge *edges = WL_NEW(r, struct edge, (size_t)nodes * (size_t)(2 * links));
  size_t count = 0;
  for (int n = 0; n < nodes; n++) {
    int own = 1 + (int)wl_below(&r->rng, (uint32_t)(2 * links - 1));
    for (int k = 0; k < own; k++) {
      int other = (int)wl_below(&r->rng, (uint32_t)(nodes - 1));
      edges[count++] = (struct edge){n, other < n ? other : other + 1, draw_weight(&r->rng)};
    }
  }
  return compress(r, nodes, edges, count, true);
}

// ---- matrices ----

void wl_sort_ints(int *a, int count) {
  for (int i = 1; i < count; i++) {
    int x = a[i], j = i;
    for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
    a[j] = x;
  }
}

struct wl_csr wl_sparse_matrix(struct wl_run *r, int rows, int per_row) {
  struct wl_csr m = {.rows = rows, .cols = rows};
  size_t room = (size_t)rows * (size_t)(2 * per_row);
  m.row = WL_NEW(r, int, rows + 1);
  m.col = WL_NEW(r, int, room);
  m.value = WL_NEW(r, float, room);
  for (int i = 0; i < rows; i++) {
    int length = per_row / 2 + (int)wl_below(&r->rng, (uint32_t)per_row) + 1;
    int *col = m.col + m.row[i];
    for (int k = 0; k < length; k++) {
      int near = i - 2 * per_row + (int)wl_below(&r->rng, (uint32_t)(4 * per_row));
      col[k] = k % 2 == 0 && near >= 0 && near < rows ? near : (int)wl_below(&r->rng, (uint32_t)rows);
    }
    wl_sort_ints(col, length);
    int kept = 1;
    for (int k = 1; k < length; k++)
      if (col[k] != col[kept - 1]) col[kept++] = col[k];
    for (int k = 0; k < kept; k++) m.value[m.row[i] + k] = wl_uniform(&r->rng, -1.0f, 1.0f);
    m.row[i + 1] = m.row[i] + kept;
  }
  m.nonzeros = m.row[rows];
  return m;
}

float *wl_falling_matrix(struct wl_run *r, int n, double rate) {
  float *m = WL_NEW(r, float, (long)n * n);
  for (int i = 0; i < n * n; i++) m[i] = (float)(10.0 * exp(-rate * fabs((double)(i / n - i % n))));
  return m;
}

float *wl_dominant_matrix(struct wl_run *r, int n) {
  float *a = wl_floats(r, (long)n * n, -1.0f, 1.0f);
  for (int i = 0; i < n; i++) a[(size_t)i * (size_t)n + (size_t)i] += (float)n;
  return a;
}

// ---- text and genomes ----

uint8_t *wl_text(struct wl_run *r, long bytes) {
  enum { WORDS = 1024, LONGEST = 12 };
  char dictionary[WORDS][LONGEST];
  for (int w = 0; w < WORDS; w++) {
    int length = 2 + (int)wl_below(&r->rng, LONGEST - 3);
    for (int i = 0; i < length; i++) dictionary[w][i] = (char)('a' + (int)wl_below(&r->rng, 26));
    dictionary[w][length] = '\0';
  }
  uint8_t *text = WL_NEW(r, uint8_t, bytes + 1);
  long at = 0;
  while (at < bytes) {
    // The product of two even draws falls off with rank as word frequencies do.
    uint32_t rank = wl_below(&r->rng, 1 + wl_below(&r->rng, 1 + wl_below(&r->rng, WORDS)));
    for (const char *c = dictionary[rank]; *c && at < bytes; c++) text[at++] = (uint8_t)*c;
    if (at < bytes) text[at++] = wl_below(&r->rng, 10) == 0 ? '\n' : ' ';
  }
  return text;
}

uint8_t *wl_genome(struct wl_run *r, long bases) {
  uint8_t *genome = WL_NEW(r, uint8_t, bases + 1);
  long at = 0;
  while (at < bases) {
    long length = 20 + wl_below(&r->rng, 200);
    if (length > bases - at) length = bases - at;
    bool copy = at > 1000 && wl_below(&r->rng, 4) == 0;
    long from = copy ? wl_below(&r->rng, (uint32_t)(at - length)) : 0;
    for (long i = 0; i < length; i++)
      genome[at + i] = copy ? genome[from + i] : (uint8_t) "ACGT"[wl_below(&r->rng, 4)];
    at += length;
  }
  return genome;
}

// ---- images, points, meshes, networks ----

float *wl_image(struct wl_run *r, int width, int height) {
  enum { DISCS = 12 };
  struct {
    float x, y, radius, level;
  } discs[DISCS];
  float shorter = (float)(width < height ? width : height);
  for (int i = 0; i < DISCS; i++) {
    discs[i].x = wl_uniform(&r->rng, 0.0f, (float)width);
    discs[i].y = wl_uniform(&r->rng, 0.0f, (float)height);
    discs[i].radius = wl_uniform(&r->rng, 0.03f, 0.2f) * shorter;
    discs[i].level = wl_uniform(&r->rng, 0.1f, 0.4f);
  }
  float *image = WL_NEW(r, float, (size_t)width *(size_t)height);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      float v = 0.15f + 0.2f * ((float)x / (float)width) * ((float)y / (float)height);
      for (int i = 0; i < DISCS; i++) {
        float dx = (float)x - discs[i].x, dy = (float)y - discs[i].y;
        if (dx * dx + dy * dy < discs[i].radius * discs[i].radius) v += discs[i].level;
      }
      v *= wl_uniform(&r->rng, 0.85f, 1.15f);
      image[(size_t)y * (size_t)width + (size_t)x] = v > 1.0f ? 1.0f : v;
    }
  }
  return image;
}

int *wl_photo(struct wl_run *r, int width, int height) {
  enum { WAVES = 8 };
  static const float tint[3] = {10.0f, 20.0f, -30.0f};
  float across[WAVES], down[WAVES], phase[WAVES], strength[WAVES];
  for (int i = 0; i < WAVES; i++) {
    across[i] = wl_uniform(&r->rng, -0.15f, 0.15f) * (float)(1 + i) / 2;
    down[i] = wl_uniform(&r->rng, -0.15f, 0.15f) * (float)(1 + i) / 2;
    phase[i] = wl_uniform(&r->rng, 0.0f, 6.28f);
    strength[i] = wl_uniform(&r->rng, 40.0f, 60.0f) / (1.0f + 0.3f * (float)i);
  }
  int *photo = WL_NEW(r, int, 3L * width * height);
  for (long at = 0; at < (long)width * height; at++) {
    float x = (float)(at % width), y = (float)(at / width), light = 116.0f + 6.0f * wl_normal(&r->rng);
    for (int i = 0; i < WAVES; i++) light += strength[i] * sinf(across[i] * x + down[i] * y + phase[i]);
    for (int c = 0; c < 3; c++) {
      float v = light + tint[c] + 2.0f * wl_normal(&r->rng);
      photo[3 * at + c] = v < 0.0f ? 0 : v > 255.0f ? 255 : (int)v;
    }
  }
  return photo;
}

float *wl_points(struct wl_run *r, int count, int dims, int clusters) {
  float *centres = wl_floats(r, (long)clusters * dims, 0.0f, 10.0f);
  float *points = WL_NEW(r, float, (size_t)count *(size_t)dims);
  for (int p = 0; p < count; p++) {
    const float *centre = centres + (size_t)wl_below(&r->rng, (uint32_t)clusters) * (size_t)dims;
    for (int d = 0; d < dims; d++)
      points[(size_t)p * (size_t)dims + (size_t)d] = centre[d] + wl_uniform(&r->rng, -2.0f, 2.0f);
  }
  return points;
}

enum { FEATURES = 34 };

static bool chance(struct wl_run *r, int percent) { return wl_below(&r->rng, 100) < (uint32_t)percent; }
static float between(struct wl_run *r, uint32_t low, uint32_t high) { return (float)(low + wl_below(&r->rng, high - low + 1)); }
static float hundredths(struct wl_run *r, uint32_t low, uint32_t high) { return between(r, low, high) / 100.0f; }

// A flood: one packet size, full counters, the same host. Records of the larger kind are all alike.
static void flood_record(struct wl_run *r, float *v, bool large) {
  v[1] = large ? 1032 : 520;
  v[15] = v[16] = large ? 511 : chance(r, 45) ? 510 : between(r, 1, 511);
  v[21] = v[26] = v[28] = 1;
  v[24] = v[25] = 255;
}

// Connections that are refused at one of two places: only counters and rates of errors.
static void refused_record(struct wl_run *r, float *v, bool late) {
  int first = late ? 19 : 17, host = late ? 32 : 30;
  v[15] = between(r, 100, 300);
  v[16] = between(r, 1, 20);
  v[first] = v[first + 1] = v[host] = v[host + 1] = 1;
  v[21] = roundf(100 * v[16] / v[15]) / 100;
  v[22] = hundredths(r, 5, 8);
  v[24] = 255;
  v[25] = between(r, 1, 25);
  v[26] = roundf(100 * v[25] / 255) / 100;
  v[27] = hundredths(r, 5, 8);
}

static void ordinary_record(struct wl_run *r, float *v) {
  v[0] = chance(r, 12) ? between(r, 1, 300) : 0;
  v[1] = between(r, 100, 500);
  v[2] = chance(r, 15) ? 0 : between(r, 100, 20000);
  if (chance(r, 3)) v[3 + wl_below(&r->rng, 12)] = between(r, 1, 2);
  v[15] = v[16] = chance(r, 40) ? 1 : between(r, 1, 20);
  v[21] = 1;
  v[23] = chance(r, 30) ? hundredths(r, 5, 70) : 0;
  v[24] = chance(r, 40) ? 255 : between(r, 1, 254);
  v[25] = chance(r, 60) ? 255 : between(r, 1, 254);
  v[26] = chance(r, 90) ? 1 : hundredths(r, 1, 99);
  v[28] = chance(r, 50) ? 0 : hundredths(r, 1, 10);
  v[29] = chance(r, 50) ? 0 : hundredths(r, 1, 5);
}

float *wl_connections(struct wl_run *r, int count) {
  float *all = WL_NEW(r, float, (long)count * FEATURES);
  uint32_t kind = 0;
  int left = 0;
  for (int i = 0; i < count; i++, left--) {
    if (left == 0) { // floods are the longest
      kind = wl_below(&r->rng, 5);
      left = 1 + (int)wl_below(&r->rng, kind == 0 ? 2600u : kind == 1 ? 620u : kind == 2 ? 1000u : kind == 3 ? 280u : 1150u);
    }
    float *v = all + (long)i * FEATURES;
    if (kind < 2)
      flood_record(r, v, kind == 0);
    else if (kind < 4)
      refused_record(r, v, kind == 3);
    else
      ordinary_record(r, v);
  }
  return all;
}

int *wl_mesh(struct wl_run *r, int cells) {
  int *neighbour = WL_NEW(r, int, 4 * (size_t)cells);
  int stride = (int)sqrtf((float)cells);
  for (int c = 0; c < cells; c++) {
    int jump = (int)wl_below(&r->rng, 64) - 32;
    int candidates[4] = {c - 1, c + 1, c - stride + jump, c + stride - jump};
    for (int f = 0; f < 4; f++) {
      int n = candidates[f];
      if (wl_below(&r->rng, 16) == 0) n = (int)wl_below(&r->rng, (uint32_t)cells);
      neighbour[4 * c + f] = n >= 0 && n < cells && n != c ? n : -1;
    }
  }
  return neighbour;
}

float *wl_weights(struct wl_run *r, long count, int fan_in) {
  float scale = 1.0f / sqrtf((float)fan_in);
  float *w = WL_NEW(r, float, count);
  for (long i = 0; i < count; i++) w[i] = scale * wl_normal(&r->rng);
  return w;
}

float *wl_filters(struct wl_run *r, int filters, int plane) {
  enum { COLOURS = 3, PLAIN = 3 /* every so many */ };
  float *weights = wl_weights(r, (long)filters * COLOURS * plane, COLOURS * plane);
  for (int p = 0; p < filters * COLOURS; p++) {
    if (p / COLOURS % PLAIN == PLAIN - 1) continue;
    float sum = 0;
    for (int i = 0; i < plane; i++) sum += weights[p * plane + i];
    for (int i = 0; i < plane; i++) weights[p * plane + i] -= sum / (float)plane;
  }
  return weights;
}
