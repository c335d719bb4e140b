// Particle forces in a cube of boxes.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(lavamd);

enum { PARTICLES = 100, NEIGHBOURS = 26, THREADS = 128 };

struct neighbour {
  int x, y, z, number;
  long first;
};

struct box {
  int x, y, z, number;
  long first; // particle number of the box's first particle
  int count;
  struct neighbour neighbours[NEIGHBOURS];
};

struct vector {
  double v, x, y, z;
};

static struct box *make_boxes(struct wl_run *r, int side, int layers) {
  struct box *boxes = WL_NEW(r, struct box, side * side * layers);
  for (int n = 0; n < side * side * layers; n++) {
    struct box *b = &boxes[n];
    *b = (struct box){.x = n % side, .y = n / side % side, .z = n / side / side, .number = n, .first = (long)n * PARTICLES};
    for (int z = b->z - 1; z <= b->z + 1; z++)
      for (int y = b->y - 1; y <= b->y + 1; y++)
        for (int x = b->x - 1; x <= b->x + 1; x++) {
          bool outside = x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= layers;
          int other = (z * side + y) * side + x;
          if (!outside && other != n) b->neighbours[b->count++] = (struct neighbour){x, y, z, other, (long)other * PARTICLES};
        }
  }
  return boxes;
}

// What all particles of one box add to the force on one particle.
static void add_box(double twice, const struct vector *p, const double *charge, const struct vector *own, struct vector *sum) {
  for (int j = 0; j < PARTICLES; j++) {
    double squared = own->v + p[j].v - (own->x * p[j].x + own->y * p[j].y + own->z * p[j].z);
    double potential = exp(-twice * squared), pull = 2.0 * potential;
    sum->v += charge[j] * potential;
    sum->x += charge[j] * pull * (own->x - p[j].x);
    sum->y += charge[j] * pull * (own->y - p[j].y);
    sum->z += charge[j] * pull * (own->z - p[j].z);
  }
}

// One of 0.1, 0.2, .. 1.0.
static double tenths(struct wl_run *r) { return (wl_below(&r->rng, 10) + 1) / 10.0; }

static bool run(struct wl_run *r) {
  static const struct { int side, layers; } shapes[WL_SIZES] = {{2, 1}, {4, 4}, {7, 7}};
  int side = shapes[r->size].side, layers = shapes[r->size].layers, particles = side * side * layers * PARTICLES;
  long count = (long)side * side * layers;
  double alpha = 0.5, twice = 2.0 * alpha * alpha;
  struct box *boxes = make_boxes(r, side, layers);
  struct vector *position = WL_NEW(r, struct vector, particles), *want = WL_NEW(r, struct vector, particles);
  double *charge = WL_NEW(r, double, particles);
  for (int i = 0; i < particles; i++) {
    position[i] = (struct vector){tenths(r), tenths(r), tenths(r), tenths(r)};
    charge[i] = tenths(r);
  }
  CUdeviceptr d_boxes = WL_UP(r, boxes, count), d_position = WL_UP(r, position, particles);
  CUdeviceptr d_charge = WL_UP(r, charge, particles), d_force = WL_ZEROS(r, struct vector, particles);
  WL_LAUNCH(r, "lavamd_forces", wl_1d(count), wl_1d(THREADS), 0, &alpha, &count, &d_boxes, &d_position, &d_charge,
            &d_force);
  for (int i = 0; i < particles; i++) {
    const struct box *home = &boxes[i / PARTICLES];
    for (int k = 0; k <= home->count; k++) {
      long first = k == 0 ? home->first : home->neighbours[k - 1].first;
      add_box(twice, position + first, charge + first, &position[i], &want[i]);
    }
  }
  struct vector *got = WL_DOWN(r, struct vector, d_force, particles);
  return wl_near_f64(r, "force", &got->v, &want->v, 4L * particles, 1e-6, 1e-6);
}

const struct workload wl_lavamd = {
    .name = "lavamd",
    .suite = "Rodinia",
    .pattern =
        "32-byte particle records of a box and its neighbours staged in shared memory; double precision",
    .sizes = {"2 x 2 x 1 boxes of 100 particles", "4 x 4 x 4 boxes of 100 particles", "7 x 7 x 7 boxes of 100 particles"},
    .ptx = wl_ptx_lavamd,
    .run = run,
};
