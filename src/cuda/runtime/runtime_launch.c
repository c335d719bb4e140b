/* Launches, and queries about kernels. */
#include "cuda/runtime/runtime.h"
#include "cuda/trace/call_trace.h"

#include <string.h>

/* ---- <<<>>> ---- */

enum { CONFIG_DEPTH = 16 };
struct config {
  dim3 grid, block;
  size_t shared;
  void *stream;
};
static _Thread_local struct {
  struct config at[CONFIG_DEPTH];
  unsigned n;
} configs;

CUDA_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
CUDA_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
  if (configs.n == CONFIG_DEPTH) return 1;
  configs.at[configs.n++] = (struct config){grid, block, shared, stream};
  return 0;
}
CUDA_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
CUDA_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (!configs.n) return rt_fail(cudaErrorMissingConfiguration);
  const struct config *c = &configs.at[--configs.n];
  *grid = c->grid;
  *block = c->block;
  *shared = c->shared;
  *(void **)stream = c->stream;
  return cudaSuccess;
}

/* ---- launching ---- */

static bool shape_ok(dim3 grid, dim3 block) {
  return grid.x && grid.y && grid.z && block.x && block.y && block.z && grid.x <= INT32_MAX &&
         grid.y <= 65535 && grid.z <= 65535 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 &&
         (uint64_t)block.x * block.y * block.z <= 1024;
}

/* Version 12 has errors of its own for some of the driver's results; 13 passes them on. */
static cudaError_t launch_error(CUresult r) {
  if (r == CUDA_ERROR_NOT_FOUND) return cudaErrorInvalidDeviceFunction;
  if (RUNTIME_MAJOR < 13 && r == CUDA_ERROR_INVALID_HANDLE) return cudaErrorInvalidDeviceFunction;
  return (cudaError_t)r;
}

static cudaError_t launch(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                          cudaStream_t stream, CUlaunchAttribute *attributes, unsigned n) {
  RT_ENTER();
  CUfunction f;
  CUresult r = rt_launched_function(&f, func);
  if (r != CUDA_SUCCESS) return rt_fail(launch_error(r));
  RT_NEED(shared <= UINT32_MAX);
  CUlaunchConfig c = {.gridDimX = grid.x,
                      .gridDimY = grid.y,
                      .gridDimZ = grid.z,
                      .blockDimX = block.x,
                      .blockDimY = block.y,
                      .blockDimZ = block.z,
                      .sharedMemBytes = (unsigned)shared,
                      .hStream = stream,
                      .attrs = attributes,
                      .numAttrs = n};
  r = cuLaunchKernelEx(&c, f, args, NULL); /* also refuses such a shape, and counts refusals */
  if (RUNTIME_MAJOR < 13 && !shape_ok(grid, block)) return rt_fail(cudaErrorInvalidConfiguration);
  return rt_fail(launch_error(r));
}

CUDA_EXPORT cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                                         cudaStream_t stream) {
  return launch(func, grid, block, args, shared, stream, NULL, 0);
}
CUDA_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t k, dim3 grid, dim3 block, void **args, size_t shared,
                                           cudaStream_t stream);
CUDA_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t k, dim3 grid, dim3 block, void **args, size_t shared,
                                           cudaStream_t stream) {
  return launch(k, grid, block, args, shared, stream, NULL, 0);
}
CUDA_EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
                                                    size_t shared, cudaStream_t stream) {
  CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
  return launch(func, grid, block, args, shared, stream, &a, 1);
}
_Static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute),
               "launch attributes are the driver's");
CUDA_EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *func, void **args) {
  RT_NEED(c && (c->attrs || !c->numAttrs));
  return launch(func, c->gridDim, c->blockDim, args, c->dynamicSmemBytes, c->stream,
                (CUlaunchAttribute *)c->attrs, c->numAttrs);
}

RT(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t fn, void *user), cuLaunchHostFunc(s, fn, user))

/* ---- attributes ---- */

#define ENTER_FUNCTION(f, func)                                                                              \
  RT_ENTER();                                                                                                \
  CUfunction f;                                                                                              \
  do {                                                                                                       \
    CUresult r_ = rt_function(&f, func);                                                                     \
    if (r_ != CUDA_SUCCESS) return rt_fail(launch_error(r_));                                                \
  } while (0)

CUDA_EXPORT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *func) {
  RT_NEED(out);
  ENTER_FUNCTION(f, func);
  int v[16] = {0};
  for (int i = 0; i < 16; i++) {
    CUresult r = cuFuncGetAttribute(&v[i], (CUfunction_attribute)i, f);
    if (r != CUDA_SUCCESS) return rt_fail(launch_error(r));
  }
  const struct cudaFuncAttributes all = {
      .sharedSizeBytes = (size_t)v[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES],
      .constSizeBytes = (size_t)v[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES],
      .localSizeBytes = (size_t)v[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES],
      .maxThreadsPerBlock = v[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK],
      .numRegs = v[CU_FUNC_ATTRIBUTE_NUM_REGS],
      .ptxVersion = v[CU_FUNC_ATTRIBUTE_PTX_VERSION],
      .binaryVersion = v[CU_FUNC_ATTRIBUTE_BINARY_VERSION],
      .cacheModeCA = v[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA],
      .maxDynamicSharedSizeBytes = v[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES],
      .preferredShmemCarveout = v[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT],
      .clusterDimMustBeSet = v[CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET],
      .requiredClusterWidth = v[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH],
      .requiredClusterHeight = v[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT],
      .requiredClusterDepth = v[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH],
      .clusterSchedulingPolicyPreference = v[CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE],
      .nonPortableClusterSizeAllowed = v[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED]};
  memcpy(out, &all, RT_FUNCTION_BYTES);
  return cudaSuccess;
}

