/* Records of what the driver tells: calls, and what the device did for them. Times are the driver's, so all records have one clock. */
#include "cupti/cupti_state.h"

#include <cuda.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* ---- calls ---- */

void cupti_record_call(const struct heddle_call *c, uint64_t end, int result) {
  enum cupti_kind kind = c->function->library->api == HEDDLE_DRIVER ? CUPTI_DRIVER : CUPTI_RUNTIME;
  if (c->nested || !cupti_wants(kind)) return;
  cupti_buffers_put(&cupti_buffers, &(struct cupti_api){.kind = kind, .number = c->function->number, .start = c->start, .end = end,
                                                        .process = (uint32_t)getpid(), .thread = cupti_thread_id(),
                                                        .correlation = c->correlation, .result = (uint32_t)result});
}

/* ---- ids that the program pushes: a stack a kind, of each thread ---- */

enum { EXTERNAL_KINDS = 6, EXTERNAL_DEPTH = 256 };
static _Thread_local struct {
  uint64_t ids[EXTERNAL_DEPTH];
  unsigned n;
} external[EXTERNAL_KINDS];

enum cupti_result cupti_external_push(uint32_t kind, uint64_t id) {
  if (!kind || kind >= EXTERNAL_KINDS) return CUPTI_BAD_PARAMETER;
  if (external[kind].n == EXTERNAL_DEPTH) return CUPTI_NO_MORE;
  external[kind].ids[external[kind].n++] = id;
  return CUPTI_OK;
}

enum cupti_result cupti_external_pop(uint32_t kind, uint64_t *id) {
  if (!kind || kind >= EXTERNAL_KINDS) return CUPTI_BAD_PARAMETER;
  if (!external[kind].n) return CUPTI_EMPTY;
  external[kind].n--;
  if (id) *id = external[kind].ids[external[kind].n];
  return CUPTI_OK;
}

/* One for each kind that has an id, before what the call does. */
void cupti_record_external(const struct heddle_call *c) {
  if (c->nested || !cupti_wants(CUPTI_EXTERNAL_CORRELATION)) return;
  for (uint32_t kind = 1; kind < EXTERNAL_KINDS; kind++)
    if (external[kind].n)
      cupti_buffers_put(&cupti_buffers, &(struct cupti_external){.kind = CUPTI_EXTERNAL_CORRELATION, .external_kind = kind,
                                                                 .external_id = external[kind].ids[external[kind].n - 1],
                                                                 .correlation = c->correlation});
}

/* ---- what the device did ---- */

static void kernel(const struct heddle_done *d) {
  if (!cupti_wants(CUPTI_KERNEL) && !cupti_wants(CUPTI_CONCURRENT_KERNEL)) return;
  struct cupti_kernel k = {.kind = cupti_wants(CUPTI_KERNEL) ? CUPTI_KERNEL : CUPTI_CONCURRENT_KERNEL,
                           .registers = d->kernel.registers > UINT16_MAX ? UINT16_MAX : (uint16_t)d->kernel.registers,
                           .cache_requested = CUPTI_CACHE_NOT_SUPPORTED,
                           .cache_executed = CUPTI_CACHE_NOT_SUPPORTED,
                           .start = d->start,
                           .end = d->end,
                           .completed = d->end,
                           .context = (uint32_t)d->context,
                           .stream = (uint32_t)d->stream,
                           .static_shared = (int32_t)d->kernel.static_shared,
                           .dynamic_shared = (int32_t)d->kernel.dynamic_shared,
                           .local_per_thread = d->kernel.local_bytes,
                           .correlation = d->correlation,
                           .grid_id = (int64_t)d->kernel.id,
                           .name = cupti_text(d->name),
                           .launch_type = d->kernel.cooperative,
                           .graph_node = d->graph_node,
                           .graph = d->graph,
                           .channel_type = CUPTI_CHANNEL_COMPUTE,
                           .cluster_policy = d->kernel.cluster_policy,
                           .by_device = d->kernel.by_device};
  for (int i = 0; i < 3; i++) {
    k.grid[i] = (int32_t)d->kernel.grid[i];
    k.block[i] = (int32_t)d->kernel.block[i];
    k.cluster[i] = d->kernel.cluster[i];
  }
  cupti_buffers_put(&cupti_buffers, &k);
}

