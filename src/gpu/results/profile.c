/* See profile.h. */
#include "gpu/results/profile.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)GPU_LINE_STALLS == (int)SM_STALLS, "a line has every reason of an SM");

static const char *place_of(const struct ptx_module *m, const struct ptx_inst *in, uint32_t *line) {
  bool known = in->loc_file && in->loc_file < m->n_files && m->files[in->loc_file];
  *line = known ? in->loc_line : in->line;
  return known ? m->files[in->loc_file] : m->source_name;
}

static struct gpu_line *line_of(struct gpu_profile *p, const struct exec_func *f, const struct ptx_inst *in) {
  uint32_t line, at;
  const char *file = place_of(&f->module->ptx, in, &line);
  struct str key = {0};
  str_add(&key, "%s:%u", file, line);
  if (!strmap_get(&p->index, key.s, key.n, &at)) {
    char text[160];
    ptx_inst_name(in, text, sizeof text);
    at = (uint32_t)p->n;
    strmap_put(&p->index, arena_strndup(&p->arena, key.s, key.n), key.n, at);
    GROW(p->lines, p->cap, p->n + 1);
    p->lines[p->n++] =
        (struct gpu_line){.file = arena_strndup(&p->arena, file, strlen(file)),
                          .function = arena_strndup(&p->arena, f->ptx->name, strlen(f->ptx->name)),
                          .instruction = arena_strndup(&p->arena, text, strlen(text)),
                          .line = line};
  }
  str_free(&key);
  return &p->lines[at];
}

/* ---- listings: functions by line of PTX ------------------------------------------------------------------------------------- */

static const char *line_start(const char *text, uint32_t line) {
  for (; line > 1 && *text; line--) {
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  return text;
}

/* From the line that names the function to the one with its last brace. */
static const char *function_text(struct gpu_profile *p, const struct exec_func *f, uint32_t last) {
  if (!f->module->text) return NULL;
  const char *from = line_start(f->module->text, f->ptx->line), *to = line_start(from, last - f->ptx->line + 1);
  while (*to && *to != '}') {
    to += strcspn(to, "\n");
    to += *to == '\n';
  }
  if (*to) to++;
  return arena_strndup(&p->arena, from, (size_t)(to - from));
}

static bool same_listing(const struct gpu_listing *l, const struct exec_func *f) {
  return !strcmp(l->function, f->ptx->name) && l->first == f->ptx->line;
}

static struct gpu_listing *listing_of(struct gpu_profile *p, const struct exec_func *f) {
  for (size_t i = 0; i < p->n_listings; i++)
    if (same_listing(&p->listings[i], f)) return &p->listings[i];
  uint32_t last = f->ptx->line;
  for (uint32_t i = 0; i < f->ptx->n_insts; i++)
    if (f->ptx->insts[i].line > last) last = f->ptx->insts[i].line;
  GROW(p->listings, p->listings_cap, p->n_listings + 1);
  struct gpu_listing *l = &p->listings[p->n_listings++];
  *l = (struct gpu_listing){.function = arena_strndup(&p->arena, f->ptx->name, strlen(f->ptx->name)),
                            .text = function_text(p, f, last), .first = f->ptx->line};
  return l;
}

/* Lines are few and in order: a new one is put where it belongs. */
static struct gpu_line *listed_line(struct gpu_profile *p, const struct exec_func *f, const struct ptx_inst *in) {
  struct gpu_listing *l = listing_of(p, f);
  size_t low = 0, high = l->n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (l->lines[mid].ptx_line < in->line) low = mid + 1;
    else high = mid;
  }
  if (low < l->n && l->lines[low].ptx_line == in->line) return &l->lines[low];
  const struct ptx_module *m = &f->module->ptx;
  bool known = in->loc_file && in->loc_file < m->n_files && m->files[in->loc_file];
  const char *file = known ? m->files[in->loc_file] : "";
  char text[160];
  ptx_inst_name(in, text, sizeof text);
  GROW(l->lines, l->room, l->n + 1);
  memmove(&l->lines[low + 1], &l->lines[low], (l->n++ - low) * sizeof *l->lines);
  l->lines[low] = (struct gpu_line){.file = arena_strndup(&p->arena, file, strlen(file)),
                                    .function = l->function,
                                    .instruction = arena_strndup(&p->arena, text, strlen(text)),
                                    .line = known ? in->loc_line : 0,
                                    .ptx_line = in->line};
  return &l->lines[low];
}

/* ---- rows of SMs ------------------------------------------------------------------------------------------------------------ */

static bool touched(const struct sm_profile_row *r) {
  uint64_t any = r->executions;
  for (unsigned i = 0; i < SM_STALLS; i++) any |= r->stalls[i];
  return any != 0;
}

static void add_row(struct gpu_line *l, const struct sm_profile_row *r) {
  l->executions += r->executions;
  l->lanes += r->lanes;
  l->accesses += r->accesses;
  l->transactions += r->transactions;
  l->sectors += r->sectors;
  l->hits += r->hits;
  l->loads += r->loads;
  l->latency += r->latency;
  for (unsigned i = 0; i < SM_STALLS; i++) l->stalls[i] += r->stalls[i];
}

void gpu_profile_take(struct gpu_profile *p, const struct exec_module *m, uint32_t first, struct sm_profile *of_sm) {
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++) {
    const struct exec_func *f = &m->funcs[i];
    for (uint32_t k = 0; k < f->n_insts; k++) {
      struct sm_profile_row *r = &of_sm->rows[first + f->first_pc + k];
      /* The last is the return that every function ends with; it has no line of its own. */
      const struct ptx_inst *in = k < f->ptx->n_insts ? f->insts[k].ptx : k ? f->insts[k - 1].ptx : NULL;
      if (in && touched(r)) {
        add_row(line_of(p, f, in), r);
        add_row(listed_line(p, f, in), r);
      }
      *r = (struct sm_profile_row){0};
    }
  }
}

void gpu_profile_free(struct gpu_profile *p) {
  free(p->lines);
  for (size_t i = 0; i < p->n_listings; i++) free(p->listings[i].lines);
  free(p->listings);
  strmap_free(&p->index);
  arena_free(&p->arena);
}
