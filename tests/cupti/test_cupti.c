/* libcupti on the driver API: which records come of what a program does, and that they agree with each other. cupti.sh runs it with
 * time and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../cuda/cuda_kit.h"
#include "cupti_api.h"

#include <pthread.h>
#include <unistd.h>

#define OK(call) assert_int_equal(call, 0)

enum { MOST = 4096, INTS = 4096 };
enum { CB_ALLOC = 243, CB_LAUNCH = 307, CB_MEMCPY = 278, CB_FREE = 245 }; /* cuMemAlloc_v2, cuLaunchKernel, cuMemcpyDtoH_v2, cuMemFree_v2 */

static union record {
  uint32_t kind;
  struct cupti_api api;
  struct cupti_kernel kernel;
  struct cupti_memcpy copy;
  struct cupti_memset fill;
  struct cupti_synchronization sync;
  struct cupti_context context;
  struct cupti_stream stream;
  struct cupti_device device;
  struct cupti_external external;
  struct cupti_marker marker;
} records[MOST];
static size_t n_records;
static unsigned delivered_by_others;
static pthread_t main_thread;
static CUfunction add;
static CUdeviceptr data;

/* ---- collecting ---- */

static void request(uint8_t **buffer, size_t *bytes, size_t *most) {
  *bytes = 1024;
  *buffer = aligned_alloc(8, *bytes);
  *most = 0;
}

static void complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid) {
  (void)context, (void)stream, (void)bytes;
  uint8_t *at = NULL;
  CUdeviceptr p;
  bool other = !pthread_equal(pthread_self(), main_thread);
  OK(cuptiActivityFlushAll(0));
  if (!other) { /* a program may call CUDA here, and that is nobody's business */
    OK(cuMemAlloc(&p, 64));
    OK(cuMemFree(p));
  }
  while (cuptiActivityGetNextRecord(buffer, valid, &at) == CUPTI_OK) {
    assert_true(n_records < MOST);
    memcpy(&records[n_records], at, cupti_record_bytes(*(uint32_t *)at));
    n_records++;
  }
  assert_int_equal(cuptiActivityGetNextRecord(buffer, valid, &at), CUPTI_NO_MORE);
  free(buffer);
  __atomic_add_fetch(&delivered_by_others, other, __ATOMIC_RELEASE);
}

static const union record *nth(uint32_t kind, size_t n) {
  for (size_t i = 0; i < n_records; i++)
    if (records[i].kind == kind && !n--) return &records[i];
  return NULL;
}

static size_t count(uint32_t kind) {
  size_t n = 0;
  for (size_t i = 0; i < n_records; i++) n += records[i].kind == kind;
  return n;
}

static const struct cupti_api *call_of(uint32_t correlation) {
  for (size_t i = 0; i < n_records; i++)
    if (records[i].kind == CUPTI_DRIVER && records[i].api.correlation == correlation) return &records[i].api;
  return NULL;
}

static void flush(void) { OK(cuptiActivityFlushAll(1)); }

static int open_device(void **state) {
  (void)state;
  main_thread = pthread_self();
  OK(cuptiActivityRegisterCallbacks(request, (cupti_complete)complete));
  kit_open();
  add = kit_function("count_up");
  data = kit_ints(INTS, 0);
  return 0;
}

static int begin(void **state) {
  (void)state;
  OK(cuCtxSynchronize());
  n_records = 0;
  return 0;
}

