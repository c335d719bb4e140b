/* The 2D mesh: one router for each tile, and one physical network for requests and replies, each with virtual
 * channels of their own (noc.vcs for each), so that a reply never waits for a request.
 *
 * Routing is in dimension order, first along the row and then along the column, so the channels of a class cannot
 * wait for each other in a cycle. A tile holds one SM, or one memory controller with its L2 slices, which share the
 * tile's port (one flit a cycle in, one out). The SMs are on the tiles without controllers, row by row.
 *
 * noc.mesh_placement says where the controllers are. The paper behind the 8x8 mesh of 56 SMs and 8 controllers does
 * not say where it has them. It used GPGPU-Sim 3.2.2, which has one map for exactly this number of nodes
 * (interconnection option use_map), so that is the default, "gpgpusim". It keeps controllers apart: no two in a row,
 * at most two in a column, none in a corner. "rows" and "columns" are the usual placements on the edges; "diagonal"
 * and "diamond" are those of Abts et al. (ISCA 2009), with one and two controllers in every row and column.
 *
 * A tile may be empty; then it is only a router. Simplified: see router.h. */
#include "noc/router.h"

#include <string.h>

enum { EAST, WEST, NORTH, SOUTH, LOCAL, PORTS };

static const struct policy *const placements[];
static const struct cfg_key keys[] = {
    {"noc.mesh_width", CFG_INT, "8", 1, 64, NULL, "tiles", "tiles in a row of the mesh"},
    {"noc.mesh_height", CFG_INT, "8", 1, 64, NULL, "tiles", "tiles in a column of the mesh"},
    {"noc.mesh_placement", CFG_CHOICE, "gpgpusim", 0, 0, placements, "",
     "which tiles of the mesh hold memory controllers"},
    {0},
};

struct plan {
  uint32_t width, height, controllers, sms;
  uint32_t *tile; /* per controller */
  uint32_t *sm;   /* per SM: its tile */
  bool *taken;    /* per tile */
};

/* ---- placement ---- */

/* GPGPU-Sim's maps, for square meshes. */
static const struct {
  uint32_t controllers, side;
  uint32_t tile[11];
} maps[] = {
    {8, 4, {1, 3, 4, 6, 9, 11, 12, 14}},
    {8, 6, {3, 7, 10, 12, 23, 25, 28, 32}},
    {8, 8, {3, 15, 17, 29, 36, 47, 49, 61}},
    {11, 11, {12, 20, 25, 28, 57, 60, 63, 92, 95, 100, 108}},
};

static bool place_gpgpusim(struct plan *p) {
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
    if (maps[i].side != p->width || maps[i].side != p->height) continue;
    if (maps[i].controllers != p->controllers) continue;
    memcpy(p->tile, maps[i].tile, p->controllers * sizeof *p->tile);
    return true;
  }
  return false;
}

/* n of them at equal distances over `length` tiles, in the middle of their shares. */
static uint32_t spread(uint32_t i, uint32_t n, uint32_t length) { return (2 * i + 1) * length / (2 * n); }

/* Half of them on each of two opposite edges. */
static bool place_edges(struct plan *p, bool rows) {
  uint32_t length = rows ? p->width : p->height, across = rows ? p->height : p->width;
  uint32_t half = (p->controllers + 1) / 2;
  if (half > length || across < 2) return false;
  for (uint32_t i = 0; i < p->controllers; i++) {
    bool far = i >= half;
    uint32_t at = spread(far ? i - half : i, far ? p->controllers - half : half, length);
    uint32_t edge = far ? across - 1 : 0;
    p->tile[i] = rows ? edge * p->width + at : at * p->width + edge;
  }
  return true;
}

static bool place_diagonal(struct plan *p) {
  if (p->width != p->height || p->controllers > p->width) return false;
  for (uint32_t i = 0; i < p->controllers; i++)
    p->tile[i] = spread(i, p->controllers, p->width) * (p->width + 1);
  return true;
}

