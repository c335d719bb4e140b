/* Rules of PTX about modifiers and architectures that hold whether or not Heddle could execute the form. See forms.c. */
#ifndef EXEC_FORMS_H
#define EXEC_FORMS_H

#include "ptx/ptx.h"

/* What is wrong with an instruction of a module, or NULL. The second function is for memory accesses (memory/access_forms.c) and is called
 * by the first. */
const char *exec_form_fault(const struct ptx_inst *pi, const struct ptx_module *m);
const char *exec_access_fault(const struct ptx_inst *pi);

static inline bool exec_form_is_half(enum ptx_type t) { return t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2; }
static inline bool exec_form_has_scope(const struct ptx_inst *pi) {
  return ptx_has(pi, PTX_M_cta) || ptx_has(pi, PTX_M_cluster) || ptx_has(pi, PTX_M_gpu) || ptx_has(pi, PTX_M_sys);
}

#endif
