/* See cupti_buffers.h. */
#include "cupti/cupti_buffers.h"

#include "base/arena.h"
#include "cupti/cupti_layout.h"

#include <stdlib.h>
#include <string.h>

size_t cupti_record_bytes(uint32_t kind) {
  switch (kind) {
  case CUPTI_MEMCPY: return sizeof(struct cupti_memcpy);
  case CUPTI_MEMSET: return sizeof(struct cupti_memset);
  case CUPTI_KERNEL:
  case CUPTI_CONCURRENT_KERNEL: return sizeof(struct cupti_kernel);
  case CUPTI_DRIVER:
  case CUPTI_RUNTIME: return sizeof(struct cupti_api);
  case CUPTI_DEVICE: return sizeof(struct cupti_device);
  case CUPTI_CONTEXT: return sizeof(struct cupti_context);
  case CUPTI_MARKER: return sizeof(struct cupti_marker);
  case CUPTI_STREAM: return sizeof(struct cupti_stream);
  case CUPTI_SYNCHRONIZATION: return sizeof(struct cupti_synchronization);
  case CUPTI_EXTERNAL_CORRELATION: return sizeof(struct cupti_external);
  default: return 0;
  }
}

void cupti_buffers_put(struct cupti_buffers *b, const void *record) {
  size_t bytes = cupti_record_bytes(*(const uint32_t *)record);
  pthread_mutex_lock(&b->lock);
  GROW(b->waiting, b->capacity, b->n_waiting + bytes);
  memcpy(b->waiting + b->n_waiting, record, bytes);
  b->n_waiting += bytes;
  pthread_mutex_unlock(&b->lock);
}

static void hand_over(struct cupti_buffers *b) {
  uint8_t *buffer = b->buffer;
  b->buffer = NULL;
  b->complete(NULL, 0, buffer, b->bytes, b->used);
}

static bool fits(const struct cupti_buffers *b, size_t bytes) {
  return bytes <= b->bytes - b->used && (!b->most_records || b->records < b->most_records);
}

static bool ask(struct cupti_buffers *b) {
  b->bytes = b->used = b->records = b->most_records = 0;
  if (b->request) b->request(&b->buffer, &b->bytes, &b->most_records);
  if (!b->bytes) b->buffer = NULL;
  return b->buffer != NULL;
}

static void place(struct cupti_buffers *b, const unsigned char *record, size_t bytes) {
  if (b->buffer && b->records && !fits(b, bytes)) hand_over(b);
  if ((!b->buffer && !ask(b)) || !fits(b, bytes)) {
    pthread_mutex_lock(&b->lock);
    b->dropped++;
    pthread_mutex_unlock(&b->lock);
    return;
  }
  memcpy(b->buffer + b->used, record, bytes);
  b->used += bytes;
  b->records++;
}

/* Takes what waits; its length. */
static size_t take(struct cupti_buffers *b, unsigned char **records) {
  pthread_mutex_lock(&b->lock);
  size_t n = b->n_waiting;
  *records = b->waiting;
  b->waiting = NULL;
  b->n_waiting = b->capacity = 0;
  pthread_mutex_unlock(&b->lock);
  return n;
}

void cupti_buffers_deliver(struct cupti_buffers *b, bool flush, bool wait) {
  if (wait) pthread_mutex_lock(&b->delivery);
  else if (pthread_mutex_trylock(&b->delivery) != 0) return;
  unsigned char *records = NULL;
  for (size_t n; (n = take(b, &records)); free(records))
    for (size_t at = 0, bytes; at < n; at += bytes) {
      uint32_t kind;
      memcpy(&kind, records + at, sizeof kind);
      bytes = cupti_record_bytes(kind);
      place(b, records + at, bytes);
    }
  free(records);
  if (flush && b->buffer && b->records) hand_over(b);
  pthread_mutex_unlock(&b->delivery);
}

size_t cupti_buffers_dropped(struct cupti_buffers *b) {
  pthread_mutex_lock(&b->lock);
  size_t n = b->dropped;
  b->dropped = 0;
  pthread_mutex_unlock(&b->lock);
  return n;
}
