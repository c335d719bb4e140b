/* Functions: attributes, parameters and occupancy.
 *
 * Registers are the reader's count of values alive at once, rounded and bounded as by an assembler; the machine code of a real compiler may
 * use more or fewer. */
#include "cuda/state.h"

#include <stdlib.h>

uint32_t cuda_function_registers(const struct CUfunc_st *f) {
  const struct ptx_func *p = f->func->ptx;
  uint32_t n = p->regs_needed < 4 ? 4 : p->regs_needed;
  uint32_t most = 255, threads = p->maxntid[0] * (p->maxntid[1] ? p->maxntid[1] : 1) *
                                 (p->maxntid[2] ? p->maxntid[2] : 1);
  if (p->maxnreg && p->maxnreg < most) most = p->maxnreg;
  if (threads) {
    uint32_t blocks = p->minnctapersm ? p->minnctapersm : 1;
    uint32_t fit = cuda.engine.info.registers_per_block / (threads * blocks) / 8 * 8;
    if (fit && fit < most) most = fit;
  }
  return n < most ? n : most;
}

CUresult cuda_function_of(struct CUfunc_st **out, CUfunction f) {
  switch (cuda_kind_of(f)) {
  case CUDA_K_FUNCTION: *out = f; return CUDA_SUCCESS;
  case CUDA_K_KERNEL: {
    struct CUctx_st *ctx;
    CHECK(cuda_current(&ctx));
    return cuda_kernel_function(out, ctx, (struct CUkern_st *)(void *)f);
  }
  default: return CUDA_ERROR_INVALID_HANDLE;
  }
}

#define ENTER_FUNCTION(f, handle)                                                                            \
  ENTER_ALIVE();                                                                                             \
  struct CUfunc_st *f;                                                                                       \
  CHECK(cuda_function_of(&f, handle))

/* ---- attributes ---- */

static uint32_t most_threads(const struct CUfunc_st *f) {
  const struct ptx_func *p = f->func->ptx;
  const uint32_t *n = p->reqntid[0] ? p->reqntid : p->maxntid;
  uint32_t threads = n[0] ? n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1) : 1024;
  uint32_t fit = cuda.engine.info.registers_per_block / ((cuda_function_registers(f) + 7) / 8 * 8) / 32 * 32;
  if (fit < threads && !n[0]) threads = fit;
  return threads < 1024 ? threads : 1024;
}

static uint64_t constant_bytes(const struct CUmod_st *m) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < m->m.ptx.n_vars; i++)
    if (m->m.ptx.vars[i].space == PTX_CONST) n += m->m.ptx.vars[i].bytes;
  return n;
}

