// Minimum cut of an image into two labels by push and relabel, a fixed schedule of kernels; the host does the same steps.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

WL_PTX(gcu);

enum { THREADS = 256, TILE_X = 32, TILE_Y = 8, KEEP_EVERY = 10, MOVED_EVERY = 11, MOST_ROUNDS = 400, CALM_ENDS = 2 };
// Bytes of shared memory that let an SM of a GTX 480 hold two blocks, as the original's registers do.
enum { TWO_BLOCKS = 17000 };
enum { LEFT, RIGHT, DOWN, UP, LINKS, EXCESS = LINKS, SINK, PARTS };

// The image as costs: of the two labels a pixel, and of different labels between neighbours. Sides are multiples of a tile's.
struct picture {
  int width, height, pixels;
  int *cost, *across, *below;
};

// Arrays of the device, as the kernels take them.
struct network {
  CUdeviceptr part[PARTS];
};

struct pulls {
  CUdeviceptr from[LINKS];
};

struct device {
  struct network network;
  struct pulls pulls;
  CUdeviceptr mask, heights[2];
};

// The same on the host.
struct host {
  int *part[PARTS], *pull[LINKS], *mask, *heights[2];
};

static float ellipse(float x, float y, float half_x, float half_y) {
  return x * x / (half_x * half_x) + y * y / (half_y * half_y) < 1.0f ? 80.0f : 0.0f;
}

static int contrast(float a, float b) { return (int)(1.0f + 50.0f * expf(-(a - b) * (a - b) / 800.0f)); }

// Two bright ellipses on a darker ground with slow waves and grain.
static struct picture make_picture(struct wl_run *r, int width, int height) {
  struct picture p = {width, height, width * height, WL_NEW(r, int, 2 * width * height), WL_NEW(r, int, width *height),
                      WL_NEW(r, int, width *height)};
  float *grey = WL_NEW(r, float, p.pixels), scale = (float)width / 256.0f;
  for (int i = 0; i < p.pixels; i++) {
    float x = (float)(i % width), y = (float)(i / width);
    float large = ellipse(x - 110.0f * scale, y - 95.0f * scale, 70.0f * scale, 60.0f * scale);
    float small = ellipse(x - 190.0f * scale, y - 60.0f * scale, 25.0f * scale, 30.0f * scale);
    grey[i] = 90.0f + fmaxf(large, small) + 25.0f * sinf(x / 17.0f) + 20.0f * cosf(y / 13.0f) + 14.0f * wl_normal(&r->rng);
    p.cost[2 * i] = (int)((grey[i] - 90.0f) * (grey[i] - 90.0f) / 60.0f);
    p.cost[2 * i + 1] = (int)((grey[i] - 170.0f) * (grey[i] - 170.0f) / 60.0f);
  }
  for (int i = 0; i < p.pixels; i++) {
    if (i % width < width - 1) p.across[i] = contrast(grey[i], grey[i + 1]);
    if (i / width < height - 1) p.below[i] = contrast(grey[i], grey[i + width]);
  }
  return p;
}

static struct host make_host(struct wl_run *r, const struct picture *p) {
  struct host h = {.mask = WL_NEW(r, int, p->pixels)};
  for (int k = 0; k < PARTS; k++) h.part[k] = WL_NEW(r, int, p->pixels);
  for (int k = 0; k < LINKS; k++) h.pull[k] = WL_NEW(r, int, p->pixels);
  for (int k = 0; k < 2; k++) {
    h.heights[k] = WL_NEW(r, int, p->pixels);
    for (int i = 0; i < p->pixels; i++) h.heights[k][i] = 1;
  }
  for (int i = 0; i < p->pixels; i++) {
    int difference = p->cost[2 * i] - p->cost[2 * i + 1];
    h.part[difference > 0 ? EXCESS : SINK][i] = abs(difference);
    if (i % p->width < p->width - 1) h.part[RIGHT][i] = h.part[LEFT][i + 1] = p->across[i];
    if (i / p->width < p->height - 1) h.part[DOWN][i] = h.part[UP][i + p->width] = p->below[i];
  }
  return h;
}

static bool inside(const struct picture *p, int i) {
  int x = i % p->width, y = i / p->width;
  return x > 0 && y > 0 && x < p->width - 1 && y < p->height - 1;
}

// Where the neighbours lie that the links lead to.
static const int *steps_of(const struct picture *p, int steps[LINKS]) {
  steps[LEFT] = -1;
  steps[RIGHT] = 1;
  steps[DOWN] = p->width;
  steps[UP] = -p->width;
  return steps;
}

