/* Findings: each once, with where it is, as a line of the log; and how often each was seen.
 *
 * A line says tool, kind, kernel, a sentence, both places and the rule that would suppress it. What is not known is left out. */
#include "check/check_state.h"

#include "base/arena.h"
#include "base/str.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FINDINGS = 4096 };

struct finding {
  const char *kind; /* NULL: an empty slot */
  const void *a, *b;
  uint64_t number, count; /* number 0: counted, not written */
};

static const char *const tool_names[] = {
    [CHECK_MEM] = "memcheck", [CHECK_RACE] = "racecheck", [CHECK_SYNC] = "synccheck", [CHECK_INIT] = "initcheck"};

/* ---- which are known ------------------------------------------------------------------------------------------------ */

static struct finding *find(const struct check *c, const char *kind, const void *a, const void *b) {
  const void *key[3] = {kind, a, b};
  size_t mask = c->finding_slots - 1, i = (size_t)str_hash(key, sizeof key) & mask;
  struct finding *f;
  while ((f = &c->findings[i])->kind && (f->kind != kind || f->a != a || f->b != b)) i = (i + 1) & mask;
  return f;
}

static void more_slots(struct check *c) {
  struct finding *old = c->findings;
  size_t n = c->finding_slots;
  c->finding_slots = n ? 2 * n : 64;
  c->findings = must_alloc(c->finding_slots * sizeof *c->findings);
  for (size_t i = 0; i < n; i++)
    if (old[i].kind) *find(c, old[i].kind, old[i].a, old[i].b) = old[i];
  free(old);
}

bool check_is_new(struct check *c, enum check_tool tool, const char *kind, const void *a, const void *b) {
  if (!(c->tools & tool)) return false;
  if (2 * (c->n_findings + 1) > c->finding_slots) more_slots(c);
  struct finding *f = find(c, kind, a, b);
  if (f->kind) {
    f->count++;
    return false;
  }
  if (c->n_findings >= MOST_FINDINGS) return false;
  *f = (struct finding){.kind = kind, .a = a, .b = b, .number = ++c->n_findings, .count = 1};
  return true;
}

/* ---- places ----------------------------------------------------------------------------------------------------------- */

struct check_place check_place_of(const struct exec_warp *w, const struct exec_inst *in, unsigned lane, const char *did) {
  return (struct check_place){.in = in, .did = did, .cta = w->cta->linear_id, .thread = w->first_thread + lane};
}

static const char *file_name(const struct ptx_module *m, uint32_t file) {
  return file && file < m->n_files ? m->files[file] : NULL;
}

/* "file.cu:12", or the line of the PTX. */
static void add_line(const struct check *c, const struct exec_inst *in, struct str *out) {
  const struct ptx_module *m = &c->grid->module->ptx;
  const struct ptx_inst *pi = in->ptx;
  const char *use = file_name(m, pi->use_file), *file = use ? use : m->source_name, *slash = strrchr(file, '/');
  str_add(out, "%s:%u", slash ? slash + 1 : file, use ? pi->use_line : pi->line);
}

static json_t *triple(uint64_t linear, const uint32_t *size) {
  return json_pack("[I,I,I]", (json_int_t)(linear % size[0]), (json_int_t)(linear / size[0] % size[1]),
                   (json_int_t)(linear / size[0] / size[1]));
}

static void set_source(const struct check *c, const struct exec_inst *in, json_t *o) {
  const struct ptx_module *m = &c->grid->module->ptx;
  const struct ptx_inst *pi = in->ptx;
  char name[160];
  ptx_inst_name(pi, name, sizeof name);
  json_object_set_new(o, "instruction", json_string(name));
  json_object_set_new(o, "ptx", json_string(m->source_name));
  json_object_set_new(o, "ptx_line", json_integer(pi->line));
  if (!file_name(m, pi->use_file)) return;
  json_object_set_new(o, "file", json_string(file_name(m, pi->use_file)));
  json_object_set_new(o, "line", json_integer(pi->use_line));
  if ((pi->use_file == pi->loc_file && pi->use_line == pi->loc_line) || !file_name(m, pi->loc_file)) return;
  json_object_set_new(o, "inlined", json_sprintf("%s:%u", file_name(m, pi->loc_file), pi->loc_line));
}

