// Electric potential on a lattice from atoms within a cutoff. Atoms are binned in cubes of 4 length units, eight to a bin, with
// empty bins around. A block computes a region of 8 x 8 x 8 points, four a thread, and goes through the list of the bins
// in reach, which is in constant memory: it copies 32 bins to shared memory, 16 threads a bin, and adds up what is in them.

enum { SIDE = 8, ATOM_FLOATS = 4, BIN_ATOMS = 8, BIN_FLOATS = BIN_ATOMS * ATOM_FLOATS, COPIERS = 16, GROUPS = 8, STAGED = 32 };
enum { POINTS = 4, ROWS_APART = 2, REGION_POINTS = SIDE * SIDE * SIDE, MOST_IN_REACH = 343 };

__constant__ int in_reach;
__constant__ int3 reach[MOST_IN_REACH];

extern "C" __global__ void cutcp_lattice(int layer, const float *bins, int bins_x, int bins_y, float spacing, float cutoff2,
                                         float inverse_cutoff2, float *lattice) {
  __shared__ float staged[STAGED * BIN_FLOATS];
  __shared__ float *region;
  __shared__ int3 own;
  int group = threadIdx.z, lane = threadIdx.y * SIDE + threadIdx.x;
  region = lattice + ((layer * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * REGION_POINTS;
  own.x = (int)floorf((SIDE * blockIdx.x + SIDE / 2) * spacing / 4.0f);
  own.y = (int)floorf((SIDE * blockIdx.y + SIDE / 2) * spacing / 4.0f);
  own.z = (int)floorf((SIDE * layer + SIDE / 2) * spacing / 4.0f);
  float x = (SIDE * blockIdx.x + threadIdx.x) * spacing, y = (SIDE * blockIdx.y + threadIdx.y) * spacing;
  float z = (SIDE * layer + threadIdx.z) * spacing;
  float sums[POINTS] = {0.0f, 0.0f, 0.0f, 0.0f};
  int mine = group;
  for (int left = in_reach; left > 0; left -= STAGED) {
    int now = min(left, (int)STAGED);
    __syncthreads();
#pragma unroll 1
    for (int slot = group; slot < now; slot += GROUPS, mine += GROUPS) {
      int bx = own.x + reach[mine].x, by = own.y + reach[mine].y, bz = own.z + reach[mine].z;
      const float *bin = bins + ((bz * bins_y + by) * bins_x + bx) * BIN_FLOATS;
      staged[slot * BIN_FLOATS + lane] = bin[lane];
      staged[slot * BIN_FLOATS + lane + COPIERS] = bin[lane + COPIERS];
    }
    __syncthreads();
    for (int slot = 0; slot < now; slot++) {
      const float *atom = staged + slot * BIN_FLOATS;
#pragma unroll 1
      for (int i = 0; i < BIN_ATOMS; i++, atom += ATOM_FLOATS) {
        float charge = atom[3];
        if (charge == 0.0f) break;
        float dx = atom[0] - x, dz = atom[2] - z, flat = dx * dx + dz * dz, dy = atom[1] - y;
#pragma unroll
        for (int p = 0; p < POINTS; p++, dy -= ROWS_APART * spacing) {
          float squared = flat + dy * dy;
          if (squared < cutoff2) {
            float fade = 1.0f - squared * inverse_cutoff2;
            sums[p] += charge * rsqrtf(squared) * fade * fade;
          }
        }
      }
    }
  }
  float *out = region + group * (SIDE * SIDE) + lane;
#pragma unroll
  for (int p = 0; p < POINTS; p++) out[p * COPIERS] = sums[p];
}
