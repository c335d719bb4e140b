/* Expansion of the variant table: braces, back references and signatures. See variants.h. */
#include "variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 9, TEXT = 16384, DEFAULT_LANES = 512 };

/* One way through the braces of a template. */
struct expansion {
  char op[TEXT];
  char choice[GROUPS][64];
  unsigned groups;
};

static void bad_row(const struct row *row, const char *why) {
  fprintf(stderr, "conformance: table row \"%s\" (%s): %s\n", row->op, row->signature, why);
  exit(2);
}

static char *copy_text(const char *s) {
  char *c = malloc(strlen(s) + 1);
  if (!c) exit(2);
  return strcpy(c, s);
}

/* Replaces `$n` by the n-th choice and `@@` by the opcode. */
static void substitute(const struct row *row, const struct expansion *x, const char *opcode, const char *from,
                       char *to) {
  char *end = to + TEXT - 1;
  while (*from) {
    const char *piece = NULL;
    size_t eat = 2;
    if (from[0] == '$' && from[1] >= '1' && from[1] <= '9') {
      unsigned n = (unsigned)(from[1] - '1');
      if (n >= x->groups) bad_row(row, "refers to a brace it does not have");
      piece = x->choice[n];
    } else if (from[0] == '@' && from[1] == '@') {
      piece = opcode;
    } else {
      eat = 0;
    }
    size_t n = piece ? strlen(piece) : 1;
    if (to + n >= end) bad_row(row, "text too long");
    memcpy(to, piece ? piece : from, n);
    to += n;
    from += piece ? eat : 1;
  }
  *to = 0;
}

/* Parses one `[&]class[*count]` into `o`. */
static void parse_operand(const struct row *row, char *text, struct operand *o) {
  *o = (struct operand){.count = 1};
  if (*text == '&') {
    o->address_only = true;
    text++;
  }
  char *star = strchr(text, '*');
  if (star) {
    *star = 0;
    o->count = (unsigned)atoi(star + 1);
  }
  o->cls = input_class(text);
  if (!o->cls) bad_row(row, text);
}

static unsigned parse_list(const struct row *row, char *text, struct operand *list, unsigned capacity) {
  unsigned n = 0;
  for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
    if (n == capacity) bad_row(row, "too many operands");
    parse_operand(row, word, &list[n++]);
  }
  return n;
}

/* Gives each result its place in the lane's record. */
static void lay_out(struct variant *v) {
  unsigned at = 0, align = 1;
  for (unsigned i = 0; i < v->result_count; i++) {
    unsigned size = v->results[i].cls->bytes;
    at = (at + size - 1) / size * size;
    v->results[i].offset = at;
    at += size * v->results[i].count;
    if (size > align) align = size;
  }
  v->stride = (at + align - 1) / align * align;
}

/* `%a`, or `{%a0, %a1}` for a list; mma takes braces around a single register too. */
static void operand_text(char *out, char letter, const struct operand *o, bool braces) {
  if (o->count == 1) {
    sprintf(out, braces ? "{%%%c}" : "%%%c", letter);
    return;
  }
  out += sprintf(out, "{");
  for (unsigned i = 0; i < o->count; i++) out += sprintf(out, "%s%%%c%u", i ? ", " : "", letter, i);
  sprintf(out, "}");
}

/* The plain instruction: results joined by a bar, then operands. */
static void plain_body(const struct variant *v, char *out) {
  char word[512];
  bool braces = strncmp(v->opcode, "mma.", 4) == 0;
  out += sprintf(out, "%s ", v->opcode);
  for (unsigned i = 0; i < v->result_count; i++) {
    operand_text(word, (char)('d' + (int)i), &v->results[i], braces);
    out += sprintf(out, "%s%s", i ? "|" : "", word);
  }
  for (unsigned i = 0; i < v->operand_count; i++) {
    operand_text(word, "abch"[i], &v -> operands[i], braces);
    out += sprintf(out, ", %s", word);
  }
  sprintf(out, ";");
}

