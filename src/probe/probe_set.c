/* The probes of a run: their states, the components that they observe, and the report. See probe.h. */
#include "base/arena.h"
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

struct probe_set {
  struct probe_shape shape;
  const struct probe *probes[PROBE_MAX];
  uint32_t n;
  void **states[PROBE_MAX]; /* of each, by SM or by slice */
};

static bool has(const struct probe_set *s, const struct probe *p) {
  for (uint32_t i = 0; i < s->n; i++)
    if (s->probes[i] == p) return true;
  return false;
}

static bool choose(struct probe_set *s, const char *names, struct err *e) {
  for (uint32_t i = 0; !strcmp(names, "all") && probe_all[i]; i++) s->probes[s->n++] = probe_all[i];
  if (s->n) return true;
  char *list = strdup(names), *save = NULL;
  bool ok = true;
  for (char *w = strtok_r(list, ",", &save); w && ok; w = strtok_r(NULL, ",", &save)) {
    const struct probe *p = probe_find(w, e);
    ok = p != NULL;
    if (ok && !has(s, p)) s->probes[s->n++] = p;
  }
  free(list);
  return ok && (s->n || err_set(e, ERR_INPUT, "a probe is expected; `heddle list probes` shows them"));
}

static uint32_t followed(const struct probe_set *s, const struct probe *p) {
  return p->of_slices ? s->shape.slices : s->shape.sms;
}

struct probe_set *probe_set_new(const char *names, const struct probe_shape *shape, struct err *e) {
  struct probe_set *s = must_alloc(sizeof *s);
  s->shape = *shape;
  if (!choose(s, names, e)) {
    free(s);
    return NULL;
  }
  for (uint32_t k = 0; k < s->n; k++) {
    uint32_t n = followed(s, s->probes[k]);
    s->states[k] = must_alloc(n * sizeof *s->states[k]);
    for (uint32_t i = 0; i < n; i++) s->states[k][i] = s->probes[k]->create(&s->shape);
  }
  return s;
}

void probe_set_delete(struct probe_set *s) {
  if (!s) return;
  for (uint32_t k = 0; k < s->n; k++) {
    for (uint32_t i = 0; i < followed(s, s->probes[k]); i++) s->probes[k]->destroy(s->states[k][i]);
    free(s->states[k]);
  }
  free(s);
}

static void follow(struct probe_set *s, bool of_slices, uint32_t i, struct mem_observers *to) {
  for (uint32_t k = 0; k < s->n; k++)
    if (s->probes[k]->of_slices == of_slices) mem_observers_add(to, &s->probes[k]->events, s->states[k][i]);
}

void probe_follow_sm(struct probe_set *s, uint32_t sm, struct mem_observers *to) { follow(s, false, sm, to); }
void probe_follow_slice(struct probe_set *s, uint32_t slice, struct mem_observers *to) { follow(s, true, slice, to); }

void probe_kernel_end(struct probe_set *s, const struct probe_kernel *kernel) {
  for (uint32_t k = 0; k < s->n; k++)
    for (uint32_t i = 0; s->probes[k]->kernel_end && i < followed(s, s->probes[k]); i++)
      s->probes[k]->kernel_end(s->states[k][i], kernel);
}

json_t *probe_report(struct probe_set *s) {
  json_t *root = json_object();
  for (uint32_t i = 0; i < s->n; i++) {
    const struct probe *p = s->probes[i];
    json_object_set_new(root, p->name, p->report(s->states[i], followed(s, p), &s->shape));
  }
  return root;
}

/* ---- for probes ---------------------------------------------------------------------------------------------------- */

void probe_put_shares(json_t *o, const char *name, const uint64_t *counts, const char *const *labels, unsigned n) {
  json_t *to = json_object();
  uint64_t all = 0;
  for (unsigned i = 0; i < n; i++) all += counts[i];
  for (unsigned i = 0; i < n; i++) json_object_set_new(to, labels[i], json_real(probe_ratio(counts[i], all)));
  json_object_set_new(o, name, to);
}