static int end(void **state) {
  (void)state;
  OK(cuptiFinalize());
  size_t dropped = 1;
  OK(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
  assert_int_equal(dropped, 0);
  return 0;
}

static void enable(const uint32_t *kinds, size_t n) {
  for (size_t i = 0; i < n; i++) OK(cuptiActivityEnable(kinds[i]));
}
#define ENABLE(...) enable((const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

/* ---- records ---- */

static void test_nothing_is_recorded_until_it_is_asked_for(void **state) {
  (void)state;
  OK(LAUNCH(add, 2, 64, 0, NULL, &data));
  OK(cuCtxSynchronize());
  ENABLE(CUPTI_CONCURRENT_KERNEL);
  OK(cuptiActivityDisable(CUPTI_CONCURRENT_KERNEL));
  OK(LAUNCH(add, 2, 64, 0, NULL, &data));
  OK(cuCtxSynchronize());
  flush();
  assert_int_equal(n_records, 0);
}

static void test_a_kernel_is_recorded_with_what_was_launched(void **state) {
  (void)state;
  uint32_t context, stream;
  int registers, shared;
  CUstream s;
  OK(cuStreamCreate(&s, 0));
  ENABLE(CUPTI_CONCURRENT_KERNEL, CUPTI_DRIVER);
  OK(cuLaunchKernel(add, 3, 2, 1, 32, 2, 1, 512, s, (void *[]){&data}, NULL));
  OK(cuStreamSynchronize(s));
  flush();
  assert_int_equal(count(CUPTI_CONCURRENT_KERNEL), 1);
  assert_int_equal(count(CUPTI_DRIVER), 2);
  const struct cupti_kernel *k = &nth(CUPTI_CONCURRENT_KERNEL, 0)->kernel;
  const struct cupti_api *launch = call_of(k->correlation);
  OK(cuptiGetContextId(kit_context, &context));
  OK(cuptiGetStreamId(kit_context, s, &stream));
  OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, add));
  OK(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, add));
  assert_string_equal(k->name, "count_up");
  assert_int_equal(k->context, context);
  assert_int_equal(k->stream, stream);
  assert_int_equal(k->device, 0);
  assert_true(k->grid[0] == 3 && k->grid[1] == 2 && k->grid[2] == 1 && k->block[0] == 32 && k->block[1] == 2 && k->block[2] == 1);
  assert_int_equal(k->dynamic_shared, 512);
  assert_int_equal(k->static_shared, shared);
  assert_int_equal(k->registers, registers);
  assert_true(registers > 0 && k->grid_id > 0 && !k->graph && !k->graph_node);
  assert_int_equal(launch->number, CB_LAUNCH);
  assert_int_equal(launch->result, 0);
  assert_int_equal(launch->process, getpid());
  assert_int_equal(launch->thread, (uint32_t)(uintptr_t)pthread_self());
  assert_true(launch->start <= k->start && k->start < k->end && k->completed == k->end);
  OK(cuStreamDestroy(s));
}

static void test_the_older_kind_of_kernels_is_the_same_and_not_both(void **state) {
  (void)state;
  ENABLE(CUPTI_KERNEL);
  assert_int_equal(cuptiActivityEnable(CUPTI_CONCURRENT_KERNEL), CUPTI_NOT_COMPATIBLE);
  OK(LAUNCH(add, 2, 64, 0, NULL, &data));
  OK(cuCtxSynchronize());
  flush();
  assert_int_equal(n_records, 1);
  assert_int_equal(nth(CUPTI_KERNEL, 0)->kernel.block[0], 64);
}

