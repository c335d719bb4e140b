/* Reads tables of Nsight Compute, as printed by `ncu --csv`, with one row for each launch (`--page raw`) or for each
 * metric (the other pages), of any version that has a column "Kernel Name". Lines before the table (==PROF== ...) are
 * skipped; thousands separators, scaled units (usecond, Mbyte) and quoted cells are understood. */
#ifndef LAB_NCU_CSV_H
#define LAB_NCU_CSV_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

struct ncu_metric {
  const char *name;
  double value; /* in units without a prefix (bytes, cycles); times are in nanoseconds */
};
struct ncu_launch {
  const char *id, *kernel; /* the kernel as ncu writes it */
  struct ncu_metric *metrics;
  size_t n, cap;
};
struct ncu_table {
  struct arena arena;
  struct ncu_launch *launches; /* in the order of the file */
  size_t n, cap;
};

bool ncu_read(struct ncu_table *t, const char *path, struct err *e);
/* The same for a text in memory; `name` is for messages. */
bool ncu_parse(struct ncu_table *t, const char *name, const char *text, size_t bytes, struct err *e);
void ncu_free(struct ncu_table *t);
/* The value of a metric of a launch; NAN if it was not measured. */
double ncu_metric(const struct ncu_launch *l, const char *name);
/* The bare name of a kernel, as ncu writes it ("void a::add<float>(float *)") or as PTX does ("_ZN1a3addIfEEvPT_"): "add". `out` is
 * `size` bytes long. */
void ncu_bare_name(const char *kernel, char *out, size_t size);

#endif
