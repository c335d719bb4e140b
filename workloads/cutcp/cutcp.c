// Cutoff Coulomb potential of a box of water. Atoms that overflow their bin of eight are added on the host. Of a large box not all
// layers of regions are computed.
#include "common/wl.h"
#include <math.h>

WL_PTX(cutcp);

enum { SIDE = 8, REGION_POINTS = SIDE * SIDE * SIDE, BIN_ATOMS = 8, MARGIN = 3, MOST_IN_REACH = 343 };

static const float bin_length = 4.0f, spacing = 0.5f, cutoff = 12.0f, padding = 0.5f, apart = 2.6f;

struct atom {
  float x, y, z, charge;
};

struct scene {
  int regions[3]; // along each side, and bins that may have atoms
  int bins[3];    // along each side, with the margins
  int slots, extra_count;
  struct atom *atoms; // bin after bin
  struct atom *extra; // those that found their bin full
  float *oxygens;     // x, y, z of the molecules placed so far
  int molecules;
  int cells[3], *first, *next; // molecules by cube of side `apart`: the last one placed there, and for each the one before it or -1
  const float *side;           // of the box of water
  int layers;                  // that are computed
};

static int bin_of(const struct scene *s, const struct atom *a) {
  int x = (int)(a->x / bin_length), y = (int)(a->y / bin_length), z = (int)(a->z / bin_length);
  return ((z + MARGIN) * s->bins[1] + y + MARGIN) * s->bins[0] + x + MARGIN;
}

// Keeps an atom that lies inside the box.
static void add_atom(struct scene *s, float x, float y, float z, float charge) {
  if (x < 0.0f || y < 0.0f || z < 0.0f || x >= s->side[0] || y >= s->side[1] || z >= s->side[2]) return;
  struct atom a = {x + padding, y + padding, z + padding, charge};
  struct atom *bin = s->atoms + bin_of(s, &a) * BIN_ATOMS;
  for (int i = 0; i < BIN_ATOMS; i++)
    if (bin[i].charge == 0.0f) {
      bin[i] = a;
      return;
    }
  s->extra[s->extra_count++] = a;
}

static int cell_of(const struct scene *s, int x, int y, int z) { return (z * s->cells[1] + y) * s->cells[0] + x; }

static bool is_near(const struct scene *s, int cell, const float *p) {
  for (int i = s->first[cell]; i >= 0; i = s->next[i]) {
    const float *o = s->oxygens + 3 * i;
    float dx = o[0] - p[0], dy = o[1] - p[1], dz = o[2] - p[2];
    if (dx * dx + dy * dy + dz * dz < apart * apart) return true;
  }
  return false;
}

static bool is_free(const struct scene *s, const float *p) {
  int from[3], to[3];
  for (int k = 0; k < 3; k++) {
    int at = (int)(p[k] / apart);
    from[k] = at > 0 ? at - 1 : 0;
    to[k] = at + 1 < s->cells[k] ? at + 1 : at;
  }
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++)
      for (int x = from[0]; x <= to[0]; x++)
        if (is_near(s, cell_of(s, x, y, z), p)) return false;
  return true;
}

static void place(struct scene *s, const float *p) {
  int cell = cell_of(s, (int)(p[0] / apart), (int)(p[1] / apart), (int)(p[2] / apart)), i = s->molecules++;
  for (int k = 0; k < 3; k++) s->oxygens[3 * i + k] = p[k];
  s->next[i] = s->first[cell];
  s->first[cell] = i;
}

// An oxygen and two hydrogens 0.957 away from it, at 104.5 degrees to each other.
static void add_molecule(struct wl_run *r, struct scene *s, const float *p) {
  float axis[2][3], length[2];
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 3; i++) axis[k][i] = wl_normal(&r->rng);
    if (k == 1) { // at a right angle to the first
      float along = axis[0][0] * axis[1][0] + axis[0][1] * axis[1][1] + axis[0][2] * axis[1][2];
      for (int i = 0; i < 3; i++) axis[1][i] -= along * axis[0][i];
    }
    length[k] = sqrtf(axis[k][0] * axis[k][0] + axis[k][1] * axis[k][1] + axis[k][2] * axis[k][2]);
    for (int i = 0; i < 3; i++) axis[k][i] /= length[k];
  }
  add_atom(s, p[0], p[1], p[2], -0.834f);
  for (int k = -1; k <= 1; k += 2) {
    float a = 0.957f * 0.6122f, b = (float)k * 0.957f * 0.7907f; // cosine and sine of half the angle
    float h[3];
    for (int i = 0; i < 3; i++) h[i] = p[i] + a * axis[0][i] + b * axis[1][i];
    add_atom(s, h[0], h[1], h[2], 0.417f);
  }
}

static void make_atoms(struct wl_run *r, struct scene *s) {
  int wanted = (int)(s->side[0] * s->side[1] * s->side[2] * 0.0333f);
  s->atoms = WL_NEW(r, struct atom, s->slots);
  s->extra = WL_NEW(r, struct atom, 3 * wanted);
  s->oxygens = WL_NEW(r, float, 3 * wanted);
  s->next = WL_NEW(r, int, wanted);
  for (int k = 0; k < 3; k++) s->cells[k] = (int)(s->side[k] / apart) + 1;
  int cells = s->cells[0] * s->cells[1] * s->cells[2];
  s->first = WL_NEW(r, int, cells);
  for (int i = 0; i < cells; i++) s->first[i] = -1;
  for (int tries = 0; s->molecules < wanted && tries < 1000 * wanted; tries++) {
    float p[3];
    for (int i = 0; i < 3; i++) p[i] = wl_uniform(&r->rng, 0.0f, s->side[i]);
    if (!is_free(s, p)) continue;
    place(s, p);
    add_molecule(r, s, p);
  }
}

