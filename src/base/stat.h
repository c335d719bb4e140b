/* Statistics: every counter is declared once, with name, unit, one line of meaning and the nearest Nsight Compute
 * metric. A component keeps a plain array of uint64_t indexed by its own enum and registers it; the registry sums
 * instances (all SMs, all slices), takes snapshots for per-kernel and per-interval views, and is what every report is
 * made from. Counting costs an increment. */
#ifndef BASE_STAT_H
#define BASE_STAT_H

#include <stddef.h>
#include <stdint.h>

struct stat_def {
  const char *name;    /* "l1d.hits" */
  const char *unit;    /* "accesses" */
  const char *meaning;
  const char *nsight;  /* nearest metric, or "" */
};

struct stats;
struct stats *stats_new(void);
void stats_delete(struct stats *s);

/* Counters that are registered from now on change only if *stamp has changed too, so that those of an idle component are not added up again
 * and again; NULL, as at first: they may change at any time. */
void stats_watch(struct stats *s, const uint64_t *stamp);
/* Adds an instance: counters[i] belongs to defs[i]. Instances of the same name are summed in totals. Without counters the
 * instance counts nothing, unless it has been registered with some. */
void stats_register(struct stats *s, const struct stat_def *defs, size_t n, const uint64_t *counters, unsigned instance);

size_t stats_count(const struct stats *s);                        /* distinct statistics */
const struct stat_def *stats_def(const struct stats *s, size_t i); /* in registration order */
uint64_t stats_total(const struct stats *s, size_t i);
size_t stats_instances(const struct stats *s, size_t i);
uint64_t stats_instance(const struct stats *s, size_t i, size_t instance);
/* Total by name; 0 if there is no such statistic (a component that is not configured counts nothing). */
uint64_t stats_get(const struct stats *s, const char *name);

/* A snapshot is an array of stats_count() totals; a view between two of them is their difference. */
void stats_snapshot(const struct stats *s, uint64_t *out);

#endif
