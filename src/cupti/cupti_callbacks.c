/* The callback API: functions of the program that are called as it enters and leaves functions of CUDA. There is one subscriber, as with
 * CUPTI.
 *
 * Domains: the driver's functions and the runtime's, those of the driver also where the runtime calls them; and the state of CUPTI,
 * whose callbacks say that CUPTI itself has failed, which does not happen here. Resources, synchronisation and NVTX are refused. */
#include "cupti/cupti_state.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVER_API = HEDDLE_DRIVER, RUNTIME_API = HEDDLE_RUNTIME, STATE = 6, DOMAINS = 7, MOST_FUNCTIONS = 2048, MOST_STATES = 4 };

typedef void (*callback)(void *user, uint32_t domain, uint32_t number, const void *data);

static struct subscriber {
  callback call; /* NULL: nobody has subscribed */
  void *user;
  bool enabled[DOMAINS][MOST_FUNCTIONS];
  unsigned n_enabled; /* of functions */
} subscriber;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Numbers of a domain; 0: it is refused. */
static uint32_t functions_of(uint32_t domain) {
  if (domain == DRIVER_API) return cupti_n_driver_names;
  if (domain == RUNTIME_API) return cupti_n_runtime_names;
  return domain == STATE ? MOST_STATES : 0;
}

bool cupti_wants_callbacks(void) { return subscriber.n_enabled > 0; }

static enum cupti_result subscribe(struct subscriber **out, callback call, void *user) {
  if (!out || !call) return CUPTI_BAD_PARAMETER;
  pthread_mutex_lock(&lock);
  bool taken = subscriber.call != NULL;
  if (!taken) subscriber = (struct subscriber){.call = call, .user = user};
  pthread_mutex_unlock(&lock);
  if (taken) return CUPTI_SECOND_SUBSCRIBER;
  *out = &subscriber;
  return CUPTI_OK;
}

CUPTI_API(cuptiSubscribe, (struct subscriber * *out, callback call, void *user), (out, call, user)) {
  NEED_DRIVER();
  return subscribe(out, call, user);
}

/* The parameters name the subscriber, for others that come too late; nobody here asks for the name. */
CUPTI_API(cuptiSubscribe_v2, (struct subscriber * *out, callback call, void *user, void *parameters), (out, call, user, parameters)) {
  NEED_DRIVER();
  (void)parameters;
  return subscribe(out, call, user);
}

static bool is_subscriber(const struct subscriber *s) { return s == &subscriber && subscriber.call; }

void cupti_unsubscribe_all(void) {
  pthread_mutex_lock(&lock);
  subscriber = (struct subscriber){0};
  pthread_mutex_unlock(&lock);
  cupti_listen();
}

CUPTI_API(cuptiUnsubscribe, (struct subscriber * s), (s)) {
  NEED_DRIVER();
  if (!is_subscriber(s)) return CUPTI_BAD_PARAMETER;
  cupti_unsubscribe_all();
  return CUPTI_OK;
}

/* ---- which callbacks ---- */

static enum cupti_result check_domain(const struct subscriber *s, uint32_t domain) {
  static char said[DOMAINS];
  if (!is_subscriber(s) || !domain || domain >= DOMAINS) return CUPTI_BAD_PARAMETER;
  if (functions_of(domain)) return CUPTI_OK;
  if (!__atomic_exchange_n(&said[domain], 1, __ATOMIC_RELAXED))
    fprintf(stderr, "heddle: CUPTI's callbacks of domain %u are not supported; those of calls of the driver and the runtime are\n", domain);
  return CUPTI_UNSUPPORTED;
}

static void set(uint32_t domain, uint32_t number, bool yes) {
  bool *at = &subscriber.enabled[domain][number];
  if (domain != STATE) subscriber.n_enabled += (unsigned)yes - (unsigned)*at;
  __atomic_store_n(at, yes, __ATOMIC_RELAXED);
}

