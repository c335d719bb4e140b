/* A CUDA program for tests/cli/failures.sh, registered and launched as nvcc's code does it: refused_program HOW, which launches
 *   fine      a kernel that writes a word, after the program has slept for 0.3 s
 *   refused   that kernel, and three times one with an instruction that is not modelled
 *   alone     the latter from an image with no other kernel
 *   broken    a kernel from PTX that cannot be read
 *   machine   a kernel from an image without PTX
 *   shape     a kernel in blocks of 2048 threads, and one in a stream that does not exist
 *   wide      that kernel in blocks of 1 and of 1024 threads
 *   fault     a kernel that writes to address 16
 *   unloaded  a graph whose kernel is not there any more
 * Prints the name of what each launch and the synchronisation at the end answered, and ends with status 0, or 5 with a second argument. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *, int *);
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);

#define HEAD ".version 8.6\n.target sm_100a\n.address_size 64\n"
#define GOOD                                                                                                                       \
  ".visible .entry good(.param .u64 out) { .reg .u64 %a; .reg .u32 %r; ld.param.u64 %a, [out]; mov.u32 %r, 7;\n"                  \
  "st.global.u32 [%a], %r; ret; }\n"
#define BAD ".visible .entry bad(.param .u64 out) {\ntcgen05.fence::before_thread_sync; ret; }\n"

struct wrapper {
  unsigned magic, version;
  const void *data;
  void *other;
};
static char good_stub, bad_stub; /* their addresses are the keys */

static void launch(const char *name, const void *stub, const void *out, unsigned threads, cudaStream_t stream) {
  cudaKernel_t k = NULL;
  __cudaGetKernel(&k, stub);
  printf("%s %s\n", name, cudaGetErrorName(__cudaLaunchKernel(k, (dim3){1, 1, 1}, (dim3){threads, 1, 1}, (void *[]){&out}, 0, stream)));
}

static void launch_graph(const char *image, const void *out) {
  cudaLibrary_t library;
  cudaKernel_t kernel = NULL;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  cudaLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0);
  cudaLibraryGetKernel(&kernel, library, "good");
  struct cudaKernelNodeParams p = {.func = kernel, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .kernelParams = (void *[]){&out}};
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&node, graph, NULL, 0, &p);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaLibraryUnload(library);
  printf("graph %s\n", cudaGetErrorName(cudaGraphLaunch(exec, NULL)));
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "fine";
  const char *image = !strcmp(how, "alone")     ? HEAD BAD
                      : !strcmp(how, "broken")  ? HEAD ".visible .entry good(.param .u64 out) { frobnicate; }\n"
                      : !strcmp(how, "machine") ? "\177ELF: nothing that is looked at"
                                                : HEAD GOOD BAD;
  static struct wrapper w = {0x466243b1, 1, NULL, NULL};
  void *out = NULL;
  w.data = image;
  void **handle = __cudaRegisterFatBinary(&w);
  __cudaRegisterFunction(handle, &good_stub, "good", "good", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(handle, &bad_stub, "bad", "bad", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(handle);
  cudaMalloc(&out, 4);
  if (!strcmp(how, "fine")) usleep(300000);
  if (strcmp(how, "alone")) launch("good", &good_stub, strcmp(how, "fault") ? out : (void *)16, strcmp(how, "shape") ? 1 : 2048, NULL);
  if (!strcmp(how, "wide")) launch("wide", &good_stub, out, 1024, NULL);
  if (!strcmp(how, "shape")) launch("good", &good_stub, out, 1, (cudaStream_t)(void *)w.data);
  for (int i = 0; (!strcmp(how, "refused") || !strcmp(how, "alone")) && i < 3; i++) launch("bad", &bad_stub, out, 1, NULL);
  if (!strcmp(how, "unloaded")) launch_graph(image, out);
  printf("synchronise %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return argc > 2 ? 5 : 0;
}