static void test_kernels_of_a_stream_come_one_after_the_other(void **state) {
  (void)state;
  enum { STREAMS = 3, EACH = 4 };
  CUstream s[STREAMS];
  uint32_t ids[STREAMS];
  uint64_t before, after;
  for (int i = 0; i < STREAMS; i++) OK(cuStreamCreate(&s[i], CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < STREAMS; i++) OK(cuptiGetStreamId(kit_context, s[i], &ids[i]));
  ENABLE(CUPTI_CONCURRENT_KERNEL);
  OK(cuptiGetTimestamp(&before));
  for (int i = 0; i < STREAMS * EACH; i++) OK(LAUNCH(add, 4, 128, 0, s[i % STREAMS], &data));
  OK(cuCtxSynchronize());
  OK(cuptiGetTimestamp(&after));
  flush();
  assert_int_equal(n_records, STREAMS * EACH);
  for (int i = 0; i < STREAMS; i++) {
    uint64_t last = before;
    unsigned seen = 0;
    uint32_t correlation = 0;
    for (size_t k = 0; k < n_records; k++) {
      const struct cupti_kernel *r = &records[k].kernel;
      if (r->stream != ids[i]) continue;
      assert_true(r->start >= last && r->end > r->start && r->correlation > correlation);
      last = r->end;
      correlation = r->correlation;
      seen++;
    }
    assert_int_equal(seen, EACH);
    assert_true(last <= after);
  }
  for (int i = 0; i < STREAMS; i++) OK(cuStreamDestroy(s[i]));
}

static void test_copies_say_where_from_and_where_to(void **state) {
  (void)state;
  static char pageable[4096];
  char *pinned;
  CUdeviceptr managed;
  CUarray array;
  OK(cuMemAllocHost((void **)&pinned, 4096));
  OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  OK(cuArrayCreate(&array, &(CUDA_ARRAY_DESCRIPTOR){.Width = 64, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1}));
  ENABLE(CUPTI_MEMCPY);
  OK(cuMemcpyHtoD(data, pageable, 4096));
  OK(cuMemcpyHtoDAsync(data, pinned, 100, NULL));
  OK(cuMemcpyDtoH(pageable, data, 8));
  OK(cuMemcpyDtoD(data + 2048, data, 512));
  OK(cuMemcpyHtoA(array, 0, pageable, 64));
  OK(cuMemcpyAtoD(data, array, 0, 32));
  OK(cuMemcpy(managed, data, 16));
  OK(cuMemcpyHtoD(data, pageable, 0)); /* nothing is moved */
  OK(cuCtxSynchronize());
  flush();
  static const struct {
    uint8_t kind, from, to, flags;
    uint64_t bytes;
  } expected[] = {{CUPTI_COPY_HTOD, CUPTI_MEMORY_PAGEABLE, CUPTI_MEMORY_DEVICE, 0, 4096},
                  {CUPTI_COPY_HTOD, CUPTI_MEMORY_PINNED, CUPTI_MEMORY_DEVICE, CUPTI_FLAG_ASYNC, 100},
                  {CUPTI_COPY_DTOH, CUPTI_MEMORY_DEVICE, CUPTI_MEMORY_PAGEABLE, 0, 8},
                  {CUPTI_COPY_DTOD, CUPTI_MEMORY_DEVICE, CUPTI_MEMORY_DEVICE, 0, 512},
                  {CUPTI_COPY_HTOA, CUPTI_MEMORY_PAGEABLE, CUPTI_MEMORY_ARRAY, 0, 64},
                  {CUPTI_COPY_ATOD, CUPTI_MEMORY_ARRAY, CUPTI_MEMORY_DEVICE, 0, 32},
                  {CUPTI_COPY_DTOD, CUPTI_MEMORY_DEVICE, CUPTI_MEMORY_MANAGED, 0, 16}};
  assert_int_equal(n_records, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < n_records; i++) {
    const struct cupti_memcpy *c = &records[i].copy;
    assert_int_equal(c->kind, CUPTI_MEMCPY);
    assert_int_equal(c->copy_kind, expected[i].kind);
    assert_int_equal(c->from, expected[i].from);
    assert_int_equal(c->to, expected[i].to);
    assert_int_equal(c->flags, expected[i].flags);
    assert_int_equal(c->bytes, expected[i].bytes);
    assert_true(c->start < c->end && c->copies == 1 && c->correlation);
  }
  OK(cuArrayDestroy(array));
  OK(cuMemFree(managed));
  OK(cuMemFreeHost(pinned));
}

static void test_fills_say_their_value_and_bytes(void **state) {
  (void)state;
  ENABLE(CUPTI_MEMSET, CUPTI_DRIVER);
  OK(cuMemsetD32(data, 7, 16));
  OK(cuMemsetD8Async(data, 3, 10, NULL));
  OK(cuCtxSynchronize());
  flush();
  assert_int_equal(count(CUPTI_MEMSET), 2);
  const struct cupti_memset *first = &nth(CUPTI_MEMSET, 0)->fill, *second = &nth(CUPTI_MEMSET, 1)->fill;
  assert_true(first->value == 7 && first->bytes == 64 && first->flags == 0 && first->memory == CUPTI_MEMORY_DEVICE);
  assert_true(second->value == 3 && second->bytes == 10 && second->flags == CUPTI_FLAG_ASYNC);
  assert_true(second->start >= first->end && second->correlation > first->correlation);
  assert_non_null(call_of(first->correlation));
}

static void test_calls_say_what_they_were_answered(void **state) {
  (void)state;
  CUdeviceptr p;
  const char *name;
  ENABLE(CUPTI_DRIVER);
  OK(cuMemAlloc(&p, 64));
  OK(cuMemFree(p));
  assert_int_equal(cuMemFree(p + 1), CUDA_ERROR_INVALID_VALUE);
  flush();
  assert_int_equal(n_records, 3);
  static const uint32_t numbers[] = {CB_ALLOC, CB_FREE, CB_FREE}, results[] = {0, 0, CUDA_ERROR_INVALID_VALUE};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(records[i].api.number, numbers[i]);
    assert_int_equal(records[i].api.result, results[i]);
    assert_true(records[i].api.start <= records[i].api.end && records[i].api.start >= 1000000000);
    assert_int_equal(records[i].api.correlation, records[0].api.correlation + i);
  }
  OK(cuptiGetCallbackName(1, CB_ALLOC, &name));
  assert_string_equal(name, "cuMemAlloc_v2");
}

