/* Modules, their kernels and their variables. */
#include "api/api.h"

#include "base/arena.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading --------------------------------------------------------------------------------------------------------- */

static void list_kernels(heddle_module *m) {
  const struct ptx_module *p = &m->m.ptx;
  m->kernels = must_alloc((p->n_funcs + 1) * sizeof *m->kernels);
  for (uint32_t i = 0; i < p->n_funcs; i++)
    if (p->funcs[i].is_entry && !p->funcs[i].is_extern)
      m->kernels[m->n_kernels++] = (struct heddle_kernel){.module = m, .func = &m->m.funcs[i]};
}

heddle_status heddle_load(heddle_sim *sim, const char *name, const char *text, size_t bytes, heddle_module **out) {
  struct err *e = api_begin(sim);
  *out = NULL;
  if (!api_usable(sim)) return api_end(sim);
  heddle_module *m = must_alloc(sizeof *m);
  if (!exec_module_load(&m->m, sim->device.mem, sim->load_flags, name ? name : "module", text, bytes, e)) {
    free(m);
    return api_end(sim);
  }
  m->sim = sim;
  m->next = sim->modules;
  sim->modules = m;
  list_kernels(m);
  *out = m;
  return HEDDLE_OK;
}

heddle_status heddle_load_file(heddle_sim *sim, const char *path, heddle_module **out) {
  struct str text = {0};
  struct err *e = api_begin(sim);
  *out = NULL;
  if (!str_add_file(&text, path)) err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
  else heddle_load(sim, path, text.s, text.n, out);
  str_free(&text);
  return api_end(sim);
}

void heddle_unload(heddle_module *m) {
  if (!m) return;
  struct heddle_module **at = &m->sim->modules;
  while (*at != m) at = &(*at)->next;
  *at = m->next;
  exec_module_unload(&m->m);
  free(m->kernels);
  free(m);
}

/* ---- looking up ------------------------------------------------------------------------------------------------------ */

size_t heddle_kernel_count(const heddle_module *m) { return m->n_kernels; }
heddle_kernel *heddle_kernel_at(heddle_module *m, size_t i) { return i < m->n_kernels ? &m->kernels[i] : NULL; }

static struct str_hint nearest_kernel(const heddle_module *m, const char *name) {
  const char **names = must_alloc((m->n_kernels + 1) * sizeof *names);
  for (size_t i = 0; i < m->n_kernels; i++) names[i] = m->kernels[i].func->ptx->name;
  struct str_hint hint = str_hint(name, names, m->n_kernels);
  free(names);
  return hint;
}

heddle_status heddle_find_kernel(heddle_module *m, const char *name, heddle_kernel **out) {
  struct err *e = api_begin(m->sim);
  *out = NULL;
  for (size_t i = 0; i < m->n_kernels; i++)
    if (!strcmp(m->kernels[i].func->ptx->name, name)) *out = &m->kernels[i];
  if (!*out) err_set(e, ERR_INPUT, "%s has no kernel '%s'%s", m->m.ptx.source_name, name, nearest_kernel(m, name).s);
  return api_end(m->sim);
}

heddle_kernel_info heddle_describe_kernel(const heddle_kernel *k) {
  const struct ptx_func *f = k->func->ptx;
  return (heddle_kernel_info){.name = f->name,
                              .parameters = f->n_params,
                              .parameter_bytes = f->param_bytes,
                              .registers = f->regs_needed,
                              .shared_bytes = k->func->shared_bytes,
                              .instructions = f->n_insts};
}

heddle_status heddle_find_variable(heddle_module *m, const char *name, heddle_ptr *address, uint64_t *bytes) {
  struct err *e = api_begin(m->sim);
  int32_t i = ptx_find_var(&m->m.ptx, name);
  const struct ptx_var *v = i < 0 ? NULL : &m->m.ptx.vars[i];
  if (!v || (v->space != PTX_GLOBAL && v->space != PTX_CONST)) {
    err_set(e, ERR_INPUT, "%s has no .global or .const variable '%s'", m->m.ptx.source_name, name);
    return api_end(m->sim);
  }
  *address = m->m.var_address[i];
  if (bytes) *bytes = v->bytes;
  return HEDDLE_OK;
}
