// Forces between particles in a box of boxes: a block for each box; it goes through the box itself and its up
// to 26 neighbours, with the neighbour's particles in shared memory. Double precision.

enum { PARTICLES = 100, NEIGHBOURS = 26, THREADS = 128 };

struct neighbour {
  int x, y, z, number;
  long first;
};

struct box {
  int x, y, z, number;
  long first; // particle number of the box's first particle
  int count;
  neighbour neighbours[NEIGHBOURS];
};

struct vector {
  double v, x, y, z;
};

struct constants {
  double alpha;
};

struct dimensions {
  long boxes;
};

extern "C" __global__ void lavamd_forces(constants constant, dimensions dimension, box *boxes, vector *position, double *charge,
                                         vector *force) {
  __shared__ vector own[PARTICLES], other[PARTICLES];
  __shared__ double other_charge[PARTICLES];
  int b = blockIdx.x, t = threadIdx.x;
  if (b >= dimension.boxes) return;
  double twice = 2.0 * constant.alpha * constant.alpha;
  int first = boxes[b].first;
  vector *home = &position[first], *sum = &force[first];
  for (int i = t; i < PARTICLES; i += THREADS) own[i] = home[i];
  __syncthreads();
  for (int k = 0; k < 1 + boxes[b].count; k++) {
    int number = k == 0 ? b : boxes[b].neighbours[k - 1].number;
    int from = boxes[number].first;
    for (int i = t; i < PARTICLES; i += THREADS) {
      other[i] = position[from + i];
      other_charge[i] = charge[from + i];
    }
    __syncthreads();
    for (int i = t; i < PARTICLES; i += THREADS) {
      for (int j = 0; j < PARTICLES; j++) {
        double squared = own[i].v + other[j].v - (own[i].x * other[j].x + own[i].y * other[j].y + own[i].z * other[j].z);
        double potential = exp(-(twice * squared)), pull = 2.0 * potential;
        double fx = pull * (own[i].x - other[j].x), fy = pull * (own[i].y - other[j].y), fz = pull * (own[i].z - other[j].z);
        sum[i].v += other_charge[j] * potential;
        sum[i].x += other_charge[j] * fx;
        sum[i].y += other_charge[j] * fy;
        sum[i].z += other_charge[j] * fz;
      }
    }
    __syncthreads();
  }
}
