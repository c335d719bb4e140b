/* Thread block clusters through the runtime: launch attributes and __cluster_dims__, cooperative groups of a cluster over grids of several
 * dimensions, distributed shared memory, occupancy, what is refused, clusters in graphs, and programmatic launches; tiles
 * of several warps, whose barriers lie in the shared memory that the system reserves; what a launch attribute may be. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#error "clusters are there from sm_90 on"
#endif
namespace cg = cooperative_groups;

static void say(const char *what, cudaError_t e) {
  printf("%s: %s\n", what, cudaGetErrorName(e));
  cudaGetLastError();
}

struct place {
  unsigned rank, ranks, at[3], size[3], cluster[3], clusters[3];
};

__device__ void describe(place *out) {
  cg::cluster_group c = cg::this_cluster();
  unsigned cta = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (threadIdx.x) return;
  place &p = out[cta];
  dim3 at = c.block_index(), size = c.dim_blocks();
  p.rank = c.block_rank(), p.ranks = c.num_blocks();
  p.at[0] = at.x, p.at[1] = at.y, p.at[2] = at.z;
  p.size[0] = size.x, p.size[1] = size.y, p.size[2] = size.z;
  for (int i = 0; i < 3; i++) p.cluster[i] = p.clusters[i] = 0;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(p.cluster[0]));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(p.cluster[1]));
  asm("mov.u32 %0, %%clusterid.z;" : "=r"(p.cluster[2]));
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(p.clusters[0]));
  asm("mov.u32 %0, %%nclusterid.y;" : "=r"(p.clusters[1]));
  asm("mov.u32 %0, %%nclusterid.z;" : "=r"(p.clusters[2]));
}

__global__ void plain(place *out) { describe(out); }
__global__ void __cluster_dims__(2, 2, 1) fixed(place *out) { describe(out); }

/* Each CTA of a cluster adds up what the others have in shared memory. */
__global__ void sums(int *out) {
  __shared__ int mine[64];
  cg::cluster_group c = cg::this_cluster();
  mine[threadIdx.x] = (int)(blockIdx.x * 1000 + threadIdx.x);
  c.sync();
  int sum = 0;
  for (unsigned r = 0; r < c.num_blocks(); r++) sum += c.map_shared_rank(mine, r)[threadIdx.x];
  c.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* A histogram whose bins are spread over the cluster's CTAs. */
__global__ void bins(const int *in, int n, int *out) {
  extern __shared__ int own[];
  cg::cluster_group c = cg::this_cluster();
  for (int i = (int)threadIdx.x; i < 16; i += (int)blockDim.x) own[i] = 0;
  c.sync();
  for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(gridDim.x * blockDim.x))
    atomicAdd(c.map_shared_rank(own, in[i] / 16) + in[i] % 16, 1);
  c.sync();
  if (threadIdx.x < 16) atomicAdd(out + c.block_rank() * 16 + threadIdx.x, own[threadIdx.x]);
}

__global__ void first(int *out) {
  out[threadIdx.x] = (int)threadIdx.x;
  asm volatile("griddepcontrol.launch_dependents;");
}

__global__ void second(const int *in, int *out) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  out[threadIdx.x] = in[threadIdx.x] * 3;
}

static cudaLaunchConfig_t shape(dim3 grid, dim3 block, cudaLaunchAttribute *a, unsigned x, unsigned y, unsigned z) {
  cudaLaunchConfig_t c = {};
  c.gridDim = grid, c.blockDim = block;
  a->id = cudaLaunchAttributeClusterDimension;
  a->val.clusterDim.x = x, a->val.clusterDim.y = y, a->val.clusterDim.z = z;
  c.attrs = a, c.numAttrs = x ? 1 : 0;
  return c;
}

static place *places;

static void show(const char *what, unsigned ctas) {
  cudaError_t e = cudaDeviceSynchronize();
  say(what, e);
  for (unsigned i = 0; i < ctas; i++) {
    const place &p = places[i];
    printf("  %u: %u of %u, (%u,%u,%u) of (%u,%u,%u), cluster (%u,%u,%u) of (%u,%u,%u)\n", i, p.rank, p.ranks, p.at[0], p.at[1], p.at[2], p.size[0],
           p.size[1], p.size[2], p.cluster[0], p.cluster[1], p.cluster[2], p.clusters[0], p.clusters[1], p.clusters[2]);
  }
}

