// Forces between particles in a box of boxes: a block for each box; it goes through the box itself and its up
// to 26 neighbours, with the neighbour's particles in shared memory. Double precision.

enum { MOST = 100, NEIGHBOURS = 26, THREADS = 128 };

struct box {
  int x, y, z, number, first, count; // first: particle number of the box's first particle
  int neighbour[NEIGHBOURS];
};

struct vector {
  double v, x, y, z;
};

extern "C" __global__ void lavamd_forces(double alpha, const box *boxes, int per_box, const vector *position,
                                         const double *charge, vector *force) {
  __shared__ vector own[MOST], other[MOST];
  __shared__ double other_charge[MOST];
  const box *home = &boxes[blockIdx.x];
  double twice = 2.0 * alpha * alpha;
  for (int i = threadIdx.x; i < per_box; i += THREADS) own[i] = position[home->first + i];
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k <= home->count; k++) {
    int number = k == 0 ? blockIdx.x : home->neighbour[k - 1];
    int first = boxes[number].first;
    for (int i = threadIdx.x; i < per_box; i += THREADS) {
      other[i] = position[first + i];
      other_charge[i] = charge[first + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < per_box; i += THREADS) {
      vector sum = force[home->first + i];
#pragma unroll 1
      for (int j = 0; j < per_box; j++) {
        double squared =
            own[i].v + other[j].v - (own[i].x * other[j].x + own[i].y * other[j].y + own[i].z * other[j].z);
        double potential = exp(-twice * squared), pull = 2.0 * potential;
        double dx = own[i].x - other[j].x, dy = own[i].y - other[j].y, dz = own[i].z - other[j].z;
        sum.v += other_charge[j] * potential;
        sum.x += other_charge[j] * pull * dx;
        sum.y += other_charge[j] * pull * dy;
        sum.z += other_charge[j] * pull * dz;
      }
      force[home->first + i] = sum;
    }
    __syncthreads();
  }
}
