/* Device properties, in the structure of each runtime version, and the device's settings. */
#include "cuda/runtime/runtime.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#if RUNTIME_MAJOR < 13
/* The structure of CUDA 12; that of CUDA 11 is its beginning, up to hostRegisterSupported. */
struct properties {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2];
  int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
  int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
  int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
  int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
      computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved2[2], reserved1[1], reserved[60];
};
_Static_assert(sizeof(struct properties) == 1032, "layout of CUDA 12");
#else
#define properties cudaDeviceProp
#endif

/* The attribute for each member; `wide` members are size_t. */
static const struct member {
  unsigned offset, attribute;
  bool wide;
} members[] = {
#define INT(member, attribute)                                                                               \
  { offsetof(struct properties, member), CU_DEVICE_ATTRIBUTE_##attribute, false }
#define WIDE(member, attribute)                                                                              \
  { offsetof(struct properties, member), CU_DEVICE_ATTRIBUTE_##attribute, true }
    INT(regsPerBlock, MAX_REGISTERS_PER_BLOCK),
    INT(warpSize, WARP_SIZE),
    INT(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK),
    INT(maxThreadsDim[0], MAX_BLOCK_DIM_X),
    INT(maxThreadsDim[1], MAX_BLOCK_DIM_Y),
    INT(maxThreadsDim[2], MAX_BLOCK_DIM_Z),
    INT(maxGridSize[0], MAX_GRID_DIM_X),
    INT(maxGridSize[1], MAX_GRID_DIM_Y),
    INT(maxGridSize[2], MAX_GRID_DIM_Z),
    INT(major, COMPUTE_CAPABILITY_MAJOR),
    INT(minor, COMPUTE_CAPABILITY_MINOR),
    INT(multiProcessorCount, MULTIPROCESSOR_COUNT),
    INT(integrated, INTEGRATED),
    INT(canMapHostMemory, CAN_MAP_HOST_MEMORY),
    INT(maxTexture1D, MAXIMUM_TEXTURE1D_WIDTH),
    INT(maxTexture1DMipmap, MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH),
    INT(maxTexture2D[0], MAXIMUM_TEXTURE2D_WIDTH),
    INT(maxTexture2D[1], MAXIMUM_TEXTURE2D_HEIGHT),
    INT(maxTexture2DMipmap[0], MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH),
    INT(maxTexture2DMipmap[1], MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT),
    INT(maxTexture2DLinear[0], MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
    INT(maxTexture2DLinear[1], MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
    INT(maxTexture2DLinear[2], MAXIMUM_TEXTURE2D_LINEAR_PITCH),
    INT(maxTexture2DGather[0], MAXIMUM_TEXTURE2D_GATHER_WIDTH),
    INT(maxTexture2DGather[1], MAXIMUM_TEXTURE2D_GATHER_HEIGHT),
    INT(maxTexture3D[0], MAXIMUM_TEXTURE3D_WIDTH),
    INT(maxTexture3D[1], MAXIMUM_TEXTURE3D_HEIGHT),
    INT(maxTexture3D[2], MAXIMUM_TEXTURE3D_DEPTH),
    INT(maxTexture3DAlt[0], MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE),
    INT(maxTexture3DAlt[1], MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE),
    INT(maxTexture3DAlt[2], MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE),
    INT(maxTextureCubemap, MAXIMUM_TEXTURECUBEMAP_WIDTH),
    INT(maxTexture1DLayered[0], MAXIMUM_TEXTURE1D_LAYERED_WIDTH),
    INT(maxTexture1DLayered[1], MAXIMUM_TEXTURE1D_LAYERED_LAYERS),
    INT(maxTexture2DLayered[0], MAXIMUM_TEXTURE2D_LAYERED_WIDTH),
    INT(maxTexture2DLayered[1], MAXIMUM_TEXTURE2D_LAYERED_HEIGHT),
    INT(maxTexture2DLayered[2], MAXIMUM_TEXTURE2D_LAYERED_LAYERS),
    INT(maxTextureCubemapLayered[0], MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH),
    INT(maxTextureCubemapLayered[1], MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS),
    INT(maxSurface1D, MAXIMUM_SURFACE1D_WIDTH),
    INT(maxSurface2D[0], MAXIMUM_SURFACE2D_WIDTH),
    INT(maxSurface2D[1], MAXIMUM_SURFACE2D_HEIGHT),
    INT(maxSurface3D[0], MAXIMUM_SURFACE3D_WIDTH),
    INT(maxSurface3D[1], MAXIMUM_SURFACE3D_HEIGHT),
    INT(maxSurface3D[2], MAXIMUM_SURFACE3D_DEPTH),
    INT(maxSurface1DLayered[0], MAXIMUM_SURFACE1D_LAYERED_WIDTH),
    INT(maxSurface1DLayered[1], MAXIMUM_SURFACE1D_LAYERED_LAYERS),
    INT(maxSurface2DLayered[0], MAXIMUM_SURFACE2D_LAYERED_WIDTH),
    INT(maxSurface2DLayered[1], MAXIMUM_SURFACE2D_LAYERED_HEIGHT),
    INT(maxSurface2DLayered[2], MAXIMUM_SURFACE2D_LAYERED_LAYERS),
    INT(maxSurfaceCubemap, MAXIMUM_SURFACECUBEMAP_WIDTH),
    INT(maxSurfaceCubemapLayered[0], MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH),
    INT(maxSurfaceCubemapLayered[1], MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS),
    INT(concurrentKernels, CONCURRENT_KERNELS),
    INT(ECCEnabled, ECC_ENABLED),
    INT(pciBusID, PCI_BUS_ID),
    INT(pciDeviceID, PCI_DEVICE_ID),
    INT(pciDomainID, PCI_DOMAIN_ID),
    INT(tccDriver, TCC_DRIVER),
    INT(asyncEngineCount, ASYNC_ENGINE_COUNT),
    INT(unifiedAddressing, UNIFIED_ADDRESSING),
    INT(memoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH),
    INT(l2CacheSize, L2_CACHE_SIZE),
    INT(persistingL2CacheMaxSize, MAX_PERSISTING_L2_CACHE_SIZE),
    INT(maxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR),
    INT(streamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED),
    INT(globalL1CacheSupported, GLOBAL_L1_CACHE_SUPPORTED),
    INT(localL1CacheSupported, LOCAL_L1_CACHE_SUPPORTED),
    INT(regsPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR),
    INT(managedMemory, MANAGED_MEMORY),
    INT(isMultiGpuBoard, MULTI_GPU_BOARD),
    INT(multiGpuBoardGroupID, MULTI_GPU_BOARD_GROUP_ID),
    INT(hostNativeAtomicSupported, HOST_NATIVE_ATOMIC_SUPPORTED),
    INT(pageableMemoryAccess, PAGEABLE_MEMORY_ACCESS),
    INT(concurrentManagedAccess, CONCURRENT_MANAGED_ACCESS),
    INT(computePreemptionSupported, COMPUTE_PREEMPTION_SUPPORTED),
    INT(canUseHostPointerForRegisteredMem, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM),
    INT(cooperativeLaunch, COOPERATIVE_LAUNCH),
    INT(pageableMemoryAccessUsesHostPageTables, PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES),
    INT(directManagedMemAccessFromHost, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST),
    INT(maxBlocksPerMultiProcessor, MAX_BLOCKS_PER_MULTIPROCESSOR),
    INT(accessPolicyMaxWindowSize, MAX_ACCESS_POLICY_WINDOW_SIZE),
    INT(hostRegisterSupported, HOST_REGISTER_SUPPORTED),
    INT(sparseCudaArraySupported, SPARSE_CUDA_ARRAY_SUPPORTED),
    INT(hostRegisterReadOnlySupported, READ_ONLY_HOST_REGISTER_SUPPORTED),
    INT(timelineSemaphoreInteropSupported, TIMELINE_SEMAPHORE_INTEROP_SUPPORTED),
    INT(memoryPoolsSupported, MEMORY_POOLS_SUPPORTED),
    INT(memoryPoolSupportedHandleTypes, MEMPOOL_SUPPORTED_HANDLE_TYPES),
    INT(gpuDirectRDMASupported, GPU_DIRECT_RDMA_SUPPORTED),
    INT(gpuDirectRDMAWritesOrdering, GPU_DIRECT_RDMA_WRITES_ORDERING),
    INT(deferredMappingCudaArraySupported, DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED),
    INT(ipcEventSupported, IPC_EVENT_SUPPORTED),
    INT(clusterLaunch, CLUSTER_LAUNCH),
    INT(unifiedFunctionPointers, UNIFIED_FUNCTION_POINTERS),
    WIDE(sharedMemPerBlock, MAX_SHARED_MEMORY_PER_BLOCK),
    WIDE(memPitch, MAX_PITCH),
    WIDE(totalConstMem, TOTAL_CONSTANT_MEMORY),
    WIDE(textureAlignment, TEXTURE_ALIGNMENT),
    WIDE(texturePitchAlignment, TEXTURE_PITCH_ALIGNMENT),
    WIDE(surfaceAlignment, SURFACE_ALIGNMENT),
    WIDE(sharedMemPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
    WIDE(sharedMemPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
    WIDE(reservedSharedMemPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK),
#if RUNTIME_MAJOR < 13
    INT(clockRate, CLOCK_RATE),
    INT(deviceOverlap, GPU_OVERLAP),
    INT(kernelExecTimeoutEnabled, KERNEL_EXEC_TIMEOUT),
    INT(computeMode, COMPUTE_MODE),
    INT(maxTexture1DLinear, MAXIMUM_TEXTURE1D_LINEAR_WIDTH),
    INT(memoryClockRate, MEMORY_CLOCK_RATE),
    INT(singleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO),
    INT(cooperativeMultiDeviceLaunch, COOPERATIVE_MULTI_DEVICE_LAUNCH),
#else
    INT(deviceNumaConfig, NUMA_CONFIG),
    INT(deviceNumaId, NUMA_ID),
    INT(mpsEnabled, MPS_ENABLED),
    INT(hostNumaId, HOST_NUMA_ID),
#endif
};

static CUresult fill(struct properties *p) {
  memset(p, 0, sizeof *p);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    int value = 0;
    CUresult r = cuDeviceGetAttribute(&value, (CUdevice_attribute)members[i].attribute, 0);
    if (r != CUDA_SUCCESS) return r;
    size_t large = (size_t)value;
    unsigned char *to = (unsigned char *)p + members[i].offset;
    if (members[i].wide)
      memcpy(to, &large, sizeof large);
    else
      memcpy(to, &value, sizeof value);
  }
  CUuuid uuid = {{0}};
  CUresult r = cuDeviceGetName(p->name, sizeof p->name, 0);
  if (r == CUDA_SUCCESS) r = cuDeviceTotalMem_v2(&p->totalGlobalMem, 0);
  if (r == CUDA_SUCCESS) r = cuDeviceGetUuid_v2(&uuid, 0);
  memcpy(&p->uuid, &uuid, sizeof uuid);
  return r;
}

static cudaError_t properties_of(void *out, size_t bytes, int device) {
  RT_NEED(out);
  cudaError_t e = rt_init();
  if (e != cudaSuccess) return e;
  if (device != 0) return rt_fail(cudaErrorInvalidDevice);
  struct properties p;
  CUresult r = fill(&p);
  if (r == CUDA_SUCCESS) memcpy(out, &p, bytes);
  return rt_done(r);
}

#if RUNTIME_MAJOR < 13
CUDA_EXPORT cudaError_t cudaGetDeviceProperties_v2(struct properties *p, int device);
CUDA_EXPORT cudaError_t cudaGetDeviceProperties_v2(struct properties *p, int device) {
  return properties_of(p, sizeof *p, device);
}
CUDA_EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  return properties_of(p, offsetof(struct properties, hostRegisterSupported), device);
}
#else
CUDA_EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  return properties_of(p, sizeof *p, device);
}
#endif

/* ---- questions that need no context ---- */

#define ASK(name, parameters, call)                                                                          \
  CUDA_EXPORT cudaError_t name parameters {                                                                  \
    cudaError_t ready_ = rt_init();                                                                          \
    return ready_ != cudaSuccess ? ready_ : rt_done(call);                                                   \
  }
ASK(cudaDeviceGetAttribute, (int *v, enum cudaDeviceAttr a, int d),
    cuDeviceGetAttribute(v, (CUdevice_attribute)a, d))
ASK(cudaDeviceGetPCIBusId, (char *s, int n, int d), cuDeviceGetPCIBusId(s, n, d))
ASK(cudaDeviceGetByPCIBusId, (int *d, const char *s), cuDeviceGetByPCIBusId(d, s))
ASK(cudaDeviceCanAccessPeer, (int *yes, int a, int b), cuDeviceCanAccessPeer(yes, a, b))
ASK(cudaDeviceGetP2PAttribute, (int *v, enum cudaDeviceP2PAttr a, int from, int to),
    cuDeviceGetP2PAttribute(v, (CUdevice_P2PAttribute)a, from, to))
ASK(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * p, int d), cuDeviceGetDefaultMemPool(p, d))
ASK(cudaDeviceGetMemPool, (cudaMemPool_t * p, int d), cuDeviceGetMemPool(p, d))
ASK(cudaDeviceSetMemPool, (int d, cudaMemPool_t p), cuDeviceSetMemPool(d, p))
ASK(cudaDeviceGetGraphMemAttribute, (int d, enum cudaGraphMemAttributeType a, void *v),
    cuDeviceGetGraphMemAttribute(d, (CUgraphMem_attribute)a, v))
ASK(cudaDeviceSetGraphMemAttribute, (int d, enum cudaGraphMemAttributeType a, void *v),
    cuDeviceSetGraphMemAttribute(d, (CUgraphMem_attribute)a, v))
ASK(cudaDeviceGraphMemTrim, (int d), cuDeviceGraphMemTrim(d))

CUDA_EXPORT cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *n, const struct cudaChannelFormatDesc *f,
                                                             int d) {
  CUarray_format format;
  unsigned channels;
  RT_NEED(f && rt_format(&format, &channels, f));
  cudaError_t e = rt_init();
  return e != cudaSuccess ? e : rt_done(cuDeviceGetTexture1DLinearMaxWidth(n, format, channels, d));
}

/* ---- the context's settings ---- */

RT(cudaDeviceSynchronize, (void), cuCtxSynchronize())
RT(cudaDeviceGetLimit, (size_t * v, enum cudaLimit l), cuCtxGetLimit(v, (CUlimit)l))
RT(cudaDeviceSetLimit, (enum cudaLimit l, size_t v), cuCtxSetLimit((CUlimit)l, v))
RT(cudaDeviceGetCacheConfig, (enum cudaFuncCache * c), cuCtxGetCacheConfig((CUfunc_cache *)c))
RT(cudaDeviceSetCacheConfig, (enum cudaFuncCache c), cuCtxSetCacheConfig((CUfunc_cache)c))
RT(cudaDeviceGetSharedMemConfig, (enum cudaSharedMemConfig * c), cuCtxGetSharedMemConfig((CUsharedconfig *)c))
RT(cudaDeviceSetSharedMemConfig, (enum cudaSharedMemConfig c), cuCtxSetSharedMemConfig((CUsharedconfig)c))
RT(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest),
   cuCtxGetStreamPriorityRange(least, greatest))
RT(cudaCtxResetPersistingL2Cache, (void), cuCtxResetPersistingL2Cache())
RT(cudaProfilerStart, (void), cuProfilerStart())
RT(cudaProfilerStop, (void), cuProfilerStop())

/* There is one device, and it is not its own peer. */
CUDA_EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  RT_ENTER();
  RT_NEED(!flags);
  (void)peer;
  return rt_fail(cudaErrorInvalidDevice);
}
CUDA_EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  RT_ENTER();
  (void)peer;
  return rt_fail(cudaErrorInvalidDevice);
}
