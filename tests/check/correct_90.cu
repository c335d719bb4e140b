// Correct kernels that need compute_90: bulk copies, clusters. See correct.cu.
#define CASE extern "C" __global__ void

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

static __device__ void wait_phase(unsigned bar, int parity) {
  for (int done = 0; !done;)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(bar), "r"(parity) : "memory");
}

//= ok_bulk_copy <<<1,64>>>
CASE ok_bulk_copy(int *a, int *b, int *c) {
  __shared__ alignas(128) int s[64];
  __shared__ unsigned long long bar;
  unsigned at = shared_address(&bar);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(shared_address(s)),
                 "l"(a), "r"(at) : "memory");
  }
  wait_phase(at, 0);
  b[threadIdx.x] = s[63 - threadIdx.x];
}

//= ok_bulk_store <<<1,64>>>
CASE ok_bulk_store(int *a, int *b, int *c) {
  __shared__ alignas(128) int s[64];
  for (int i = 0; i < 3; i++) {
    s[threadIdx.x] = a[i * 64 + threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(c + i * 64), "r"(shared_address(s)) : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
}

static __device__ unsigned of_rank(const void *p, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
  return there;
}

static __device__ void cluster_meet() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

//= ok_cluster_exchange <<<4,64>>>
extern "C" __global__ void __cluster_dims__(4, 1, 1) ok_cluster_exchange(int *a, int *b, int *c);
CASE ok_cluster_exchange(int *a, int *b, int *c) {
  __shared__ int s[64];
  int other;
  s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
  cluster_meet();
  asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(other) : "r"(of_rank(&s[63 - threadIdx.x], (blockIdx.x + 1) % 4)) : "memory");
  cluster_meet();
  s[threadIdx.x] = other;
  __syncthreads();
  b[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}

//= ok_cluster_signal <<<2,32>>>
extern "C" __global__ void __cluster_dims__(2, 1, 1) ok_cluster_signal(int *a, int *b, int *c);
CASE ok_cluster_signal(int *a, int *b, int *c) {
  __shared__ int s[32];
  __shared__ unsigned long long bar;
  unsigned at = shared_address(&bar), rank = blockIdx.x ^ 1;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  if (threadIdx.x == 0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(at) : "memory");
  cluster_meet();
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(of_rank(&s[threadIdx.x], rank)), "r"(a[threadIdx.x]),
               "r"(of_rank(&bar, rank)) : "memory");
  wait_phase(at, 0);
  b[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
  cluster_meet();
}
