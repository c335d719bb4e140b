// Kernels with one mistake each and what the checker must say of it. See correct.cu for cases and arguments.
//
// Each "//! tool kind places address" after a case is a finding: places are the lines marked @A, @B ... in the order of the two
// accesses ("A,B"); address is s+0x.. (shared memory), l+0x.. (local), a+0x.. b+0x.. c+0x.. z+0x.. (global; z is address 0), or -.
// Nothing else may be found.
#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

#define CASE extern "C" __global__ void

static __device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

//= race_no_barrier <<<1,64>>>
//! racecheck read-after-write A,B s+0x0
//! racecheck write-after-read B,A s+0x80
//! initcheck uninitialized-shared B s+0x80
CASE race_no_barrier(int *a, int *b, int *c) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x] + 1; // @A
  __syncwarp();
  b[threadIdx.x] = s[threadIdx.x ^ 32]; // @B
}

//= race_no_second_barrier <<<1,64>>>
//! racecheck write-after-read B,A s+0x0
//! racecheck read-after-write A,B s+0xfc
CASE race_no_second_barrier(int *a, int *b, int *c) {
  __shared__ int s[64];
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 3; i++) {
    s[threadIdx.x] = a[threadIdx.x + i] + 1; // @A
    __syncthreads();
    sum += s[63 - threadIdx.x]; // @B
  }
  b[threadIdx.x] = sum;
}

//= race_one_buffer <<<1,64>>>
//! racecheck write-after-read B,A s+0x0
//! racecheck read-after-write A,B s+0xfc
CASE race_one_buffer(int *a, int *b, int *c) {
  __shared__ int s[2][64];
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 4; i++) {
    s[i / 2][threadIdx.x] = a[threadIdx.x + i] + 1; // @A
    __syncthreads();
    sum += s[i / 2][63 - threadIdx.x]; // @B
  }
  b[threadIdx.x] = sum;
}

//= race_no_syncwarp <<<1,32>>>
//! racecheck read-after-write A,B s+0x4
CASE race_no_syncwarp(int *a, int *b, int *c) {
  __shared__ int s[32];
  s[threadIdx.x] = a[threadIdx.x]; // @A
  b[threadIdx.x] = s[threadIdx.x ^ 1]; // @B
}

//= race_leader <<<1,32>>>
//! racecheck write-after-read B,A s+0x0
//! initcheck uninitialized-shared B s+0x0
CASE race_leader(int *a, int *b, int *c) {
  __shared__ int s;
  if (threadIdx.x == 0) s = a[5]; // @A
  b[threadIdx.x] = s; // @B
}

//= race_two_paths <<<1,32>>>
//! racecheck write-after-write A,B b+0x0
CASE race_two_paths(int *a, int *b, int *c) {
  if (a[threadIdx.x] & 1) {
    if (threadIdx.x == 5) b[0] = a[5]; // @A
    atomicAdd(&b[8], 1);
  } else {
    if (threadIdx.x == 6) b[0] = a[6]; // @B
    atomicAdd(&b[9], 1);
  }
}

//= race_other_mask <<<1,32>>>
//! racecheck read-after-write A,B s+0x40
CASE race_other_mask(int *a, int *b, int *c) {
  __shared__ int s[32];
  s[threadIdx.x] = a[threadIdx.x]; // @A
  if (threadIdx.x < 16) {
    __syncwarp(0xffff);
    b[threadIdx.x] = s[threadIdx.x + 1]; // @B
  }
}

//= race_same_store <<<1,32>>>
//! racecheck same-instruction A,A s+0x0
CASE race_same_store(int *a, int *b, int *c) {
  __shared__ int s[8];
  s[threadIdx.x / 4] = a[threadIdx.x]; // @A
  __syncwarp();
  b[threadIdx.x] = s[threadIdx.x / 4];
}

//= race_same_store_global <<<1,32>>>
//! racecheck same-instruction A,A b+0x0
CASE race_same_store_global(int *a, int *b, int *c) {
  b[0] = a[threadIdx.x]; // @A
}

