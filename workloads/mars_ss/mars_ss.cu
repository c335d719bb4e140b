// Similarity scores (cosine) of all pairs of documents, sorted, most similar first. Key: the address of the feature vectors; value: the
// pair and the number of features.
#include "../mars/mars_scan.cuh"
#include "../mars/mars_emit.cuh"
#define MARS_APART 7
#include "../mars/mars_group.cuh"

// Scores that hardly differ are equal.
static __device__ int mars_order(const char *a, const char *b) {
  float x = *(const float *)a, y = *(const float *)b;
  if (fabsf(x - y) < 1e-7f) return 0;
  return x < y ? 1 : -1;
}

extern "C" __global__ void ss_map_count(MARS_INPUT, MARS_COUNTS) {
  mars_input in = MARS_IN;
  mars_counts counts = MARS_COUNTED;
  MARS_EACH(task, in.count) mars_count(counts, task, 4, 8);
}

static __device__ void ss_map_task(const mars_input &in, const mars_output &out, int task) {
  mars_begin(out, task);
  int4 own = in.records[task];
  float *vectors = *(float **)(in.keys + own.x);
  int *value = (int *)(in.values + own.z);
  int features = value[2], i = value[0], j = value[1];
  float4 *a = (float4 *)(vectors + i * features), *b = (float4 *)(vectors + j * features);
  float dot = 0.0f, aa = 0.0f, bb = 0.0f;
  for (int k = 0; k < features / 4; k++) {
    float4 x = a[k], y = b[k];
    dot += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    aa += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
    bb += y.x * y.x + y.y * y.y + y.z * y.z + y.w * y.w;
  }
  for (int k = features / 4 * 4; k < features; k++) {
    float x = vectors[i * features + k], y = vectors[j * features + k];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  int *slot = mars_slot();
  slot[0] = __float_as_int(dot / (sqrtf(aa) * sqrtf(bb)));
  slot[1] = i;
  slot[2] = j;
  mars_emit(out, task, mars_words<1>{slot}, mars_words<2>{slot + 1});
}

// 64 registers are enough for the assembler: two blocks an SM.
extern "C" __global__ void __maxnreg__(64) ss_map(MARS_INPUT, MARS_OUTPUT) {
  mars_input in = MARS_IN;
  mars_output out = MARS_OUT;
  MARS_EACH(task, in.count) ss_map_task(in, out, task);
}
