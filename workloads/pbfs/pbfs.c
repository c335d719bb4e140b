// Queue-based breadth-first search on a road-like graph: the host chooses the kernel by the size of the frontier.
#include "common/wl.h"
#include <stdlib.h>

WL_PTX(pbfs);

enum { WHITE = 16677217, GREY = 16677220, UNSEEN = INT32_MAX, TILE = 32, MOST_BLOCKS = 14 };

struct pair {
  int x, y;
};

struct graph {
  int nodes, edges, source;
  struct pair *node, *edge; // first edge and number of edges; neighbour and cost
};

// What blocks of a grid share, and what they leave.
struct shared_words {
  int arrived, count, stay;
};
struct left_words {
  int rounds, second;
};

// The Mersenne twister (Matsumoto and Nishimura, 1998), from which the map is drawn that the original was measured with.
struct twister {
  uint32_t word[624];
  int at;
};

static void twist(struct twister *t) {
  for (int i = 0; i < 624; i++) {
    uint32_t y = (t->word[i] & 0x80000000u) | (t->word[(i + 1) % 624] & 0x7fffffffu);
    t->word[i] = t->word[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
  }
  t->at = 0;
}

// Seeded by a list of one number.
static void seed_twister(struct twister *t, uint32_t seed) {
  uint32_t *w = t->word;
  w[0] = 19650218u;
  for (uint32_t i = 1; i < 624; i++) w[i] = 1812433253u * (w[i - 1] ^ w[i - 1] >> 30) + i;
  for (int k = 0, i = 1; k < 624; k++) {
    w[i] = (w[i] ^ (w[i - 1] ^ w[i - 1] >> 30) * 1664525u) + seed;
    if (++i == 624) w[0] = w[623], i = 1;
  }
  for (int k = 0, i = 2; k < 623; k++) {
    w[i] = (w[i] ^ (w[i - 1] ^ w[i - 1] >> 30) * 1566083941u) - (uint32_t)i;
    if (++i == 624) w[0] = w[623], i = 1;
  }
  w[0] = 0x80000000u;
  t->at = 624;
}

static uint32_t draw(struct twister *t) {
  if (t->at == 624) twist(t);
  uint32_t y = t->word[t->at++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

// 0 <= x < 1 with 53 random bits.
static double draw_share(struct twister *t) {
  uint32_t high = draw(t) >> 5, low = draw(t) >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

// A square of crossings, of whose roads 72 % are there; only what can be reached from the middle is kept. ahead[2 * i] says whether a road
// leads from crossing i to the right, ahead[2 * i + 1] whether one leads down.
struct map {
  int side;
  uint8_t *ahead;
  int *order; // crossings tile by tile
};

static int neighbours(const struct map *m, int at, int *others) {
  int x = at % m->side, y = at / m->side, many = 0;
  if (y > 0 && m->ahead[2 * (at - m->side) + 1]) others[many++] = at - m->side;
  if (x > 0 && m->ahead[2 * (at - 1)]) others[many++] = at - 1;
  if (x < m->side - 1 && m->ahead[2 * at]) others[many++] = at + 1;
  if (y < m->side - 1 && m->ahead[2 * at + 1]) others[many++] = at + m->side;
  return many;
}

static int by_number(const void *a, const void *b) { return ((const struct pair *)a)->x - ((const struct pair *)b)->x; }

// Numbers of the crossings that are reached, tile by tile; -1 for the others.
static int *number(struct wl_run *r, const struct map *m, int *nodes) {
  int cells = m->side * m->side, *numbers = WL_NEW(r, int, cells), *stack = WL_NEW(r, int, cells), others[4], depth = 0;
  uint8_t *seen = WL_NEW(r, uint8_t, cells);
  stack[depth++] = m->side / 2 * m->side + m->side / 2;
  seen[stack[0]] = 1;
  while (depth > 0)
    for (int at = stack[--depth], i = neighbours(m, at, others); i-- > 0;)
      if (!seen[others[i]]) {
        seen[others[i]] = 1;
        stack[depth++] = others[i];
      }
  *nodes = 0;
  for (int i = 0; i < cells; i++) numbers[m->order[i]] = seen[m->order[i]] ? (*nodes)++ : -1;
  return numbers;
}

// Draws the roads in the order of the tiles.
static void draw_map(struct wl_run *r, struct map *m) {
  struct twister *t = WL_NEW(r, struct twister, 1);
  seed_twister(t, (uint32_t)r->rng.state + 6);
  for (int i = 0; i < m->side * m->side; i++) {
    int at = m->order[i];
    m->ahead[2 * at] = at % m->side < m->side - 1 && draw_share(t) >= 0.28;
    m->ahead[2 * at + 1] = at / m->side < m->side - 1 && draw_share(t) >= 0.28;
  }
}

static struct graph make_graph(struct wl_run *r, int side) {
  int cells = side * side, others[4], many = 0;
  struct map m = {side, WL_NEW(r, uint8_t, 2 * cells), WL_NEW(r, int, cells)};
  for (int tile_y = 0; tile_y < side; tile_y += TILE)
    for (int tile_x = 0; tile_x < side; tile_x += TILE)
      for (int y = tile_y; y < tile_y + TILE && y < side; y++)
        for (int x = tile_x; x < tile_x + TILE && x < side; x++) m.order[many++] = y * side + x;
  draw_map(r, &m);
  struct graph g = {0};
  int *numbers = number(r, &m, &g.nodes), *cell = WL_NEW(r, int, g.nodes);
  g.node = WL_NEW(r, struct pair, g.nodes);
  g.edge = WL_NEW(r, struct pair, 4 * g.nodes);
  g.source = numbers[side / 2 * side + side / 2];
  for (int i = 0; i < cells; i++)
    if (numbers[i] >= 0) cell[numbers[i]] = i;
  for (int n = 0; n < g.nodes; n++) {
    many = neighbours(&m, cell[n], others);
    for (int i = 0; i < many; i++) g.edge[g.edges + i] = (struct pair){numbers[others[i]], 1};
    qsort(g.edge + g.edges, (size_t)many, sizeof *g.edge, by_number);
    g.node[n] = (struct pair){g.edges, many};
    g.edges += many;
  }
  return g;
}

static int *reference(struct wl_run *r, const struct graph *g) {
  int *cost = WL_NEW(r, int, g->nodes), *queue = WL_NEW(r, int, g->nodes);
  for (int n = 0; n < g->nodes; n++) cost[n] = UNSEEN;
  cost[g->source] = 0;
  queue[0] = g->source;
  for (int head = 0, tail = 1; head < tail; head++) {
    struct pair node = g->node[queue[head]];
    for (int i = node.x; i < node.x + node.y; i++) {
      int other = g->edge[i].x;
      if (cost[other] != UNSEEN) continue;
      cost[other] = cost[queue[head]] + 1;
      queue[tail++] = other;
    }
  }
  return cost;
}

// The arguments that both kernels have, and what belongs to one of them.
struct search {
  CUdeviceptr from, to, colour, cost, tail, overflow, shared, left;
  CUtexObject nodes, edges;
  int threads, blocks;
};

// Levels of a frontier of `count` nodes until it does not suit the kernel any more.
static void follow(struct wl_run *r, struct search *s, int count, int level) {
  bool many = count > s->threads;
  struct wl_dim grid = wl_1d(many ? s->blocks : 1), block = wl_1d(s->threads);
  struct left_words left;
  if (many) {
    wl_put(r, s->shared + offsetof(struct shared_words, count), &count, sizeof count);
    WL_LAUNCH(r, "pbfs_blocks", grid, block, 0, &s->from, &s->to, &s->nodes, &s->edges, &s->colour, &s->cost, &s->tail, &level, &s->shared,
              &s->left, &s->overflow);
    WL_GET(r, &left, s->left, 1);
    if (!left.second) return;
  } else {
    WL_LAUNCH(r, "pbfs_block", grid, block, 0, &s->from, &s->to, &s->nodes, &s->edges, &s->colour, &s->cost, &s->tail, &count, &level,
              &s->overflow);
  }
  CUdeviceptr was = s->from;
  s->from = s->to;
  s->to = was;
}

static bool run(struct wl_run *r) {
  static const struct { int side, threads; } shapes[WL_SIZES] = {{64, 64}, {352, 512}, {1024, 512}};
  struct graph g = make_graph(r, shapes[r->size].side);
  CUdeviceptr d_nodes = WL_UP(r, g.node, g.nodes), d_edges = WL_UP(r, g.edge, g.edges);
  struct search s = {.from = WL_DEV(r, int, g.nodes), .to = WL_DEV(r, int, g.nodes), .colour = WL_DEV(r, int, g.nodes)};
  s.cost = WL_DEV(r, int, g.nodes);
  s.tail = WL_DEV(r, int, 1);
  s.overflow = WL_ZEROS(r, int, 1);
  s.shared = WL_ZEROS(r, struct shared_words, 1);
  s.left = WL_ZEROS(r, struct left_words, 1);
  s.nodes = wl_texels(r, d_nodes, CU_AD_FORMAT_SIGNED_INT32, 2, g.nodes);
  s.edges = wl_texels(r, d_edges, CU_AD_FORMAT_SIGNED_INT32, 2, g.edges);
  s.threads = shapes[r->size].threads;
  s.blocks = wl_resident(r, "pbfs_blocks", s.threads, 0) * wl_cores(r);
  if (s.blocks > MOST_BLOCKS) s.blocks = MOST_BLOCKS;
  CU(r, cuMemsetD32(s.colour, WHITE, (size_t)g.nodes));
  CU(r, cuMemsetD32(s.cost, UNSEEN, (size_t)g.nodes));
  CU(r, cuMemsetD32(s.cost + (size_t)g.source * sizeof(int), 0, 1));
  CU(r, cuMemsetD32(s.colour + (size_t)g.source * sizeof(int), GREY, 1));
  WL_PUT(r, s.from, &g.source, 1);
  int count = 1, overflow = 0;
  for (int level = 0; count > 0; level++) {
    if (count >= s.threads * s.blocks) wl_fail(r, "a frontier of %d nodes is too large for %d blocks", count, s.blocks);
    CU(r, cuMemsetD32(s.tail, 0, 1));
    follow(r, &s, count, level);
    WL_GET(r, &count, s.tail, 1);
    WL_GET(r, &overflow, s.overflow, 1);
    if (overflow) return wl_mismatch(r, "a local queue has overflowed");
  }
  return wl_same_i32(r, "cost", WL_DOWN(r, int, s.cost, g.nodes), reference(r, &g), g.nodes);
}

const struct workload wl_pbfs = {
    .name = "pbfs",
    .suite = "Parboil",
    .pattern = "scattered nodes, edges and atomics of narrow frontiers, on one core or on all with a barrier of the grid",
    .sizes = {"64 x 64 crossings", "352 x 352 crossings", "1,024 x 1,024 crossings"},
    .ptx = wl_ptx_pbfs,
    .run = run,
};
