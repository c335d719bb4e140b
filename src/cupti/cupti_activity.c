/* The activity API: which records the program wants, their delivery, and what the driver tells meanwhile.
 *
 * Records are kept as things end and delivered (cupti_buffers.h) when the call of the program during which they came is left, on its
 * thread; when the program flushes; or by a thread of this library where the program has asked for a period. There are no buffers in
 * device memory: the attributes that speak of them are kept and change nothing. */
#include "cupti/cupti_state.h"

#include <cuda.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct cupti_buffers cupti_buffers = CUPTI_BUFFERS_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static bool wanted[CUPTI_KINDS];
static void *texts; /* tree of them */
enum { THREAD_PTHREAD, THREAD_SYSTEM, THREAD_TYPES };
static uint32_t thread_type;

/* ---- the driver ---- */

bool cupti_ready(void) {
  static char said;
  if (heddleTrace) return true;
  if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    fprintf(stderr, "heddle: this libcupti traces Heddle's CUDA driver only, and this process has another libcuda.so.1; start the "
                    "program with `heddle run -- PROGRAM`\n");
  return false;
}

static void enter(struct heddle_call *c) {
  heddleTraceQuiet(true);
  cupti_record_external(c);
  cupti_call_back(c, 0, NULL);
  heddleTraceQuiet(false);
}

static void leave(struct heddle_call *c, int result) {
  uint64_t end = heddleNow();
  heddleTraceQuiet(true);
  cupti_call_back(c, 1, &result);
  cupti_record_call(c, end, result);
  heddleTraceQuiet(false);
  if (!c->nested) cupti_deliver(false, false);
}

void cupti_listen(void) {
  static const struct heddle_tracer tracer = {enter, leave, cupti_record_done};
  heddleTrace(cupti_wants_records() || cupti_wants_callbacks() ? &tracer : NULL);
}

/* ---- what is wanted ---- */

bool cupti_wants(enum cupti_kind kind) { return __atomic_load_n(&wanted[kind], __ATOMIC_RELAXED); }

bool cupti_wants_records(void) {
  for (int i = 0; i < CUPTI_KINDS; i++)
    if (cupti_wants((enum cupti_kind)i)) return true;
  return false;
}

/* Kinds of the profiler for GPUs before Volta, which an H200 refuses in this way: events, metrics, source counters, samples of the
 * program counter. */
static bool is_legacy(uint32_t kind) {
  static const uint64_t kinds = 1ull << 6 | 1ull << 7 | 7ull << 14 | 1ull << 21 | 3ull << 23 | 15ull << 29 | 15ull << 41;
  return kind < CUPTI_KINDS && kinds >> kind & 1;
}

static void want(uint32_t kind, bool yes) {
  pthread_mutex_lock(&lock);
  __atomic_store_n(&wanted[kind], yes, __ATOMIC_RELAXED);
  cupti_listen();
  pthread_mutex_unlock(&lock);
}

CUPTI_API(cuptiActivityEnable, (uint32_t kind), (kind)) {
  NEED_DRIVER();
  if (!cupti_record_bytes(kind)) return is_legacy(kind) ? CUPTI_LEGACY : CUPTI_BAD_KIND;
  if ((kind == CUPTI_KERNEL && cupti_wants(CUPTI_CONCURRENT_KERNEL)) || (kind == CUPTI_CONCURRENT_KERNEL && cupti_wants(CUPTI_KERNEL)))
    return CUPTI_NOT_COMPATIBLE;
  bool is_new = !cupti_wants((enum cupti_kind)kind);
  want(kind, true);
  if (kind == CUPTI_DEVICE && is_new) {
    heddleTraceQuiet(true);
    cupti_record_device();
    heddleTraceQuiet(false);
  }
  return CUPTI_OK;
}

CUPTI_API(cuptiActivityDisable, (uint32_t kind), (kind)) {
  NEED_DRIVER();
  if (kind < CUPTI_KINDS && cupti_record_bytes(kind)) want(kind, false);
  return CUPTI_OK; /* what cannot be enabled is off */
}

/* ---- delivery ---- */

void cupti_deliver(bool flush, bool wait) {
  static _Thread_local bool inside; /* a callback of the program called us */
  if (inside) return;
  inside = true;
  heddleTraceQuiet(true);
  cupti_buffers_deliver(&cupti_buffers, flush, wait);
  heddleTraceQuiet(false);
  inside = false;
}

CUPTI_API(cuptiActivityRegisterCallbacks, (cupti_request request, cupti_complete complete), (request, complete)) {
  if (!request || !complete) return CUPTI_BAD_PARAMETER;
  pthread_mutex_lock(&cupti_buffers.delivery);
  cupti_buffers.request = request;
  cupti_buffers.complete = complete;
  pthread_mutex_unlock(&cupti_buffers.delivery);
  return CUPTI_OK;
}

/* Every record is complete: one of something that has not ended does not exist yet. So both kinds of flush are one. */
CUPTI_API(cuptiActivityFlushAll, (uint32_t flag), (flag)) {
  (void)flag;
  NEED_DRIVER();
  cupti_deliver(true, true);
  return CUPTI_OK;
}

CUPTI_API(cuptiActivityFlush, (void *context, uint32_t stream, uint32_t flag), (context, stream, flag)) {
  (void)context, (void)stream, (void)flag;
  NEED_DRIVER();
  cupti_deliver(true, true);
  return CUPTI_OK;
}

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  uint32_t ms; /* 0: there is no thread */
} period = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *flush_again(void *unused) {
  pthread_mutex_lock(&period.lock);
  while (period.ms) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += period.ms / 1000;
    until.tv_nsec += (long)(period.ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    if (pthread_cond_timedwait(&period.changed, &period.lock, &until) != ETIMEDOUT) continue;
    pthread_mutex_unlock(&period.lock);
    cupti_deliver(true, true);
    pthread_mutex_lock(&period.lock);
  }
  pthread_mutex_unlock(&period.lock);
  return unused;
}