static struct variant *grow(struct variants *all) {
  if (all->count == all->capacity) {
    all->capacity = all->capacity ? all->capacity * 2 : 1024;
    all->list = realloc(all->list, all->capacity * sizeof *all->list);
    if (!all->list) exit(2);
  }
  struct variant *v = &all->list[all->count++];
  memset(v, 0, sizeof *v);
  return v;
}

static void emit(struct variants *all, const struct row *row, const struct expansion *x) {
  char text[TEXT], opcode[TEXT];
  snprintf(opcode, sizeof opcode, "%s", x->op);
  opcode[strcspn(opcode, " ")] = 0;
  struct variant *v = grow(all);
  v->name = copy_text(x->op);
  v->opcode = copy_text(opcode);
  v->family = row->family;
  v->prelude = row->prelude;
  v->cluster = row->cluster;
  v->tensor = row->tensor;
  v->bound = row->bound;
  v->lanes = row->lanes ? row->lanes : DEFAULT_LANES;
  substitute(row, x, opcode, row->signature, text);
  char *colon = strchr(text, ':');
  if (!colon) bad_row(row, "signature without a colon");
  *colon = 0;
  v->result_count = parse_list(row, text, v->results, VARIANT_RESULTS);
  v->operand_count = parse_list(row, colon + 1, v->operands, VARIANT_OPERANDS);
  lay_out(v);
  if (row->body)
    substitute(row, x, opcode, row->body, text);
  else
    plain_body(v, text);
  v->body = copy_text(text);
}

/* Walks the template; at each brace, tries every alternative. */
static void expand(struct variants *all, const struct row *row, const char *from, size_t at,
                   struct expansion *x) {
  while (*from && *from != '{') x->op[at++] = *from++;
  x->op[at] = 0;
  if (!*from) {
    emit(all, row, x);
    return;
  }
  const char *close = strchr(from, '}');
  if (!close) bad_row(row, "brace not closed");
  if (x->groups == GROUPS) bad_row(row, "too many braces");
  unsigned group = x->groups++;
  for (const char *word = from + 1; word <= close;) {
    size_t n = strcspn(word, ",}");
    if (n >= sizeof x->choice[0]) bad_row(row, "alternative too long");
    memcpy(x->choice[group], word, n);
    x->choice[group][n] = 0;
    memcpy(x->op + at, word, n);
    expand(all, row, close + 1, at + n, x);
    word += n + 1;
  }
  x->groups = group;
}

void variants_add(struct variants *all, const struct row *row) {
  static struct expansion x;
  x.groups = 0;
  expand(all, row, row->op, 0, &x);
}

void variants_add_rows(struct variants *all, const struct row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) variants_add(all, &rows[i]);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Names are keys of the golden index: each must occur once. */
static void check_names(const struct variants *all) {
  char **names = malloc(all->count * sizeof *names);
  if (!names) exit(2);
  for (size_t i = 0; i < all->count; i++) names[i] = all->list[i].name;
  qsort(names, all->count, sizeof *names, by_name);
  for (size_t i = 1; i < all->count; i++)
    if (strcmp(names[i - 1], names[i]) == 0) {
      fprintf(stderr, "conformance: variant \"%s\" is in the table twice\n", names[i]);
      exit(2);
    }
  free(names);
}

void variants_build(struct variants *all) {
  *all = (struct variants){0};
  rows_integer(all);
  rows_float(all);
  rows_compare(all);
  rows_convert(all);
  rows_video(all);
  rows_warp(all);
  rows_memory(all);
  rows_atomic(all);
  rows_matrix(all);
  rows_machine(all);
  rows_wgmma(all);
  rows_sparse(all);
  rows_cluster(all);
  rows_tensor(all);
  check_names(all);
}

void variants_free(struct variants *all) {
  for (size_t i = 0; i < all->count; i++) {
    free(all->list[i].name);
    free(all->list[i].opcode);
    free(all->list[i].body);
  }
  free(all->list);
}