static bool place_diamond(struct plan *p) {
  uint32_t w = p->width;
  if (w != p->height || w % 2 || p->controllers != 2 * w) return false;
  for (uint32_t y = 0; y < w; y++) {
    uint32_t out = y < w / 2 ? y : w - 1 - y;
    p->tile[2 * y] = y * w + w / 2 - 1 - out;
    p->tile[2 * y + 1] = y * w + w / 2 + out;
  }
  return true;
}

static bool place_rows(struct plan *p) { return place_edges(p, true); }
static bool place_columns(struct plan *p) { return place_edges(p, false); }

/* Puts the controllers on their tiles; false: there is no such placement of so many. */
struct placement {
  struct policy policy;
  bool (*place)(struct plan *p);
};
static const struct placement gpgpusim = {{.name = "gpgpusim", .meaning = "memory controllers where GPGPU-Sim has them"}, place_gpgpusim},
                              rows = {{.name = "rows", .meaning = "memory controllers on the first and last row"}, place_rows},
                              columns = {{.name = "columns", .meaning = "memory controllers on the first and last column"}, place_columns},
                              diagonal = {{.name = "diagonal", .meaning = "memory controllers along the diagonal"}, place_diagonal},
                              diamond = {{.name = "diamond", .meaning = "memory controllers along a diamond, two in each "
                                                                        "row"}, place_diamond};
static const struct policy *const placements[] = {&gpgpusim.policy, &rows.policy, &columns.policy, &diagonal.policy, &diamond.policy,
                                                 NULL};

static void place_sms(struct plan *p) {
  for (uint32_t i = 0; i < p->controllers; i++) p->taken[p->tile[i]] = true;
  for (uint32_t i = 0, t = 0; i < p->sms; i++, t++) {
    while (p->taken[t]) t++;
    p->sm[i] = t;
  }
}

/* ---- the graph ---- */

static uint32_t port_towards(const struct plan *p, uint32_t from, uint32_t to) {
  uint32_t x = from % p->width, y = from / p->width, to_x = to % p->width, to_y = to / p->width;
  if (to_x != x) return to_x > x ? EAST : WEST;
  if (to_y != y) return to_y > y ? SOUTH : NORTH;
  return LOCAL;
}

static void link_tiles(struct noc_net *n, const struct plan *p) {
  for (uint32_t t = 0; t < p->width * p->height; t++) {
    if (t % p->width + 1 < p->width) {
      noc_net_link(n, t, EAST, t + 1, WEST);
      noc_net_link(n, t + 1, WEST, t, EAST);
    }
    if (t / p->width + 1 < p->height) {
      noc_net_link(n, t, SOUTH, t + p->width, NORTH);
      noc_net_link(n, t + p->width, NORTH, t, SOUTH);
    }
  }
}

/* Terminal ports of one tile: network inputs and outputs first_in, first_out and count - 1 after them. */
static void attach(struct noc_net *n, const struct plan *p, uint32_t tile, uint32_t first_in,
                   uint32_t first_out, uint32_t count) {
  noc_net_source(n, tile, LOCAL, first_in, count);
  noc_net_sink(n, tile, LOCAL);
  for (uint32_t t = 0; t < p->width * p->height; t++)
    for (uint32_t d = first_out; d < first_out + count; d++) noc_net_route(n, t, d, port_towards(p, t, tile));
}

static struct noc *make_net(const struct plan *p, const struct noc_config *c, const struct noc_shape *shape) {
  extern const struct noc_topology noc_mesh;
  uint32_t tiles = p->width * p->height, ends = p->sms + p->controllers;
  uint32_t slices = shape->slices / p->controllers;
  struct noc_net_size size = {tiles, tiles * PORTS, tiles * PORTS, ends, ends};
  struct noc_net *n = noc_net_new(&noc_mesh, c, shape, &size);
  for (uint32_t t = 0; t < tiles; t++) noc_net_router(n, "tile", t, PORTS, PORTS);
  link_tiles(n, p);
  for (uint32_t i = 0; i < p->sms; i++) attach(n, p, p->sm[i], i, shape->slices + i, 1);
  for (uint32_t i = 0; i < p->controllers; i++)
    attach(n, p, p->tile[i], p->sms + i * slices, i * slices, slices);
  return noc_net_ready(n);
}