static const uint8_t memory_kinds[] = {[HEDDLE_PAGEABLE] = CUPTI_MEMORY_PAGEABLE,
                                       [HEDDLE_PINNED] = CUPTI_MEMORY_PINNED,
                                       [HEDDLE_DEVICE] = CUPTI_MEMORY_DEVICE,
                                       [HEDDLE_ARRAY] = CUPTI_MEMORY_ARRAY,
                                       [HEDDLE_MANAGED] = CUPTI_MEMORY_MANAGED};

static uint8_t copy_kind(enum heddle_memory from, enum heddle_memory to) {
  enum { HOST, DEVICE, ARRAY };
  static const uint8_t sides[] = {[HEDDLE_DEVICE] = DEVICE, [HEDDLE_ARRAY] = ARRAY, [HEDDLE_MANAGED] = DEVICE};
  static const uint8_t kinds[3][3] = {[HOST] = {CUPTI_COPY_HTOH, CUPTI_COPY_HTOD, CUPTI_COPY_HTOA},
                                      [DEVICE] = {CUPTI_COPY_DTOH, CUPTI_COPY_DTOD, CUPTI_COPY_DTOA},
                                      [ARRAY] = {CUPTI_COPY_ATOH, CUPTI_COPY_ATOD, CUPTI_COPY_ATOA}};
  return kinds[sides[from]][sides[to]];
}

static void copy(const struct heddle_done *d) {
  if (!cupti_wants(CUPTI_MEMCPY)) return;
  cupti_buffers_put(&cupti_buffers, &(struct cupti_memcpy){.kind = CUPTI_MEMCPY,
                                                           .copy_kind = copy_kind(d->memory.from, d->memory.to),
                                                           .from = memory_kinds[d->memory.from],
                                                           .to = memory_kinds[d->memory.to],
                                                           .flags = d->memory.async ? CUPTI_FLAG_ASYNC : 0,
                                                           .bytes = d->memory.bytes,
                                                           .start = d->start,
                                                           .end = d->end,
                                                           .context = (uint32_t)d->context,
                                                           .stream = (uint32_t)d->stream,
                                                           .correlation = d->correlation,
                                                           .graph_node = d->graph_node,
                                                           .graph = d->graph,
                                                           .channel_type = CUPTI_CHANNEL_COPY,
                                                           .copies = 1});
}

static void fill(const struct heddle_done *d) {
  if (!cupti_wants(CUPTI_MEMSET)) return;
  cupti_buffers_put(&cupti_buffers, &(struct cupti_memset){.kind = CUPTI_MEMSET,
                                                           .value = d->memory.value,
                                                           .bytes = d->memory.bytes,
                                                           .start = d->start,
                                                           .end = d->end,
                                                           .context = (uint32_t)d->context,
                                                           .stream = (uint32_t)d->stream,
                                                           .correlation = d->correlation,
                                                           .flags = d->memory.async ? CUPTI_FLAG_ASYNC : 0,
                                                           .memory = memory_kinds[d->memory.to],
                                                           .graph_node = d->graph_node,
                                                           .graph = d->graph,
                                                           .channel_type = CUPTI_CHANNEL_COMPUTE});
}

static void synchronization(const struct heddle_done *d) {
  if (!cupti_wants(CUPTI_SYNCHRONIZATION)) return;
  cupti_buffers_put(&cupti_buffers,
                    &(struct cupti_synchronization){.kind = CUPTI_SYNCHRONIZATION,
                                                    .type = d->sync.what,
                                                    .start = d->start,
                                                    .end = d->end,
                                                    .correlation = d->correlation,
                                                    .context = (uint32_t)d->context,
                                                    .stream = (uint32_t)d->stream,
                                                    .event = d->sync.event,
                                                    .event_sync = d->sync.event == UINT32_MAX ? UINT32_MAX : 0,
                                                    .result = (uint32_t)d->sync.result});
}

static void context(const struct heddle_done *d) {
  if (!cupti_wants(CUPTI_CONTEXT)) return;
  cupti_buffers_put(&cupti_buffers, &(struct cupti_context){.kind = CUPTI_CONTEXT, .context = (uint32_t)d->context,
                                                            .compute_api = CUPTI_COMPUTE_CUDA,
                                                            .null_stream = (uint16_t)d->made.default_stream});
}