static void test_waiting_is_recorded_by_what_was_waited_for(void **state) {
  (void)state;
  CUstream s;
  CUevent e;
  uint32_t stream;
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&e, 0));
  OK(cuptiGetStreamId(kit_context, s, &stream));
  ENABLE(CUPTI_SYNCHRONIZATION, CUPTI_CONCURRENT_KERNEL);
  OK(LAUNCH(add, 4, 64, 0, NULL, &data));
  OK(cuEventRecord(e, NULL));
  OK(cuStreamWaitEvent(s, e, 0));
  OK(LAUNCH(add, 4, 64, 0, s, &data));
  OK(cuEventSynchronize(e));
  OK(cuStreamSynchronize(s));
  OK(cuCtxSynchronize());
  flush();
  assert_int_equal(count(CUPTI_SYNCHRONIZATION), 4);
  static const uint32_t types[] = {2, 1, 3, 4};
  const bool on_stream[] = {true, false, true, false}, on_event[] = {true, true, false, false};
  for (size_t i = 0; i < 4; i++) {
    const struct cupti_synchronization *r = &nth(CUPTI_SYNCHRONIZATION, i)->sync;
    assert_int_equal(r->type, types[i]);
    assert_int_equal(r->stream, on_stream[i] ? stream : UINT32_MAX);
    assert_int_equal(r->event == UINT32_MAX, !on_event[i]);
    assert_int_equal(r->event_sync, on_event[i] ? 0 : UINT32_MAX);
    assert_true(r->start <= r->end && r->result == 0);
  }
  assert_true(nth(CUPTI_SYNCHRONIZATION, 1)->sync.end >= nth(CUPTI_CONCURRENT_KERNEL, 0)->kernel.end);
  assert_true(nth(CUPTI_SYNCHRONIZATION, 2)->sync.end >= nth(CUPTI_CONCURRENT_KERNEL, 1)->kernel.end);
  OK(cuEventDestroy(e));
  OK(cuStreamDestroy(s));
}