static void launches() {
  cudaLaunchAttribute a;
  cudaMallocManaged(&places, 64 * sizeof *places);
  cudaLaunchConfig_t c = shape(dim3(4, 2, 2), dim3(32), &a, 2, 1, 2);
  say("2x1x2", cudaLaunchKernelEx(&c, plain, places));
  show("2x1x2", 16);
  c = shape(dim3(6), dim3(32), &a, 3, 1, 1);
  say("3", cudaLaunchKernelEx(&c, plain, places));
  show("3", 6);
  fixed<<<dim3(4, 4), 32>>>(places);
  show("__cluster_dims__(2, 2)", 16);
  plain<<<3, 32>>>(places);
  show("no clusters", 3);
  c = shape(dim3(8), dim3(32), &a, 1, 1, 1);
  say("1", cudaLaunchKernelEx(&c, plain, places));
  show("1", 2);
}

static void refusals() {
  cudaLaunchAttribute a;
  cudaLaunchConfig_t c = shape(dim3(6), dim3(32), &a, 4, 1, 1);
  say("6 blocks in clusters of 4", cudaLaunchKernelEx(&c, plain, places));
  c = shape(dim3(16), dim3(32), &a, 16, 1, 1);
  say("16 without permission", cudaLaunchKernelEx(&c, plain, places));
  say("permission", cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  say("16", cudaLaunchKernelEx(&c, plain, places));
  c = shape(dim3(32), dim3(32), &a, 32, 1, 1);
  say("32", cudaLaunchKernelEx(&c, plain, places));
  c = shape(dim3(4, 4), dim3(32), &a, 4, 1, 1);
  say("another size than __cluster_dims__", cudaLaunchKernelEx(&c, fixed, places));
  fixed<<<dim3(3, 2), 32>>>(places);
  say("a grid that __cluster_dims__ does not divide", cudaGetLastError());
  say("in the end", cudaDeviceSynchronize());
}

static void attributes() {
  cudaFuncAttributes f;
  cudaLaunchAttribute a;
  int n = -1, supported = -1;
  say("attributes", cudaFuncGetAttributes(&f, fixed));
  printf("  must be set %d, required %dx%dx%d\n", f.clusterDimMustBeSet, f.requiredClusterWidth, f.requiredClusterHeight, f.requiredClusterDepth);
  say("attributes", cudaFuncGetAttributes(&f, sums));
  printf("  must be set %d, required %dx%dx%d, non-portable %d\n", f.clusterDimMustBeSet, f.requiredClusterWidth, f.requiredClusterHeight,
         f.requiredClusterDepth, f.nonPortableClusterSizeAllowed);
  cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0);
  printf("cluster launch %d\n", supported);
  for (unsigned size = 1; size <= 8; size *= 2) {
    cudaLaunchConfig_t c = shape(dim3(size * 8), dim3(256), &a, size, 1, 1);
    c.dynamicSmemBytes = 16384;
    say("cudaOccupancyMaxActiveClusters", cudaOccupancyMaxActiveClusters(&n, sums, &c));
    printf("  %u: %s\n", size, n > 0 ? "some" : "none");
  }
  cudaLaunchConfig_t c = shape(dim3(64), dim3(256), &a, 0, 0, 0);
  say("cudaOccupancyMaxPotentialClusterSize", cudaOccupancyMaxPotentialClusterSize(&n, sums, &c));
  printf("  %d\n", n);
  cudaFuncSetAttribute(sums, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  say("with permission", cudaOccupancyMaxPotentialClusterSize(&n, sums, &c));
  printf("  %d\n", n);
}

static void memory() {
  cudaLaunchAttribute a;
  int *out, *in;
  cudaMallocManaged(&out, 4096 * sizeof *out);
  cudaMallocManaged(&in, 4096 * sizeof *in);
  for (unsigned size = 1; size <= 8; size *= 2) {
    cudaLaunchConfig_t c = shape(dim3(16), dim3(64), &a, size, 1, 1);
    say("sums", cudaLaunchKernelEx(&c, sums, out));
    say("sums", cudaDeviceSynchronize());
    long long all = 0;
    for (int i = 0; i < 16 * 64; i++) all += (long long)out[i] * (i % 97 + 1);
    printf("  %u: %d %d %lld\n", size, out[0], out[16 * 64 - 1], all);
  }
  for (int i = 0; i < 4096; i++) in[i] = (int)((unsigned)i * 2654435761u >> 26);
  memset(out, 0, 64 * sizeof *out);
  cudaLaunchConfig_t c = shape(dim3(8), dim3(96), &a, 4, 1, 1);
  c.dynamicSmemBytes = 16 * sizeof *out;
  say("bins", cudaLaunchKernelEx(&c, bins, (const int *)in, 4096, out));
  say("bins", cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++) printf("%d%c", out[i], i % 16 == 15 ? '\n' : ' ');
}

static void graphs() {
  cudaLaunchAttribute a;
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t x;
  int *out;
  cudaMallocManaged(&out, 1024 * sizeof *out);
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchConfig_t c = shape(dim3(8), dim3(64), &a, 4, 1, 1);
  c.stream = s;
  say("captured", cudaLaunchKernelEx(&c, sums, out));
  say("capture", cudaStreamEndCapture(s, &g));
  say("instantiate", cudaGraphInstantiate(&x, g, 0));
  say("launch", cudaGraphLaunch(x, s));
  say("wait", cudaStreamSynchronize(s));
  printf("  %d %d\n", out[0], out[511]);
  cudaGraphExecDestroy(x);
  cudaGraphDestroy(g);
}

static void programmatic() {
  cudaLaunchAttribute a[1];
  int *out;
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMallocManaged(&out, 256 * sizeof *out);
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(1), c.blockDim = dim3(128), c.stream = s;
  first<<<1, 128, 0, s>>>(out);
  a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  a[0].val.programmaticStreamSerializationAllowed = 1;
  c.attrs = a, c.numAttrs = 1;
  say("programmatic", cudaLaunchKernelEx(&c, second, (const int *)out, out + 128));
  say("wait", cudaStreamSynchronize(s));
  printf("  %d %d\n", out[128], out[255]);
}

__global__ void large_tiles(int *out) {
  __shared__ cg::block_tile_memory<256> memory;
  auto tile = cg::tiled_partition<128>(cg::this_thread_block(memory));
  int v = (int)tile.thread_rank(), sum = cg::reduce(tile, v, cg::plus<int>()), upto = cg::inclusive_scan(tile, v);
  out[threadIdx.x] = sum * 100000 + upto + tile.shfl(v, 5) + tile.any(v == 100) * 10 + (int)tile.meta_group_rank() * 100;
}

static void tiles() {
  int *out;
  cudaMallocManaged(&out, 256 * sizeof *out);
  large_tiles<<<1, 256>>>(out);
  say("tiles of four warps", cudaDeviceSynchronize());
  printf("  %d %d %d\n", out[0], out[127], out[255]);
}

__global__ void nothing() {}

/* Each number as an attribute whose value begins with 1: events are left out. */
static void numbers_of_attributes() {
  cudaLaunchAttribute a[1];
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(2), c.blockDim = dim3(32), c.attrs = a, c.numAttrs = 1;
  for (int i : {0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 13, 14, 15, 16, 17, 99}) {
    memset(a, 0, sizeof a);
    a[0].id = (cudaLaunchAttributeID)i;
    a[0].val.clusterDim.x = 1;
    printf("attribute %d: %d\n", i, cudaLaunchKernelEx(&c, nothing));
    cudaGetLastError();
  }
  cudaDeviceSynchronize();
}

static void room_for_shared_memory() {
  size_t bytes;
  for (int blocks : {4, 8}) {
    say("room", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, blocks, 128));
    printf("  for %d blocks of 128 threads: %zu\n", blocks, bytes);
  }
}

int main() {
  launches();
  refusals();
  attributes();
  memory();
  graphs();
  programmatic();
  tiles();
  numbers_of_attributes();
  room_for_shared_memory();
  return 0;
}