static void stream(const struct heddle_done *d) {
  if (!cupti_wants(CUPTI_STREAM)) return;
  uint32_t flag = d->opened.is_default     ? CUPTI_STREAM_NULL_FLAG
                  : d->opened.non_blocking ? CUPTI_STREAM_NON_BLOCKING_FLAG
                                           : CUPTI_STREAM_DEFAULT_FLAG;
  cupti_buffers_put(&cupti_buffers,
                    &(struct cupti_stream){.kind = CUPTI_STREAM, .context = (uint32_t)d->context, .stream = (uint32_t)d->stream,
                                           .priority = (uint32_t)d->opened.priority, .flag = flag, .correlation = d->correlation});
}

static void mark(const struct heddle_done *d) {
  if (!cupti_wants(CUPTI_MARKER)) return;
  static const uint32_t flags[] = {
      [HEDDLE_MARK_INSTANT] = CUPTI_FLAG_INSTANT, [HEDDLE_MARK_BEGIN] = CUPTI_FLAG_START, [HEDDLE_MARK_END] = CUPTI_FLAG_END};
  cupti_buffers_put(&cupti_buffers,
                    &(struct cupti_marker){.kind = CUPTI_MARKER, .flags = flags[d->mark.what], .timestamp = d->start, .id = d->mark.id,
                                           .object_kind = CUPTI_OBJECT_THREAD, .process = (uint32_t)getpid(), .thread = cupti_thread_id(),
                                           .name = cupti_text(d->name), .domain = cupti_text(d->mark.domain)});
}

void cupti_record_done(const struct heddle_done *d) {
  switch (d->kind) {
  case HEDDLE_KERNEL: kernel(d); break;
  case HEDDLE_COPY: copy(d); break;
  case HEDDLE_FILL: fill(d); break;
  case HEDDLE_SYNC: synchronization(d); break;
  case HEDDLE_CONTEXT: context(d); break;
  case HEDDLE_STREAM: stream(d); break;
  case HEDDLE_MARK: mark(d); break;
  }
}

/* ---- the device ---- */

static uint32_t attribute(CUdevice_attribute which) {
  int value = 0;
  return cuDeviceGetAttribute(&value, which, 0) == CUDA_SUCCESS ? (uint32_t)value : 0;
}

void cupti_record_device(void) {
  char name[128] = "";
  size_t memory = 0;
  CUuuid uuid;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetName(name, sizeof name, 0) != CUDA_SUCCESS) return;
  if (cuDeviceTotalMem_v2(&memory, 0) != CUDA_SUCCESS || cuDeviceGetUuid_v2(&uuid, 0) != CUDA_SUCCESS) return;
  uint32_t threads = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), warp = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  uint64_t bus = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / CHAR_BIT;
  struct cupti_device d = {.kind = CUPTI_DEVICE,
                           .flags = CUPTI_FLAG_CONCURRENT_KERNELS,
                           .bandwidth = 2 * bus * attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), /* two words a cycle of the clock */
                           .memory = memory,
                           .constant_memory = attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
                           .l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
                           .warp_threads = warp,
                           .core_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
                           .copy_engines = attribute(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT),
                           .sms = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                           .most_ipc = UINT32_MAX,
                           .warps_per_sm = warp ? threads / warp : 0,
                           .blocks_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
                           .shared_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
                           .registers_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
                           .registers_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
                           .shared_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                           .threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
                           .major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                           .minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
                           .ecc = attribute(CU_DEVICE_ATTRIBUTE_ECC_ENABLED),
                           .name = cupti_text(name),
                           .is_visible = 1,
                           .gpu_instance = UINT32_MAX,
                           .compute_instance = UINT32_MAX,
                           .numa_id = UINT32_MAX};
  static const CUdevice_attribute block[] = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                                             CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
                                  grid[] = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
  for (int i = 0; i < 3; i++) {
    d.block[i] = attribute(block[i]);
    d.grid[i] = attribute(grid[i]);
  }
  memcpy(d.uuid, &uuid, sizeof d.uuid);
  cupti_buffers_put(&cupti_buffers, &d);
}
