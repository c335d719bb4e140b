/* ptx_read: runs the reader over a text and returns the module; and lookup of names in a module. */
#include "ptx/ptx_reader.h"

#include <stdlib.h>
#include <string.h>

static void free_reader(struct ptx_reader *r) {
  struct ptx_body *b = &r->body;
  struct strmap *maps[] = {&r->ops, &r->words, &r->sregs, &r->names, &r->ranges, &b->label_map};
  void *arrays[] = {r->vars,    r->funcs,  r->files, r->syms,         r->range_list, r->undo,   r->relocs,
                    r->pending, r->elems,  r->init,  b->insts,        b->regs,       b->labels, b->refs,
                    b->targets, b->protos, b->made,  b->scope_parent, b->ref_insts,  r->promised,
                    r->module_regs};
  for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) strmap_free(maps[i]);
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
}

/* ---- aliases ------------------------------------------------------------------------------------------- */

static void follow_alias(const struct ptx_reader *r, struct ptx_opnd *o) {
  if (o->kind == PTX_O_FUNC && r->funcs[o->sym].alias_of >= 0) o->sym = r->funcs[o->sym].alias_of;
  for (unsigned i = 0; i < o->n_elems; i++) follow_alias(r, &o->elems[i]);
}

static void follow_in_func(const struct ptx_reader *r, struct ptx_func *f) {
  for (uint32_t i = 0; i < f->n_insts; i++)
    for (unsigned k = 0; k < f->insts[i].n_ops; k++) follow_alias(r, &f->insts[i].ops[k]);
  for (uint32_t i = 0; i < f->n_targets; i++)
    for (uint32_t k = 0; f->targets[i].calls && k < f->targets[i].n; k++) {
      int32_t meant = r->funcs[f->targets[i].at[k]].alias_of;
      if (meant >= 0) f->targets[i].at[k] = (uint32_t)meant;
    }
}

/* Replaces every reference to an alias by what it stands for. */
static void follow_aliases(struct ptx_reader *r) {
  bool any = false;
  for (size_t i = 0; i < r->n_funcs; i++) any |= r->funcs[i].alias_of >= 0;
  if (!any) return;
  for (size_t i = 0; i < r->n_funcs; i++) follow_in_func(r, &r->funcs[i]);
  for (size_t i = 0; i < r->n_vars; i++)
    for (size_t k = 0; k < r->vars[i].n_relocs; k++) {
      struct ptx_reloc *reloc = &r->vars[i].relocs[k];
      int32_t meant = reloc->is_func ? r->funcs[reloc->sym].alias_of : -1;
      if (meant >= 0) reloc->sym = meant;
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void keep_module(struct ptx_reader *r) {
  struct ptx_module *m = r->m;
  follow_aliases(r);
  ptx_count_calls(r);
  m->vars = arena_copy(&m->arena, r->vars, r->n_vars * sizeof *r->vars);
  m->n_vars = (uint32_t)r->n_vars;
  m->funcs = arena_copy(&m->arena, r->funcs, r->n_funcs * sizeof *r->funcs);
  m->n_funcs = (uint32_t)r->n_funcs;
  m->files = arena_copy(&m->arena, r->files, r->n_files * sizeof *r->files);
  m->n_files = (uint32_t)r->n_files;
  for (uint32_t i = 0; i < m->n_vars; i++) {
    const struct ptx_var *v = &m->vars[i];
    if (v->func < 0 && !v->is_hidden) strmap_put(&m->names, v->name, strlen(v->name), 2 * i);
  }
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    const struct ptx_func *f = &m->funcs[i];
    uint32_t meant = f->alias_of >= 0 ? (uint32_t)f->alias_of : i;
    strmap_put(&m->names, f->name, strlen(f->name), 2 * meant + 1);
  }
}

bool ptx_read(struct ptx_module *m, const char *source_name, const char *text, size_t bytes, struct err *e) {
  *m = (struct ptx_module){.address_size = 32};
  m->source_name = arena_strndup(&m->arena, source_name, strlen(source_name));
  while (bytes && text[bytes - 1] == 0) bytes--;
  struct ptx_reader r = {
      .m = m, .e = e, .text = text, .end = text + bytes, .cur = text, .line = 1, .line_start = text};
  ptx_load_names(&r);
  bool ok = ptx_parse_module(&r) && ptx_resolve_relocs(&r) && ptx_check_promised(&r) && ptx_check_module_regs(&r);
  if (ok) keep_module(&r);
  free_reader(&r);
  return ok;
}

void ptx_free(struct ptx_module *m) {
  strmap_free(&m->names);
  arena_free(&m->arena);
  *m = (struct ptx_module){0};
}

static int32_t find(const struct ptx_module *m, const char *name, uint32_t kind) {
  uint32_t v;
  return strmap_get(&m->names, name, strlen(name), &v) && (v & 1) == kind ? (int32_t)(v >> 1) : -1;
}

int32_t ptx_find_func(const struct ptx_module *m, const char *name) { return find(m, name, 1); }
int32_t ptx_find_var(const struct ptx_module *m, const char *name) { return find(m, name, 0); }
