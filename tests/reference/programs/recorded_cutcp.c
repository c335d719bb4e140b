// Cutoff Coulomb potential: atoms that overflow their bin of eight are added on the host, as in the suite;
// here the bins are filled so that none does.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(cutcp);

enum { SIDE = 8, DEPTH = 8, THREADS = 128, MOST_NEIGHBOURS = 729 };

struct atom {
  float x, y, z, charge;
};

struct scene {
  int cubes; // along each side
  int margin, bins;
  float cutoff, spacing, bin_length;
  struct atom *atoms; // bin after bin
};

// Four to eight atoms in each bin inside the lattice; the bins of the margin are empty.
static void make_atoms(struct wl_run *r, struct scene *s) {
  s->atoms = WL_NEW(r, struct atom, s->bins * s->bins * s->bins * DEPTH);
  for (int z = 0; z < s->cubes; z++)
    for (int y = 0; y < s->cubes; y++)
      for (int x = 0; x < s->cubes; x++) {
        int bin = ((z + s->margin) * s->bins + y + s->margin) * s->bins + x + s->margin;
        int count = 4 + (int)wl_below(&r->rng, DEPTH - 3);
        for (int i = 0; i < count; i++)
          s->atoms[bin * DEPTH + i] = (struct atom){
              ((float)x + wl_uniform(&r->rng, 0.0f, 1.0f)) * s->bin_length,
              ((float)y + wl_uniform(&r->rng, 0.0f, 1.0f)) * s->bin_length,
              ((float)z + wl_uniform(&r->rng, 0.0f, 1.0f)) * s->bin_length, wl_uniform(&r->rng, 0.1f, 1.0f)};
      }
}

// Bins any part of which is within the cutoff of the cube.
static int make_neighbours(const struct scene *s, int (*list)[3]) {
  int count = 0, reach = s->margin;
  for (int z = -reach; z <= reach; z++)
    for (int y = -reach; y <= reach; y++)
      for (int x = -reach; x <= reach; x++) {
        int d[3] = {x, y, z};
        float squared = 0.0f;
        for (int k = 0; k < 3; k++) {
          float gap = (float)(d[k] < 0 ? -d[k] - 1 : d[k] > 0 ? d[k] - 1 : 0) * s->bin_length;
          squared += gap * gap;
        }
        if (squared >= s->cutoff * s->cutoff) continue;
        for (int k = 0; k < 3; k++) list[count][k] = d[k];
        count++;
      }
  return count;
}

// Adds one atom to all lattice points within the cutoff.
static void scatter(const struct scene *s, const struct atom *a, float *lattice) {
  int n = s->cubes * SIDE, reach = (int)(s->cutoff / s->spacing) + 1;
  int cx = (int)(a->x / s->spacing), cy = (int)(a->y / s->spacing), cz = (int)(a->z / s->spacing);
  float cutoff2 = s->cutoff * s->cutoff;
  for (int z = cz - reach; z <= cz + reach; z++)
    for (int y = cy - reach; y <= cy + reach; y++)
      for (int x = cx - reach; x <= cx + reach; x++) {
        if (x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n) continue;
        float dx = a->x - (float)x * s->spacing, dy = a->y - (float)y * s->spacing,
              dz = a->z - (float)z * s->spacing;
        float squared = dx * dx + dy * dy + dz * dz;
        if (squared >= cutoff2) continue;
        float fade = 1.0f - squared / cutoff2;
        lattice[(z * n + y) * n + x] += a->charge / sqrtf(squared) * fade * fade;
      }
}

static bool run(struct wl_run *r) {
  static const struct scene scenes[WL_SIZES] = {
      {.cubes = 2, .cutoff = 4.0f}, {.cubes = 4, .cutoff = 4.0f}, {.cubes = 6, .cutoff = 8.0f}};
  struct scene s = scenes[r->size];
  s.spacing = 0.5f;
  s.bin_length = (float)SIDE * s.spacing;
  s.margin = (int)ceilf(s.cutoff / s.bin_length);
  s.bins = s.cubes + 2 * s.margin;
  make_atoms(r, &s);
  int(*list)[3] = wl_host(r, MOST_NEIGHBOURS, sizeof *list), neighbours = make_neighbours(&s, list);
  int n = s.cubes * SIDE, points = n * n * n, slots = s.bins * s.bins * s.bins * DEPTH;
  float cutoff2 = s.cutoff * s.cutoff;
  wl_put_symbol(r, "neighbours", list, (size_t)neighbours * sizeof *list);
  CUdeviceptr d_atoms = WL_UP(r, s.atoms, slots), d_lattice = WL_DEV(r, float, points);
  WL_LAUNCH(r, "cutcp_lattice", wl_3d(s.cubes, s.cubes, s.cubes), wl_1d(THREADS), 0, &neighbours, &d_atoms,
            &s.bins, &s.bins, &s.margin, &d_lattice, &s.spacing, &cutoff2);
  float *want = WL_NEW(r, float, points);
  for (int i = 0; i < slots; i++)
    if (s.atoms[i].charge != 0.0f) scatter(&s, &s.atoms[i], want);
  return wl_near_f32(r, "potential", WL_DOWN(r, float, d_lattice, points), want, points, 1e-3f, 1e-3f);
}

const struct workload wl_cutcp = {
    .name = "cutcp",
    .suite = "Parboil",
    .pattern = "128-byte atom bins staged in shared memory; each bin is read by all blocks around it",
    .sizes = {"16 x 16 x 16 points, cutoff 4", "32 x 32 x 32 points, cutoff 4",
              "48 x 48 x 48 points, cutoff 8"},
    .ptx = wl_ptx_cutcp,
    .run = run,
};
