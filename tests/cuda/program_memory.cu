// Memory through the runtime: symbols, managed variables, pitched and 3D memory, arrays, pools, pinned memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if CUDART_VERSION < 12000 // five parameters, the last of them for errors
#define cudaGraphInstantiate(e, g, flags) cudaGraphInstantiate(e, g, nullptr, nullptr, flags)
#endif

#define OK(call)                                                                                   \
  do {                                                                                             \
    cudaError_t e_ = (call);                                                                       \
    if (e_ != cudaSuccess) {                                                                       \
      printf("line %d: %s\n", __LINE__, cudaGetErrorName(e_));                                     \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

__constant__ float weights[8];
__device__ int totals[4] = {1, 2, 3, 4};
__managed__ int visible = 10;
static __device__ double hidden;

__global__ void use_symbols(float *out) {
  int i = threadIdx.x;
  out[i] = weights[i] * totals[i & 3];
  if (i == 0) {
    visible += 5;
    hidden = 2.5;
  }
}
__global__ void fill_3d(cudaPitchedPtr p, cudaExtent e) {
  for (size_t z = 0; z < e.depth; z++)
    for (size_t y = threadIdx.y; y < e.height; y += blockDim.y)
      for (size_t x = threadIdx.x; x < e.width / 4; x += blockDim.x)
        ((int *)((char *)p.ptr + (z * p.ysize + y) * p.pitch))[x] = (int)(x + 100 * y + 10000 * z);
}
__global__ void increment(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i]++;
}

static void symbols() {
  float w[8], *out, back[8];
  for (int i = 0; i < 8; i++) w[i] = i + 0.5f;
  OK(cudaMemcpyToSymbol(weights, w, sizeof w));
  int three = 30;
  OK(cudaMemcpyToSymbol(totals, &three, 4, 8));
  OK(cudaMalloc(&out, sizeof back));
  use_symbols<<<1, 8>>>(out);
  OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; i++) printf("%g ", back[i]);
  double h;
  OK(cudaMemcpyFromSymbol(&h, hidden, sizeof h));
  printf("hidden %g visible %d\n", h, visible);
  visible = 100;
  use_symbols<<<1, 8>>>(out);
  OK(cudaDeviceSynchronize());
  size_t bytes;
  void *address;
  OK(cudaGetSymbolSize(&bytes, totals));
  OK(cudaGetSymbolAddress(&address, totals));
  printf("visible %d, totals %zu bytes, address %d\n", visible, bytes, address != nullptr);
  printf("unknown symbol: %s\n", cudaGetErrorName(cudaMemcpyToSymbol((const void *)&h, &h, 8)));
  cudaGetLastError();
  OK(cudaFree(out));
}

static void boxes() {
  cudaExtent e = make_cudaExtent(40, 5, 3);
  cudaPitchedPtr p;
  OK(cudaMalloc3D(&p, e));
  printf("pitch %zu\n", p.pitch);
  fill_3d<<<1, dim3(8, 4)>>>(p, e);
  int host[3][5][10];
  cudaMemcpy3DParms c = {};
  c.srcPtr = p;
  c.dstPtr = make_cudaPitchedPtr(host, 40, 10, 5);
  c.extent = e;
  c.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&c));
  printf("%d %d %d\n", host[0][0][9], host[1][2][3], host[2][4][9]);
  OK(cudaMemset3D(p, 0, make_cudaExtent(40, 5, 1)));
  OK(cudaMemcpy3D(&c));
  printf("%d %d\n", host[0][3][3], host[1][0][0]);
  int line[10];
  OK(cudaMemcpy2D(line, 4, (char *)p.ptr + p.pitch * 5, p.pitch, 4, 5, cudaMemcpyDeviceToHost));
  printf("%d %d %d\n", line[0], line[1], line[4]);
  printf("%s\n", cudaGetErrorName(cudaMemcpy2D(line, 4, p.ptr, p.pitch, 8, 2, cudaMemcpyDeviceToHost)));
  OK(cudaFree(p.ptr));
}

