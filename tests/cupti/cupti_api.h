/* libcupti's functions as the tests call them, without NVIDIA's headers. */
#ifndef CUPTI_API_H
#define CUPTI_API_H

#include "cupti/cupti_buffers.h"
#include "cupti/cupti_layout.h"

#include <cuda.h>

typedef void (*cupti_callback)(void *user, uint32_t domain, uint32_t number, const void *data);

int cuptiActivityEnable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind);
int cuptiActivityRegisterCallbacks(cupti_request request, cupti_complete complete);
int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityFlushPeriod(uint32_t ms);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
int cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped);
int cuptiActivityGetAttribute(uint32_t which, size_t *bytes, void *value);
int cuptiActivitySetAttribute(uint32_t which, size_t *bytes, void *value);
int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id);
int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *id);
int cuptiActivityEnableContext(CUcontext context, uint32_t kind);
int cuptiGetTimestamp(uint64_t *ns);
int cuptiGetLastError(void);
int cuptiGetVersion(uint32_t *version);
int cuptiGetContextId(CUcontext context, uint32_t *id);
int cuptiGetDeviceId(CUcontext context, uint32_t *id);
int cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t *id);
int cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t per_thread, uint32_t *id);
int cuptiGetResultString(uint32_t code, const char **name);
int cuptiGetCallbackName(uint32_t domain, uint32_t number, const char **name);
int cuptiSubscribe(void **subscriber, cupti_callback call, void *user);
int cuptiUnsubscribe(void *subscriber);
int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t number);
int cuptiEnableDomain(uint32_t enable, void *subscriber, uint32_t domain);
int cuptiEnableAllDomains(uint32_t enable, void *subscriber);
int cuptiGetCallbackState(uint32_t *enabled, void *subscriber, uint32_t domain, uint32_t number);
int cuptiFinalize(void);
int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id));

#endif
