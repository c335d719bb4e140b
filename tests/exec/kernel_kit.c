/* See kernel_kit.h. */
#include "kernel_kit.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PROLOGUE[] =
    ".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n"
    "{\n"
    " .reg .pred %p<64>; .reg .b16 %h<64>; .reg .b32 %r<64>; .reg .f32 %f<64>;\n"
    " .reg .b64 %rd<64>; .reg .f64 %fd<64>; .reg .b128 %q<64>;\n"
    " .shared .align 16 .b8 sm[4096];\n"
    " .local .align 16 .b8 stack[256];\n"
    " ld.param.u64 %rd1, [p_in]; ld.param.u64 %rd2, [p_out]; mov.u32 %r1, %tid.x;\n"
    " mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n"
    " mul.wide.u32 %rd6, %r1, 8; add.s64 %rd7, %rd2, %rd6;\n";

int kit_setup(void **state) {
  struct err e = {0};
  struct kit *k = calloc(1, sizeof *k);
  if (!k || !(k->mem = exec_mem_new(UINT64_C(1) << 30, &e))) return -1;
  k->device = (struct exec_device){.mem = k->mem,
                                   .stack_limit = 1024,
                                   .n_sms = 1,
                                   .warp_slots = 64,
                                   .clock_hz = 1000000000,
                                   .check = true,
                                   .strict = true};
  k->out = exec_mem_alloc(k->mem, KIT_OUT_BYTES, 256, EXEC_ALLOC_DEVICE, NULL);
  k->in = exec_mem_alloc(k->mem, KIT_IN_BYTES, 256, EXEC_ALLOC_DEVICE, NULL);
  *state = k;
  return k->in && k->out ? 0 : -1;
}

int kit_teardown(void **state) {
  struct kit *k = *state;
  exec_mem_delete(k->mem);
  free(k);
  return 0;
}

const char *kit_text(const char *fmt, ...) {
  static char texts[8][4096];
  static unsigned next;
  char *out = texts[next++ % 8];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(out, sizeof texts[0], fmt, ap);
  va_end(ap);
  assert_in_range(n, 0, (int)sizeof texts[0] - 1);
  return out;
}

static bool load(struct kit *k, struct exec_module *m, const char *lines, struct err *e) {
  struct str text = {0};
  str_add(&text, ".version 8.8\n.target %s\n.address_size 64\n%s\n%s%s\n ret;\n}\n",
          k->target ? k->target : "sm_90a", k->outside ? k->outside : "", PROLOGUE, lines);
  bool ok = exec_module_load(m, k->mem, k->load_flags, "test.ptx", text.s, text.n, e);
  str_free(&text);
  return ok;
}

static struct exec_grid make_grid(struct kit *k, const struct exec_module *m, unsigned threads,
                                  unsigned char params[16]) {
  memcpy(params, &k->in, 8);
  memcpy(params + 8, &k->out, 8);
  int32_t kernel = ptx_find_func(&m->ptx, "k");
  assert_true(kernel >= 0);
  return (struct exec_grid){.module = m,
                            .kernel = &m->funcs[kernel],
                            .device = &k->device,
                            .grid = {k->ctas ? k->ctas : 1, 1, 1},
                            .resident = k->resident,
                            .limits = &k->limits,
                            .host_threads = k->host_threads,
                            .block = {threads, 1, 1},
                            .params = params};
}

bool kit_try(struct kit *k, unsigned threads, const char *lines) {
  struct exec_module m;
  struct err e = {0};
  if (!load(k, &m, lines, &e)) fail_msg("%s", e.text);
  unsigned char params[16];
  struct exec_grid g = make_grid(k, &m, threads, params);
  bool ok = exec_run_grid(&g, &e);
  k->fault = g.fault;
  k->instructions = g.instructions;
  k->stuck = g.stuck;
  k->err = e;
  exec_module_unload(&m);
  return ok;
}

void kit_run(struct kit *k, unsigned threads, const char *lines) {
  if (!kit_try(k, threads, lines)) fail_msg("%s", k->fault.text);
}

void kit_faults(struct kit *k, unsigned threads, enum exec_fault_kind kind, const char *lines, ...) {
  va_list ap;
  if (kit_try(k, threads, lines)) fail_msg("no fault: %s", lines);
  if (k->fault.kind != kind) fail_msg("fault %d instead of %d: %s", k->fault.kind, kind, k->fault.text);
  va_start(ap, lines);
  for (const char *part; (part = va_arg(ap, const char *));)
    if (!strstr(k->fault.text, part)) fail_msg("'%s' is missing in: %s", part, k->fault.text);
  va_end(ap);
}

void kit_refuses(struct kit *k, const char *lines, const char *why) {
  struct exec_module m;
  struct err e = {0};
  if (load(k, &m, lines, &e)) fail_msg("was not refused: %s", lines);
  if (!strstr(e.text, why)) fail_msg("'%s' is missing in: %s", why, e.text);
}

void kit_watch(struct kit *k, const char *lines, void (*see)(const struct exec_warp *w, void *user),
               void *user) {
  struct exec_module m;
  struct err e = {0};
  if (!load(k, &m, lines, &e)) fail_msg("%s", e.text);
  unsigned char params[16];
  struct exec_grid g = make_grid(k, &m, EXEC_LANES, params);
  struct exec_cta cta = {0};
  g.timed = true; /* as whoever wants to know what an instruction touched */
  exec_cta_start(&cta, &g, 0, 0);
  struct exec_warp *w = &cta.warps[0];
  while (w->status == EXEC_RUNNING) {
    exec_step(w);
    if (w->access.mask && w->access.space != PTX_PARAM) see(w, user);
  }
  enum exec_status status = (enum exec_status)w->status;
  exec_cta_release(&cta);
  exec_module_unload(&m);
  if (status != EXEC_DONE) fail_msg("%s", g.fault.text);
}