//= race_shared_count <<<1,64>>>
//! racecheck read-after-write B,A s+0x0
//! racecheck write-after-write B,B s+0x0
CASE race_shared_count(int *a, int *b, int *c) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 3) {
    int old = ((volatile int *)a)[0] + n; // @A
    n = old + 1; // @B
  }
  __syncthreads();
  b[threadIdx.x] = n;
}

//= race_other_named_barrier <<<1,64>>>
//! racecheck read-after-write A,B s+0x0
//! racecheck write-after-read B,A s+0x80
//! initcheck uninitialized-shared B s+0x80
CASE race_other_named_barrier(int *a, int *b, int *c) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x] + 1; // @A
  asm volatile("bar.sync %0, 32;" ::"r"(threadIdx.x / 32 + 1) : "memory");
  b[threadIdx.x] = s[threadIdx.x ^ 32]; // @B
}

//= race_full_too_early <<<1,64>>>
//! racecheck read-after-write A,B s+0x7c
CASE race_full_too_early(int *a, int *b, int *c) {
  __shared__ int s[32];
  if (threadIdx.x < 32) {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    s[threadIdx.x] = a[threadIdx.x]; // @A
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    b[threadIdx.x] = s[63 - threadIdx.x]; // @B
  }
}

//= race_shared_bytes <<<1,64>>>
//! racecheck write-after-write A,A s+0x0
CASE race_shared_bytes(int *a, int *b, int *c) {
  __shared__ unsigned char s[64];
  s[threadIdx.x % 32] = (unsigned char)a[threadIdx.x]; // @A
  __syncthreads();
  if (threadIdx.x < 32) b[threadIdx.x] = s[threadIdx.x];
}

//= race_blocks_store <<<2,32>>>
//! racecheck write-after-write A,A b+0x0
CASE race_blocks_store(int *a, int *b, int *c) {
  b[threadIdx.x] = a[thread()] + 1; // @A
}

//= race_blocks_neighbour <<<2,32>>>
//! racecheck read-after-write A,B b+0x7c
CASE race_blocks_neighbour(int *a, int *b, int *c) {
  b[thread()] = a[thread()] + 1; // @A
  __syncwarp();
  if (thread() > 0) c[thread()] = b[thread() - 1]; // @B
}

//= race_in_place <<<1,64>>>
//! racecheck write-after-read A,B b+0x80
CASE race_in_place(int *a, int *b, int *c) {
  int next = threadIdx.x < 63 ? b[threadIdx.x + 1] : 0; // @A
  __syncwarp();
  b[threadIdx.x] = next + a[threadIdx.x + 1]; // @B
}

//= race_bytes_of_a_word <<<2,32>>>
//! racecheck write-after-write A,A b+0x1
CASE race_bytes_of_a_word(int *a, int *b, int *c) {
  if (threadIdx.x < 2) ((unsigned char *)b)[blockIdx.x + threadIdx.x] = (unsigned char)(3 + thread()); // @A
}

//= race_no_fence <<<2,32>>>
//! racecheck read-after-write A,B c+0x1c
CASE race_no_fence(int *a, int *b, int *c) {
  volatile int *flag = &b[0];
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    c[7] = a[1]; // @A
    *flag = 1;
  } else {
    while (*flag == 0) {}
    __threadfence();
    b[1] = c[7]; // @B
  }
}

//= race_fence_too_early <<<2,32>>>
//! racecheck read-after-write A,B c+0x1c
CASE race_fence_too_early(int *a, int *b, int *c) {
  volatile int *flag = &b[0];
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    __threadfence();
    c[7] = a[1]; // @A
    *flag = 1;
  } else {
    while (*flag == 0) {}
    b[1] = c[7]; // @B
  }
}

//= race_plain_flag <<<2,32>>>
//! racecheck read-after-write A,C b+0x0
//! racecheck read-after-write D,B c+0x1c
CASE race_plain_flag(int *a, int *b, int *c) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    c[7] = a[1]; // @D
    __threadfence();
    b[0] = 1; // @A
  } else {
    if (b[0]) // @C
      b[1] = c[7]; // @B
  }
}

