// Online clustering: the host proposes centres in turn, the device computes each point's gain, the host adds
// them up, opens the centre where that pays, and closes centres that have become needless.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(streamcluster);

enum { THREADS = 512, FIRST_CENTRES = 11 };

struct point {
  float weight;
  uint64_t host; // an address of the host, which the device does not read
  int64_t centre;
  float cost;
};

struct cluster {
  int points, dims, centres;
  float *coordinates;
  struct point *p;
  int *place;      // of each point that is a centre, its number among the centres
  bool *is_centre; // of each point
};

static float distance(const struct cluster *c, int a, int b) {
  float sum = 0.0f;
  for (int d = 0; d < c->dims; d++) {
    float difference = c->coordinates[d * c->points + a] - c->coordinates[d * c->points + b];
    sum += difference * difference;
  }
  return sum;
}

static void number_centres(struct cluster *c) {
  c->centres = 0;
  for (int i = 0; i < c->points; i++)
    if (c->is_centre[i]) c->place[i] = c->centres++;
}

// A point whose two costs are as near as rounding can tell may go either way.
static bool check(struct wl_run *r, const struct cluster *c, int candidate, const float *work,
                  const uint8_t *moves) {
  int width = c->centres + 1;
  for (int i = 0; i < c->points; i++) {
    const struct point *p = &c->p[i];
    float want = distance(c, i, candidate) * p->weight - p->cost,
          room = 1e-4f * (p->cost + fabsf(want)) + 1e-5f;
    float got = moves[i] ? work[i * width + c->centres] : -work[i * width + c->place[p->centre]];
    if (fabsf(got - want) > room || (moves[i] ? want > room : want < -room))
      return wl_mismatch(r, "point %d, candidate %d: %s by %g, want %g", i, candidate,
                         moves[i] ? "moves" : "stays", (double)got, (double)want);
  }
  return true;
}

// Opens the candidate if the savings exceed its price, and closes the centres whose remaining points lose
// less by going to the candidate than the centre costs.
static void decide(struct wl_run *r, struct cluster *c, int candidate, const float *work,
                   const uint8_t *moves, float price) {
  int width = c->centres + 1;
  double *lower = WL_NEW(r, double, width), gain = (double)-price;
  for (int i = 0; i < c->points; i++)
    for (int k = 0; k < width; k++) lower[k] += (double)(k == c->centres ? work[i * width + k] : -work[i * width + k]);
  gain -= lower[c->centres];
  for (int k = 0; k < c->centres; k++)
    if (lower[k] < (double)price) gain += (double)price - lower[k];
  if (gain <= 0.0) return;
  for (int i = 0; i < c->points; i++) {
    struct point *p = &c->p[i];
    if (!moves[i] && lower[c->place[p->centre]] >= (double)price) continue;
    p->cost = distance(c, i, candidate) * p->weight;
    p->centre = candidate;
  }
  for (int i = 0; i < c->points; i++)
    if (c->is_centre[i] && lower[c->place[i]] < (double)price) c->is_centre[i] = false;
  c->is_centre[candidate] = true;
  number_centres(c);
}

static struct cluster make_cluster(struct wl_run *r, int points, int dims) {
  struct cluster c = {.points = points, .dims = dims};
  c.coordinates = wl_floats(r, points * dims, 0.0f, 1.0f);
  c.p = WL_NEW(r, struct point, points);
  c.place = WL_NEW(r, int, points);
  c.is_centre = WL_NEW(r, bool, points);
  // A first pass has opened some centres: each point belongs to the nearest.
  for (int k = 0; k < FIRST_CENTRES; k++) c.is_centre[k * (points / FIRST_CENTRES)] = true;
  for (int i = 0; i < points; i++) {
    c.p[i] = (struct point){.weight = 1.0f, .host = UINT64_C(0x7f3c5a000010) + (uint64_t)i * (uint64_t)dims * 4, .cost = INFINITY};
    for (int k = 0; k < FIRST_CENTRES; k++) {
      int centre = k * (points / FIRST_CENTRES);
      float cost = distance(&c, i, centre);
      if (cost >= c.p[i].cost) continue;
      c.p[i].cost = cost;
      c.p[i].centre = centre;
    }
  }
  number_centres(&c);
  return c;
}

static bool run(struct wl_run *r) {
  static const struct {
    int points, dims, candidates;
  } shapes[WL_SIZES] = {{2048, 32, 3}, {16384, 64, 6}, {16384, 256, 30}};
  int n = shapes[r->size].points, dims = shapes[r->size].dims, candidates = shapes[r->size].candidates;
  struct cluster c = make_cluster(r, n, dims);
  CUdeviceptr d_coordinates = WL_UP(r, c.coordinates, n * dims), d_p = WL_DEV(r, struct point, n);
  CUdeviceptr d_place = WL_DEV(r, int, n), d_moves = WL_DEV(r, uint8_t, n);
  CUdeviceptr d_work = WL_DEV(r, float, n *(candidates + FIRST_CENTRES + 1));
  float *work = WL_NEW(r, float, n *(candidates + FIRST_CENTRES + 1));
  uint8_t *moves = WL_NEW(r, uint8_t, n);
  float price = 0.0f; // of a centre: half of what one centre for all would cost, where the search for the right number starts
  for (int i = 0; i < n; i++) price += 0.5f * distance(&c, i, 0);
  for (int i = 0; i < candidates; i++) {
    int64_t candidate = (int64_t)wl_below(&r->rng, (uint32_t)n);
    if (c.is_centre[candidate]) continue;
    WL_PUT(r, d_p, c.p, n);
    WL_PUT(r, d_place, c.place, n);
    CU(r, cuMemsetD8(d_moves, 0, (size_t)n));
    CU(r, cuMemsetD8(d_work, 0, (size_t)(n * (c.centres + 1)) * sizeof(float)));
    int64_t centres = c.centres;
    WL_LAUNCH(r, "sc_pgain", wl_1d(wl_blocks(n, THREADS)), wl_1d(THREADS), 0, &n, &dims, &candidate, &d_p,
              &centres, &d_coordinates, &d_work, &d_place, &d_moves);
    WL_GET(r, work, d_work, n * (c.centres + 1));
    WL_GET(r, moves, d_moves, n);
    if (!check(r, &c, (int)candidate, work, moves)) return false;
    decide(r, &c, (int)candidate, work, moves, price);
  }
  return true;
}

const struct workload wl_streamcluster = {
    .name = "streamcluster",
    .suite = "Rodinia",
    .pattern =
        "dimension-major coordinates in whole lines, one broadcast line a dimension, strided work rows",
    .sizes = {"2,048 points, 32 dimensions, 3 candidates", "16,384 points, 64 dimensions, 6 candidates",
              "16,384 points, 256 dimensions, 30 candidates"},
    .ptx = wl_ptx_streamcluster,
    .run = run,
};
