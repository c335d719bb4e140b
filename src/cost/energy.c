/* See energy.h. */
#include "cost/energy.h"

#include "base/arena.h"
#include "cost/hardware.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

struct cost_energy {
  const struct stats *stats;
  struct power_model model;
  double core_hz;
  long index[POWER_COUNTS]; /* of the statistic; NONE: not one, or this GPU does not count it */
};

static long index_of(const struct stats *s, const char *name) {
  for (size_t i = 0; name && i < stats_count(s); i++)
    if (!strcmp(stats_def(s, i)->name, name)) return (long)i;
  return NONE;
}

struct cost_energy *cost_energy_new(const struct cfg *cfg, const struct stats *s) {
  struct cost_energy *e = must_alloc(sizeof *e);
  struct power_chip chip;
  struct err refused = {0};
  e->stats = s;
  bool known = cost_hardware(cfg, &chip, &refused);
  assert(known); /* a GPU was made from it */
  (void)known;
  e->core_hz = chip.core_hz;
  power_model_init(&e->model, cfg, &chip);
  for (int i = 0; i < POWER_COUNTS; i++) e->index[i] = NONE;
  for (int i = 0; i < POWER_STATISTICS; i++) e->index[i] = index_of(s, power_statistics[i]);
  for (size_t i = 0; i < e->model.stores.n; i++)
    e->index[POWER_N_STORE + i] = index_of(s, e->model.stores.store[i].statistic);
  return e;
}

void cost_energy_delete(struct cost_energy *e) { free(e); }

static void counts_of(const struct cost_energy *e, const uint64_t *counters, uint64_t cycles, double *counts) {
  for (int i = 0; i < POWER_COUNTS; i++) counts[i] = e->index[i] == NONE ? 0 : (double)counters[e->index[i]];
  counts[POWER_N_SECONDS] = (double)cycles / e->core_hz;
}

static json_t *put_parts(const struct cost_energy *e, const double *counts, json_t *o) {
  struct power_energy r = power_energy(&e->model, counts);
  double seconds = counts[POWER_N_SECONDS];
  json_t *energy = json_object(), *power = json_object();
  for (int i = 0; i < POWER_PARTS; i++) {
    json_object_set_new(energy, power_parts[i].name, json_real(r.part[i]));
    json_object_set_new(power, power_parts[i].name, json_real(seconds > 0 ? r.part[i] / seconds : 0));
  }
  json_object_set_new(energy, "noc", json_real(r.noc));
  json_object_set_new(power, "noc", json_real(seconds > 0 ? r.noc / seconds : 0));
  json_object_set_new(energy, "total", json_real(r.total));
  json_object_set_new(power, "total", json_real(seconds > 0 ? r.total / seconds : 0));
  json_object_set_new(o, "energy", energy);
  json_object_set_new(o, "power", power);
  return energy;
}

void cost_energy_put(const struct cost_energy *e, const uint64_t *counters, uint64_t cycles, json_t *o) {
  double counts[POWER_COUNTS];
  counts_of(e, counters, cycles, counts);
  put_parts(e, counts, o);
}

double cost_energy_total(const struct cost_energy *e, const uint64_t *counters, uint64_t cycles) {
  double counts[POWER_COUNTS];
  counts_of(e, counters, cycles, counts);
  return power_energy(&e->model, counts).total;
}

static json_t *items(const struct cost_energy *e, const double *counts) {
  json_t *o = json_object();
  for (size_t i = 0; i < e->model.terms; i++) {
    const char *name = e->model.term[i].name;
    if (!json_object_get(o, name)) json_object_set_new(o, name, json_real(power_item(&e->model, counts, name)));
  }
  return o;
}

/* area.noc is the sum of its two rows, as energy.noc is. */
static json_t *areas(const struct cost_energy *e) {
  json_t *o = json_object();
  double noc = 0;
  for (size_t i = 0; i < e->model.areas; i++) {
    const struct power_area *a = &e->model.area[i];
    json_object_set_new(o, a->name, json_real(a->mm2));
    if (!strncmp(a->name, "noc_", 4)) noc += a->mm2;
    if (a->wired) json_object_set_new(o, a->wired, json_real(a->wires));
  }
  json_object_set_new(o, "noc", json_real(noc));
  return o;
}

static json_t *storage(const struct cost_energy *e) {
  json_t *o = json_object(), *list = json_array();
  for (size_t i = 0; i < e->model.stores.n; i++) {
    const struct power_store *s = &e->model.stores.store[i];
    json_array_append_new(list, json_pack("{s:s, s:I, s:I}", "part", s->name, "bits", (json_int_t)s->bits, "instances",
                                          (json_int_t)s->instances));
  }
  json_object_set_new(o, "added_bits", json_integer((json_int_t)power_store_bits(&e->model.stores)));
  json_object_set_new(o, "added_mm2", json_real(e->model.added_mm2));
  json_object_set_new(o, "added_leakage", json_real(e->model.added_leakage));
  json_object_set_new(o, "parts", list);
  return o;
}

