// The gain of opening a new centre in online clustering: what each point would save by moving to point
// `candidate`. Coordinates are dimension-major; a point's record has its weight, its present cost and centre.

struct point {
  float weight, cost;
  int centre, unused;
};

// A point that would move is marked and reports what it saves; one that would not adds what its centre's
// closing would cost it to the centre's place in its own row of `work`, which has a place a centre and one
// for the savings.
extern "C" __global__ void sc_pgain(int points, int dims, int candidate, const point *p, int centres,
                                    const float *coordinates, float *work, const int *centre_place,
                                    unsigned char *moves) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  float *row = work + i * (centres + 1);
  float distance = 0.0f;
#pragma unroll 1
  for (int d = 0; d < dims; d++) {
    float difference = coordinates[d * points + i] - coordinates[d * points + candidate];
    distance += difference * difference;
  }
  float cost = distance * p[i].weight;
  if (cost < p[i].cost) {
    moves[i] = 1;
    row[centres] = cost - p[i].cost;
  } else {
    row[centre_place[p[i].centre]] += cost - p[i].cost;
  }
}