static void test_a_graph_has_the_correlation_of_its_launch(void **state) {
  (void)state;
  CUstream s;
  CUgraph g;
  CUgraphExec exec;
  OK(cuStreamCreate(&s, 0));
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(LAUNCH(add, 1, 32, 0, s, &data));
  OK(cuMemsetD8Async(data, 0, 64, s));
  OK(cuStreamEndCapture(s, &g));
  OK(cuGraphInstantiateWithFlags(&exec, g, 0));
  ENABLE(CUPTI_CONCURRENT_KERNEL, CUPTI_MEMSET, CUPTI_DRIVER);
  OK(cuGraphLaunch(exec, s));
  OK(cuGraphLaunch(exec, s));
  OK(cuStreamSynchronize(s));
  flush();
  assert_int_equal(count(CUPTI_CONCURRENT_KERNEL), 2);
  for (size_t i = 0; i < 2; i++) {
    const struct cupti_kernel *k = &nth(CUPTI_CONCURRENT_KERNEL, i)->kernel;
    const struct cupti_memset *f = &nth(CUPTI_MEMSET, i)->fill;
    const char *name;
    OK(cuptiGetCallbackName(1, call_of(k->correlation)->number, &name));
    assert_string_equal(name, "cuGraphLaunch");
    assert_int_equal(f->correlation, k->correlation);
    assert_true(k->graph && f->graph == k->graph && f->graph_node == k->graph_node + 1 && f->start >= k->end && f->flags == 0);
    assert_int_equal(k->graph_node, nth(CUPTI_CONCURRENT_KERNEL, 0)->kernel.graph_node);
  }
  assert_int_not_equal(nth(CUPTI_MEMSET, 0)->fill.correlation, nth(CUPTI_MEMSET, 1)->fill.correlation);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(g));
  OK(cuStreamDestroy(s));
}

static void test_devices_contexts_and_streams_are_recorded(void **state) {
  (void)state;
  CUcontext context;
  CUstream s;
  char name[64];
  uint32_t id, stream;
  size_t memory;
  ENABLE(CUPTI_DEVICE, CUPTI_CONTEXT, CUPTI_STREAM);
  OK(cuCtxCreate_v4(&context, NULL, 0, 0));
  OK(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -1));
  OK(cuptiGetContextId(context, &id));
  OK(cuptiGetStreamIdEx(context, NULL, 0, &stream));
  flush();
  OK(cuDeviceGetName(name, sizeof name, 0));
  OK(cuDeviceTotalMem(&memory, 0));
  const struct cupti_device *d = &nth(CUPTI_DEVICE, 0)->device;
  assert_string_equal(d->name, name);
  assert_true(d->memory == memory && d->warp_threads == 32 && d->sms > 0 && d->threads_per_block == 1024 && d->bandwidth > 0);
  const struct cupti_context *c = &nth(CUPTI_CONTEXT, 0)->context;
  assert_true(c->context == id && c->null_stream == stream && c->compute_api == 1 && c->device == 0);
  assert_int_equal(count(CUPTI_STREAM), 2);
  assert_true(nth(CUPTI_STREAM, 0)->stream.stream == stream && nth(CUPTI_STREAM, 0)->stream.flag == CUPTI_STREAM_NULL_FLAG);
  OK(cuptiGetStreamId(context, s, &stream));
  const struct cupti_stream *r = &nth(CUPTI_STREAM, 1)->stream;
  assert_true(r->stream == stream && r->context == id && r->flag == CUPTI_STREAM_NON_BLOCKING_FLAG && (int32_t)r->priority == -1);
  OK(cuCtxDestroy(context));
  OK(cuCtxSetCurrent(kit_context));
  assert_int_equal(cuptiGetContextId(context, &id), CUPTI_BAD_CONTEXT);
  assert_int_equal(cuptiGetStreamId(kit_context, s, &id), CUPTI_BAD_STREAM);
}

