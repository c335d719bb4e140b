// Correct kernels on which the checker must stay silent, among them the subtle ways in which threads order what they do.
// Compiled by tests/check/make_ptx.sh; the PTX is in the tree.
//
// A line "//= name <<<blocks,threads>>>" is a case (a third number: a cooperative launch). Every kernel gets a (4,096 ints, a[i] = i),
// b (4,096 ints, zeros) and c (4,096 ints that nobody wrote).
#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

#define CASE extern "C" __global__ void

static __device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

//= ok_own_in_part <<<2,64>>>
CASE ok_own_in_part(int *a, int *b, int *c) {
  if (a[thread()] % 3 == 1) b[thread()] += a[thread()] + 1;
}

//= ok_disjoint <<<4,128>>>
CASE ok_disjoint(int *a, int *b, int *c) { b[thread()] = a[thread()]; }

//= ok_write_before_read <<<2,64>>>
CASE ok_write_before_read(int *a, int *b, int *c) {
  c[thread()] = a[thread()];
  b[thread()] = c[thread()] + 1;
}

//= ok_barrier <<<2,128>>>
CASE ok_barrier(int *a, int *b, int *c) {
  __shared__ int s[128];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[thread()] = s[127 - threadIdx.x];
}

//= ok_two_barriers <<<1,128>>>
CASE ok_two_barriers(int *a, int *b, int *c) {
  __shared__ int s[128];
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    s[threadIdx.x] = a[threadIdx.x + i];
    __syncthreads();
    sum += s[127 - threadIdx.x];
    __syncthreads();
  }
  b[threadIdx.x] = sum;
}

//= ok_double_buffer <<<1,128>>>
CASE ok_double_buffer(int *a, int *b, int *c) {
  __shared__ int s[2][128];
  int sum = 0;
  for (int i = 0; i < 6; i++) {
    s[i % 2][threadIdx.x] = a[threadIdx.x + i];
    __syncthreads();
    sum += s[i % 2][127 - threadIdx.x];
  }
  b[threadIdx.x] = sum;
}

//= ok_block_scan <<<2,128>>>
CASE ok_block_scan(int *a, int *b, int *c) {
  __shared__ int s[128];
  s[threadIdx.x] = a[thread()];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int more = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
    __syncthreads();
    s[threadIdx.x] += more;
    __syncthreads();
  }
  b[thread()] = s[threadIdx.x];
}

//= ok_tiles <<<4,256>>>
CASE ok_tiles(int *a, int *b, int *c) {
  __shared__ int x[16][16], y[16][17];
  int row = threadIdx.x / 16, col = threadIdx.x % 16, sum = 0;
  for (int t = 0; t < 4; t++) {
    x[row][col] = a[row * 64 + t * 16 + col];
    y[row][col] = a[(t * 16 + row) * 64 + col];
    __syncthreads();
    for (int k = 0; k < 16; k++) sum += x[row][k] * y[k][col];
    __syncthreads();
  }
  b[thread()] = sum;
}

//= ok_syncwarp <<<1,64>>>
CASE ok_syncwarp(int *a, int *b, int *c) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncwarp();
  b[threadIdx.x] = s[threadIdx.x ^ 1];
}

//= ok_warp_reduction <<<1,64>>>
CASE ok_warp_reduction(int *a, int *b, int *c) {
  __shared__ int s[64];
  int at = threadIdx.x, lane = at % 32;
  s[at] = a[at];
  __syncwarp();
  for (int d = 16; d; d /= 2) {
    if (lane < d) s[at] += s[at + d];
    __syncwarp();
  }
  if (lane == 0) b[at / 32] = s[at];
}

//= ok_leader_writes <<<1,32>>>
CASE ok_leader_writes(int *a, int *b, int *c) {
  __shared__ int s;
  if (threadIdx.x == 0) s = a[5];
  __syncwarp();
  b[threadIdx.x] = s;
}

//= ok_half_mask <<<1,32>>>
CASE ok_half_mask(int *a, int *b, int *c) {
  __shared__ int s[32];
  if (threadIdx.x < 16) {
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp(0xffff);
    b[threadIdx.x] = s[15 - threadIdx.x];
  }
}

//= ok_shuffles <<<1,64>>>
CASE ok_shuffles(int *a, int *b, int *c) {
  int v = a[threadIdx.x];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) b[threadIdx.x] = v;
}

//= ok_votes_apart <<<1,32>>>
CASE ok_votes_apart(int *a, int *b, int *c) {
  unsigned set = 0;
  if (threadIdx.x % 2) set = __ballot_sync(0xaaaaaaaau, a[threadIdx.x] > 7);
  else set = __ballot_sync(0x55555555u, a[threadIdx.x] > 9);
  b[threadIdx.x] = (int)set;
}