/* In the host's milliseconds. */
CUPTI_API(cuptiActivityFlushPeriod, (uint32_t ms), (ms)) {
  NEED_DRIVER();
  pthread_mutex_lock(&period.lock);
  uint32_t old = period.ms;
  period.ms = ms;
  bool failed = ms && !old && pthread_create(&period.thread, NULL, flush_again, NULL) != 0;
  if (failed) period.ms = 0;
  pthread_cond_signal(&period.changed);
  pthread_mutex_unlock(&period.lock);
  if (old && !ms && !pthread_equal(period.thread, pthread_self())) pthread_join(period.thread, NULL);
  return failed ? CUPTI_UNKNOWN : CUPTI_OK;
}

CUPTI_API(cuptiActivityGetNextRecord, (uint8_t *buffer, size_t valid, uint8_t **record), (buffer, valid, record)) {
  if (!buffer || !record) return CUPTI_BAD_PARAMETER;
  size_t at = 0;
  uint32_t kind;
  if (*record) {
    memcpy(&kind, *record, sizeof kind);
    at = (size_t)(*record - buffer) + cupti_record_bytes(kind);
  }
  if (at + sizeof kind > valid) return CUPTI_NO_MORE;
  memcpy(&kind, buffer + at, sizeof kind);
  if (!cupti_record_bytes(kind)) return CUPTI_BAD_KIND;
  *record = buffer + at;
  return CUPTI_OK;
}

/* There is one queue, whatever the context and stream. */
CUPTI_API(cuptiActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *dropped), (context, stream, dropped)) {
  (void)context, (void)stream;
  if (!dropped) return CUPTI_BAD_PARAMETER;
  *dropped = cupti_buffers_dropped(&cupti_buffers);
  return CUPTI_OK;
}

CUPTI_API(cuptiFinalize, (void), ()) {
  NEED_DRIVER();
  cupti_unsubscribe_all();
  for (uint32_t i = 0; i < CUPTI_KINDS; i++)
    if (wanted[i]) want(i, false);
  cupti_deliver(true, true);
  return CUPTI_OK;
}

/* ---- attributes ---- */

/* Sizes of buffers and pools, and (5, 8) what the program says of its own: as CUPTI's header gives their first values. */
static struct {
  size_t bytes;
  uint64_t value;
} attributes[] = {{8, 3200000}, {8, 8388608}, {8, 250}, {8, 25000}, {8, 250}, {1, 0}, {8, 3}, {8, 3}, {1, 0}};

static enum cupti_result find_attribute(uint32_t which, const size_t *bytes, const void *value) {
  if (which >= sizeof attributes / sizeof *attributes || !bytes || !value) return CUPTI_BAD_PARAMETER;
  return *bytes < attributes[which].bytes ? CUPTI_SIZE_TOO_SMALL : CUPTI_OK;
}

CUPTI_API(cuptiActivityGetAttribute, (uint32_t which, size_t *bytes, void *value), (which, bytes, value)) {
  enum cupti_result r = find_attribute(which, bytes, value);
  if (r != CUPTI_OK) return r;
  pthread_mutex_lock(&lock);
  memcpy(value, &attributes[which].value, attributes[which].bytes);
  *bytes = attributes[which].bytes;
  pthread_mutex_unlock(&lock);
  return CUPTI_OK;
}

CUPTI_API(cuptiActivitySetAttribute, (uint32_t which, size_t *bytes, void *value), (which, bytes, value)) {
  enum cupti_result r = find_attribute(which, bytes, value);
  if (r != CUPTI_OK) return r;
  pthread_mutex_lock(&lock);
  memcpy(&attributes[which].value, value, attributes[which].bytes);
  pthread_mutex_unlock(&lock);
  return CUPTI_OK;
}

/* ---- correlation with what the program counts ---- */

CUPTI_API(cuptiActivityPushExternalCorrelationId, (uint32_t kind, uint64_t id), (kind, id)) {
  return cupti_external_push(kind, id);
}

CUPTI_API(cuptiActivityPopExternalCorrelationId, (uint32_t kind, uint64_t *id), (kind, id)) {
  return cupti_external_pop(kind, id);
}

/* ---- NVTX ---- */

/* Programs that are told to name libcupti in NVTX_INJECTION64_PATH. */
CUPTI_EXPORT int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id));
CUPTI_EXPORT int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id)) { return cupti_ready() ? heddleInjectNvtx(tables) : 0; }

/* ---- threads, texts ---- */

uint32_t cupti_thread_id(void) { return thread_type == THREAD_SYSTEM ? (uint32_t)gettid() : (uint32_t)(uintptr_t)pthread_self(); }

CUPTI_API(cuptiSetThreadIdType, (uint32_t type), (type)) {
  if (type >= THREAD_TYPES) return CUPTI_BAD_PARAMETER;
  thread_type = type;
  return CUPTI_OK;
}

CUPTI_API(cuptiGetThreadIdType, (uint32_t *type), (type)) {
  if (!type) return CUPTI_BAD_PARAMETER;
  *type = thread_type;
  return CUPTI_OK;
}

static int compare(const void *a, const void *b) { return strcmp(a, b); }

const char *cupti_text(const char *name) {
  if (!name) return NULL;
  pthread_mutex_lock(&lock);
  char **found = tfind(name, &texts, compare);
  if (!found) found = tsearch(strdup(name), &texts, compare);
  const char *kept = *found;
  pthread_mutex_unlock(&lock);
  return kept;
}