/* An entry point about one kernel that is one driver call. */
#define OF_FUNCTION(name, parameters, call)                                                                  \
  CUDA_EXPORT cudaError_t name parameters {                                                                  \
    ENTER_FUNCTION(f, func);                                                                                 \
    return rt_fail(launch_error(call));                                                                      \
  }
OF_FUNCTION(cudaFuncSetAttribute, (const void *func, enum cudaFuncAttribute a, int v),
            cuFuncSetAttribute(f, (CUfunction_attribute)a, v))
OF_FUNCTION(cudaFuncSetCacheConfig, (const void *func, enum cudaFuncCache c),
            cuFuncSetCacheConfig(f, (CUfunc_cache)c))
OF_FUNCTION(cudaFuncSetSharedMemConfig, (const void *func, enum cudaSharedMemConfig c),
            cuFuncSetSharedMemConfig(f, (CUsharedconfig)c))
OF_FUNCTION(cudaFuncGetName, (const char **name, const void *func), cuFuncGetName(name, f))
OF_FUNCTION(cudaFuncGetParamInfo, (const void *func, size_t i, size_t *offset, size_t *bytes),
            cuFuncGetParamInfo(f, i, offset, bytes))
OF_FUNCTION(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
            (int *n, const void *func, int threads, size_t shared),
            cuOccupancyMaxActiveBlocksPerMultiprocessor(n, f, threads, shared))
OF_FUNCTION(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
            (int *n, const void *func, int threads, size_t shared, unsigned flags),
            cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, f, threads, shared, flags))
OF_FUNCTION(cudaOccupancyAvailableDynamicSMemPerBlock,
            (size_t * n, const void *func, int blocks, int threads),
            cuOccupancyAvailableDynamicSMemPerBlock(n, f, blocks, threads))

static CUlaunchConfig driver_config(const cudaLaunchConfig_t *c) {
  return (CUlaunchConfig){.gridDimX = c->gridDim.x,
                          .gridDimY = c->gridDim.y,
                          .gridDimZ = c->gridDim.z,
                          .blockDimX = c->blockDim.x,
                          .blockDimY = c->blockDim.y,
                          .blockDimZ = c->blockDim.z,
                          .sharedMemBytes = (unsigned)c->dynamicSmemBytes,
                          .hStream = c->stream,
                          .attrs = (CUlaunchAttribute *)c->attrs,
                          .numAttrs = c->numAttrs};
}
CUDA_EXPORT cudaError_t cudaOccupancyMaxActiveClusters(int *n, const void *func,
                                                       const cudaLaunchConfig_t *c) {
  RT_NEED(c);
  ENTER_FUNCTION(f, func);
  CUlaunchConfig config = driver_config(c);
  return rt_done(cuOccupancyMaxActiveClusters(n, f, &config));
}
CUDA_EXPORT cudaError_t cudaOccupancyMaxPotentialClusterSize(int *n, const void *func,
                                                             const cudaLaunchConfig_t *c) {
  RT_NEED(c);
  ENTER_FUNCTION(f, func);
  CUlaunchConfig config = driver_config(c);
  return rt_done(cuOccupancyMaxPotentialClusterSize(n, f, &config));
}

/* ---- libraries ---- */

RT(cudaLibraryLoadData,
   (cudaLibrary_t * out, const void *image, enum cudaJitOption *jit, void **jit_values, unsigned n_jit,
    enum cudaLibraryOption *options, void **values, unsigned n),
   cuLibraryLoadData(out, image, (CUjit_option *)jit, jit_values, n_jit, (CUlibraryOption *)options, values,
                     n))
RT(cudaLibraryLoadFromFile,
   (cudaLibrary_t * out, const char *path, enum cudaJitOption *jit, void **jit_values, unsigned n_jit,
    enum cudaLibraryOption *options, void **values, unsigned n),
   cuLibraryLoadFromFile(out, path, (CUjit_option *)jit, jit_values, n_jit, (CUlibraryOption *)options,
                         values, n))
RT(cudaLibraryUnload, (cudaLibrary_t l), cuLibraryUnload(l))
RT(cudaLibraryGetKernel, (cudaKernel_t * out, cudaLibrary_t l, const char *name),
   cuLibraryGetKernel(out, l, name))
RT(cudaLibraryGetKernelCount, (unsigned *n, cudaLibrary_t l), cuLibraryGetKernelCount(n, l))
RT(cudaLibraryEnumerateKernels, (cudaKernel_t * out, unsigned n, cudaLibrary_t l),
   cuLibraryEnumerateKernels(out, n, l))
RT(cudaLibraryGetGlobal, (void **at, size_t *bytes, cudaLibrary_t l, const char *name),
   cuLibraryGetGlobal((CUdeviceptr *)at, bytes, l, name))
RT(cudaLibraryGetManaged, (void **at, size_t *bytes, cudaLibrary_t l, const char *name),
   cuLibraryGetManaged((CUdeviceptr *)at, bytes, l, name))
RT(cudaKernelSetAttributeForDevice, (cudaKernel_t k, enum cudaFuncAttribute a, int v, int d),
   cuKernelSetAttribute((CUfunction_attribute)a, v, k, d))

/* ---- for a tracer ---- */

static const char *kernel_name(const void *kernel) {
  CUfunction f;
  const char *name = NULL;
  return rt_function(&f, kernel) == CUDA_SUCCESS && cuFuncGetName(&name, f) == CUDA_SUCCESS ? name : NULL;
}

const struct heddle_library heddle_own = {HEDDLE_RUNTIME, kernel_name};
