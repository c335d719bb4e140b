// ptx: compute_80
// Matrix multiplication on the tensor cores: bf16 in, single precision out. A block of four warps makes a
// tile of 64 x 64; slices of 32 along the inner dimension are copied asynchronously into two buffers in
// turn, so that one is filled while the other is used. B is stored by columns (n x k).

enum { TILE = 64, SLICE = 32, THREADS = 128, ROW = SLICE + 8 }; // rows are padded against bank conflicts

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

static __device__ void copy_16(unsigned to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

static __device__ void load_matrices(unsigned *r, unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

static __device__ void multiply(float *c, const unsigned *a, const unsigned *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 rows of 32 numbers are 256 pieces of 16 bytes.
static __device__ void fetch(unsigned short *to, const unsigned short *from, int k) {
  for (int i = threadIdx.x; i < TILE * SLICE / 8; i += THREADS) {
    int row = i / 4, piece = i % 4;
    copy_16(shared_address(to + row * ROW + piece * 8), from + (long)row * k + piece * 8);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    tc_gemm(const unsigned short *a, const unsigned short *b, float *c, int n, int k) {
  __shared__ __align__(16) unsigned short slice_a[2][TILE * ROW], slice_b[2][TILE * ROW];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, top = warp / 2 * 32, left = warp % 2 * 32;
  const unsigned short *from_a = a + (long)blockIdx.y * TILE * k, *from_b = b + (long)blockIdx.x * TILE * k;
  float sum[2][4][4] = {};
  fetch(slice_a[0], from_a, k);
  fetch(slice_b[0], from_b, k);
  asm volatile("cp.async.commit_group;");
  for (int s = 0; s < k / SLICE; s++) {
    if ((s + 1) * SLICE < k) {
      fetch(slice_a[(s + 1) % 2], from_a + (s + 1) * SLICE, k);
      fetch(slice_b[(s + 1) % 2], from_b + (s + 1) * SLICE, k);
    }
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    const unsigned short *sa = slice_a[s % 2], *sb = slice_b[s % 2];
#pragma unroll
    for (int step = 0; step < SLICE; step += 16) {
      unsigned fa[2][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        load_matrices(fa[i], shared_address(sa + (top + i * 16 + lane % 16) * ROW + step + lane / 16 * 8));
        int row = left + i * 16 + lane % 8 + lane / 16 * 8;
        load_matrices(fb[i], shared_address(sb + row * ROW + step + lane / 8 % 2 * 8));
      }
#pragma unroll
      for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) multiply(sum[i][j], fa[i], fb[j / 2] + j % 2 * 2);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      int row = blockIdx.y * TILE + top + i * 16 + lane / 4,
          column = blockIdx.x * TILE + left + j * 8 + lane % 4 * 2;
      *(float2 *)&c[(long)row * n + column] = make_float2(sum[i][j][0], sum[i][j][1]);
      *(float2 *)&c[(long)(row + 8) * n + column] = make_float2(sum[i][j][2], sum[i][j][3]);
    }
  }
}
