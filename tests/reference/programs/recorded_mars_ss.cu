// Similarity score: the cosine of the angle between the feature vectors of every two documents. One map pass
// computes the length of each vector, a second one a score for each pair.

extern "C" __global__ void ss_lengths(const float *vectors, int documents, int features, float *lengths) {
  int document = blockIdx.x * blockDim.x + threadIdx.x;
  if (document >= documents) return;
  const float *v = vectors + (long)document * features;
  float sum = 0.0f;
#pragma unroll 1
  for (int f = 0; f < features; f++) sum += v[f] * v[f];
  lengths[document] = sqrtf(sum);
}

// The pairs of one document follow each other: a warp mostly shares the first vector, and its second vectors
// are a vector apart.
extern "C" __global__ void ss_scores(const float *vectors, const float *lengths, const int2 *pairs, int count,
                                     int features, float *scores) {
  int task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task >= count) return;
  int2 pair = pairs[task];
  const float *a = vectors + (long)pair.x * features, *b = vectors + (long)pair.y * features;
  float sum = 0.0f;
#pragma unroll 1
  for (int f = 0; f < features; f++) sum += a[f] * b[f];
  scores[task] = sum / (lengths[pair.x] * lengths[pair.y]);
}
