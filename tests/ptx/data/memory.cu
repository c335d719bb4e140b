// Variables with initialisers (also with addresses), managed and constant memory, textures, surfaces, shared memory,
// atomics, votes, shuffles, vector accesses.
struct Node { int value; const Node *next; const char *name; };
__device__ int table[4][3] = {{1, 2, 3}, {4, 5, 6}, {7}};
__device__ float weights[] = {0.5f, -1.0f, 3.25e-3f};
__constant__ double coefficients[3] = {1.0, 2.5, -0.125};
__constant__ int small[2] = {7, -7};
__device__ Node tail = {2, nullptr, "tail"};
__device__ Node head = {1, &tail, "head"};
__device__ int *into_table = &table[1][2];
__managed__ int counter = 3;
extern __shared__ float dynamic[];
__device__ float4 quad = {1, 2, 3, 4};

__global__ void lists(int *out) {
  for (const Node *n = &head; n; n = n->next) out[threadIdx.x] += n->value + n->name[threadIdx.x & 3] + *into_table;
  atomicAdd(&counter, small[threadIdx.x & 1]);
  out[threadIdx.x] += (int)coefficients[threadIdx.x % 3] + table[threadIdx.x & 3][1] + (int)weights[threadIdx.x % 3];
}
__global__ void __launch_bounds__(256, 2) textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *out) {
  float4 v = tex2D<float4>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
  float w = tex1Dfetch<float>(t, (int)threadIdx.x);
  float4 l = tex2DLod<float4>(t, 0.5f, 0.5f, 1.0f), y = tex3D<float4>(t, 1.0f, 2.0f, 3.0f);
  uchar4 b;
  surf2Dread(&b, s, (int)threadIdx.x * 4, 0);
  surf2Dwrite(b, s, (int)threadIdx.x * 4, 1);
  v.x += w + l.y + y.z + b.x + quad.w;
  out[threadIdx.x] = v;
}
__global__ void shared(float *out, const float4 *in, int n) {
  __shared__ float tile[32][33];
  __shared__ unsigned long long sum;
  float4 v = in[threadIdx.x];
  tile[threadIdx.y][threadIdx.x] = v.x + v.y;
  dynamic[threadIdx.x] = v.z;
  __syncthreads();
  float x = tile[threadIdx.x][threadIdx.y] + dynamic[n & 31];
  for (int k = 16; k; k >>= 1) x += __shfl_down_sync(~0u, x, k);
  if (__any_sync(~0u, x > 0) && __syncthreads_or(n)) atomicAdd(&sum, __ballot_sync(~0u, x < 1));
  atomicCAS((unsigned *)out, 1u, 2u);
  atomicMax((int *)out + 1, n);
  atomicExch(out + 2, x);
  __threadfence();
  out[threadIdx.x] = x + (float)clock64();
}
