/* The conformance program: records what every instruction variant does on a GPU, and checks that Heddle does
 * the same. It talks to the device through the CUDA driver API only, so it is the same program on both.
 *
 *   conformance record DIR [--filter GLOB] [--jobs N]       run all variants on the device, write DIR
 *   conformance pack FROM TO                                compress a recording, as kept in the repository; what FROM
 *                                                           lacks and TO has of the same variant is kept
 *   conformance check DIR [--filter GLOB] [--jobs N] [-v]   run and compare; exit 1 if anything differs
 *   conformance list [--filter GLOB]                        family and name of each variant
 *   conformance dump NAME                                   the PTX of one variant
 *   conformance ptx DIR [--filter GLOB]                     all modules as files, for an assembler */
#include "bounds.h"
#include "device.h"
#include "golden.h"
#include "kernel.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  PER_MODULE = 100,
  HANG_S = 20,
  RECORD_LIMIT_S = 170,
  CHECK_LIMIT_S = 3600,
  SHOWN_LANES = 3,
  SHOWN_VARIANTS = 40
};

struct options {
  const char *words[3]; /* command and its arguments */
  unsigned word_count;
  const char *filter;
  unsigned jobs;
  bool verbose;
};

/* The variants a filter leaves. */
struct selection {
  const struct variant **list;
  size_t count;
};

static int usage(void) {
  fprintf(stderr, "usage: conformance record DIR | pack FROM TO | check DIR | list | dump NAME | ptx DIR\n"
                  "       [--filter GLOB] [--jobs N] [-v]\n");
  return 2;
}

static bool parse_options(int argc, char **argv, struct options *o) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  *o = (struct options){.jobs = cores > 12 ? 12 : cores > 0 ? (unsigned)cores : 1};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc)
      o->filter = argv[++i];
    else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc)
      o->jobs = (unsigned)strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "-v") == 0)
      o->verbose = true;
    else if (strcmp(argv[i], "--list") == 0)
      o->words[o->word_count++] = "list";
    else if (argv[i][0] == '-' || o->word_count == 3)
      return false;
    else
      o->words[o->word_count++] = argv[i];
  }
  return o->word_count > 0 && o->jobs > 0;
}

/* A filter matches a variant's name or its family. */
static struct selection select_variants(const struct variants *all, const char *filter) {
  struct selection s = {.list = malloc((all->count + 1) * sizeof *s.list)};
  if (!s.list) exit(2);
  for (size_t i = 0; i < all->count; i++) {
    const struct variant *v = &all->list[i];
    if (!filter || fnmatch(filter, v->name, 0) == 0 || fnmatch(filter, v->family, 0) == 0)
      s.list[s.count++] = v;
  }
  return s;
}

/* Hash of the kernel's text and of its inputs. Hashes of inputs are kept: many variants share them. */
static uint64_t hash_operand(const struct variant *v, unsigned position) {
  static struct {
    const struct operand_class *cls;
    unsigned position, arity, count, lanes;
    uint64_t hash;
  } known[4096];
  static unsigned known_count;
  const struct operand *o = &v->operands[position];
  for (unsigned i = 0; i < known_count; i++)
    if (known[i].cls == o->cls && known[i].position == position && known[i].arity == v->operand_count &&
        known[i].count == o->count && known[i].lanes == v->lanes)
      return known[i].hash;
  uint64_t h = 0;
  for (unsigned lane = 0; lane < v->lanes; lane++)
    for (unsigned slot = 0; slot < o->count; slot++)
      h = input_mix(h, input_slot(o->cls, position, v->operand_count, lane, slot));
  if (known_count < 4096) {
    known[known_count].cls = o->cls;
    known[known_count].position = position;
    known[known_count].arity = v->operand_count;
    known[known_count].count = o->count;
    known[known_count].lanes = v->lanes;
    known[known_count++].hash = h;
  }
  return h;
}