CUDA_EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction handle) {
  NEED(value);
  ENTER_FUNCTION(f, handle);
  const struct ptx_func *p = f->func->ptx;
  const struct cuda_device_info *d = &cuda.engine.info;
  switch (which) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)most_threads(f); break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)f->func->shared_bytes; break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)constant_bytes(f->module); break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)p->local_bytes; break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)cuda_function_registers(f); break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = (int)f->module->m.ptx.target; break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = 10 * d->major + d->minor; break;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = f->max_dynamic_shared; break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = f->carveout; break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    *value = p->explicit_cluster;
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = (int)p->reqnctapercluster[0]; break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = (int)p->reqnctapercluster[1]; break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = (int)p->reqnctapercluster[2]; break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = f->non_portable_cluster; break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: *value = f->cluster_policy; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute which, int value) {
  ENTER_FUNCTION(f, handle);
  switch (which) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    NEED(value >= 0 && (uint64_t)value + f->func->shared_bytes <= cuda.engine.info.shared_per_block_optin);
    f->max_dynamic_shared = value;
    break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    NEED(value >= -1 && value <= 100);
    f->carveout = value;
    break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: f->non_portable_cluster = value != 0; break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: f->cluster_policy = value; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  ENTER_FUNCTION(f, handle);
  NEED((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL);
  f->cache = (int)config;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config) {
  ENTER_FUNCTION(f, handle);
  (void)f;
  NEED((unsigned)config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
  return CUDA_SUCCESS; /* banks have been four bytes wide since 2014, whatever is requested */
}
CUDA_EXPORT CUresult cuFuncGetModule(CUmodule *out, CUfunction handle) {
  NEED(out);
  ENTER_FUNCTION(f, handle);
  *out = f->module;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuFuncGetName(const char **name, CUfunction handle) {
  NEED(name);
  ENTER_FUNCTION(f, handle);
  *name = f->func->ptx->name;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuFuncGetParamInfo(CUfunction handle, size_t i, size_t *offset, size_t *bytes) {
  NEED(offset);
  ENTER_FUNCTION(f, handle);
  const struct ptx_func *p = f->func->ptx;
  NEED(i < p->n_params);
  const struct ptx_var *v = &f->module->m.ptx.vars[p->params[i]];
  *offset = v->offset;
  if (bytes) *bytes = v->bytes;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction handle) {
  NEED(state);
  ENTER_FUNCTION(f, handle);
  (void)f;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuFuncLoad(CUfunction handle) {
  ENTER_FUNCTION(f, handle);
  (void)f;
  return CUDA_SUCCESS;
}

/* ---- occupancy ---- */

static uint32_t occupancy(const struct CUfunc_st *f, uint32_t threads, size_t dynamic) {
  const struct cuda_device_info *d = &cuda.engine.info;
  if (threads > most_threads(f) || dynamic > UINT32_MAX / 2) return 0;
  if (dynamic > (size_t)f->max_dynamic_shared) return 0;
  struct cuda_occupancy_need need = {.threads = threads,
                                     .registers_per_thread = cuda_function_registers(f),
                                     .static_shared = f->func->shared_bytes,
                                     .dynamic_shared = (uint32_t)dynamic};
  return cuda_blocks_per_sm(d, &need);
}

CUDA_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction handle,
                                                                          int threads, size_t dynamic,
                                                                          unsigned flags) {
  NEED(blocks && threads > 0 && !(flags & ~1u));
  ENTER_FUNCTION(f, handle);
  *blocks = (int)occupancy(f, (uint32_t)threads, dynamic);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads,
                                                                 size_t dynamic) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, dynamic, 0);
}

/* The block size with which most threads are on an SM; among equals, the largest. */
CUDA_EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction handle,
                                                               CUoccupancyB2DSize shared_of, size_t dynamic,
                                                               int limit, unsigned flags) {
  NEED(grid && block && !(flags & ~1u) && limit >= 0);
  ENTER_FUNCTION(f, handle);
  uint32_t most = most_threads(f), best = 0;
  if (limit && (uint32_t)limit < most) most = (uint32_t)limit;
  *grid = *block = 0;
  for (uint32_t threads = (most + 31) / 32 * 32; threads; threads -= 32) {
    uint32_t size = threads < most ? threads : most;
    uint32_t blocks = occupancy(f, size, shared_of ? shared_of((int)size) : dynamic);
    if (blocks * size <= best) continue;
    best = blocks * size;
    *block = (int)size;
    *grid = (int)(blocks * cuda.engine.info.sms);
  }
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f,
                                                      CUoccupancyB2DSize shared_of, size_t dynamic,
                                                      int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, shared_of, dynamic, limit, 0);
}

CUDA_EXPORT CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *out, CUfunction handle, int blocks,
                                                             int threads) {
  NEED(out && blocks > 0 && threads > 0);
  ENTER_FUNCTION(f, handle);
  const struct cuda_device_info *d = &cuda.engine.info;
  NEED((uint32_t)blocks <= occupancy(f, (uint32_t)threads, 0));
  int64_t left = d->shared_per_sm / (uint32_t)blocks / 128 * 128;
  left -= f->func->shared_bytes; /* NVIDIA's driver does not subtract what the system reserves of each block */
  if (left > f->max_dynamic_shared) left = f->max_dynamic_shared;
  *out = left > 0 ? (size_t)left : 0;
  return CUDA_SUCCESS;
}

