/* Rules of PTX about modifiers and architectures that hold whether or not Heddle could execute the form. See forms.c. */
#ifndef EXEC_FORMS_H
#define EXEC_FORMS_H

#include "ptx/ptx.h"

/* What is wrong with an instruction of a module, or NULL. The second: with an access to memory (memory/access_forms.c),
 * which the first asks too. */
const char *exec_form_fault(const struct ptx_inst *pi, const struct ptx_module *m);
const char *exec_access_fault(const struct ptx_inst *pi);

#endif
