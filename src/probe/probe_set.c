/* The probes of a run: states, taps, and the report. See probe.h. */
#include "base/arena.h"
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

struct probe_set {
  struct probe_shape shape;
  const struct probe *probes[PROBE_MAX];
  uint32_t n;
  struct probe_tap *sms, *slices;
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

static void make_taps(struct probe_tap *taps, uint32_t n, const struct probe_set *s, bool of_slices) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < s->n; k++) {
      if (s->probes[k]->of_slices != of_slices) continue;
      taps[i].at[taps[i].n].ops = s->probes[k];
      taps[i].at[taps[i].n++].state = s->probes[k]->create(&s->shape);
    }
}

struct probe_set *probe_set_new(const char *names, const struct probe_shape *shape, struct err *e) {
  struct probe_set *s = must_alloc(sizeof *s);
  s->shape = *shape;
  if (!choose(s, names, e)) {
    free(s);
    return NULL;
  }
  s->sms = must_alloc(shape->sms * sizeof *s->sms);
  s->slices = must_alloc(shape->slices * sizeof *s->slices);
  make_taps(s->sms, shape->sms, s, false);
  make_taps(s->slices, shape->slices, s, true);
  return s;
}

static void free_taps(struct probe_tap *taps, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < taps[i].n; k++) taps[i].at[k].ops->destroy(taps[i].at[k].state);
  free(taps);
}

void probe_set_delete(struct probe_set *s) {
  if (!s) return;
  free_taps(s->sms, s->shape.sms);
  free_taps(s->slices, s->shape.slices);
  free(s);
}

struct probe_tap *probe_sm_tap(struct probe_set *s, uint32_t sm) { return s->sms[sm].n ? &s->sms[sm] : NULL; }
struct probe_tap *probe_slice_tap(struct probe_set *s, uint32_t i) { return s->slices[i].n ? &s->slices[i] : NULL; }

static void end_taps(struct probe_tap *taps, uint32_t n, const struct probe_kernel *kernel) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < taps[i].n; k++)
      if (taps[i].at[k].ops->kernel_end) taps[i].at[k].ops->kernel_end(taps[i].at[k].state, kernel);
}

void probe_kernel_end(struct probe_set *s, const struct probe_kernel *k) {
  end_taps(s->sms, s->shape.sms, k);
  end_taps(s->slices, s->shape.slices, k);
}

static json_t *report_one(const struct probe_set *s, const struct probe *p) {
  const struct probe_tap *taps = p->of_slices ? s->slices : s->sms;
  uint32_t n = p->of_slices ? s->shape.slices : s->shape.sms, slot = 0;
  void **states = must_alloc(n * sizeof *states);
  while (taps[0].at[slot].ops != p) slot++;
  for (uint32_t i = 0; i < n; i++) states[i] = taps[i].at[slot].state;
  json_t *o = p->report(states, n, &s->shape);
  free(states);
  return o;
}

json_t *probe_report(struct probe_set *s) {
  json_t *root = json_object();
  for (uint32_t i = 0; i < s->n; i++) json_object_set_new(root, s->probes[i]->name, report_one(s, s->probes[i]));
  return root;
}

/* ---- events -------------------------------------------------------------------------------------------------------- */

#define HAND_OUT(event, ...)                                                                                           \
  for (uint32_t i_ = 0; i_ < t->n; i_++)                                                                               \
    if (t->at[i_].ops->event) t->at[i_].ops->event(t->at[i_].state, __VA_ARGS__)

void probe_on_access(struct probe_tap *t, const struct probe_access *a) { HAND_OUT(access, a); }
void probe_on_load(struct probe_tap *t, const struct probe_load *l) { HAND_OUT(load, l); }
void probe_on_issue(struct probe_tap *t, const struct probe_issue *i) { HAND_OUT(issue, i); }
void probe_on_memory(struct probe_tap *t, const struct probe_memory *m) { HAND_OUT(memory, m); }
void probe_on_request(struct probe_tap *t, const struct mem_packet *k, uint64_t now) { HAND_OUT(request, k, now); }

/* ---- for probes ---------------------------------------------------------------------------------------------------- */

void probe_put_shares(json_t *o, const char *name, const uint64_t *counts, const char *const *labels, unsigned n) {
  json_t *to = json_object();
  uint64_t all = 0;
  for (unsigned i = 0; i < n; i++) all += counts[i];
  for (unsigned i = 0; i < n; i++) json_object_set_new(to, labels[i], json_real(probe_ratio(counts[i], all)));
  json_object_set_new(o, name, to);
}
