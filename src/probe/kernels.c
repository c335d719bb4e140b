/* Probe "kernels": what the threads of each kernel do, for all launches of a name together: instructions by class,
 * accesses by space, lines that a memory instruction touches, memory touched, and reuse distances.
 *
 * An event is counted for the launch that ends next, so the figures of kernels that run at the same time are mixed.
 * Memory means global memory and textures. Reuse distances are of one SM's loads within a launch, in lines of 128
 * bytes; they are exact up to 32 lines and to within an eighth above. A run without timing has no reuse distances. */
#include "base/arena.h"
#include "probe/probe.h"
#include "probe/probe_names.h"
#include "probe/stack_distance.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = 6, EXACT = 32, STEPS = 8 /* of an octave */, DISTANCES = EXACT + 27 * STEPS };

struct record {
  uint64_t instructions[MEM_SEEN_CLASSES], lanes[MEM_SEEN_SPACES][MEM_SEEN_OPS];
  uint64_t groups[GROUPS], memory_instructions, lines;
  uint64_t distances[DISTANCES], first;
  struct table touched; /* line -> sectors, a bit each, uint32_t */
};
struct kernels {
  struct probe_names names;
  struct record **of; /* by name */
  size_t cap;
  struct record now;  /* of the launch under way */
  bool untimed;       /* the order of accesses is nobody's: no distances */
  struct stack_distance stack;
};

static void *create(const struct probe_shape *shape) {
  struct kernels *s = must_alloc(sizeof *s);
  s->untimed = shape->untimed;
  return s;
}

static void destroy(void *state) {
  struct kernels *s = state;
  for (size_t i = 0; i < s->names.n; i++) {
    table_free(&s->of[i]->touched);
    free(s->of[i]);
  }
  table_free(&s->now.touched);
  stack_distance_free(&s->stack);
  probe_names_free(&s->names);
  free(s->of);
  free(s);
}

/* ---- events ------------------------------------------------------------------------------------------------------------ */

static void issue(void *state, const struct mem_seen_issue *i) { ((struct kernels *)state)->now.instructions[i->class_]++; }

static unsigned group_of(uint32_t lines) {
  return lines <= 1 ? 0 : lines == 2 ? 1 : lines <= 8 ? 2 : lines <= 16 ? 3 : lines < 32 ? 4 : 5;
}

static unsigned distance_step(uint32_t d) {
  if (d < EXACT) return d;
  unsigned octave = 31u - (unsigned)__builtin_clz(d); /* 5 and more */
  return EXACT + (octave - 5) * STEPS + (d >> (octave - 3) & (STEPS - 1));
}
static uint64_t distance_of(unsigned step) {
  if (step < EXACT) return step;
  unsigned octave = 5 + (step - EXACT) / STEPS;
  return (UINT64_C(1) << octave) + ((uint64_t)((step - EXACT) % STEPS) << (octave - 3));
}

static void touch(struct kernels *s, const struct mem_seen_part *p, bool load) {
  bool is_new;
  *(uint32_t *)table_put(&s->now.touched, p->line, sizeof(uint32_t), &is_new) |= mem_sectors_of(p->bytes);
  if (!load || s->untimed) return;
  uint32_t d = stack_distance(&s->stack, p->line);
  if (d == STACK_NEVER) s->now.first++;
  else s->now.distances[distance_step(d)]++;
}

static void memory(void *state, const struct mem_seen_memory *m) {
  struct kernels *s = state;
  s->now.lanes[m->space][m->op] += m->lanes;
  if (m->space != MEM_SEEN_IN_GLOBAL && m->space != MEM_SEEN_IN_TEXTURE) return;
  s->now.groups[group_of(m->n)]++;
  s->now.memory_instructions++;
  s->now.lines += m->n;
  for (uint32_t i = 0; i < m->n; i++) touch(s, &m->parts[i], m->op == MEM_SEEN_LOAD);
}

/* ---- putting together --------------------------------------------------------------------------------------------------- */

static void add_table(struct table *to, const struct table *from) {
  bool is_new;
  uint64_t line;
  size_t at = 0;
  for (const uint32_t *sectors; (sectors = table_next(from, &at, &line)) != NULL;)
    *(uint32_t *)table_put(to, line, sizeof *sectors, &is_new) |= *sectors;
}

static void add_record(struct record *to, const struct record *from) {
  for (unsigned i = 0; i < MEM_SEEN_CLASSES; i++) to->instructions[i] += from->instructions[i];
  for (unsigned i = 0; i < MEM_SEEN_SPACES; i++)
    for (unsigned k = 0; k < MEM_SEEN_OPS; k++) to->lanes[i][k] += from->lanes[i][k];
  for (unsigned i = 0; i < GROUPS; i++) to->groups[i] += from->groups[i];
  for (unsigned i = 0; i < DISTANCES; i++) to->distances[i] += from->distances[i];
  to->memory_instructions += from->memory_instructions;
  to->lines += from->lines;
  to->first += from->first;
  add_table(&to->touched, &from->touched);
}

