/* For clang before 17 with a CUDA toolkit of 12 or later, which no longer has a header of this name: the one texture
 * function that the kernels here use. tools/build_ptx.sh puts this folder on clang's path. */
#ifndef WORKLOADS_TEXTURE_FETCH_FUNCTIONS_H
#define WORKLOADS_TEXTURE_FETCH_FUNCTIONS_H

template <class T> __device__ T tex1Dfetch(cudaTextureObject_t texture, int at);

template <> __device__ inline float tex1Dfetch<float>(cudaTextureObject_t texture, int at) {
  float x, y, z, w;
  asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
      : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
      : "l"(texture), "r"(at));
  return x;
}

#endif
