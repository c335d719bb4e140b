/* Names: one map holds the meaning of each name in the innermost scope that declares it; leaving a scope restores the previous meaning.
 * Registers declared as a range (%r<100>) are created on first use, and so are those of the module, anew in each function
 * (ptx_module_regs.c says when that is correct). Labels have a map of their own, keyed by scope, because they are used before they are
 * declared. */
#include "ptx/ptx_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scopes -------------------------------------------------------------------------------------------- */

bool ptx_open_scope(struct ptx_reader *r) {
  struct ptx_body *b = &r->body;
  if (b->depth == PTX_MAX_SCOPES_DEEP)
    return ptx_fail(r, r->tok.start, "braces nested more than %d deep", PTX_MAX_SCOPES_DEEP);
  GROW(b->scope_parent, b->cap_scopes, b->n_scopes + 1);
  b->scope_parent[b->n_scopes] = b->depth ? b->open[b->depth - 1] : PTX_NO_SYM;
  b->open[b->depth] = (uint32_t)b->n_scopes++;
  b->undo_mark[b->depth] = r->n_undo;
  b->param_mark[b->depth] = b->param_top;
  b->made_head[b->depth] = PTX_NO_SYM;
  b->depth++;
  return true;
}

void ptx_close_scope(struct ptx_reader *r) {
  struct ptx_body *b = &r->body;
  b->depth--;
  b->param_top = b->param_mark[b->depth];
  while (r->n_undo > b->undo_mark[b->depth]) {
    struct ptx_undo *u = &r->undo[--r->n_undo];
    strmap_put(u->in_ranges ? &r->ranges : &r->names, u->name, u->len, u->before);
  }
  for (uint32_t i = b->made_head[b->depth]; i != PTX_NO_SYM; i = b->made[i].next)
    strmap_put(&r->names, b->made[i].name, b->made[i].len, b->made[i].before);
}

/* Gives `name` a new meaning in this scope. The text of the source outlives the maps, so names are not
 * copied. */
static void bind(struct ptx_reader *r, bool in_ranges, const char *s, uint32_t len, uint32_t value) {
  struct strmap *map = in_ranges ? &r->ranges : &r->names;
  if (r->body.depth) {
    struct ptx_undo u = {s, len, PTX_NO_SYM, in_ranges};
    strmap_get(map, s, len, &u.before);
    GROW(r->undo, r->cap_undo, r->n_undo + 1);
    r->undo[r->n_undo++] = u;
  }
  strmap_put(map, s, len, value);
}

static void bind_sym(struct ptx_reader *r, const char *s, uint32_t len, struct ptx_sym sym) {
  GROW(r->syms, r->cap_syms, r->n_syms + 1);
  r->syms[r->n_syms] = sym;
  bind(r, false, s, len, (uint32_t)r->n_syms++);
}

/* ---- registers ----------------------------------------------------------------------------------------- */

uint32_t ptx_add_reg(struct ptx_reader *r, const char *name, uint8_t type) {
  struct ptx_body *b = &r->body;
  GROW(b->regs, b->cap_regs, b->n_regs + 1);
  b->regs[b->n_regs] = (struct ptx_reg){.name = name, .type = type, .slot = -1};
  return (uint32_t)b->n_regs++;
}

/* Creates the register, or the registers of a vector, with the name s. */
static struct ptx_sym make_regs(struct ptx_reader *r, const char *s, uint32_t len, uint8_t type,
                                uint32_t vec) {
  struct ptx_sym sym = {.kind = PTX_SYM_REG, .n = (uint8_t)vec, .index = (uint32_t)r->body.n_regs};
  if (vec == 1) {
    ptx_add_reg(r, arena_strndup(&r->m->arena, s, len), type);
    return sym;
  }
  sym.kind = PTX_SYM_VECTOR;
  for (uint32_t i = 0; i < vec; i++) {
    char *name = arena_alloc(&r->m->arena, len + 3);
    memcpy(name, s, len);
    name[len] = '.';
    name[len + 1] = "xyzw"[i & 3];
    ptx_add_reg(r, name, type);
  }
  return sym;
}