// Bins no part of which is farther than the cutoff from all parts of the region.
static int make_reach(int (*list)[3]) {
  int count = 0;
  for (int z = -MARGIN; z <= MARGIN; z++)
    for (int y = -MARGIN; y <= MARGIN; y++)
      for (int x = -MARGIN; x <= MARGIN; x++) {
        int d[3] = {x, y, z};
        float squared = 0.0f;
        for (int k = 0; k < 3; k++) {
          float gap = (float)(d[k] < 0 ? -d[k] - 1 : d[k] > 0 ? d[k] - 1 : 0) * bin_length;
          squared += gap * gap;
        }
        if (squared > cutoff * cutoff) continue;
        for (int k = 0; k < 3; k++) list[count][k] = d[k];
        count++;
      }
  return count;
}

// Points along one side, from `from` to before `to`, that may be within the cutoff of a coordinate.
static void near_points(float at, int points, int *from, int *to) {
  int low = (int)((at - cutoff) / spacing) - 1, high = (int)((at + cutoff) / spacing) + 2;
  *from = low > 0 ? low : 0;
  *to = high < points ? high : points;
}

// Adds one atom to all lattice points within the cutoff; regions follow each other, and so do the points of a region.
static void scatter(const struct scene *s, const struct atom *a, float *lattice) {
  const int *n = s->regions;
  int from[3], to[3];
  near_points(a->x, n[0] * SIDE, &from[0], &to[0]);
  near_points(a->y, n[1] * SIDE, &from[1], &to[1]);
  near_points(a->z, s->layers * SIDE, &from[2], &to[2]);
  for (int z = from[2]; z < to[2]; z++)
    for (int y = from[1]; y < to[1]; y++) {
      float dy = a->y - (float)y * spacing, dz = a->z - (float)z * spacing, flat = dy * dy + dz * dz;
      if (flat >= cutoff * cutoff) continue;
      for (int x = from[0]; x < to[0]; x++) {
        float dx = a->x - (float)x * spacing, squared = flat + dx * dx;
        if (squared >= cutoff * cutoff) continue;
        float fade = 1.0f - squared / (cutoff * cutoff);
        int region = (z / SIDE * n[1] + y / SIDE) * n[0] + x / SIDE;
        lattice[region * REGION_POINTS + (z % SIDE * SIDE + y % SIDE) * SIDE + x % SIDE] += a->charge / sqrtf(squared) * fade * fade;
      }
    }
}

static bool run(struct wl_run *r) {
  static const struct {
    float side[3];
    int layers; // that are computed at most
  } boxes[WL_SIZES] = {{{4.0f, 4.0f, 4.0f}, 2}, {{100.0f, 23.0f, 3.0f}, 1}, {{100.0f, 100.0f, 100.0f}, 1}};
  struct scene s = {.slots = BIN_ATOMS, .side = boxes[r->size].side, .layers = boxes[r->size].layers};
  for (int i = 0; i < 3; i++) {
    s.regions[i] = (int)ceilf((s.side[i] + 2.0f * padding) / bin_length);
    s.bins[i] = s.regions[i] + 2 * MARGIN;
    s.slots *= s.bins[i];
  }
  make_atoms(r, &s);
  int(*list)[3] = wl_host(r, MOST_IN_REACH, sizeof *list), in_reach = make_reach(list);
  int points = s.regions[0] * s.regions[1] * s.layers * REGION_POINTS;
  float cutoff2 = cutoff * cutoff, inverse = 1.0f / cutoff2, h = spacing;
  wl_put_symbol(r, "in_reach", &in_reach, sizeof in_reach);
  wl_put_symbol(r, "reach", list, (size_t)in_reach * sizeof *list);
  // The first bin that may have atoms; those of the margin lie before it too.
  CUdeviceptr d_atoms = WL_UP(r, s.atoms, s.slots), d_lattice = WL_DEV(r, float, points);
  CUdeviceptr d_first = d_atoms + (size_t)((MARGIN * s.bins[1] + MARGIN) * s.bins[0] + MARGIN) * BIN_ATOMS * sizeof(struct atom);
  for (int layer = 0; layer < s.layers; layer++)
    WL_LAUNCH(r, "cutcp_lattice", wl_2d(s.regions[0], s.regions[1]), wl_3d(SIDE, 2, SIDE), 0, &layer, &d_first, &s.bins[0], &s.bins[1], &h,
              &cutoff2, &inverse, &d_lattice);
  float *got = WL_DOWN(r, float, d_lattice, points), *want = WL_NEW(r, float, points);
  for (int i = 0; i < s.extra_count; i++) scatter(&s, &s.extra[i], got);
  for (int i = 0; i < s.slots; i++)
    if (s.atoms[i].charge != 0.0f) scatter(&s, &s.atoms[i], want);
  for (int i = 0; i < s.extra_count; i++) scatter(&s, &s.extra[i], want);
  return wl_near_f32(r, "potential", got, want, points, 1e-3f, 1e-3f);
}

const struct workload wl_cutcp = {
    .name = "cutcp",
    .suite = "Parboil",
    .pattern = "128-byte atom bins, 32 at a time, staged in shared memory; each bin is read by all blocks around it",
    .sizes = {"water in 4 x 4 x 4, cutoff 12, 16 x 16 x 16 points", "in 100 x 23 x 3, cutoff 12, 208 x 48 x 8 points",
              "in 100 x 100 x 100, cutoff 12, the first 208 x 208 x 8 points"},
    .ptx = wl_ptx_cutcp,
    .run = run,
};
