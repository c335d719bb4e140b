// Particle forces in a cube of boxes.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(lavamd);

enum { NEIGHBOURS = 26, THREADS = 128 };

struct box {
  int x, y, z, number, first, count;
  int neighbour[NEIGHBOURS];
};

struct vector {
  double v, x, y, z;
};

static struct box *make_boxes(struct wl_run *r, int side, int per_box) {
  struct box *boxes = WL_NEW(r, struct box, side * side * side);
  for (int n = 0; n < side * side * side; n++) {
    struct box *b = &boxes[n];
    *b = (struct box){
        .x = n % side, .y = n / side % side, .z = n / side / side, .number = n, .first = n * per_box};
    for (int z = b->z - 1; z <= b->z + 1; z++)
      for (int y = b->y - 1; y <= b->y + 1; y++)
        for (int x = b->x - 1; x <= b->x + 1; x++) {
          bool outside = x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side;
          int other = (z * side + y) * side + x;
          if (!outside && other != n) b->neighbour[b->count++] = other;
        }
  }
  return boxes;
}

// What all particles of one box add to the force on one particle.
static void add_box(double twice, const struct vector *p, const double *charge, int count,
                    const struct vector *own, struct vector *sum) {
  for (int j = 0; j < count; j++) {
    double squared = own->v + p[j].v - (own->x * p[j].x + own->y * p[j].y + own->z * p[j].z);
    double potential = exp(-twice * squared), pull = 2.0 * potential;
    sum->v += charge[j] * potential;
    sum->x += charge[j] * pull * (own->x - p[j].x);
    sum->y += charge[j] * pull * (own->y - p[j].y);
    sum->z += charge[j] * pull * (own->z - p[j].z);
  }
}

static bool run(struct wl_run *r) {
  static const struct { int side, per_box; } shapes[WL_SIZES] = {{2, 32}, {4, 48}, {7, 100}};
  int side = shapes[r->size].side, per_box = shapes[r->size].per_box, count = side * side * side;
  int particles = count * per_box;
  double alpha = 0.5, twice = 2.0 * alpha * alpha;
  struct box *boxes = make_boxes(r, side, per_box);
  struct vector *position = WL_NEW(r, struct vector, particles), *want = WL_NEW(r, struct vector, particles);
  double *charge = WL_NEW(r, double, particles);
  for (int i = 0; i < particles; i++) {
    struct vector p = {.x = (double)wl_uniform(&r->rng, 0.1f, 1.0f),
                       .y = (double)wl_uniform(&r->rng, 0.1f, 1.0f),
                       .z = (double)wl_uniform(&r->rng, 0.1f, 1.0f)};
    p.v = p.x * p.x + p.y * p.y + p.z * p.z;
    position[i] = p;
    charge[i] = (double)wl_uniform(&r->rng, 0.1f, 1.0f);
  }
  CUdeviceptr d_boxes = WL_UP(r, boxes, count), d_position = WL_UP(r, position, particles);
  CUdeviceptr d_charge = WL_UP(r, charge, particles), d_force = WL_ZEROS(r, struct vector, particles);
  WL_LAUNCH(r, "lavamd_forces", wl_1d(count), wl_1d(THREADS), 0, &alpha, &d_boxes, &per_box, &d_position,
            &d_charge, &d_force);
  for (int i = 0; i < particles; i++) {
    const struct box *home = &boxes[i / per_box];
    for (int k = 0; k <= home->count; k++) {
      int first = boxes[k == 0 ? home->number : home->neighbour[k - 1]].first;
      add_box(twice, position + first, charge + first, per_box, &position[i], &want[i]);
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
    .sizes = {"2 x 2 x 2 boxes of 32 particles", "4 x 4 x 4 boxes of 48 particles",
              "7 x 7 x 7 boxes of 100 particles"},
    .ptx = wl_ptx_lavamd,
    .run = run,
};
