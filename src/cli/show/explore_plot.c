/* See explore_plot.h. The combinations of the last round, which all ran the same workloads, over the storage that they add and over
 * the energy that they take; the front of Pareto, of speed-up, energy and storage at once, is marked in both. */
#include "cli/show/explore_plot.h"

#include "base/arena.h"
#include "cli/show/picture.h"

#include <stdlib.h>

static double number(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }

/* Those of the last round come first in the list. */
static unsigned count_last(const json_t *list) {
  unsigned n = 0;
  while (n < json_array_size(list) && number(json_array_get(list, n), "round") == number(json_array_get(list, 0), "round")) n++;
  return n;
}

static void chart(struct picture *p, const json_t *list, unsigned n, const char *key, double unit) {
  struct picture_point *points = must_alloc((n + 1) * sizeof *points);
  for (unsigned i = 0; i < n; i++) {
    const json_t *c = json_array_get(list, i);
    const char *settings = json_string_value(json_object_get(c, "settings"));
    points[i] = (struct picture_point){number(c, key) / unit, number(c, "speedup"), *settings ? settings : "(the GPU as it is)",
                                       json_is_true(json_object_get(c, "pareto"))};
  }
  picture_points(p, points, n);
  free(points);
}

bool cli_plot_explored(const json_t *found, const char *path, struct err *e) {
  const json_t *list = json_object_get(found, "combinations");
  unsigned n = count_last(list);
  struct picture p = {0};
  picture_title(&p, "Speed-up and added storage", "geometric mean of the speed-ups, over KB that a combination adds");
  chart(&p, list, n, "storage_bits", 8192);
  if (json_is_true(json_object_get(found, "energy"))) {
    picture_title(&p, "Speed-up and energy", "geometric mean of the speed-ups, over energy as a share of the GPU's as it is");
    chart(&p, list, n, "energy", 1);
  }
  return picture_write(&p, path, "Combinations", e);
}