static void kernel_end(void *state, const struct probe_kernel *k) {
  struct kernels *s = state;
  size_t had = s->names.n, at = probe_names_at(&s->names, k->name);
  GROW(s->of, s->cap, s->names.n);
  if (at == had) s->of[at] = must_alloc(sizeof *s->of[at]);
  add_record(s->of[at], &s->now);
  struct table touched = s->now.touched;
  table_clear(&touched);
  s->now = (struct record){.touched = touched};
  stack_distance_clear(&s->stack);
}

/* ---- the report ---------------------------------------------------------------------------------------------------------- */

static json_t *quartile(const struct record *r, unsigned quarter) {
  uint64_t all = 0, below = 0;
  for (unsigned i = 0; i < DISTANCES; i++) all += r->distances[i];
  for (unsigned i = 0; i < DISTANCES; i++)
    if (r->distances[i] && (below += r->distances[i]) * 4 >= all * quarter) return json_integer((json_int_t)distance_of(i));
  return json_null();
}

static json_t *reuse_object(const struct record *r) {
  json_t *o = json_object();
  uint64_t all = r->first;
  for (unsigned i = 0; i < DISTANCES; i++) all += r->distances[i];
  json_object_set_new(o, "q1", quartile(r, 1));
  json_object_set_new(o, "q2", quartile(r, 2));
  json_object_set_new(o, "q3", quartile(r, 3));
  json_object_set_new(o, "first_touch", json_real(probe_ratio(r->first, all)));
  return o;
}

static json_t *lanes_object(const struct record *r) {
  static const char *const space[] = {"global", "local", "shared", "constant", "texture"};
  static const char *const op[] = {"load", "store", "atomic"};
  json_t *o = json_object();
  for (unsigned i = 0; i < MEM_SEEN_SPACES; i++)
    for (unsigned k = 0; k < MEM_SEEN_OPS; k++) {
      char name[32];
      snprintf(name, sizeof name, "%s_%s", space[i], op[k]);
      json_object_set_new(o, name, json_integer((json_int_t)r->lanes[i][k]));
    }
  return o;
}

static json_t *record_object(const struct record *r) {
  static const char *const groups[] = {"1", "2", "3-8", "9-16", "17-31", "32"};
  static const struct {
    const char *name;
    enum mem_seen_class class_;
  } shares[] = {{"double", MEM_SEEN_DOUBLE}, {"atomic", MEM_SEEN_ATOMIC}, {"texture", MEM_SEEN_TEXTURE}};
  json_t *o = json_object();
  uint64_t all = 0, bytes = 0;
  for (unsigned i = 0; i < MEM_SEEN_CLASSES; i++) all += r->instructions[i];
  uint64_t line;
  size_t at = 0;
  for (const uint32_t *sectors; (sectors = table_next(&r->touched, &at, &line)) != NULL;)
    bytes += MEM_SECTOR * (uint64_t)__builtin_popcount(*sectors);
  json_object_set_new(o, "warp_instructions", json_integer((json_int_t)all));
  for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++)
    json_object_set_new(o, shares[i].name, json_real(probe_ratio(r->instructions[shares[i].class_], all)));
  json_object_set_new(o, "lanes", lanes_object(r));
  probe_put_shares(o, "lines", r->groups, groups, GROUPS);
  json_object_set_new(o, "mean_lines", json_real(probe_ratio(r->lines, r->memory_instructions)));
  json_object_set_new(o, "touched_bytes", json_integer((json_int_t)bytes));
  json_object_set_new(o, "reuse_distance", reuse_object(r));
  return o;
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  const struct kernels *first = states[0];
  json_t *o = json_object();
  (void)shape;
  for (size_t k = 0; k < first->names.n; k++) {
    struct record *all = must_alloc(sizeof *all);
    for (uint32_t i = 0; i < n; i++) add_record(all, ((const struct kernels *)states[i])->of[k]);
    json_object_set_new(o, first->names.at[k], record_object(all));
    table_free(&all->touched);
    free(all);
  }
  return o;
}

const struct probe probe_kernels = {.name = "kernels",
                                    .meaning = "by kernel: accesses by space, lines per instruction, memory touched, reuse",
                                    .create = create,
                                    .destroy = destroy,
                                    .events.issue = issue,
                                    .events.memory = memory,
                                    .kernel_end = kernel_end,
                                    .report = report};