static uint64_t hash_source(const struct variant *v) {
  struct text t = {0};
  kernel_module(&t, &v, 1);
  uint64_t h = golden_hash(v->lanes, t.text, t.size);
  text_free(&t);
  for (unsigned k = 0; k < v->operand_count; k++) h = input_mix(h, hash_operand(v, k));
  return h;
}

/* Recording. */

static struct golden_entry entry_of(const struct variant *v, const struct outcome *o) {
  struct golden_entry e = {.name = v->name, .lanes = v->lanes, .stride = v->stride, .source = hash_source(v)};
  e.state = o->state == OUTCOME_OK ? GOLDEN_OK : o->state == OUTCOME_REFUSED ? GOLDEN_REFUSED : GOLDEN_FAILED;
  e.error = (char *)(uintptr_t)(o->state == OUTCOME_PENDING ? "not run: time limit" : o->error);
  if (e.state == GOLDEN_OK) e.hash = golden_hash(0, o->bytes, (size_t)v->lanes * v->stride);
  return e;
}

static int record(const struct options *o, const struct selection *s) {
  struct outcome *outcomes = calloc(s->count + 1, sizeof *outcomes);
  struct device_plan plan = {s->list, s->count, o->jobs, PER_MODULE, HANG_S, RECORD_LIMIT_S};
  struct golden g;
  size_t states[3] = {0};
  if (!outcomes || !device_run(&plan, outcomes)) return 2;
  if (mkdir(o->words[1], 0777) != 0 && errno != EEXIST) perror(o->words[1]);
  golden_start(&g, o->words[1]);
  for (size_t i = 0; i < s->count; i++) {
    struct golden_entry e = entry_of(s->list[i], &outcomes[i]);
    states[e.state]++;
    if (e.state != GOLDEN_OK)
      printf("%s\t%s\t%s\n", e.state == GOLDEN_REFUSED ? "refused" : "failed", e.name, e.error);
    golden_add(&g, &e, outcomes[i].bytes, NULL);
  }
  bool good = golden_write(&g, false);
  printf("%zu recorded, %zu refused, %zu failed\n", states[GOLDEN_OK], states[GOLDEN_REFUSED],
         states[GOLDEN_FAILED]);
  golden_free(&g);
  free(outcomes);
  return good && states[GOLDEN_FAILED] == 0 ? 0 : 1;
}

/* The entry of a variant in a recording of the same table, or NULL. */
static const struct golden_entry *recorded(const struct golden *g, const struct variant *v) {
  const struct golden_entry *e = golden_find(g, v->name);
  return e && e->source == hash_source(v) ? e : NULL;
}

/* Data files of a packed recording are named after the first word of the family. */
static int pack(const struct options *o, const struct variants *all) {
  struct golden news, old, to;
  if (!golden_read(&news, o->words[1])) return 2;
  bool before = mkdir(o->words[2], 0777) != 0 && errno == EEXIST && golden_read(&old, o->words[2]);
  golden_start(&to, o->words[2]);
  for (size_t i = 0; i < all->count; i++) {
    const struct variant *v = &all->list[i];
    struct golden *from = &news;
    const struct golden_entry *e = recorded(from, v);
    if (!e && before) e = recorded(from = &old, v);
    if (!e) {
      printf("not in the recording: %s\n", v->name);
      continue;
    }
    char group[64];
    snprintf(group, sizeof group, "%.*s", (int)strcspn(v->family, "."), v->family);
    golden_add(&to, e, e->state == GOLDEN_OK ? golden_bytes(from, e) : NULL, group);
  }
  bool good = golden_write(&to, true);
  printf("%zu of %zu variants packed\n", to.count, all->count);
  golden_free(&news);
  if (before) golden_free(&old);
  golden_free(&to);
  return good ? 0 : 1;
}

/* Checking. */

struct tally {
  const char *family;
  size_t passed, failed, skipped;
};

