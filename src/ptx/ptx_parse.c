/* The module level: version, target, files, sections of debug information, variables and functions. */
#include "ptx/ptx_reader.h"

#include <string.h>

static bool only_once(struct ptx_reader *r, bool seen) {
  if (seen) return ptx_fail(r, r->tok.start, "a module has one .%.*s", (int)r->tok.len, r->tok.s);
  return true;
}

static bool parse_version(struct ptx_reader *r) {
  const struct ptx_tok *t = &r->tok;
  if (!only_once(r, r->seen_version)) return false;
  if (!ptx_next(r)) return false;
  const char *dot = t->kind == PTX_T_F64 ? memchr(t->start, '.', (size_t)(r->cur - t->start)) : NULL;
  if (!dot || dot + 2 != r->cur) return ptx_expected(r, "a version such as 8.5");
  unsigned major = 0;
  for (const char *s = t->start; s < dot && major < 100; s++) major = major * 10 + (unsigned)(*s - '0');
  r->m->version = major * 10 + (unsigned)(dot[1] - '0');
  if (r->m->version < 10 || r->m->version > 99)
    return ptx_fail(r, t->start, "PTX version %.*s is not known; 1.4 to 9.0 are", (int)(r->cur - t->start),
                    t->start);
  r->seen_version = true;
  return ptx_next(r);
}

/* sm_90a, compute_75: the number and whether a letter follows. */
static bool read_target(struct ptx_reader *r, const struct ptx_tok *t) {
  bool sm = t->len > 3 && memcmp(t->s, "sm_", 3) == 0,
       compute = t->len > 8 && memcmp(t->s, "compute_", 8) == 0;
  const char *s = t->s + (sm ? 3 : compute ? 8 : 0), *end = t->s + t->len;
  unsigned number = 0;
  if ((!sm && !compute) || *s < '0' || *s > '9') return false;
  for (; s < end && *s >= '0' && *s <= '9' && number < 1000; s++) number = number * 10 + (unsigned)(*s - '0');
  r->m->target = number;
  r->m->target_arch_specific = s < end;
  return true;
}

static bool parse_target(struct ptx_reader *r) {
  if (!only_once(r, r->seen_target)) return false;
  do {
    struct ptx_tok word;
    if (!ptx_next(r) || !ptx_take_name(r, "a target such as sm_75", &word)) return false;
    r->texmode_independent |= word.len == 19 && memcmp(word.s, "texmode_independent", 19) == 0;
    if (read_target(r, &word))
      r->seen_target = true;
    else if (!r->seen_target)
      return ptx_fail(r, word.start, "unknown target '%.*s'; expected one such as sm_75", (int)word.len,
                      word.s);
  } while (ptx_at(r, ','));
  return r->e->kind == ERR_NONE;
}

static bool parse_address_size(struct ptx_reader *r) {
  if (!only_once(r, r->seen_address_size)) return false;
  if (!ptx_next(r)) return false;
  if (r->tok.kind != PTX_T_INT || (r->tok.value != 32 && r->tok.value != 64))
    return ptx_expected(r, "32 or 64");
  r->m->address_size = (unsigned)r->tok.value;
  r->seen_address_size = true;
  return ptx_next(r);
}

/* .file 1 "name" [, time, size] */
static bool parse_file(struct ptx_reader *r) {
  uint64_t index, ignored;
  if (!ptx_next(r) || !ptx_count(r, "a file number", PTX_MAX_FILES, &index)) return false;
  if (r->tok.kind != PTX_T_STRING) return ptx_expected(r, "the name of the file in quotes");
  if (index >= r->n_files) {
    GROW(r->files, r->cap_files, index + 1);
    while (r->n_files <= index) r->files[r->n_files++] = NULL;
  }
  r->files[index] = ptx_keep(r, &r->tok);
  if (!ptx_next(r)) return false;
  while (ptx_accept(r, ','))
    if (!ptx_count(r, "a number", INT64_MAX, &ignored)) return false;
  return r->e->kind == ERR_NONE;
}

/* .section .debug_info { .. }: debug information, which is not used. */
static bool skip_section(struct ptx_reader *r) {
  while (!ptx_at(r, '{'))
    if (r->tok.kind == PTX_T_END ? !ptx_expected(r, "'{'") : !ptx_next(r)) return false;
  for (int depth = 0;;) {
    depth += ptx_at(r, '{') ? 1 : ptx_at(r, '}') ? -1 : 0;
    if (r->tok.kind == PTX_T_END) return ptx_expected(r, "'}'");
    if (!ptx_next(r)) return false;
    if (depth == 0) return true;
  }
}

static bool take_func(struct ptx_reader *r, uint32_t *index) {
  struct ptx_tok name;
  if (!ptx_next(r) || !ptx_take_name(r, "the name of a function", &name)) return false;
  const struct ptx_sym *s = ptx_lookup(r, name.s, name.len);
  if (!s || s->kind != PTX_SYM_FUNC)
    return ptx_fail(r, name.start, "function '%.*s' is not declared", (int)name.len, name.s);
  *index = s->index;
  return true;
}

/* .alias name, meant; */
static bool parse_alias(struct ptx_reader *r) {
  uint32_t alias, meant;
  const char *at = r->tok.start;
  if (!take_func(r, &alias)) return false;
  if (!ptx_at(r, ',')) return ptx_expected(r, "','");
  if (!take_func(r, &meant)) return false;
  if (alias == meant || !r->funcs[alias].is_extern || r->funcs[meant].alias_of >= 0)
    return ptx_fail(r, at, ".alias needs a declared function and another one that is defined");
  r->funcs[alias].alias_of = (int32_t)meant;
  return ptx_expect(r, ';');
}

static const struct {
  const char *name;
  bool (*parse)(struct ptx_reader *r); /* the directive is the current token */
} directives[] = {
    {"version", parse_version},  {"target", parse_target}, {"address_size", parse_address_size},
    {"file", parse_file},        {"loc", ptx_parse_loc},   {"section", skip_section},
    {"pragma", ptx_parse_pragma}, {"alias", parse_alias},
};

static bool parse_declaration(struct ptx_reader *r) {
  struct ptx_decl d = {0};
  const char *at = r->tok.start;
  if (!r->seen_version) return ptx_fail(r, at, "the text must begin with .version");
  if (!r->seen_target) return ptx_fail(r, at, ".target must come before declarations");
  if (!ptx_parse_linkage(r, &d)) return false;
  if (ptx_at_word(r, PTX_T_DOT, "entry")) return ptx_parse_func(r, &d, true);
  if (ptx_at_word(r, PTX_T_DOT, "func")) return ptx_parse_func(r, &d, false);
  if (r->tok.kind != PTX_T_DOT) return ptx_expected(r, "a declaration");
  return ptx_parse_vars(r, &d);
}

static bool parse_item(struct ptx_reader *r) {
  if (r->tok.kind != PTX_T_DOT) return ptx_expected(r, "a directive");
  for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
    if (ptx_at_word(r, PTX_T_DOT, directives[i].name)) return directives[i].parse(r);
  return parse_declaration(r);
}

bool ptx_parse_module(struct ptx_reader *r) {
  if (!ptx_next(r)) return false;
  while (r->tok.kind != PTX_T_END)
    if (!parse_item(r)) return false;
  if (!r->seen_version) return ptx_fail(r, r->text, "this is not PTX: .version is missing");
  if (!r->seen_target) return ptx_fail(r, r->tok.start, ".target is missing");
  return true;
}