static void test_ids_of_the_program_are_joined_to_its_calls(void **state) {
  (void)state;
  uint64_t id = 0;
  ENABLE(CUPTI_EXTERNAL_CORRELATION, CUPTI_DRIVER);
  OK(cuptiActivityPushExternalCorrelationId(3, 41));
  OK(cuptiActivityPushExternalCorrelationId(1, 42));
  OK(cuptiActivityPushExternalCorrelationId(1, 43));
  OK(cuCtxSynchronize());
  OK(cuptiActivityPopExternalCorrelationId(1, &id));
  assert_int_equal(id, 43);
  OK(cuCtxSynchronize());
  OK(cuptiActivityPopExternalCorrelationId(1, NULL));
  OK(cuptiActivityPopExternalCorrelationId(3, &id));
  assert_int_equal(id, 41);
  OK(cuCtxSynchronize());
  assert_int_equal(cuptiActivityPopExternalCorrelationId(1, &id), CUPTI_EMPTY);
  assert_int_equal(cuptiActivityPushExternalCorrelationId(0, 1), CUPTI_BAD_PARAMETER);
  flush();
  static const uint32_t kinds[] = {1, 3, 1, 3}, ids[] = {43, 41, 42, 41};
  assert_int_equal(count(CUPTI_EXTERNAL_CORRELATION), 4);
  assert_int_equal(count(CUPTI_DRIVER), 3);
  for (size_t i = 0; i < 4; i++) {
    const struct cupti_external *e = &nth(CUPTI_EXTERNAL_CORRELATION, i)->external;
    assert_true(e->external_kind == kinds[i] && e->external_id == ids[i]);
    assert_int_equal(e->correlation, nth(CUPTI_DRIVER, i / 2)->api.correlation);
  }
}

/* ---- NVTX ---- */

static void (*core[16])(void), (**core_table[16])(void);
static int give_table(int module, void (****out)(void), unsigned *n) {
  *out = module == 1 ? core_table : NULL;
  *n = 16;
  return module == 1;
}
static const struct {
  size_t bytes;
  int (*table)(int module, void (****out)(void), unsigned *n);
} nvtx = {sizeof nvtx, give_table};
static const void *give(uint32_t id) { return id == 1 ? &nvtx : NULL; }

static void test_ranges_of_nvtx_are_markers(void **state) {
  (void)state;
  for (int i = 0; i < 16; i++) core_table[i] = &core[i];
  assert_int_equal(InitializeInjectionNvtx2(give), 1);
  ENABLE(CUPTI_MARKER);
  ((int (*)(const char *))core[9])("outer");
  ((void (*)(const char *))core[2])("mark");
  ((int (*)(void))core[11])();
  flush();
  assert_int_equal(n_records, 3);
  static const uint32_t flags[] = {CUPTI_FLAG_START, CUPTI_FLAG_INSTANT, CUPTI_FLAG_END};
  for (size_t i = 0; i < 3; i++) assert_int_equal(records[i].marker.flags, flags[i]);
  assert_string_equal(records[0].marker.name, "outer");
  assert_string_equal(records[1].marker.name, "mark");
  assert_true(records[2].marker.id == records[0].marker.id && records[1].marker.id != records[0].marker.id);
  assert_true(!records[2].marker.name && records[0].marker.object_kind == CUPTI_OBJECT_THREAD);
}

/* ---- callbacks ---- */

static struct {
  unsigned entered, left, kernels;
  uint32_t correlation, context;
  uint64_t bytes;
  int result;
} seen;

static void call_back(void *user, uint32_t domain, uint32_t number, const void *data_) {
  const struct cupti_callback_data *d = data_;
  CUdeviceptr p;
  assert_ptr_equal(user, &seen);
  assert_int_equal(domain, 1);
  OK(cuMemAlloc(&p, 64)); /* not called back for this */
  OK(cuMemFree(p));
  if (d->symbol && !strcmp(d->symbol, "count_up")) seen.kernels++;
  seen.context = d->context_id;
  if (!d->site) {
    seen.entered++;
    seen.correlation = d->correlation;
    *d->data = 4711;
    if (number == CB_ALLOC) seen.bytes = ((const struct { CUdeviceptr *at; size_t bytes; } *)d->params)->bytes;
    return;
  }
  seen.left++;
  assert_int_equal(*d->data, 4711);
  assert_int_equal(d->correlation, seen.correlation);
  seen.result = *(int *)d->result;
}