void cost_energy_put_all(const struct cost_energy *e, const uint64_t *counters, uint64_t cycles, json_t *root) {
  double counts[POWER_COUNTS];
  counts_of(e, counters, cycles, counts);
  json_t *energy = put_parts(e, counts, root);
  json_object_set_new(energy, "detail", items(e, counts));
  json_object_set_new(root, "area", areas(e));
  json_object_set_new(root, "storage", storage(e));
}

/* ---- names ---- */

static const struct stat_def other_names[] = {
    {"energy.noc", "J", "energy of the networks: energy.noc_routers and energy.noc_links", ""},
    {"energy.total", "J", "energy of all parts", ""},
    {"power.noc", "W", "power of the networks: power.noc_routers and power.noc_links", ""},
    {"power.total", "W", "power of all parts, averaged over the kernels' time", ""},
    {"area.register_file", "mm2", "area of the register files of all SMs", ""},
    {"area.shared", "mm2", "area of the shared memories of all SMs", ""},
    {"area.l1", "mm2", "area of the L1D data arrays", ""},
    {"area.l1_tags", "mm2", "area of the L1D tags", ""},
    {"area.readonly", "mm2", "area of the constant, texture and instruction caches", ""},
    {"area.l2", "mm2", "area of the L2 data arrays", ""},
    {"area.l2_tags", "mm2", "area of the L2 tags and byte masks", ""},
    {"area.noc", "mm2", "area of the networks: area.noc_routers and area.noc_links", ""},
    {"area.noc_routers", "mm2", "area of the networks' routers", ""},
    {"area.noc_links", "mm2", "area of the repeaters of the networks' links", ""},
    {"area.noc_wires", "mm2", "area of top metal for the networks' links, over other parts", ""},
    {"area.ring", "mm2", "area of the repeaters and multiplexers of a ring between SMs", ""},
    {"area.ring_wires", "mm2", "area of top metal for a ring between SMs", ""},
    {"area.added", "mm2", "area of storage beyond the base configuration", ""},
    {"storage.added_bits", "bits", "storage beyond the base configuration", ""},
    {"storage.added_mm2", "mm2", "area of the storage beyond the base configuration", ""},
    {"storage.added_leakage", "W", "leakage of the storage beyond the base configuration", ""},
};
enum { OTHERS = sizeof other_names / sizeof *other_names };

const struct stat_def *cost_energy_defs(size_t *n) {
  static struct stat_def all[2 * POWER_PARTS + OTHERS];
  static char names[2 * POWER_PARTS][32];
  for (int i = 0; i < 2 * POWER_PARTS; i++) {
    const struct power_name *p = &power_parts[i % POWER_PARTS];
    bool energy = i < POWER_PARTS;
    snprintf(names[i], sizeof names[i], "%s.%s", energy ? "energy" : "power", p->name);
    all[i] = (struct stat_def){names[i], energy ? "J" : "W", p->meaning, ""};
  }
  memcpy(all + 2 * POWER_PARTS, other_names, sizeof other_names);
  *n = 2 * POWER_PARTS + OTHERS;
  return all;
}

/* ---- without a run ---- */

static const char *count_name(const struct power_model *m, unsigned count) {
  if (count < POWER_STATISTICS) return power_statistics[count];
  return count == POWER_N_SECONDS ? "seconds" : m->stores.store[count - POWER_N_STORE].statistic;
}

static json_t *area_rows(const struct power_model *m) {
  json_t *list = json_array();
  for (size_t i = 0; i < m->areas; i++) {
    const struct power_area *a = &m->area[i];
    json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f, s:f}", "name", a->name, "mm2", a->mm2, "wires", a->wires,
                                          "bits", a->bits, "leakage", a->leakage));
  }
  return list;
}

static json_t *event_rows(const struct power_model *m) {
  json_t *list = json_array();
  for (size_t i = 0; i < m->terms; i++) {
    const struct power_term *t = &m->term[i];
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:f}", "part", power_parts[t->part].name, "item", t->name,
                                          "statistic", count_name(m, t->count), "joules", t->joules));
  }
  return list;
}

json_t *cost_area(const struct cost_energy *e) {
  json_t *o = json_object();
  json_object_set_new(o, "areas", area_rows(&e->model));
  json_object_set_new(o, "storage", storage(e));
  json_object_set_new(o, "events", event_rows(&e->model));
  return o;
}
