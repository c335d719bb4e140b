// Streams, events, callbacks, capture and graphs through the runtime.
#include <cstdio>
#include <cstdlib>

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

__global__ void scale(float *p, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= by;
}
__global__ void speak(int who) { printf("kernel %d\n", who); }

static int called;
static void CUDART_CB host_part(void *by) { called += *(int *)by; }
static void CUDART_CB done(cudaStream_t, cudaError_t e, void *by) {
  if (e == cudaSuccess) called += *(int *)by;
}

int main() {
  const int n = 1 << 12;
  float *p, first = 0;
  cudaStream_t a, b;
  cudaEvent_t start, stop, fork, join;
  int one = 1, ten = 10;
  OK(cudaMalloc(&p, n * sizeof *p));
  float *h = (float *)malloc(n * sizeof *h);
  for (int i = 0; i < n; i++) h[i] = 1;
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, -1));
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  OK(cudaMemcpyAsync(p, h, n * sizeof *p, cudaMemcpyHostToDevice, a));
  OK(cudaEventRecord(start, a));
  scale<<<n / 256, 256, 0, a>>>(p, 2, n);
  OK(cudaEventRecord(stop, a));
  OK(cudaLaunchHostFunc(a, host_part, &one));
  OK(cudaStreamAddCallback(a, done, &ten, 0));
  OK(cudaStreamWaitEvent(b, stop, 0));
  scale<<<n / 256, 256, 0, b>>>(p, 3, n);
  OK(cudaMemcpyAsync(&first, p, 4, cudaMemcpyDeviceToHost, b));
  OK(cudaStreamSynchronize(a));
  OK(cudaStreamSynchronize(b));
  float ms;
  OK(cudaEventElapsedTime(&ms, start, stop));
  printf("%g, called %d, time passed %d\n", first, called, ms > 0);

  cudaGraph_t g;
  cudaGraphExec_t e;
  OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  scale<<<n / 256, 256, 0, a>>>(p, 2, n);
  OK(cudaEventRecord(fork, a));
  OK(cudaStreamWaitEvent(b, fork, 0));
  scale<<<1, 256, 0, b>>>(p, 5, 256);
  OK(cudaEventRecord(join, b));
  OK(cudaStreamWaitEvent(a, join, 0));
  OK(cudaLaunchHostFunc(a, host_part, &ten));
  OK(cudaMemcpyAsync(h, p, n * sizeof *p, cudaMemcpyDeviceToHost, a));
  OK(cudaStreamEndCapture(a, &g));
  size_t nodes = 0;
  OK(cudaGraphGetNodes(g, nullptr, &nodes));
  OK(cudaGraphInstantiate(&e, g, 0));
  for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(e, a));
  OK(cudaStreamSynchronize(a));
  printf("%zu nodes, %g %g, called %d\n", nodes, h[0], h[n - 1], called);

  cudaGraphNode_t list[8];
  nodes = 8;
  OK(cudaGraphGetNodes(g, list, &nodes));
  for (size_t i = 0; i < nodes; i++) {
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(list[i], &type));
    if (type != cudaGraphNodeTypeKernel) continue;
    cudaKernelNodeParams k;
    OK(cudaGraphKernelNodeGetParams(list[i], &k));
    printf("kernel node: %u blocks of %u, factor %g\n", k.gridDim.x, k.blockDim.x, *(float *)k.kernelParams[1]);
    float half = 0.5f;
    int all = n;
    void *args[] = {&p, &half, &all};
    k.kernelParams = args;
    OK(cudaGraphExecKernelNodeSetParams(e, list[i], &k));
  }
  OK(cudaGraphLaunch(e, a));
  OK(cudaStreamSynchronize(a));
  printf("%g %g\n", h[0], h[n - 1]);
  OK(cudaGraphExecDestroy(e));
  OK(cudaGraphDestroy(g));

  speak<<<1, 1>>>(1);
  speak<<<1, 1>>>(2);
  printf("host before\n");
  fflush(stdout);
  OK(cudaDeviceSynchronize());
  printf("host after\n");
  return 0;
}