static void test_a_subscriber_is_called_as_functions_are_entered_and_left(void **state) {
  (void)state;
  void *subscriber, *other;
  CUdeviceptr p;
  uint32_t is_enabled, context;
  OK(cuptiSubscribe(&subscriber, call_back, &seen));
  assert_int_equal(cuptiSubscribe(&other, call_back, &seen), CUPTI_SECOND_SUBSCRIBER);
  OK(cuMemAlloc(&p, 100)); /* nothing is enabled */
  assert_int_equal(seen.entered, 0);
  OK(cuptiEnableCallback(1, subscriber, 1, CB_ALLOC));
  OK(cuptiGetCallbackState(&is_enabled, subscriber, 1, CB_ALLOC));
  assert_int_equal(is_enabled, 1);
  OK(cuMemFree(p));
  OK(cuMemAlloc(&p, 200));
  assert_true(seen.entered == 1 && seen.left == 1 && seen.bytes == 200 && seen.result == 0);
  OK(cuptiGetContextId(NULL, &context));
  assert_int_equal(seen.context, context);
  OK(cuptiEnableDomain(1, subscriber, 1));
  ENABLE(CUPTI_CONCURRENT_KERNEL);
  OK(LAUNCH(add, 1, 32, 0, NULL, &data));
  assert_true(seen.entered == 2 && seen.left == 2 && seen.kernels == 2);
  uint32_t launched = seen.correlation;
  assert_int_equal(cuMemFree(p + 1), CUDA_ERROR_INVALID_VALUE);
  assert_int_equal(seen.result, CUDA_ERROR_INVALID_VALUE);
  OK(cuptiUnsubscribe(subscriber));
  OK(cuMemFree(p));
  assert_true(seen.entered == 3 && seen.left == 3);
  OK(cuCtxSynchronize());
  flush();
  assert_int_equal(nth(CUPTI_CONCURRENT_KERNEL, 0)->kernel.correlation, launched);
  assert_int_equal(cuptiUnsubscribe(subscriber), CUPTI_BAD_PARAMETER);
}

/* ---- the rest ---- */

static void test_a_period_delivers_without_a_call(void **state) {
  (void)state;
  ENABLE(CUPTI_DRIVER);
  OK(cuCtxSynchronize());
  assert_int_equal(n_records, 0); /* its buffer is not full */
  delivered_by_others = 0;
  OK(cuptiActivityFlushPeriod(1));
  for (int i = 0; i < 20000 && !__atomic_load_n(&delivered_by_others, __ATOMIC_ACQUIRE); i++) usleep(500);
  OK(cuptiActivityFlushPeriod(0)); /* its thread has ended */
  assert_int_equal(delivered_by_others, 1);
  assert_int_equal(n_records, 1);
}

static void test_attributes_are_kept(void **state) {
  (void)state;
  size_t bytes = 8, value = 0;
  uint8_t zeroed = 1;
  OK(cuptiActivityGetAttribute(0, &bytes, &value));
  assert_int_equal(value, 3200000);
  value = 2 * value;
  OK(cuptiActivitySetAttribute(0, &bytes, &value));
  value = 0;
  OK(cuptiActivityGetAttribute(0, &bytes, &value));
  assert_int_equal(value, 6400000);
  bytes = 1;
  OK(cuptiActivitySetAttribute(5, &bytes, &zeroed));
  assert_int_equal(cuptiActivityGetAttribute(0, &bytes, &value), CUPTI_SIZE_TOO_SMALL);
  assert_int_equal(cuptiActivityGetAttribute(99, &bytes, &value), CUPTI_BAD_PARAMETER);
}