//= race_no_lock <<<4,32>>>
//! racecheck read-after-write B,A b+0x4
//! racecheck write-after-write B,B b+0x4
CASE race_no_lock(int *a, int *b, int *c) {
  if (threadIdx.x) return;
  int old = b[1]; // @A
  b[1] = old + 1; // @B
}

//= race_lock_without_fence <<<4,32>>>
//! racecheck read-after-write B,A b+0x4
//! racecheck write-after-write B,B b+0x4
CASE race_lock_without_fence(int *a, int *b, int *c) {
  if (threadIdx.x) return;
  while (atomicCAS(&b[0], 0, 1)) {}
  int old = b[1]; // @A
  b[1] = old + 1; // @B
  atomicExch(&b[0], 0);
}

//= race_last_block_no_fence <<<4,64>>>
//! racecheck read-after-write A,B c+0x0
CASE race_last_block_no_fence(int *a, int *b, int *c) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    c[blockIdx.x] = a[blockIdx.x]; // @A
    last = atomicAdd(&b[100], 1) == (int)gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) b[threadIdx.x] = c[threadIdx.x]; // @B
}

//= race_last_block_no_barrier <<<4,64>>>
//! racecheck read-after-write A,B c+0x80
CASE race_last_block_no_barrier(int *a, int *b, int *c) {
  __shared__ bool last;
  c[thread()] = a[thread()]; // @A
  __threadfence();
  if (threadIdx.x == 0) last = atomicAdd(&b[1000], 1) == (int)gridDim.x - 1;
  __syncthreads();
  if (last)
    for (int i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) b[i] = c[i]; // @B
}

//= race_atomic_and_plain <<<2,32>>>
//! racecheck read-after-write A,B b+0x0
CASE race_atomic_and_plain(int *a, int *b, int *c) {
  if (blockIdx.x == 0) atomicAdd(&b[0], a[threadIdx.x]); // @A
  else c[threadIdx.x] = b[0]; // @B
}

//= race_no_grid_sync <<<2,64,1>>>
//! racecheck read-after-write A,B c+0x80
//! racecheck write-after-read B,A c+0x100
//! initcheck uninitialized-global B c+0x180
CASE race_no_grid_sync(int *a, int *b, int *c) {
  c[thread()] = a[thread()] + 1; // @A
  __syncthreads();
  b[thread()] = c[(thread() + blockDim.x) % (gridDim.x * blockDim.x)]; // @B
}

//= race_copy_not_waited <<<1,64>>>
//! racecheck read-after-write A,B s+0x80
CASE race_copy_not_waited(int *a, int *b, int *c) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4); // @A
  __pipeline_commit();
  __syncthreads();
  b[threadIdx.x] = s[threadIdx.x]; // @B
}

//= race_copy_wait_without_barrier <<<1,64>>>
//! racecheck read-after-write A,B s+0x0
//! racecheck write-after-read B,A s+0x80
//! initcheck uninitialized-shared B s+0x80
CASE race_copy_wait_without_barrier(int *a, int *b, int *c) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4); // @A
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  b[threadIdx.x] = s[threadIdx.x ^ 32]; // @B
}

//= race_copy_one_too_many_pending <<<1,64>>>
//! racecheck read-after-write A,B s+0x180
CASE race_copy_one_too_many_pending(int *a, int *b, int *c) {
  __shared__ int s[2][64];
  __pipeline_memcpy_async(&s[0][threadIdx.x], &a[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][threadIdx.x], &a[threadIdx.x + 64], 4); // @A
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  b[threadIdx.x] = s[0][threadIdx.x] + s[1][threadIdx.x]; // @B
}

//= race_copy_into_use <<<1,64>>>
//! racecheck write-after-read B,A s+0x0
//! racecheck read-after-write A,B s+0xfc
CASE race_copy_into_use(int *a, int *b, int *c) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = s[63 - threadIdx.x]; // @B
  __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x + 64], 4); // @A
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

