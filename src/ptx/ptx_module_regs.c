/* Registers declared outside functions, as PTX 1.x and 2.x allow: every thread has one, whichever function names it. (Local variables
 * outside functions lie at the beginning of each kernel's frame; other functions may not name them.)
 *
 * Each function gets its own register. This is equivalent for kernels, which start with undefined registers, and for a function that writes
 * the register before it reads it and shares it with no other. A module in which functions that call each other pass a value in such a
 * register is refused, because no place here outlives a call. */
#include "ptx/ptx_reader.h"

#include <string.h>

static bool writes(const struct ptx_touched *t, uint32_t reg) {
  for (uint32_t i = 0; i < t->n_writes; i++)
    if (t->writes[i] == (int32_t)reg) return true;
  return false;
}

static bool reads(const struct ptx_touched *t, uint32_t reg) {
  for (uint32_t i = 0; i < t->n_reads; i++)
    if (t->reads[i] == (int32_t)reg) return true;
  return false;
}

/* Whether the first instruction that names the register does anything other than write it. */
static bool reads_first(const struct ptx_func *f, uint32_t reg) {
  for (uint32_t i = 0; i < f->n_insts; i++) {
    struct ptx_touched t;
    ptx_touches(f, &f->insts[i], &t);
    if (reads(&t, reg) || (writes(&t, reg) && f->insts[i].guarded)) return true;
    if (writes(&t, reg)) return false;
  }
  return false;
}

void ptx_note_module_regs(struct ptx_reader *r) {
  const struct ptx_func *f = &r->funcs[r->body.func];
  for (size_t i = 0; i < r->body.n_made; i++) {
    const struct ptx_made *made = &r->body.made[i];
    if (!made->of_module) continue;
    GROW(r->module_regs, r->cap_module_regs, r->n_module_regs + 1);
    r->module_regs[r->n_module_regs++] = (struct ptx_module_reg_use){
        .name = made->name, .len = made->len, .func = (uint32_t)r->body.func, .reads_first = !f->is_entry && reads_first(f, made->reg)};
  }
}

/* The first function that names it, or PTX_NO_SYM: put into the map with `func`. */
static uint32_t first_user(struct strmap *users, const struct ptx_module_reg_use *u) {
  uint32_t first = PTX_NO_SYM;
  if (!strmap_get(users, u->name, u->len, &first)) strmap_put(users, u->name, u->len, u->func);
  return first;
}

bool ptx_check_module_regs(struct ptx_reader *r) {
  struct strmap users = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < r->n_module_regs; i++) {
    const struct ptx_module_reg_use *u = &r->module_regs[i];
    uint32_t first = first_user(&users, u);
    bool shared = first != PTX_NO_SYM && (!r->funcs[first].is_entry || !r->funcs[u->func].is_entry);
    if (shared || (!r->funcs[u->func].is_entry && u->reads_first))
      ok = ptx_fail(r, u->name, "register '%.*s' of the module carries a value into or out of function '%s', which is not supported",
                    (int)u->len, u->name, r->funcs[shared && r->funcs[u->func].is_entry ? first : u->func].name);
  }
  strmap_free(&users);
  return ok;
}
