// Minimum cut of an image into object and background. The result proves itself: a flow and a cut of equal
// size are both optimal.
#include "common/inputs.h"
#include "common/wl.h"
#include <string.h>

WL_PTX(gcu);

enum { THREADS = 256, FAR = 1 << 28, PUSHES = 8, DIRECTIONS = 4 };

struct cut {
  int width, height, pixels;
  int *link, *source, *sink; // what the links can carry
};

static int neighbour(const struct cut *c, int pixel, int d) {
  int x = pixel % c->width, y = pixel / c->width;
  if (d == 0) return x + 1 < c->width ? pixel + 1 : -1;
  if (d == 1) return x > 0 ? pixel - 1 : -1;
  if (d == 2) return y + 1 < c->height ? pixel + c->width : -1;
  return y > 0 ? pixel - c->width : -1;
}

// Bright pixels hang on the source, dark ones on the sink; similar neighbours hold together strongly.
static struct cut make_cut(struct wl_run *r, int width, int height) {
  struct cut c = {.width = width, .height = height, .pixels = width * height};
  const float *image = wl_image(r, width, height);
  c.link = WL_NEW(r, int, DIRECTIONS *c.pixels);
  c.source = WL_NEW(r, int, c.pixels);
  c.sink = WL_NEW(r, int, c.pixels);
  for (int p = 0; p < c.pixels; p++) {
    int level = (int)(256.0f * image[p]);
    if (level > 110) c.source[p] = (level - 110) / 2;
    if (level < 90) c.sink[p] = (90 - level) / 2;
    for (int d = 0; d < DIRECTIONS; d++) {
      int other = neighbour(&c, p, d);
      if (other < 0) continue;
      int step = level - (int)(256.0f * image[other]);
      c.link[d * c.pixels + p] = 2 + 600 / (10 + (step < 0 ? -step : step));
    }
  }
  return c;
}

// The flow must keep to the links, and what is left over must be what flowed in.
static bool check_flow(struct wl_run *r, const struct cut *c, const int *link, const int *sink,
                       const int *excess) {
  for (int p = 0; p < c->pixels; p++) {
    int left = c->source[p] - (c->sink[p] - sink[p]);
    for (int d = 0; d < DIRECTIONS; d++) {
      int other = neighbour(c, p, d), here = d * c->pixels + p;
      if (other < 0) continue;
      int there = (d ^ 1) * c->pixels + other;
      if (link[here] < 0 || link[here] + link[there] != c->link[here] + c->link[there])
        return wl_mismatch(r, "the link from pixel %d to %d is overdrawn", p, other);
      left -= c->link[here] - link[here];
    }
    if (sink[p] < 0 || left != excess[p] || left < 0)
      return wl_mismatch(r, "pixel %d holds %d, should hold %d", p, excess[p], left);
  }
  return true;
}

// Pixels from which the sink can still be reached are background; the links into them are the cut.
static bool check_cut(struct wl_run *r, const struct cut *c, const int *label, const int *sink) {
  long size = 0, flow = 0;
  for (int p = 0; p < c->pixels; p++) {
    bool background = label[p] < FAR;
    flow += c->sink[p] - sink[p];
    size += background ? c->source[p] : c->sink[p];
    for (int d = 0; d < DIRECTIONS; d++) {
      int other = neighbour(c, p, d);
      if (other >= 0 && !background && label[other] < FAR) size += c->link[d * c->pixels + p];
    }
  }
  return size == flow || wl_mismatch(r, "the cut is %ld, the flow %ld", size, flow);
}

struct device {
  CUdeviceptr link, sink, excess, label, lifted, flag;
  struct wl_dim grid, block;
};

static void find_distances(struct wl_run *r, struct cut *c, struct device *d) {
  int changed;
  CU(r, cuMemsetD32(d->label, FAR, (size_t)c->pixels));
  do {
    CU(r, cuMemsetD32(d->flag, 0, 1));
    WL_LAUNCH(r, "gcu_distance", d->grid, d->block, 0, &d->link, &d->sink, &c->width, &c->height, &d->label,
              &d->flag);
    WL_GET(r, &changed, d->flag, 1);
  } while (changed);
}

// Pushes and lifts a few times; false when no pixel has anything left that could reach the sink.
static bool push(struct wl_run *r, struct cut *c, struct device *d) {
  int active = 1;
  for (int i = 0; i < PUSHES && active; i++) {
    CU(r, cuMemsetD32(d->flag, 0, 1));
    WL_LAUNCH(r, "gcu_push", d->grid, d->block, 0, &d->link, &d->sink, &d->excess, &d->label, &c->width,
              &c->height);
    WL_LAUNCH(r, "gcu_lift", d->grid, d->block, 0, &d->link, &d->sink, &d->excess, &d->label, &c->width,
              &c->height, &d->lifted, &d->flag);
    WL_GET(r, &active, d->flag, 1);
    CUdeviceptr swap = d->label;
    d->label = d->lifted;
    d->lifted = swap;
  }
  return active != 0;
}

static bool run(struct wl_run *r) {
  static const int sides[WL_SIZES] = {32, 96, 256};
  struct cut c = make_cut(r, sides[r->size], sides[r->size]);
  struct device d = {.link = WL_UP(r, c.link, DIRECTIONS * c.pixels),
                     .sink = WL_UP(r, c.sink, c.pixels),
                     .excess = WL_UP(r, c.source, c.pixels),
                     .label = WL_DEV(r, int, c.pixels),
                     .lifted = WL_DEV(r, int, c.pixels),
                     .flag = WL_DEV(r, int, 1),
                     .grid = wl_1d(wl_blocks(c.pixels, THREADS)),
                     .block = wl_1d(THREADS)};
  do find_distances(r, &c, &d);
  while (push(r, &c, &d));
  find_distances(r, &c, &d);

  int *sink = WL_DOWN(r, int, d.sink, c.pixels), *label = WL_DOWN(r, int, d.label, c.pixels);
  return check_flow(r, &c, WL_DOWN(r, int, d.link, DIRECTIONS *c.pixels), sink,
                    WL_DOWN(r, int, d.excess, c.pixels)) &&
         check_cut(r, &c, label, sink);
}

const struct workload wl_gcu = {
    .name = "gcu",
    .suite = "Graph",
    .pattern = "coalesced sweeps over a grid, most pixels idle, sparse atomics to neighbours",
    .sizes = {"32 x 32 pixels", "96 x 96 pixels", "256 x 256 pixels"},
    .ptx = wl_ptx_gcu,
    .run = run,
};