//= sync_divergent <<<1,32>>>
//! synccheck divergent-barrier B,A -
CASE sync_divergent(int *a, int *b, int *c) {
  if (a[threadIdx.x] < 16) {
    asm volatile("bar.sync 0;" ::: "memory"); // @A
    b[threadIdx.x] = 1;
  } else {
    asm volatile("bar.sync 0;" ::: "memory"); // @B
    b[threadIdx.x] = 2;
  }
}

//= sync_other_place <<<1,64>>>
//! synccheck barrier-mismatch A,B -
CASE sync_other_place(int *a, int *b, int *c) {
  if (a[threadIdx.x] < 32) {
    asm volatile("bar.sync 0;" ::: "memory"); // @A
    b[threadIdx.x] = 1;
  } else {
    asm volatile("bar.sync 0;" ::: "memory"); // @B
    b[threadIdx.x] = 2;
  }
}

//= sync_other_count <<<1,64>>>
//! synccheck barrier-mismatch A,B -
CASE sync_other_count(int *a, int *b, int *c) {
  if (a[threadIdx.x] < 32) asm volatile("bar.sync 1, 64;" ::: "memory"); // @A
  else asm volatile("bar.sync 1, 32;" ::: "memory"); // @B
  b[threadIdx.x] = 1;
}

//= sync_count_too_large <<<1,64>>>
//! synccheck barrier-count A -
//! synccheck deadlock A -
CASE sync_count_too_large(int *a, int *b, int *c) {
  asm volatile("bar.sync 1, 96;" ::: "memory"); // @A
  b[threadIdx.x] = 1;
}

//= sync_exited <<<1,96>>>
//! synccheck deadlock A -
CASE sync_exited(int *a, int *b, int *c) {
  if (threadIdx.x >= 64) return;
  asm volatile("bar.sync 1, 96;" ::: "memory"); // @A
  b[threadIdx.x] = 1;
}

//= sync_left <<<1,64>>>
//! synccheck barrier-left A -
CASE sync_left(int *a, int *b, int *c) {
  if (threadIdx.x < 32) asm volatile("bar.arrive 3, 64;" ::: "memory"); // @A
  b[threadIdx.x] = 1;
}

//= sync_odd_count <<<1,64>>>
//! synccheck invalid-barrier A -
CASE sync_odd_count(int *a, int *b, int *c) {
  asm volatile("bar.sync 1, %0;" ::"r"(a[40]) : "memory"); // @A
  b[threadIdx.x] = 1;
}

//= sync_not_in_mask <<<1,32>>>
//! synccheck not-in-mask A -
CASE sync_not_in_mask(int *a, int *b, int *c) {
  unsigned set = __ballot_sync(0xffffu, a[threadIdx.x] > 3); // @A
  b[threadIdx.x] = (int)set;
}

//= sync_masks_differ <<<1,32>>>
//! synccheck mask-mismatch A,A -
CASE sync_masks_differ(int *a, int *b, int *c) {
  b[threadIdx.x] = __shfl_sync(a[threadIdx.x] < 7 ? 0xffffffffu : 0xfffffff7u | 1u << threadIdx.x, a[threadIdx.x], threadIdx.x); // @A
}

//= sync_absent_lane <<<1,32>>>
//! synccheck absent-lane A -
CASE sync_absent_lane(int *a, int *b, int *c) {
  if (threadIdx.x < 16) b[threadIdx.x] = __shfl_down_sync(0xffffu, a[threadIdx.x], 4); // @A
}

//= sync_other_instruction <<<1,32>>>
//! synccheck deadlock A -
CASE sync_other_instruction(int *a, int *b, int *c) {
  if (a[threadIdx.x] < 16) {
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    b[threadIdx.x] = 1;
  } else {
    b[threadIdx.x] = __any_sync(0xffffffffu, a[threadIdx.x] > 20); // @A
  }
}

//= sync_half_warp <<<1,64>>>
//! synccheck divergent-barrier A -
CASE sync_half_warp(int *a, int *b, int *c) {
  if (threadIdx.x % 32 < 16) {
    asm volatile("bar.sync 1, 32;" ::: "memory"); // @A
    b[threadIdx.x] = 1;
  } else {
    b[threadIdx.x] = 2;
  }
}