//= ok_partial_warp <<<1,48>>>
CASE ok_partial_warp(int *a, int *b, int *c) {
  int v = __shfl_xor_sync(0xffffffffu, a[threadIdx.x], 1);
  __syncwarp();
  b[threadIdx.x] = v;
}

//= ok_volatile_warp <<<1,32>>>
CASE ok_volatile_warp(int *a, int *b, int *c) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  s[threadIdx.x + 32] = 0;
  for (int d = 16; d; d /= 2) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + d];
  if (threadIdx.x == 0) b[0] = s[0];
}

//= ok_early_exit <<<1,128>>>
CASE ok_early_exit(int *a, int *b, int *c) {
  __shared__ int s[128];
  s[threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x >= 80) return;
  __syncthreads();
  b[threadIdx.x] = s[79 - threadIdx.x];
}

//= ok_barrier_counts <<<1,128>>>
CASE ok_barrier_counts(int *a, int *b, int *c) {
  __shared__ int s[128];
  s[threadIdx.x] = a[threadIdx.x];
  int n = __syncthreads_count(a[threadIdx.x] > 20);
  b[threadIdx.x] = n + s[127 - threadIdx.x];
}

//= ok_named_barriers <<<1,128>>>
CASE ok_named_barriers(int *a, int *b, int *c) {
  __shared__ int s[128];
  int half = threadIdx.x / 64;
  s[threadIdx.x] = a[threadIdx.x];
  asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
  b[threadIdx.x] = s[half * 64 + 63 - threadIdx.x % 64];
}

//= ok_producer_consumer <<<1,64>>>
CASE ok_producer_consumer(int *a, int *b, int *c) {
  __shared__ int s[32];
  for (int i = 0; i < 4; i++) {
    if (threadIdx.x < 32) {
      asm volatile("bar.sync 2, 64;" ::: "memory"); // it is empty
      s[threadIdx.x] = a[i * 32 + threadIdx.x];
      asm volatile("bar.arrive 1, 64;" ::: "memory"); // it is full
    } else {
      asm volatile("bar.arrive 2, 64;" ::: "memory");
      asm volatile("bar.sync 1, 64;" ::: "memory");
      b[i * 32 + threadIdx.x - 32] = s[63 - threadIdx.x];
    }
  }
}

//= ok_shared_histogram <<<2,128>>>
CASE ok_shared_histogram(int *a, int *b, int *c) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[a[thread()] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&b[threadIdx.x], bins[threadIdx.x]);
}

//= ok_global_histogram <<<4,128>>>
CASE ok_global_histogram(int *a, int *b, int *c) { atomicAdd(&b[a[thread()] % 16], 1); }

//= ok_queue <<<4,64>>>
CASE ok_queue(int *a, int *b, int *c) {
  if (a[thread()] % 3 == 0) c[atomicAdd(&b[0], 1)] = a[thread()];
}

//= ok_same_value <<<4,64>>>
CASE ok_same_value(int *a, int *b, int *c) {
  if (a[thread()] > 3) b[0] = 1;
}

//= ok_bytes <<<2,64>>>
CASE ok_bytes(int *a, int *b, int *c) {
  unsigned char *bytes = (unsigned char *)b;
  bytes[blockIdx.x + 2 * threadIdx.x] = (unsigned char)a[thread()];
}

//= ok_shared_bytes <<<1,128>>>
CASE ok_shared_bytes(int *a, int *b, int *c) {
  __shared__ unsigned char s[128];
  s[threadIdx.x % 4 * 32 + threadIdx.x / 4] = (unsigned char)a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = s[127 - threadIdx.x];
}

//= ok_last_block <<<4,64>>>
CASE ok_last_block(int *a, int *b, int *c) {
  __shared__ int s[64];
  __shared__ bool last;
  s[threadIdx.x] = a[thread()];
  __syncthreads();
  for (int d = 32; d; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    c[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc((unsigned *)&b[100], gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) b[threadIdx.x] = c[threadIdx.x];
}

//= ok_last_block_all_fence <<<4,64>>>
CASE ok_last_block_all_fence(int *a, int *b, int *c) {
  __shared__ bool last;
  c[thread()] = a[thread()];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&b[4000], 1) == (int)gridDim.x - 1;
  __syncthreads();
  if (last)
    for (int i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) b[i] = c[i];
}

//= ok_spin_lock <<<8,32>>>
CASE ok_spin_lock(int *a, int *b, int *c) {
  if (threadIdx.x) return;
  while (atomicCAS(&b[0], 0, 1)) {}
  __threadfence();
  b[1] += a[blockIdx.x];
  __threadfence();
  atomicExch(&b[0], 0);
}

//= ok_spin_lock_lanes <<<2,32>>>
CASE ok_spin_lock_lanes(int *a, int *b, int *c) {
  for (bool done = false; !done;) {
    if (atomicCAS(&b[0], 0, 1) == 0) {
      b[1] += a[threadIdx.x];
      __threadfence();
      atomicExch(&b[0], 0);
      done = true;
    }
  }
}

//= ok_shared_lock <<<1,128>>>
CASE ok_shared_lock(int *a, int *b, int *c) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1)) {}
    sum += a[threadIdx.x];
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  b[threadIdx.x] = sum;
}