static void arrays() {
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  float in[6][8], out[6][8] = {};
  for (int y = 0; y < 6; y++)
    for (int x = 0; x < 8; x++) in[y][x] = y * 10.f + x;
  OK(cudaMallocArray(&a, &d, 8, 6));
  OK(cudaMemcpy2DToArray(a, 0, 0, in, 32, 32, 6, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2DFromArray(out, 32, a, 8, 2, 16, 3, cudaMemcpyDeviceToHost));
  printf("%g %g %g\n", out[0][0], out[2][3], out[3][0]);
  cudaChannelFormatDesc told;
  cudaExtent e;
  OK(cudaArrayGetInfo(&told, &e, nullptr, a));
  printf("array %zu x %zu x %zu of %d bits, kind %d\n", e.width, e.height, e.depth, told.x, told.f);
  OK(cudaFreeArray(a));
}

static void others() {
  int *m, *h, *p, *async, by;
  OK(cudaMallocManaged(&m, 400));
  OK(cudaHostAlloc(&h, 400, cudaHostAllocMapped));
  for (int i = 0; i < 100; i++) m[i] = h[i] = i;
  increment<<<1, 100>>>(m, 100);
  OK(cudaHostGetDevicePointer(&p, h, 0));
  increment<<<1, 100>>>(p, 100);
  OK(cudaDeviceSynchronize());
  printf("managed %d pinned %d\n", m[99], h[99]);
  cudaPointerAttributes a;
  for (void *q : {(void *)m, (void *)h, (void *)&by}) {
    OK(cudaPointerGetAttributes(&a, q));
    printf("type %d device %d\n", (int)a.type, a.device);
  }
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  OK(cudaMallocAsync(&async, 400, s));
  OK(cudaMemsetAsync(async, 0, 400, s));
  increment<<<1, 100, 0, s>>>(async, 100);
  OK(cudaMemcpyAsync(&by, async + 50, 4, cudaMemcpyDeviceToHost, s));
  OK(cudaFreeAsync(async, s));
  OK(cudaStreamSynchronize(s));
  printf("async %d\n", by);
  void *none;
  OK(cudaMalloc(&none, 0));
  OK(cudaFree(nullptr));
  printf("too much: %s\n", cudaGetErrorName(cudaMalloc(&none, (size_t)1 << 45)));
  printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
  OK(cudaFree(m));
  OK(cudaFreeHost(h));
}

static void show_pool(const char *when, cudaMemPool_t pool) {
  unsigned long long reserved, used;
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  printf("%s: reserved %llu used %llu\n", when, reserved, used);
}

static void pools() {
  cudaStream_t s;
  cudaMemPool_t pool;
  unsigned long long all = ~0ull;
  void *a, *b;
  OK(cudaStreamCreate(&s));
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaMemPoolTrimTo(pool, 0));
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  OK(cudaMallocAsync(&a, 1000, s));
  show_pool("small", pool);
  OK(cudaMallocAsync(&b, 40 << 20, s));
  show_pool("large", pool);
  OK(cudaFreeAsync(a, s));
  OK(cudaFreeAsync(b, s));
  OK(cudaStreamSynchronize(s));
  show_pool("freed", pool);
  OK(cudaMemPoolTrimTo(pool, 1 << 20));
  show_pool("trimmed", pool);
  OK(cudaMemPoolTrimTo(pool, 0));
  show_pool("to nothing", pool);
}

static void show_graphs(const char *when) {
  unsigned long long used, reserved;
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
  printf("%s: used %llu reserved %llu\n", when, used, reserved);
}

/* A graph that allocates and does not free. */
static void graph_memory() {
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphNode_t node;
  cudaGraphExec_t first, second;
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = 1 << 20;
  OK(cudaStreamCreate(&s));
  OK(cudaGraphCreate(&g, 0));
  OK(cudaGraphAddMemAllocNode(&node, g, nullptr, 0, &p));
  OK(cudaGraphInstantiate(&first, g, 0));
  printf("two executable graphs: %s\n", cudaGetErrorName(cudaGraphInstantiate(&second, g, 0)));
  show_graphs("made");
  OK(cudaGraphLaunch(first, s));
  OK(cudaStreamSynchronize(s));
  show_graphs("launched");
  printf("again: %s\n", cudaGetErrorName(cudaGraphLaunch(first, s)));
  OK(cudaFree(p.dptr));
  show_graphs("freed");
  OK(cudaGraphLaunch(first, s));
  OK(cudaFreeAsync(p.dptr, s));
  OK(cudaStreamSynchronize(s));
  show_graphs("freed in order");
  OK(cudaDeviceGraphMemTrim(0));
  show_graphs("trimmed");
  cudaGetLastError();
  OK(cudaGraphExecDestroy(first));
  OK(cudaGraphInstantiate(&second, g, 0));
}

static void managed_symbol() {
  void *at;
  int by = 21;
  OK(cudaGetSymbolAddress(&at, visible));
  printf("its address: %d\n", at == &visible);
  OK(cudaMemcpyToSymbol(visible, &by, sizeof by));
  printf("visible %d\n", visible);
}

int main() {
  symbols();
  boxes();
  arrays();
  others();
  pools();
  graph_memory();
  managed_symbol();
  return 0;
}