//= init_global <<<1,64>>>
//! initcheck uninitialized-global A c+0x0
CASE init_global(int *a, int *b, int *c) {
  b[threadIdx.x] = c[threadIdx.x]; // @A
}

//= init_one_missing <<<1,64>>>
//! initcheck uninitialized-global A c+0x50
CASE init_one_missing(int *a, int *b, int *c) {
  if (threadIdx.x != 20) c[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = c[63 - threadIdx.x]; // @A
}

//= init_byte_missing <<<1,32>>>
//! initcheck uninitialized-global A c+0x3
CASE init_byte_missing(int *a, int *b, int *c) {
  unsigned char *bytes = (unsigned char *)&c[threadIdx.x];
  bytes[0] = bytes[1] = bytes[2] = (unsigned char)a[threadIdx.x];
  b[threadIdx.x] = c[threadIdx.x]; // @A
}

//= init_shared <<<1,64>>>
//! initcheck uninitialized-shared A s+0x0
CASE init_shared(int *a, int *b, int *c) {
  __shared__ int s[64];
  b[threadIdx.x] = ((volatile int *)s)[threadIdx.x]; // @A
}

//= init_shared_rim <<<2,64>>>
//! initcheck uninitialized-shared A s+0x104
CASE init_shared_rim(int *a, int *b, int *c) {
  __shared__ int s[66];
  s[threadIdx.x + 1] = a[threadIdx.x];
  if (threadIdx.x == 0) s[0] = 0;
  __syncthreads();
  b[thread()] = s[threadIdx.x] + s[threadIdx.x + 2]; // @A
}

//= init_atomic <<<1,32>>>
//! initcheck uninitialized-global A c+0x10
CASE init_atomic(int *a, int *b, int *c) {
  if (threadIdx.x == 4) asm volatile("red.global.add.s32 [%0], %1;" ::"l"(&c[threadIdx.x]), "r"(a[1]) : "memory"); // @A
}

//= mem_past_end <<<1,64>>>
//! memcheck invalid-access A b+0x4000
CASE mem_past_end(int *a, int *b, int *c) {
  b[4096 - 32 + threadIdx.x] = a[threadIdx.x]; // @A
}

//= mem_before <<<1,32>>>
//! memcheck invalid-access A b+-4
CASE mem_before(int *a, int *b, int *c) {
  b[threadIdx.x] = b[(int)threadIdx.x - 1]; // @A
}

// The host frees a before: host_kernel_after_free.
CASE mem_freed(int *a, int *b, int *c) {
  b[threadIdx.x] = a[threadIdx.x]; // @A
}

//= mem_null <<<1,32>>>
//! memcheck invalid-access A z+0x0
CASE mem_null(int *a, int *b, int *c) {
  int *none = (int *)(long)(a[0]);
  b[threadIdx.x] = none[threadIdx.x]; // @A
}

//= mem_misaligned <<<1,32>>>
//! memcheck misaligned A a+0x2
CASE mem_misaligned(int *a, int *b, int *c) {
  b[threadIdx.x] = *(int *)((char *)a + 2 * threadIdx.x); // @A
}

//= mem_shared <<<1,64>>>
//! memcheck invalid-access A s+0x100
CASE mem_shared(int *a, int *b, int *c) {
  __shared__ volatile int s[64];
  s[threadIdx.x + a[1]] = 1; // @A
}

//= mem_local <<<1,32>>>
//! memcheck invalid-access A l+0x30d4
CASE mem_local(int *a, int *b, int *c) {
  volatile int mine[8];
  mine[a[100000 / 32]] = 3; // @A
  b[threadIdx.x] = mine[0];
}

//= mem_device_free <<<1,32>>>
//! memcheck invalid-access A -
CASE mem_device_free(int *a, int *b, int *c) {
  if (threadIdx.x == 0) free(b); // @A
}

//= mem_trap <<<1,32>>>
//! memcheck trap A -
CASE mem_trap(int *a, int *b, int *c) {
  if (a[threadIdx.x] == 3) asm volatile("trap;"); // @A
}