/* ---- from the configuration ---- */

static bool fits(const struct cfg *cfg, const struct noc_config *c, const struct plan *p, uint32_t slices,
                 struct err *e) {
  if (!noc_net_fits(cfg, c, e)) return false;
  if (slices % p->controllers)
    return cfg_complain(cfg, "dram.channels", e, "%u controllers do not share %u L2 slices evenly",
                        p->controllers, slices);
  if (p->sms + p->controllers > p->width * p->height)
    return cfg_complain(cfg, "noc.mesh_width", e,
                        "a mesh of %u x %u tiles does not hold %u SMs and %u memory controllers", p->width,
                        p->height, p->sms, p->controllers);
  return true;
}

static bool complain_placement(const struct cfg *cfg, const struct plan *p, struct err *e) {
  return cfg_complain(cfg, "noc.mesh_placement", e,
                      "there is no such placement of %u controllers on %u x %u tiles; gpgpusim is 8 on 4x4, "
                      "6x6 or 8x8 and 11 on 11x11; diagonal needs a square with at most one a row, diamond a "
                      "square with two a row; rows and columns hold two edges",
                      p->controllers, p->width, p->height);
}

static struct noc *create(const struct cfg *cfg, const struct noc_config *c, const struct noc_shape *shape,
                          struct err *e) {
  struct plan p = {.width = (uint32_t)cfg_int(cfg, "noc.mesh_width"),
                   .height = (uint32_t)cfg_int(cfg, "noc.mesh_height"),
                   .controllers = (uint32_t)cfg_int(cfg, "dram.channels"),
                   .sms = shape->sms};
  if (!fits(cfg, c, &p, shape->slices, e)) return NULL;
  struct noc *n = NULL;
  p.tile = must_alloc(p.controllers * sizeof *p.tile);
  p.sm = must_alloc(p.sms * sizeof *p.sm);
  p.taken = must_alloc(p.width * p.height * sizeof *p.taken);
  const struct placement *how = cfg_policy(cfg, "noc.mesh_placement");
  if (how->place(&p)) {
    place_sms(&p);
    n = make_net(&p, c, shape);
  } else {
    complain_placement(cfg, &p, e);
  }
  free(p.tile);
  free(p.sm);
  free(p.taken);
  return n;
}

/* On average a third of each side, each way. */
static double beyond(const struct cfg *cfg, bool bypassed) {
  (void)bypassed;
  double hops = (double)(cfg_int(cfg, "noc.mesh_width") + cfg_int(cfg, "noc.mesh_height")) / 3;
  return 2 * hops * (noc_router_cycles(cfg) + (double)cfg_int(cfg, "noc.link_latency"));
}

/* Tiles fill the die; the way from a router to its own tile is part of the router. Links of rows and columns are taken
 * to be of one length, the mean. */
static void hardware(const struct cfg *cfg, const struct noc_shape *shape, struct noc_hardware *h) {
  (void)shape;
  uint32_t w = (uint32_t)cfg_int(cfg, "noc.mesh_width"), tall = (uint32_t)cfg_int(cfg, "noc.mesh_height");
  noc_add_routers(h, &(struct noc_router_kind){"tile", w * tall, PORTS, PORTS, false, true, false});
  uint32_t links = 2 * ((w - 1) * tall + w * (tall - 1));
  noc_add_links(h, &(struct noc_link_kind){"between tiles", links, (1.0 / w + 1.0 / tall) / 2, false, false});
}

const struct noc_topology noc_mesh = {
    .policy = {.name = "mesh", .meaning = "2D mesh, dimension-order routing, requests and replies on one network",
               .keys = keys},
    .both = true, .create = create, .tick = noc_net_tick, .explain = noc_net_explain, .beyond = beyond, .inside = noc_net_inside,
    .destroy = noc_net_destroy, .hardware = hardware};
