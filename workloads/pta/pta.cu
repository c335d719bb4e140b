// Points-to analysis (Andersen): which objects each pointer of a program may point to. The set of a variable
// is a row of bits; a warp works on a constraint, a lane on a word of the row. The kernels are repeated until
// no set grows.

// Adds the set `from` to the set `to`.
static __device__ void add_set(unsigned *sets, int to, int from, int words, int *changed) {
#pragma unroll 1
  for (int w = threadIdx.x % 32; w < words; w += 32) {
    unsigned more = sets[(long)from * words + w] & ~sets[(long)to * words + w];
    if (more == 0) continue;
    atomicOr(&sets[(long)to * words + w], more);
    *changed = 1;
  }
}

// a = b: what b points to, a may point to.
extern "C" __global__ void pta_copy(unsigned *sets, const int2 *constraints, int count, int words,
                                    int *changed) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (warp >= count) return;
  int2 c = constraints[warp];
  add_set(sets, c.x, c.y, words, changed);
}

// a = *b: for every object that b points to, what it points to.
extern "C" __global__ void pta_load(unsigned *sets, const int2 *constraints, int count, int words,
                                    int *changed) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (warp >= count) return;
  int2 c = constraints[warp];
#pragma unroll 1
  for (int w = 0; w < words; w++) {
    // All lanes must see the same objects, though other warps may add some meanwhile.
    unsigned objects = __shfl_sync(0xffffffffu, sets[(long)c.y * words + w], 0);
#pragma unroll 1
    for (; objects != 0; objects &= objects - 1)
      add_set(sets, c.x, w * 32 + __ffs((int)objects) - 1, words, changed);
  }
}

// *a = b: every object that a points to may point to what b points to.
extern "C" __global__ void pta_store(unsigned *sets, const int2 *constraints, int count, int words,
                                     int *changed) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (warp >= count) return;
  int2 c = constraints[warp];
#pragma unroll 1
  for (int w = 0; w < words; w++) {
    unsigned objects = __shfl_sync(0xffffffffu, sets[(long)c.x * words + w], 0);
#pragma unroll 1
    for (; objects != 0; objects &= objects - 1)
      add_set(sets, w * 32 + __ffs((int)objects) - 1, c.y, words, changed);
  }
}