/* The innermost range called s[0 .. prefix) that has the number which follows in the name. */
static const struct ptx_range *range_with(struct ptx_reader *r, const char *s, uint32_t prefix,
                                          uint32_t len) {
  uint32_t number = 0, index;
  if (s[prefix] == '0' && len - prefix > 1) return NULL;
  if (!strmap_get(&r->ranges, s, prefix, &index)) return NULL;
  for (uint32_t i = prefix; i < len; i++) number = number * 10 + (uint32_t)(s[i] - '0');
  for (; index != PTX_NO_SYM; index = r->range_list[index].outer)
    if (number < r->range_list[index].count) return &r->range_list[index];
  return NULL;
}

/* The range a name such as "%r12" belongs to: any tail of its digits may be the number ("%r1<5>" has %r12
 * too). */
static const struct ptx_range *find_range(struct ptx_reader *r, const char *s, uint32_t len) {
  uint32_t first = len;
  const struct ptx_range *best = NULL;
  while (first > 1 && len - first < 9 && s[first - 1] >= '0' && s[first - 1] <= '9') first--;
  for (uint32_t prefix = first; prefix < len; prefix++) {
    const struct ptx_range *g = range_with(r, s, prefix, len);
    if (g && (!best || g->depth > best->depth)) best = g;
  }
  return best;
}

/* ---- looking up and declaring -------------------------------------------------------------------------- */

static struct ptx_sym *lookup_bound(struct ptx_reader *r, const char *s, uint32_t len) {
  uint32_t index;
  return strmap_get(&r->names, s, len, &index) && index != PTX_NO_SYM ? &r->syms[index] : NULL;
}

/* A register of a range belongs to the scope of the range, not to the one that happens to name it first: it
 * is forgotten when that scope closes. */
static struct ptx_sym *make_from_range(struct ptx_reader *r, const char *s, uint32_t len,
                                       const struct ptx_range *g) {
  struct ptx_body *b = &r->body;
  struct ptx_sym sym = make_regs(r, s, len, g->type, g->vec);
  uint32_t scope = g->depth ? g->depth - 1u : 0;
  sym.depth = g->depth;
  struct ptx_made made = {.name = s,
                          .len = len,
                          .before = PTX_NO_SYM,
                          .next = b->made_head[scope],
                          .reg = sym.index,
                          .of_module = g->depth == 0};
  strmap_get(&r->names, s, len, &made.before);
  GROW(b->made, b->cap_made, b->n_made + 1);
  b->made_head[scope] = (uint32_t)b->n_made;
  b->made[b->n_made++] = made;
  GROW(r->syms, r->cap_syms, r->n_syms + 1);
  r->syms[r->n_syms] = sym;
  strmap_put(&r->names, s, len, (uint32_t)r->n_syms);
  return &r->syms[r->n_syms++];
}

struct ptx_sym *ptx_lookup(struct ptx_reader *r, const char *s, uint32_t len) {
  struct ptx_sym *bound = lookup_bound(r, s, len);
  if (bound && bound->depth == r->body.depth) return bound;
  const struct ptx_range *g = r->body.depth ? find_range(r, s, len) : NULL;
  bool of_module = bound && bound->kind == PTX_SYM_MODULE_REG;
  if (of_module && (!g || g->depth == 0)) return make_from_range(r, s, len, &r->range_list[bound->index]);
  if (!g || (bound && bound->depth >= g->depth)) return bound;
  return make_from_range(r, s, len, g);
}

/* Whether the open scope itself declares the name. */
static bool declared_here(struct ptx_reader *r, const struct ptx_tok *name) {
  const struct ptx_sym *bound = lookup_bound(r, name->s, name->len);
  if (bound && bound->depth == r->body.depth) return true;
  const struct ptx_range *g = r->body.depth ? find_range(r, name->s, name->len) : NULL;
  return g && g->depth == r->body.depth;
}