CUPTI_API(cuptiEnableCallback, (uint32_t enable, struct subscriber *s, uint32_t domain, uint32_t number), (enable, s, domain, number)) {
  NEED_DRIVER();
  enum cupti_result r = check_domain(s, domain);
  if (r != CUPTI_OK) return r;
  if (!number || number >= functions_of(domain)) return CUPTI_BAD_PARAMETER;
  pthread_mutex_lock(&lock);
  set(domain, number, enable != 0);
  pthread_mutex_unlock(&lock);
  cupti_listen();
  return CUPTI_OK;
}

CUPTI_API(cuptiEnableDomain, (uint32_t enable, struct subscriber *s, uint32_t domain), (enable, s, domain)) {
  NEED_DRIVER();
  enum cupti_result r = check_domain(s, domain);
  if (r != CUPTI_OK) return r;
  pthread_mutex_lock(&lock);
  for (uint32_t i = 1; i < functions_of(domain); i++) set(domain, i, enable != 0);
  pthread_mutex_unlock(&lock);
  cupti_listen();
  return CUPTI_OK;
}

/* All of them can be ended, and not begun. */
CUPTI_API(cuptiEnableAllDomains, (uint32_t enable, struct subscriber *s), (enable, s)) {
  NEED_DRIVER();
  for (uint32_t domain = 1; domain < DOMAINS; domain++) {
    enum cupti_result r = functions_of(domain) || enable ? check_domain(s, domain) : CUPTI_OK;
    if (r != CUPTI_OK) return r;
  }
  for (uint32_t domain = 1; domain < DOMAINS; domain++)
    if (functions_of(domain)) cuptiEnableDomain(enable, s, domain);
  return CUPTI_OK;
}

CUPTI_API(cuptiGetCallbackState, (uint32_t * enabled, struct subscriber *s, uint32_t domain, uint32_t number),
          (enabled, s, domain, number)) {
  NEED_DRIVER();
  if (!enabled || !is_subscriber(s) || !number || number >= functions_of(domain)) return CUPTI_BAD_PARAMETER;
  *enabled = subscriber.enabled[domain][number];
  return CUPTI_OK;
}

CUPTI_API(cuptiSupportedDomains, (size_t * n, const uint32_t **table), (n, table)) {
  static const uint32_t domains[] = {DRIVER_API, RUNTIME_API, STATE};
  if (!n || !table) return CUPTI_BAD_PARAMETER;
  *n = sizeof domains / sizeof *domains;
  *table = domains;
  return CUPTI_OK;
}

CUPTI_API(cuptiGetCallbackName, (uint32_t domain, uint32_t number, const char **name), (domain, number, name)) {
  if (!name || (domain != DRIVER_API && domain != RUNTIME_API) || number >= functions_of(domain)) return CUPTI_BAD_PARAMETER;
  const char *found = (domain == DRIVER_API ? cupti_driver_names : cupti_runtime_names)[number];
  if (!found) return CUPTI_BAD_PARAMETER;
  *name = found;
  return CUPTI_OK;
}

/* ---- calling ---- */

static const char *kernel_of(const struct heddle_call *c) {
  if (!c->function->kernel) return NULL;
  const void *kernel;
  memcpy(&kernel, (const char *)c->params + (c->function->kernel - 1) * sizeof kernel, sizeof kernel);
  return cupti_text(c->function->library->kernel_name(kernel));
}

void cupti_call_back(struct heddle_call *c, uint32_t site, int *result) {
  uint32_t domain = c->function->library->api;
  callback call = subscriber.call;
  if (!call || !__atomic_load_n(&subscriber.enabled[domain][c->function->number], __ATOMIC_RELAXED)) return;
  CUcontext current = NULL;
  unsigned long long id = 0;
  if (cuCtxGetCurrent(&current) != CUDA_SUCCESS || !current || cuCtxGetId(current, &id) != CUDA_SUCCESS) current = NULL;
  struct cupti_callback_data d = {.site = site,
                                  .function = c->function->name,
                                  .params = c->params,
                                  .result = result,
                                  .symbol = kernel_of(c),
                                  .context = current,
                                  .context_id = current ? (uint32_t)id : 0,
                                  .data = &c->data,
                                  .correlation = c->correlation};
  call(subscriber.user, domain, c->function->number, &d);
}