//= ok_volatile_flag <<<2,64>>>
CASE ok_volatile_flag(int *a, int *b, int *c) {
  volatile int *flag = &b[0];
  if (blockIdx.x == 0) {
    c[threadIdx.x] = a[threadIdx.x] + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (threadIdx.x == 0)
      while (*flag == 0) {}
    __syncthreads();
    b[64 + threadIdx.x] = c[63 - threadIdx.x];
  }
}

//= ok_release_acquire <<<2,32>>>
CASE ok_release_acquire(int *a, int *b, int *c) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    c[7] = a[1];
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(b) : "memory");
  } else {
    int seen = 0;
    while (!seen) asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(b) : "memory");
    b[1] = c[7];
  }
}

//= ok_chain <<<4,32>>>
CASE ok_chain(int *a, int *b, int *c) {
  volatile int *turn = &b[0];
  if (threadIdx.x) return;
  while (*turn != blockIdx.x) {}
  __threadfence();
  c[0] = blockIdx.x == 0 ? a[9] : c[0] + 1;
  __threadfence();
  *turn = blockIdx.x + 1;
}

//= ok_look_back <<<8,64>>>
CASE ok_look_back(int *a, int *b, int *c) {
  __shared__ int sum, before;
  int *aggregate = c, *prefix = c + 100;
  volatile int *state = b; // 1: the sum of the block is there, 2: that of all up to it
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, a[thread()]);
  __syncthreads();
  if (threadIdx.x == 0) {
    aggregate[blockIdx.x] = sum;
    __threadfence();
    state[blockIdx.x] = 1;
    int total = 0;
    for (int i = (int)blockIdx.x - 1; i >= 0; i--) {
      int is;
      while (!(is = state[i])) {}
      __threadfence();
      total += is == 2 ? prefix[i] : aggregate[i];
      if (is == 2) break;
    }
    prefix[blockIdx.x] = total + sum;
    __threadfence();
    state[blockIdx.x] = 2;
    before = total;
  }
  __syncthreads();
  b[512 + thread()] = before + a[thread()];
}

//= ok_grid_sync <<<4,64,1>>>
CASE ok_grid_sync(int *a, int *b, int *c) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int all = gridDim.x * blockDim.x;
  c[thread()] = a[thread()];
  grid.sync();
  b[thread()] = c[all - 1 - thread()];
  grid.sync();
  c[thread()] = b[(thread() + 77) % all];
}

//= ok_linked_list <<<4,64>>>
CASE ok_linked_list(int *a, int *b, int *c) {
  c[thread()] = atomicExch(&b[0], thread());
}

//= ok_async_copy <<<2,64>>>
CASE ok_async_copy(int *a, int *b, int *c) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  b[thread()] = s[63 - threadIdx.x];
}

//= ok_async_pipeline <<<1,64>>>
CASE ok_async_pipeline(int *a, int *b, int *c) {
  __shared__ int s[2][64];
  int sum = 0;
  __pipeline_memcpy_async(&s[0][threadIdx.x], &a[threadIdx.x], 4);
  __pipeline_commit();
  for (int i = 0; i < 6; i++) {
    if (i < 5) __pipeline_memcpy_async(&s[(i + 1) % 2][threadIdx.x], &a[(i + 1) * 64 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[i % 2][63 - threadIdx.x];
    __syncthreads();
  }
  b[threadIdx.x] = sum;
}

//= ok_async_own <<<1,64>>>
CASE ok_async_own(int *a, int *b, int *c) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  b[threadIdx.x] = s[threadIdx.x];
}

//= ok_mbarrier <<<1,64>>>
CASE ok_mbarrier(int *a, int *b, int *c) {
  __shared__ int s[64];
  __shared__ unsigned long long bar;
  unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  s[threadIdx.x] = a[threadIdx.x];
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  for (int done = 0; !done;)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(at), "l"(state) : "memory");
  b[threadIdx.x] = s[63 - threadIdx.x];
}