bool ptx_declare(struct ptx_reader *r, const struct ptx_tok *name, struct ptx_sym sym) {
  sym.depth = (uint16_t)r->body.depth;
  if (declared_here(r, name))
    return ptx_fail(r, name->start, "'%.*s' is declared twice", (int)name->len, name->s);
  bind_sym(r, name->s, name->len, sym);
  return true;
}

static bool declare_range(struct ptx_reader *r, const struct ptx_tok *name, uint8_t type, uint32_t vec,
                          uint32_t count) {
  uint32_t outer = PTX_NO_SYM;
  uint16_t depth = (uint16_t)r->body.depth;
  strmap_get(&r->ranges, name->s, name->len, &outer);
  if (outer != PTX_NO_SYM && r->range_list[outer].depth == depth)
    return ptx_fail(r, name->start, "'%.*s<..>' is declared twice", (int)name->len, name->s);
  GROW(r->range_list, r->cap_ranges, r->n_ranges + 1);
  r->range_list[r->n_ranges] = (struct ptx_range){count, outer, type, (uint8_t)vec, depth};
  bind(r, true, name->s, name->len, (uint32_t)r->n_ranges++);
  return true;
}

static bool declare_module_reg(struct ptx_reader *r, const struct ptx_tok *name, uint8_t type, uint32_t vec) {
  GROW(r->range_list, r->cap_ranges, r->n_ranges + 1);
  r->range_list[r->n_ranges] = (struct ptx_range){.outer = PTX_NO_SYM, .type = type, .vec = (uint8_t)vec};
  return ptx_declare(r, name, (struct ptx_sym){.kind = PTX_SYM_MODULE_REG, .index = (uint32_t)r->n_ranges++});
}

bool ptx_declare_regs(struct ptx_reader *r, const struct ptx_tok *name, uint8_t type, uint32_t vec,
                      int64_t range) {
  if (range >= 0) return declare_range(r, name, type, vec, (uint32_t)range);
  if (!r->body.depth) return declare_module_reg(r, name, type, vec);
  if (declared_here(r, name)) return ptx_fail(r, name->start, "'%.*s' is declared twice", (int)name->len, name->s);
  return ptx_declare(r, name, make_regs(r, name->s, name->len, type, vec));
}

void ptx_declare_func(struct ptx_reader *r, const struct ptx_tok *name, uint32_t index) {
  GROW(r->syms, r->cap_syms, r->n_syms + 1);
  r->syms[r->n_syms] = (struct ptx_sym){.kind = PTX_SYM_FUNC, .index = index};
  strmap_put(&r->names, name->s, name->len, (uint32_t)r->n_syms++);
}

/* ---- labels -------------------------------------------------------------------------------------------- */

static void label_key(char *key, uint32_t scope, const char *s, uint32_t len) {
  memcpy(key, &scope, sizeof scope);
  memcpy(key + sizeof scope, s, len);
}

bool ptx_declare_label(struct ptx_reader *r, const struct ptx_tok *name, enum ptx_label_kind kind,
                       uint32_t value) {
  struct ptx_body *b = &r->body;
  uint32_t old, key_len = name->len + (uint32_t)sizeof(uint32_t);
  char *key = arena_alloc(&r->m->arena, key_len);
  label_key(key, b->open[b->depth - 1], name->s, name->len);
  if (strmap_get(&b->label_map, key, key_len, &old))
    return ptx_fail(r, name->start, "label '%.*s' is declared twice", (int)name->len, name->s);
  strmap_put(&b->label_map, key, key_len, (uint32_t)b->n_labels);
  GROW(b->labels, b->cap_labels, b->n_labels + 1);
  b->labels[b->n_labels++] = (struct ptx_label){(uint8_t)kind, value};
  return true;
}

const struct ptx_label *ptx_find_label(struct ptx_reader *r, const struct ptx_name_ref *ref) {
  char key[PTX_MAX_NAME + 8];
  uint32_t index;
  for (uint32_t s = ref->scope; s != PTX_NO_SYM; s = r->body.scope_parent[s]) {
    label_key(key, s, ref->s, ref->len);
    if (strmap_get(&r->body.label_map, key, ref->len + sizeof s, &index)) return &r->body.labels[index];
  }
  return NULL;
}
