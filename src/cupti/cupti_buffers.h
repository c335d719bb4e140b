/* Records on their way to the program: kept in the order in which they came, and put into buffers for which the program is asked, when
 * somebody delivers them. A buffer goes back when the next record does not fit, when it holds as many as the program wants, or when it
 * is flushed.
 *
 * A record that no buffer can take is dropped and counted. Callbacks of the program run on the thread that delivers, and no lock is held
 * but the one that keeps deliveries apart. Does not: know where records come from. */
#ifndef CUPTI_BUFFERS_H
#define CUPTI_BUFFERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*cupti_request)(uint8_t **buffer, size_t *bytes, size_t *most_records);
typedef void (*cupti_complete)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);

struct cupti_buffers {
  pthread_mutex_t lock, delivery; /* of what waits; of what follows it here */
  unsigned char *waiting;
  size_t n_waiting, capacity; /* bytes */
  size_t dropped;
  cupti_request request; /* NULL: not registered */
  cupti_complete complete;
  uint8_t *buffer; /* the program's; NULL: none */
  size_t bytes, used, records, most_records;
};

#define CUPTI_BUFFERS_INIT {.lock = PTHREAD_MUTEX_INITIALIZER, .delivery = PTHREAD_MUTEX_INITIALIZER}

size_t cupti_record_bytes(uint32_t kind); /* 0: there is no such record */
void cupti_buffers_put(struct cupti_buffers *b, const void *record); /* its first word is its kind */
/* Puts what waits into buffers; flush: and hands over the last one, if there is anything in it. Wait: for another thread that is doing
 * so; otherwise it is left to that thread. */
void cupti_buffers_deliver(struct cupti_buffers *b, bool flush, bool wait);
size_t cupti_buffers_dropped(struct cupti_buffers *b); /* since it was last asked */

#endif
