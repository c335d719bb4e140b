/* See claim_sensitivity.h. */
#include "lab/claims/claim_sensitivity.h"

#include "lab/claims/claim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

struct bar {
  const char *reading;
  double measured, moved;
};

static const char *text_of(const json_t *o, const char *name) { return json_string_value(json_object_get(o, name)); }

/* The claim's first figure, which is what it is about; NULL: nothing was measured. */
static const json_t *figure_of(const json_t *score) {
  const json_t *f = json_array_get(json_object_get(score, "figures"), 0);
  return json_is_number(json_object_get(f, "measured")) ? f : NULL;
}

static int furthest_first(const void *a, const void *b) {
  const struct bar *x = a, *y = b;
  if (x->moved != y->moved) return x->moved < y->moved ? 1 : -1;
  return strcmp(x->reading, y->reading);
}

static json_t *bars_of(const char *id, double usual, const json_t *others) {
  struct bar bars[MOST];
  size_t n = 0, i;
  json_t *s, *list = json_array();
  json_array_foreach(others, i, s) {
    const json_t *f = strcmp(text_of(s, "id"), id) ? NULL : figure_of(s);
    if (!f || n == MOST) continue;
    double v = json_number_value(json_object_get(f, "measured"));
    if (v != usual) bars[n++] = (struct bar){text_of(s, "reading"), v, fabs(v - usual)};
  }
  qsort(bars, n, sizeof *bars, furthest_first);
  for (i = 0; i < n && i < CLAIM_MOST_BARS; i++)
    json_array_append_new(list, json_pack("{s:s, s:f}", "reading", bars[i].reading, "measured", bars[i].measured));
  return list;
}

json_t *claim_sensitivity(const json_t *usual, const json_t *others) {
  json_t *out = json_array(), *s;
  size_t i;
  json_array_foreach(usual, i, s) {
    const char *id = text_of(s, "id");
    const struct claim_rule *rule = claim_rule_of(id);
    const json_t *f = rule && rule->flags & CLAIM_SPEEDUP ? figure_of(s) : NULL;
    if (!f) continue;
    double measured = json_number_value(json_object_get(f, "measured"));
    json_t *bars = bars_of(id, measured, others);
    if (json_array_size(bars))
      json_array_append_new(out, json_pack("{s:s, s:O, s:O, s:O, s:f, s:O}", "id", id, "label", json_object_get(f, "label"), "unit",
                                           json_object_get(f, "unit"), "published", json_object_get(f, "published"), "measured",
                                           measured, "bars", bars));
    json_decref(bars);
  }
  return out;
}