static void host_push(const struct picture *p, struct host *h, const int *heights) {
  int space[LINKS];
  const int *steps = steps_of(p, space);
  for (int i = 0; i < p->pixels; i++) {
    if (h->mask[i] != 1 || !inside(p, i)) continue;
    int flow = h->part[EXCESS][i], to_sink = h->part[SINK][i] < flow ? h->part[SINK][i] : flow;
    if (to_sink > 0 && heights[i] == 1) {
      h->part[SINK][i] -= to_sink;
      flow -= to_sink;
    }
    for (int k = 0; k < LINKS; k++) {
      int room = h->part[k][i], pushed = room < flow ? room : flow;
      bool possible = pushed > 0 && heights[i] == heights[i + steps[k]] + 1;
      h->pull[k][i + steps[k]] = possible ? pushed : -1;
      if (!possible) continue;
      h->part[k][i] -= pushed;
      flow -= pushed;
    }
    h->part[EXCESS][i] = flow;
  }
}

// What came in, and whether the pixel takes part in the next push.
static void host_take(struct host *h, const int *heights, int i) {
  static const int order[LINKS] = {RIGHT, LEFT, UP, DOWN}, back[LINKS] = {LEFT, RIGHT, DOWN, UP};
  bool stuck = true, linked = h->part[SINK][i] != 0;
  for (int k = 0; k < LINKS; k++) {
    int came = h->pull[order[k]][i];
    stuck = stuck && came == -1;
    h->pull[order[k]][i] = 0;
    if (came <= 0) continue;
    h->part[back[k]][i] += came;
    h->part[EXCESS][i] += came;
  }
  for (int k = 0; k < LINKS; k++) linked = linked || h->part[k][i] != 0;
  h->mask[i] = h->part[EXCESS][i] <= 0 || !linked ? 2 : stuck && heights[i] != 1 ? 0 : 1;
}

static void host_lift(const struct picture *p, struct host *h, const int *heights, int *lifted) {
  int space[LINKS];
  const int *steps = steps_of(p, space);
  for (int i = 0; i < p->pixels; i++) {
    if (i % p->width == 0 || i < p->width) continue;
    host_take(h, heights, i);
    if (!inside(p, i)) continue;
    int lowest = p->pixels;
    for (int k = 0; k < LINKS; k++)
      if (h->part[k][i] > 0 && heights[i + steps[k]] < lowest) lowest = heights[i + steps[k]];
    lifted[i] = h->part[SINK][i] > 0 ? 1 : lowest + 1;
  }
}

static struct device make_device(struct wl_run *r, struct picture *p) {
  struct device d = {.mask = WL_DEV(r, int, p->pixels), .heights = {WL_DEV(r, int, p->pixels), WL_DEV(r, int, p->pixels)}};
  struct network wide;
  for (int k = 0; k < PARTS; k++) {
    d.network.part[k] = WL_ZEROS(r, int, p->pixels);
    wide.part[k] = WL_DEV(r, int, p->pixels);
  }
  for (int k = 0; k < LINKS; k++) d.pulls.from[k] = WL_DEV(r, int, p->pixels);
  const int differ[4] = {0, 1, 1, 0};
  CUdeviceptr cost = WL_UP(r, p->cost, 2 * p->pixels), across = WL_UP(r, p->across, p->pixels), below = WL_UP(r, p->below, p->pixels);
  CUdeviceptr smooth = WL_UP(r, differ, 4), label = WL_ZEROS(r, int, p->pixels);
  struct wl_dim grid = wl_1d(wl_blocks(p->pixels, THREADS)), block = wl_1d(THREADS);
  WL_LAUNCH(r, "gcu_weights", grid, block, TWO_BLOCKS, &d.network, &cost, &across, &below, &smooth, &label, &p->width, &p->height);
  WL_LAUNCH(r, "gcu_widen", grid, block, 0, &d.network, &wide, &p->width, &p->height, &p->width);
  WL_LAUNCH(r, "gcu_settle", grid, block, 0, &wide, &d.network, &d.pulls, &d.mask, &d.heights[0], &d.heights[1]);
  return d;
}

