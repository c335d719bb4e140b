// Control flow: dense switches (jump tables), nested loops with break and continue, early exits, inline assembly with
// scopes of its own and labels that repeat. Compiled also with -G.
__device__ __forceinline__ void lock(int *l) {
  asm volatile("{\n\t.reg .pred p;\n\t.reg .b32 r;\nAGAIN:\n\tatom.global.cas.b32 r, [%0], 0, 1;\n\tsetp.ne.s32 p, r, 0;\n\t"
               "@p bra AGAIN;\n\t}" ::"l"(l) : "memory");
}
__device__ __forceinline__ unsigned lane() {
  unsigned r;
  asm("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}
__global__ void switches(int *p, int n) {
  int v = p[threadIdx.x];
  switch (n) {
  case 0: v += 3; break;
  case 1: v *= 5; break;
  case 2: v -= p[1];
  case 3: v ^= 77; break;
  case 4: v = v / 3; break;
  case 5: v = v << 2; break;
  case 6: v = ~v; break;
  case 7: return;
  case 8: v = p[2] % 7; break;
  case 9: v = -v; break;
  default: v = 0;
  }
  p[threadIdx.x] = v;
}
__device__ int step[8];
__global__ void jumps(int *p, const int *code, int n) {
  int v = 0;
  for (int i = 0; i < n; i++) {
    switch (code[i]) {
    case 0: v += step[0]; break;
    case 1: v -= p[1] * 3; break;
    case 2: v *= p[2]; p[0] = v; break;
    case 3: v = __popc(v); break;
    case 4: atomicAdd(p, v); break;
    case 5: v ^= step[i & 7]; break;
    case 6: if (v > 3) return; break;
    case 7: __syncwarp(); v--; break;
    case 8: v = v % 11; break;
    case 9: p[v & 7] = i; break;
    case 10: v = __brev(v); break;
    case 11: v = (int)__fsqrt_rn((float)v); break;
    case 12: v = v / 5 + 1; break;
    case 13: i += v; break;
    case 14: step[v & 7] = v; break;
    case 15: v = ~v; break;
    default: v = 1;
    }
  }
  p[threadIdx.x] = v;
}
__global__ void loops(int *p, int n, int m) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    if (p[i] < 0) break;
    for (int j = 0; j < m; j++) {
      if (p[j] == i) continue;
      if (p[j] == 12345) goto out;
      s += p[i] * p[j];
    }
    while (s > 1000) s -= p[i] | 1;
  }
out:
  p[threadIdx.x] = s;
}
__global__ void assembly(int *p, float *q) {
  lock(p);
  lock(p + 1);
  asm volatile("{ .reg .f32 t; mul.f32 t, %1, 0f40000000; add.f32 %0, t, %1; }" : "=f"(q[0]) : "f"(q[1]));
  p[2] = (int)lane();
  asm volatile("prefetch.global.L2 [%0];" ::"l"(q));
  if (p[3] == 1) asm volatile("exit;");
  if (p[3] == 2) asm volatile("trap;");
  for (;;) {
    if (atomicAdd(p, 1) > 100) break;
    __nanosleep(10);
  }
}