static void test_what_is_not_done_is_refused(void **state) {
  (void)state;
  static const uint32_t done[] = {1, 2, 3, 4, 5, 8, 9, 10, 12, 37, 38, 39};
  void *subscriber;
  size_t next = 0;
  for (uint32_t kind = 0; kind < 80; kind++) {
    if (next < sizeof done / sizeof *done && kind == done[next]) {
      next++;
      continue;
    }
    bool legacy = kind == 6 || kind == 7 || (kind >= 14 && kind <= 16) || kind == 21 || kind == 23 || kind == 24 ||
                  (kind >= 29 && kind <= 32) || (kind >= 41 && kind <= 44);
    assert_int_equal(cuptiActivityEnable(kind), legacy ? CUPTI_LEGACY : CUPTI_BAD_KIND);
  }
  assert_int_equal(cuptiActivityEnableContext(kit_context, CUPTI_MEMCPY), CUPTI_UNSUPPORTED);
  assert_int_equal(cuptiActivityRegisterCallbacks(NULL, NULL), CUPTI_BAD_PARAMETER);
  OK(cuptiSubscribe(&subscriber, call_back, &seen));
  for (uint32_t domain = 3; domain <= 5; domain++) assert_int_equal(cuptiEnableDomain(1, subscriber, domain), CUPTI_UNSUPPORTED);
  assert_int_equal(cuptiEnableAllDomains(1, subscriber), CUPTI_UNSUPPORTED);
  OK(cuptiEnableAllDomains(0, subscriber));
  OK(cuptiEnableDomain(1, subscriber, 6)); /* CUPTI's own failures, of which there are none */
  assert_int_equal(cuptiEnableDomain(1, subscriber, 7), CUPTI_BAD_PARAMETER);
  assert_int_equal(cuptiEnableCallback(1, subscriber, 1, 100000), CUPTI_BAD_PARAMETER);
  uint8_t nothing[64] = {0}, *at = NULL;
  assert_int_equal(cuptiActivityGetNextRecord(nothing, sizeof nothing, &at), CUPTI_BAD_KIND);
}

static void test_the_last_error_is_remembered_until_it_is_asked_for(void **state) {
  (void)state;
  uint32_t version;
  cuptiGetLastError();
  assert_int_equal(cuptiActivityEnable(17), CUPTI_BAD_KIND);
  OK(cuptiGetVersion(&version));
  assert_int_equal(cuptiGetLastError(), CUPTI_BAD_KIND);
  OK(cuptiGetLastError());
}

static void test_results_and_versions_have_their_names(void **state) {
  (void)state;
  const char *name;
  uint32_t version;
  OK(cuptiGetResultString(21, &name));
  assert_string_equal(name, "CUPTI_ERROR_INVALID_KIND");
  OK(cuptiGetResultString(0, &name));
  assert_string_equal(name, "CUPTI_SUCCESS");
  assert_int_equal(cuptiGetResultString(12345, &name), CUPTI_BAD_PARAMETER);
  OK(cuptiGetVersion(&version));
  assert_int_equal(version, 130001);
  OK(cuptiGetCallbackName(2, 211, &name));
  assert_string_equal(name, "cudaLaunchKernel_v7000");
  assert_int_equal(cuptiGetCallbackName(2, 100000, &name), CUPTI_BAD_PARAMETER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_nothing_is_recorded_until_it_is_asked_for),
      TEST(test_a_kernel_is_recorded_with_what_was_launched),
      TEST(test_the_older_kind_of_kernels_is_the_same_and_not_both),
      TEST(test_kernels_of_a_stream_come_one_after_the_other),
      TEST(test_copies_say_where_from_and_where_to),
      TEST(test_fills_say_their_value_and_bytes),
      TEST(test_calls_say_what_they_were_answered),
      TEST(test_waiting_is_recorded_by_what_was_waited_for),
      TEST(test_a_graph_has_the_correlation_of_its_launch),
      TEST(test_devices_contexts_and_streams_are_recorded),
      TEST(test_ids_of_the_program_are_joined_to_its_calls),
      TEST(test_ranges_of_nvtx_are_markers),
      TEST(test_a_subscriber_is_called_as_functions_are_entered_and_left),
      TEST(test_a_period_delivers_without_a_call),
      TEST(test_attributes_are_kept),
      TEST(test_what_is_not_done_is_refused),
      TEST(test_the_last_error_is_remembered_until_it_is_asked_for),
      TEST(test_results_and_versions_have_their_names),
  };
  return cmocka_run_group_tests(tests, open_device, NULL);
}
