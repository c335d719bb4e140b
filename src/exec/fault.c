/* The text of a fault: what happened, in which kernel and source line, which CTA, thread and lane. */
#include "exec/exec.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static const char *file_of(const struct ptx_module *m, uint32_t file) { return file && file < m->n_files ? m->files[file] : NULL; }

/* An inlined instruction is named by the place of the call, then by its own place in the source. */
void exec_describe_place(const struct exec_warp *w, const struct exec_inst *in, char *out, size_t size) {
  const struct ptx_module *m = &w->grid->module->ptx;
  const struct ptx_inst *pi = in->ptx;
  char name[160];
  ptx_inst_name(pi, name, sizeof name);
  const char *file = file_of(m, pi->loc_file), *use = file_of(m, pi->use_file);
  if (file && use && (pi->use_file != pi->loc_file || pi->use_line != pi->loc_line))
    snprintf(out, size, "%s:%u (%s at %s:%u, of %s:%u)", use, pi->use_line, name, m->source_name, pi->line, file, pi->loc_line);
  else if (file) snprintf(out, size, "%s:%u (%s at %s:%u)", file, pi->loc_line, name, m->source_name, pi->line);
  else snprintf(out, size, "%s:%u (%s)", m->source_name, pi->line, name);
}

void exec_place_text(const struct exec_warp *w, const struct exec_inst *in, unsigned lane, const char *what, char *out, size_t size) {
  char place[320];
  exec_describe_place(w, in, place, sizeof place);
  const uint32_t *b = w->grid->block;
  uint32_t t = w->first_thread + lane;
  snprintf(out, size, "%s\n    in kernel '%s' at %s\n    by thread (%u,%u,%u) of CTA (%u,%u,%u)", what,
           w->grid->kernel->ptx->name, place, t % b[0], t / b[0] % b[1], t / b[0] / b[1], w->cta->id[0], w->cta->id[1],
           w->cta->id[2]);
}

/* SMs simulated by several host threads may fault at the same instant: the lowest CTA is reported. */
static atomic_flag writing = ATOMIC_FLAG_INIT;

void exec_fault(struct exec_warp *w, const struct exec_inst *in, enum exec_fault_kind kind, unsigned lane,
                const char *fmt, ...) {
  struct exec_fault *f = &w->grid->fault;
  w->status = EXEC_FAULTED;
  if (f->kind != EXEC_FAULT_NONE && f->cta <= w->cta->linear_id) return;
  while (atomic_flag_test_and_set_explicit(&writing, memory_order_acquire)) {}
  if (f->kind != EXEC_FAULT_NONE && f->cta <= w->cta->linear_id) {
    atomic_flag_clear_explicit(&writing, memory_order_release);
    return;
  }
  f->cta = w->cta->linear_id;
  f->in = in;
  f->thread = w->first_thread + lane;
  char what[640];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  exec_place_text(w, in, lane, what, f->text, sizeof f->text);
  f->kind = kind;
  atomic_flag_clear_explicit(&writing, memory_order_release);
}