/* ---- what kernels ask the device runtime ---- */

static bool tell_attribute(void *ctx, int which, int32_t *value) {
  (void)ctx;
  return cuda_device_attribute(&cuda.engine.info, which, value);
}
static bool tell_limit(void *ctx, int which, uint64_t *value) {
  size_t limit;
  if (cuda_limit(ctx, (CUlimit)which, &limit) != CUDA_SUCCESS) return false;
  *value = limit;
  return true;
}
/* A function handle with default attributes, as the host has it before it changes any. */
static struct CUfunc_st plain_function(const struct exec_func *kernel) {
  return (struct CUfunc_st){.func = kernel, .max_dynamic_shared = (int)cuda.engine.info.shared_per_block - (int)kernel->shared_bytes};
}
static uint32_t tell_threads(void *ctx, const struct exec_func *kernel) {
  struct CUfunc_st f = plain_function(kernel);
  (void)ctx;
  return most_threads(&f);
}
static uint32_t tell_registers(void *ctx, const struct exec_func *kernel) {
  struct CUfunc_st f = plain_function(kernel);
  (void)ctx;
  return cuda_function_registers(&f);
}
static uint32_t tell_occupancy(void *ctx, const struct exec_func *kernel, uint32_t threads, uint64_t dynamic) {
  struct CUfunc_st f = plain_function(kernel);
  (void)ctx;
  return occupancy(&f, threads, dynamic);
}
const struct exec_told cuda_told = {tell_attribute, tell_limit, tell_threads, tell_registers, tell_occupancy, cuda_graph_ask};

/* ---- clusters ---- */

/* Blocks per cluster of such a launch; 0: the clusters are impossible. */
static uint32_t cluster_of(const struct CUfunc_st *f, const CUlaunchConfig *config) {
  struct cuda_launch l = {.func = (struct CUfunc_st *)f, .grid = {config->gridDimX, config->gridDimY, config->gridDimZ}};
  const uint32_t *dims = NULL;
  for (unsigned i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) dims = &config->attrs[i].value.clusterDim.x;
  const char *why;
  if (cuda_cluster_shape(&l, dims, &why) != CUDA_SUCCESS) return 0;
  return l.cluster[0] ? l.cluster[0] * l.cluster[1] * l.cluster[2] : 1;
}

/* Clusters of `size` blocks that run at once, each within one GPC. */
static uint32_t active_clusters(uint32_t size, uint32_t per_sm) {
  uint32_t n = 0, sms = cuda.engine.info.sms, gpc = cuda.engine.info.gpc_sms ? cuda.engine.info.gpc_sms : sms;
  for (uint32_t first = 0; first < sms; first += gpc) n += (sms - first < gpc ? sms - first : gpc) / size;
  return size <= 1 ? sms * per_sm : n * per_sm;
}

CUDA_EXPORT CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle,
                                                        const CUlaunchConfig *config) {
  NEED(size && config);
  ENTER_FUNCTION(f, handle);
  uint32_t per_sm = occupancy(f, config->blockDimX * config->blockDimY * config->blockDimZ, config->sharedMemBytes);
  *size = f->non_portable_cluster ? EXEC_MAX_CLUSTER : 8;
  while (*size > 1 && !active_clusters((uint32_t)*size, per_sm)) *size /= 2;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuOccupancyMaxActiveClusters(int *n, CUfunction handle, const CUlaunchConfig *config) {
  NEED(n && config);
  ENTER_FUNCTION(f, handle);
  uint32_t threads = config->blockDimX * config->blockDimY * config->blockDimZ, size = cluster_of(f, config);
  if (!size) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  *n = (int)active_clusters(size, occupancy(f, threads, config->sharedMemBytes));
  return CUDA_SUCCESS;
}