// Pushes and lifts until few blocks change any more, the host alongside.
static void find_flow(struct wl_run *r, struct picture *p, struct device *d, struct host *h) {
  int across = p->width / TILE_X, blocks = across * (p->height / TILE_Y), count = blocks, ends = 0;
  CUdeviceptr kept = WL_DEV(r, int, p->pixels), moved = WL_ZEROS(r, int, blocks), moved_blocks = WL_UP(r, &count, 1);
  CUdeviceptr blocks_across = WL_UP(r, &across, 1), d_going = WL_DEV(r, bool, 1);
  struct wl_dim grid = wl_2d(across, p->height / TILE_Y), block = wl_2d(TILE_X, TILE_Y);
  for (int round = 1; round <= MOST_ROUNDS && ends < CALM_ENDS; round++) {
    if (round % KEEP_EVERY == 0) {
      bool going = true;
      WL_PUT(r, d_going, &going, 1);
      WL_LAUNCH(r, "gcu_keep", grid, block, 0, &d->network.part[EXCESS], &kept, &moved_blocks, &d_going, &p->width);
      WL_GET(r, &going, d_going, 1);
      ends += !going;
    }
    if (round % MOVED_EVERY == 0) {
      CU(r, cuMemsetD32(moved, 0, (size_t)blocks));
      WL_LAUNCH(r, "gcu_moved", grid, block, 0, &d->network.part[EXCESS], &kept, &moved, &blocks_across, &p->width);
      int *list = WL_DOWN(r, int, moved, blocks);
      count = 0;
      for (int i = 0; i < blocks; i++) count += list[i];
      WL_PUT(r, moved_blocks, &count, 1);
    }
    int from = round % 2, to = 1 - from;
    WL_LAUNCH(r, "gcu_push", grid, block, 0, &d->network, &d->pulls, &d->mask, &d->heights[from], &p->width, &p->height, &p->width);
    WL_LAUNCH(r, "gcu_lift", grid, block, TWO_BLOCKS, &d->network, &d->pulls, &d->mask, &d->heights[from], &d->heights[to], &p->width,
              &p->height, &p->width);
    host_push(p, h, h->heights[from]);
    host_lift(p, h, h->heights[from], h->heights[to]);
  }
}

// The side of the cut: pixels that hold flow, and those that they can still send to, by distance.
static int *host_distances(struct wl_run *r, const struct picture *p, const struct host *h) {
  int *distance = WL_NEW(r, int, p->pixels), space[LINKS];
  const int *steps = steps_of(p, space);
  for (int i = 0; i < p->pixels; i++)
    distance[i] = inside(p, i) && h->part[EXCESS][i] > 0 ? 1 : h->part[SINK][i] > 0 ? -1 : 0;
  bool reached = true;
  for (int from = 1; reached; from++) {
    reached = false;
    for (int i = 0; i < p->pixels; i++)
      for (int k = 0; k < LINKS && inside(p, i) && distance[i] == 0; k++) {
        if (distance[i - steps[k]] != from || h->part[k][i - steps[k]] <= 0) continue;
        distance[i] = from + 1;
        reached = true;
      }
  }
  return distance;
}

static CUdeviceptr find_distances(struct wl_run *r, struct picture *p, struct device *d) {
  CUdeviceptr distance = WL_ZEROS(r, int, p->pixels), open = WL_DEV(r, bool, p->pixels), d_reached = WL_DEV(r, bool, 1);
  CUdeviceptr d_from = WL_DEV(r, int, 1);
  struct wl_dim grid = wl_1d(wl_blocks(p->pixels, THREADS)), block = wl_1d(THREADS);
  CU(r, cuMemsetD8(open, 1, (size_t)p->pixels));
  WL_LAUNCH(r, "gcu_seed", grid, block, 0, &d->network.part[EXCESS], &d->network.part[SINK], &distance, &open, &p->width, &p->height,
            &p->width);
  bool reached = true;
  for (int from = 1; reached; from++) {
    reached = false;
    WL_PUT(r, d_from, &from, 1);
    WL_PUT(r, d_reached, &reached, 1);
    WL_LAUNCH(r, "gcu_reach", grid, block, 0, &d->network, &distance, &open, &p->width, &p->height, &p->width, &d_from, &d_reached);
    WL_GET(r, &reached, d_reached, 1);
  }
  return distance;
}

static bool run(struct wl_run *r) {
  static const struct { int width, height; } shapes[WL_SIZES] = {{32, 24}, {256, 192}, {608, 448}};
  struct picture p = make_picture(r, shapes[r->size].width, shapes[r->size].height);
  struct host h = make_host(r, &p);
  struct device d = make_device(r, &p);
  find_flow(r, &p, &d, &h);
  CUdeviceptr distance = find_distances(r, &p, &d);
  bool ok = true;
  for (int k = 0; k < PARTS; k++) ok = wl_same_i32(r, "flow", WL_DOWN(r, int, d.network.part[k], p.pixels), h.part[k], p.pixels) && ok;
  return wl_same_i32(r, "distance", WL_DOWN(r, int, distance, p.pixels), host_distances(r, &p, &h), p.pixels) && ok;
}

const struct workload wl_gcu = {
    .name = "gcu",
    .suite = "Graph",
    .pattern = "coalesced sweeps over many arrays of a grid, heights in shared memory, most pixels idle",
    .sizes = {"32 x 24 pixels", "256 x 192 pixels", "608 x 448 pixels"},
    .ptx = wl_ptx_gcu,
    .run = run,
};
