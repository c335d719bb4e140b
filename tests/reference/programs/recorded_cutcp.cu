// Electric potential on a lattice from atoms within a cutoff. Atoms are binned in cubes of 4 length units,
// eight to a bin; a block computes the lattice points of one cube (8 x 8 x 8 at a spacing of 0.5) and goes
// through the list of neighbouring bins, which is in constant memory. Each thread has four points.

enum { SIDE = 8, DEPTH = 8, THREADS = 128, POINTS = 4, MOST_NEIGHBOURS = 729 };

__constant__ int3 neighbours[MOST_NEIGHBOURS];

extern "C" __global__ void cutcp_lattice(int count, const float4 *bins, int bins_x, int bins_y, int margin,
                                         float *lattice, float spacing, float cutoff2) {
  __shared__ float4 atoms[DEPTH];
  int t = threadIdx.x, nx = gridDim.x * SIDE, ny = gridDim.y * SIDE;
  int x = blockIdx.x * SIDE + t % SIDE, y = blockIdx.y * SIDE + t / SIDE % SIDE,
      z = blockIdx.z * SIDE + t / (SIDE * SIDE);
  float px = x * spacing, py = y * spacing, pz = z * spacing, sums[POINTS] = {0.0f, 0.0f, 0.0f, 0.0f};
  float inverse = 1.0f / cutoff2;
#pragma unroll 1
  for (int k = 0; k < count; k++) {
    int bx = blockIdx.x + neighbours[k].x + margin, by = blockIdx.y + neighbours[k].y + margin;
    int bz = blockIdx.z + neighbours[k].z + margin;
    const float *bin = (const float *)(bins + ((bz * bins_y + by) * bins_x + bx) * DEPTH);
    __syncthreads();
    if (t < 4 * DEPTH) ((float *)atoms)[t] = bin[t];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < DEPTH; i++) {
      float charge = atoms[i].w;
      if (charge == 0.0f) break;
      float dx = atoms[i].x - px, dy = atoms[i].y - py, flat = dx * dx + dy * dy;
#pragma unroll
      for (int p = 0; p < POINTS; p++) {
        float dz = atoms[i].z - (pz + 2 * p * spacing), squared = flat + dz * dz;
        if (squared < cutoff2) {
          float fade = 1.0f - squared * inverse;
          sums[p] += charge * rsqrtf(squared) * fade * fade;
        }
      }
    }
  }
#pragma unroll
  for (int p = 0; p < POINTS; p++) lattice[((z + 2 * p) * ny + y) * nx + x] = sums[p];
}
