/* What a program that uses CUPTI sees in memory: numbers of results and kinds of records, and the layout of the records, as the headers
 * of CUDA 13.0 have them (facts; tests/cupti/layout.inc compares them with an installed header). A record only ever grew at its
 * end since CUDA 6, so programs built with the headers of 11 and 12 read these as theirs.
 *
 * Names are our own. What this simulator does not know of a record is 0, or what the comment says. */
#ifndef CUPTI_LAYOUT_H
#define CUPTI_LAYOUT_H

#include <stdint.h>

enum cupti_result {
  CUPTI_OK = 0,
  CUPTI_BAD_PARAMETER = 1,
  CUPTI_BAD_CONTEXT = 3,
  CUPTI_SIZE_TOO_SMALL = 10,
  CUPTI_NO_MORE = 12, /* "max limit reached": no record is left */
  CUPTI_NOT_COMPATIBLE = 14,
  CUPTI_NOT_INITIALIZED = 15,
  CUPTI_EMPTY = 18,
  CUPTI_BAD_STREAM = 20,
  CUPTI_BAD_KIND = 21,
  CUPTI_UNSUPPORTED = 27,
  CUPTI_LEGACY = 38, /* what the profiler before Volta did */
  CUPTI_SECOND_SUBSCRIBER = 39,
  CUPTI_UNKNOWN = 999
};

enum cupti_kind {
  CUPTI_MEMCPY = 1,
  CUPTI_MEMSET = 2,
  CUPTI_KERNEL = 3,
  CUPTI_DRIVER = 4,
  CUPTI_RUNTIME = 5,
  CUPTI_DEVICE = 8,
  CUPTI_CONTEXT = 9,
  CUPTI_CONCURRENT_KERNEL = 10,
  CUPTI_MARKER = 12,
  CUPTI_STREAM = 37,
  CUPTI_SYNCHRONIZATION = 38,
  CUPTI_EXTERNAL_CORRELATION = 39,
  CUPTI_KINDS = 64
};

enum { CUPTI_COMPUTE_CUDA = 1, CUPTI_CACHE_NOT_SUPPORTED = 1, CUPTI_CHANNEL_COMPUTE = 1, CUPTI_CHANNEL_COPY = 2, CUPTI_OBJECT_THREAD = 2 };
enum { CUPTI_FLAG_ASYNC = 1, CUPTI_FLAG_CONCURRENT_KERNELS = 1, CUPTI_FLAG_INSTANT = 1, CUPTI_FLAG_START = 2, CUPTI_FLAG_END = 4 };
enum {
  CUPTI_COPY_HTOD = 1,
  CUPTI_COPY_DTOH,
  CUPTI_COPY_HTOA,
  CUPTI_COPY_ATOH,
  CUPTI_COPY_ATOA,
  CUPTI_COPY_ATOD,
  CUPTI_COPY_DTOA,
  CUPTI_COPY_DTOD,
  CUPTI_COPY_HTOH
};
enum { CUPTI_MEMORY_PAGEABLE = 1, CUPTI_MEMORY_PINNED, CUPTI_MEMORY_DEVICE, CUPTI_MEMORY_ARRAY, CUPTI_MEMORY_MANAGED };
enum { CUPTI_STREAM_DEFAULT_FLAG = 1, CUPTI_STREAM_NON_BLOCKING_FLAG, CUPTI_STREAM_NULL_FLAG };

struct cupti_api {
  uint32_t kind, number;
  uint64_t start, end;
  uint32_t process, thread, correlation, result;
};

struct cupti_kernel {
  uint32_t kind;
  uint8_t cache_config, shared_config;
  uint16_t registers;
  uint32_t cache_requested, cache_executed; /* of a partitioned global cache: not supported */
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3], static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total, correlation; /* the total is not known */
  int64_t grid_id;
  const char *name;
  void *reserved;
  uint64_t queued, submitted; /* not known */
  uint8_t launch_type, carveout_requested, carveout, padding;
  uint32_t shared_executed; /* how an SM is divided: not known */
  uint64_t graph_node;
  uint32_t shared_limit, graph;
  void *window; /* not told */
  uint32_t channel, channel_type;
  uint32_t cluster[3], cluster_policy;
  uint64_t local_total_2;
  uint32_t most_cluster, most_active_clusters; /* not known */
  uint8_t by_device, padding_2[7];
};

struct cupti_memcpy {
  uint32_t kind;
  uint8_t copy_kind, from, to, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation, runtime_correlation, padding;
  void *reserved;
  uint64_t graph_node;
  uint32_t graph, channel, channel_type;
  uint8_t by_device, padding_2[3];
  uint64_t copies;
};

struct cupti_memset {
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
  uint16_t flags, memory;
  uint32_t padding;
  void *reserved;
  uint64_t graph_node;
  uint32_t graph, channel, channel_type;
  uint8_t by_device, padding_2[3];
};

struct cupti_synchronization {
  uint32_t kind, type;
  uint64_t start, end;
  uint32_t correlation, context, stream, event; /* the last two: UINT32_MAX where they do not apply */
  uint64_t event_sync;
  uint32_t result, padding;
};

struct cupti_context {
  uint32_t kind, context, device;
  uint16_t compute_api, null_stream;
  uint32_t parent;
  uint8_t is_green, padding;
  uint16_t sms; /* of a green context */
  uint32_t cig_mode, padding_2;
};

struct cupti_stream {
  uint32_t kind, context, stream, priority, flag, correlation;
};

struct cupti_device {
  uint32_t kind, flags;
  uint64_t bandwidth, memory; /* kB/s, bytes */
  uint32_t constant_memory, l2_bytes, warp_threads, core_khz, copy_engines, sms, most_ipc, warps_per_sm, blocks_per_sm, shared_per_sm;
  uint32_t registers_per_sm, registers_per_block, shared_per_block, threads_per_block, block[3], grid[3], major, minor, id, ecc;
  uint8_t uuid[16];
  const char *name;
  uint8_t is_visible, is_mig, reserved[6];
  uint32_t gpu_instance, compute_instance;
  uint8_t mig_uuid[16];
  uint32_t is_numa, numa_id;
};

struct cupti_external {
  uint32_t kind, external_kind;
  uint64_t external_id;
  uint32_t correlation, reserved;
};

struct cupti_marker {
  uint32_t kind, flags;
  uint64_t timestamp;
  uint32_t id, object_kind, process, thread, more[2]; /* the object's id is as long as the longest */
  const char *name, *domain;
};

/* What an API callback is given. */
struct cupti_callback_data {
  uint32_t site; /* 0: entry, 1: exit */
  const char *function;
  const void *params;
  void *result;
  const char *symbol;
  void *context;
  uint32_t context_id;
  uint64_t *data;
  uint32_t correlation;
};

#endif
