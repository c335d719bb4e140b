// Kernels with one mistake each that need compute_90: bulk copies, clusters. See faulty.cu.
#define CASE extern "C" __global__ void

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

//= race_bulk_not_waited <<<1,64>>>
//! racecheck read-after-write A,B s+0x100
CASE race_bulk_not_waited(int *a, int *b, int *c) {
  __shared__ alignas(128) int s[64];
  __shared__ unsigned long long bar;
  unsigned at = shared_address(&bar);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(shared_address(s)), "l"(a), "r"(at) : "memory"); // @A
  }
  __syncthreads();
  b[threadIdx.x] = s[threadIdx.x]; // @B
}

//= race_bulk_source_reused <<<1,64>>>
//! racecheck write-after-read B,A s+0x0
CASE race_bulk_source_reused(int *a, int *b, int *c) {
  __shared__ alignas(128) int s[64];
#pragma unroll 1
  for (int i = 0; i < 2; i++) {
    s[threadIdx.x] = a[i * 64 + threadIdx.x]; // @A
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(c + i * 64), "r"(shared_address(s)) : "memory"); // @B
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
    __syncthreads();
  }
}

//= race_cluster_no_barrier <<<2,32>>>
//! racecheck read-after-write A,B s+0x0
//! racecheck write-after-read B,A s+0x0
extern "C" __global__ void __cluster_dims__(2, 1, 1) race_cluster_no_barrier(int *a, int *b, int *c);
CASE race_cluster_no_barrier(int *a, int *b, int *c) {
  __shared__ int s[32];
  unsigned there;
  s[threadIdx.x] = a[threadIdx.x];
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(&s[threadIdx.x])), "r"(blockIdx.x ^ 1));
  asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(there), "r"(b[threadIdx.x] + 1000) : "memory"); // @A
  __syncthreads();
  c[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x]; // @B
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
