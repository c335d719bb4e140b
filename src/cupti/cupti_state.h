/* What the files of libcupti share: which records and callbacks the program wants, and the way from what the driver tells
 * (cuda/trace/call_trace.h) to them. */
#ifndef CUPTI_STATE_H
#define CUPTI_STATE_H

#include "cupti/cupti_buffers.h"
#include "cupti/cupti_layout.h"

#include "cuda/trace/call_trace.h"

#define CUPTI_EXPORT __attribute__((visibility("default")))
/* A function of CUPTI: what it answers is remembered for cuptiGetLastError. */
#define CUPTI_API(name, parameters, arguments)                                                    \
  static enum cupti_result do_##name parameters;                                                  \
  CUPTI_EXPORT enum cupti_result name parameters;                                                 \
  enum cupti_result name parameters { return cupti_remember(do_##name arguments); }               \
  static enum cupti_result do_##name parameters
enum cupti_result cupti_remember(enum cupti_result r);

/* Another driver does not have them: then none is called. */
#pragma weak heddleTrace
#pragma weak heddleTraceQuiet
#pragma weak heddleNow
#pragma weak heddleInjectNvtx

/* Whether the driver of this process is ours; says so once if it is not. */
bool cupti_ready(void);
#define NEED_DRIVER()                                \
  do {                                               \
    if (!cupti_ready()) return CUPTI_NOT_INITIALIZED; \
  } while (0)

/* cupti_activity.c */
extern struct cupti_buffers cupti_buffers;
bool cupti_wants(enum cupti_kind kind);
bool cupti_wants_records(void);
uint32_t cupti_thread_id(void); /* of the calling thread, as a record has it */
void cupti_deliver(bool flush, bool wait);
/* The name for as long as the process lives. */
const char *cupti_text(const char *name);
/* Listens to the driver if there is somebody who wants to know anything, and only then. */
void cupti_listen(void);

/* cupti_records.c: records of what the driver tells */
void cupti_record_done(const struct heddle_done *d);
void cupti_record_call(const struct heddle_call *c, uint64_t end, int result);
void cupti_record_external(const struct heddle_call *c);
void cupti_record_device(void);
enum cupti_result cupti_external_push(uint32_t kind, uint64_t id);
enum cupti_result cupti_external_pop(uint32_t kind, uint64_t *id);

/* cupti_callbacks.c */
bool cupti_wants_callbacks(void);
void cupti_call_back(struct heddle_call *c, uint32_t site, int *result);
void cupti_unsubscribe_all(void);

/* made from the lists of numbers in src/cuda/trace: the functions by number, NULL where there is none */
extern const char *const cupti_driver_names[], *const cupti_runtime_names[];
extern const uint32_t cupti_n_driver_names, cupti_n_runtime_names;

#endif
