// The gain of opening a new centre in online clustering: what each point would save by moving to point
// `candidate`. Coordinates are dimension-major; a point's record has 32 bytes: its weight, where the host keeps its coordinates,
// its present centre and cost.

struct point {
  float weight;
  float *host;
  long centre;
  float cost;
};

// A point that would move is marked and reports what it saves; one that would not adds what its centre's
// closing would cost it to the centre's place in its own row of `work`, which has a place a centre and one
// for the savings.
extern "C" __global__ void sc_pgain(int points, int dims, long candidate, point *p, long centres, float *coordinates, float *work,
                                    int *centre_place, bool *moves) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  float *row = &work[(long)i * (centres + 1)], distance = 0.0f;
  for (int d = 0; d < dims; d++) {
    float difference = coordinates[d * points + i] - coordinates[d * points + candidate];
    distance += difference * difference;
  }
  float cost = distance * p[i].weight;
  if (cost < p[i].cost) {
    moves[i] = true;
    row[centres] += cost - p[i].cost;
  } else {
    row[centre_place[p[i].centre]] += p[i].cost - cost;
  }
}