static struct tally *tally_of(struct tally *list, size_t *count, const char *family) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp(list[i].family, family) == 0) return &list[i];
  list[*count] = (struct tally){.family = family};
  return &list[(*count)++];
}

static void print_hex(const unsigned char *bytes, unsigned size) {
  for (unsigned i = size; i-- > 0;) printf("%02x", bytes[i]);
}

static void print_results(const struct variant *v, const unsigned char *record) {
  for (unsigned k = 0; k < v->result_count; k++)
    for (unsigned i = 0; i < v->results[k].count; i++) {
      unsigned size = v->results[k].cls->bytes;
      printf(" ");
      print_hex(record + v->results[k].offset + i * size, size);
    }
}

/* One lane that differs: operands, expected, got. */
static void print_lane(const struct variant *v, unsigned lane, const unsigned char *want,
                       const unsigned char *got) {
  printf("    lane %u:", lane);
  for (unsigned k = 0; k < v->operand_count; k++) {
    const struct operand *o = &v->operands[k];
    unsigned size = o->cls->mem ? o->cls->bytes : 4;
    for (unsigned i = 0; i < o->count; i++) {
      uint64_t slot = input_slot(o->cls, k, v->operand_count, lane, i);
      unsigned digits = o->address_only ? 16 : 2 * size;
      uint64_t shown = digits < 16 ? slot & (((uint64_t)1 << (4 * digits)) - 1) : slot;
      printf(" %c=%0*" PRIx64, "abch"[k], (int)digits, shown);
    }
  }
  printf("\n      expected");
  print_results(v, want);
  printf("\n      got     ");
  print_results(v, got);
  printf("\n");
}

static void print_mismatch(const struct variant *v, const struct verdict *verdict, const unsigned char *want,
                           const unsigned char *got, unsigned lanes) {
  printf("FAILED %s: %u of %u lanes differ\n", v->name, verdict->bad, v->lanes);
  for (unsigned lane = verdict->first_bad; lane < v->lanes && lanes > 0; lane++) {
    size_t at = (size_t)lane * v->stride;
    if (memcmp(want + at, got + at, v->stride) == 0) continue;
    print_lane(v, lane, want + at, got + at);
    lanes--;
  }
}

/* What the checker carries from variant to variant. */
struct check {
  struct golden golden;
  struct tally tallies[256];
  size_t tally_count, passed, failed, skipped;
  bool verbose;
};

static bool fail(struct check *c, const struct variant *v, const char *why) {
  if (c->verbose || c->failed < SHOWN_VARIANTS) printf("FAILED %s: %s\n", v->name, why);
  return false;
}

static bool check_one(struct check *c, const struct variant *v, const struct outcome *o,
                      const struct golden_entry *e) {
  if (e->source != hash_source(v)) return fail(c, v, "the recording is of an older table: record again");
  if (o->state == OUTCOME_PENDING) return fail(c, v, "not run: time limit");
  if (o->state != OUTCOME_OK) return fail(c, v, o->error);
  const unsigned char *want = golden_bytes(&c->golden, e);
  if (!want) return fail(c, v, "recorded bytes missing");
  struct verdict verdict = bounds_judge(v, want, o->bytes);
  if (v->bound.judge > JUDGE_NAN)
    printf("approximate %s: largest error %.3g (silicon %.3g) %s, bound %.3g\n", v->name, verdict.worst,
           verdict.silicon, bounds_unit(v), bounds_limit(v));
  if (!verdict.passed && (c->verbose || c->failed < SHOWN_VARIANTS))
    print_mismatch(v, &verdict, want, o->bytes, c->verbose ? 16 : SHOWN_LANES);
  return verdict.passed;
}