static json_t *place_json(const struct check *c, const struct check_place *p) {
  json_t *o = json_object();
  if (p->did) json_object_set_new(o, "did", json_string(p->did));
  json_object_set_new(o, "block", triple(p->cta, c->grid->grid));
  json_object_set_new(o, "thread", triple(p->thread, c->grid->block));
  if (p->in) set_source(c, p->in, o);
  return o;
}

/* The same for both orders of the two lines, so that one rule is enough. */
static void add_rule(const struct check *c, const struct check_found *f, struct str *out) {
  struct str line[2] = {{0}, {0}};
  for (unsigned i = 0; i < f->places; i++)
    if (f->place[i].in) add_line(c, f->place[i].in, &line[i]);
  bool two = f->places > 1 && line[0].n && line[1].n && strcmp(line[0].s, line[1].s) != 0;
  bool swap = two && strcmp(line[0].s, line[1].s) > 0;
  const char *first = line[swap].n ? line[swap].s : line[!swap].n ? line[!swap].s : "host";
  str_add(out, "%s %s %s %s", tool_names[f->tool], f->kind, f->places ? c->grid->kernel->ptx->name : "host", first);
  if (two) str_add(out, ",%s", line[!swap].s);
  for (int i = 0; i < 2; i++) str_free(&line[i]);
}

/* ---- the log ------------------------------------------------------------------------------------------------------------ */

static void put(struct check *c, json_t *o) {
  json_dumpf(o, c->log, JSON_COMPACT);
  fputc('\n', c->log);
  fflush(c->log);
  json_decref(o);
}

/* Of a finding: no other process has it. */
static json_t *number_of(uint64_t n) { return json_sprintf("%d.%llu", (int)getpid(), (unsigned long long)n); }

void check_write(struct check *c, const struct check_found *f) {
  json_t *o = json_object(), *places = json_array();
  struct str rule = {0};
  json_object_set_new(o, "number", number_of(c->n_findings));
  json_object_set_new(o, "tool", json_string(tool_names[f->tool]));
  json_object_set_new(o, "kind", json_string(f->kind));
  json_object_set_new(o, "message", json_string(f->text));
  if (f->places) json_object_set_new(o, "kernel", json_string(c->grid->kernel->ptx->name));
  for (unsigned i = 0; i < f->places; i++) json_array_append_new(places, place_json(c, &f->place[i]));
  json_object_set_new(o, "places", places);
  if (f->space != PTX_GENERIC) {
    char text[32];
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)f->address);
    json_object_set_new(o, "space", json_string(ptx_space_name((enum ptx_space)f->space)));
    json_object_set_new(o, "address", json_string(text));
    json_object_set_new(o, "bytes", json_integer((json_int_t)f->bytes));
  }
  add_rule(c, f, &rule);
  json_object_set_new(o, "rule", json_string(rule.s));
  str_free(&rule);
  put(c, o);
}

void check_write_counts(struct check *c) {
  json_t *o = json_object(), *counts = json_object();
  for (size_t i = 0; i < c->finding_slots; i++) {
    const struct finding *f = &c->findings[i];
    json_t *number = number_of(f->number);
    if (f->kind) json_object_set_new(counts, json_string_value(number), json_integer((json_int_t)f->count));
    json_decref(number);
  }
  json_object_set_new(o, "counts", counts);
  json_object_set_new(o, "complete", json_boolean(c->n_findings < MOST_FINDINGS));
  put(c, o);
}

/* ---- host calls ---------------------------------------------------------------------------------------------------------- */

void check_host_call(struct check *c, const char *kind, const char *fmt, ...) {
  char text[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  uint64_t hash = str_hash(text, strlen(text));
  if (!check_is_new(c, CHECK_MEM, kind, (void *)(uintptr_t)hash, NULL)) return;
  check_write(c, &(struct check_found){.tool = CHECK_MEM, .kind = kind, .text = text});
}

void check_leak(struct check *c, uint64_t address, uint64_t bytes, const char *what) {
  char text[128];
  snprintf(text, sizeof text, "%llu bytes of %s memory are never freed", (unsigned long long)bytes, what);
  if (!check_is_new(c, CHECK_MEM, "leak", (void *)(uintptr_t)address, NULL)) return;
  check_write(c, &(struct check_found){
                     .tool = CHECK_MEM, .kind = "leak", .text = text, .space = PTX_GLOBAL, .address = address, .bytes = bytes});
}