static void check_all(struct check *c, const struct selection *s, const struct outcome *outcomes) {
  for (size_t i = 0; i < s->count; i++) {
    const struct variant *v = s->list[i];
    const struct golden_entry *e = golden_find(&c->golden, v->name);
    struct tally *t = tally_of(c->tallies, &c->tally_count, v->family);
    if (e && e->state != GOLDEN_OK) {
      t->skipped++;
      c->skipped++;
    } else if (e ? check_one(c, v, &outcomes[i], e) : fail(c, v, "not in the recording")) {
      t->passed++;
      c->passed++;
    } else {
      t->failed++;
      c->failed++;
    }
  }
}

static int check(const struct options *o, const struct selection *s) {
  static struct check c;
  struct outcome *outcomes = calloc(s->count + 1, sizeof *outcomes);
  struct device_plan plan = {s->list, s->count, o->jobs, PER_MODULE, HANG_S, CHECK_LIMIT_S};
  c.verbose = o->verbose;
  if (!outcomes || !golden_read(&c.golden, o->words[1]) || !device_run(&plan, outcomes)) return 2;
  check_all(&c, s, outcomes);
  if (c.failed > SHOWN_VARIANTS && !c.verbose)
    printf("... and %zu more; -v shows all\n", c.failed - SHOWN_VARIANTS);
  for (size_t i = 0; i < c.tally_count; i++)
    printf("%-16s %6zu passed %6zu failed\n", c.tallies[i].family, c.tallies[i].passed, c.tallies[i].failed);
  if (c.skipped) printf("%zu skipped: silicon refused or failed them\n", c.skipped);
  printf("%zu rows passed, %zu failed\n", c.passed, c.failed);
  golden_free(&c.golden);
  free(outcomes);
  return c.failed ? 1 : 0;
}

/* Looking at the table. */

static int list(const struct selection *s) {
  for (size_t i = 0; i < s->count; i++) printf("%s\t%s\n", s->list[i]->family, s->list[i]->name);
  return 0;
}

static int dump(const struct variants *all, const char *name) {
  for (size_t i = 0; i < all->count; i++) {
    const struct variant *v = &all->list[i];
    if (strcmp(v->name, name) != 0) continue;
    struct text t = {0};
    kernel_module(&t, &v, 1);
    fputs(t.text, stdout);
    text_free(&t);
    return 0;
  }
  fprintf(stderr, "conformance: no variant is called \"%s\"; `conformance list` shows them\n", name);
  return 2;
}

static int write_ptx(const struct selection *s, const char *folder) {
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) perror(folder);
  for (size_t i = 0; i < s->count; i += PER_MODULE) {
    char path[4096];
    struct text t = {0};
    kernel_module(&t, s->list + i, s->count - i < PER_MODULE ? s->count - i : PER_MODULE);
    snprintf(path, sizeof path, "%s/module%03zu.ptx", folder, i / PER_MODULE);
    FILE *f = fopen(path, "w");
    if (!f || fputs(t.text, f) < 0 || fclose(f) != 0) {
      perror(path);
      return 2;
    }
    text_free(&t);
  }
  return 0;
}

static int run_command(const struct options *o, const struct variants *all, const struct selection *s) {
  const char *command = o->words[0];
  if (strcmp(command, "record") == 0 && o->word_count == 2) return record(o, s);
  if (strcmp(command, "pack") == 0 && o->word_count == 3) return pack(o, all);
  if (strcmp(command, "check") == 0 && o->word_count == 2) return check(o, s);
  if (strcmp(command, "list") == 0 && o->word_count == 1) return list(s);
  if (strcmp(command, "dump") == 0 && o->word_count == 2) return dump(all, o->words[1]);
  if (strcmp(command, "ptx") == 0 && o->word_count == 2) return write_ptx(s, o->words[1]);
  return usage();
}

int main(int argc, char **argv) {
  struct options o;
  struct variants all;
  if (!parse_options(argc, argv, &o)) return usage();
  variants_build(&all);
  struct selection s = select_variants(&all, o.filter);
  int status = run_command(&o, &all, &s);
  free(s.list);
  variants_free(&all);
  return status;
}
