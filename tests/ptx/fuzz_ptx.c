/* Fuzzing of the PTX reader. With libFuzzer (clang -fsanitize=fuzzer -DHEDDLE_LIBFUZZER) only the entry point
 * is used; without it, main runs the files it is given, and then N mutations of them from a seed: fuzz_ptx
 * [-n N] [-s SEED] FILE... A module that was accepted is walked, so that whatever it promises is touched. An
 * input that takes longer than a second is an error. The input at work is kept in fuzz_last.ptx when -k is
 * given. */
#include "base/rng.h"
#include "ptx/ptx.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void walk_operand(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_opnd *o,
                         int depth) {
  assert(depth < 6);
  if (o->kind == PTX_O_REG) assert(o->reg >= 0 && (uint32_t)o->reg < f->n_regs && f->regs[o->reg].slot >= 0);
  if (o->kind == PTX_O_VAR) assert(o->sym >= 0 && (uint32_t)o->sym < m->n_vars);
  if (o->kind == PTX_O_FUNC) assert(o->sym >= 0 && (uint32_t)o->sym < m->n_funcs);
  if (o->kind == PTX_O_LABEL) assert(o->sym >= 0 && (uint32_t)o->sym <= f->n_insts);
  if (o->kind == PTX_O_TARGETS) assert((uint32_t)o->sym < f->n_targets);
  if (o->kind == PTX_O_PROTO) assert((uint32_t)o->sym < f->n_protos);
  if (o->kind == PTX_O_SREG) assert((uint32_t)o->reg < PTX_SREGS);
  if (o->kind == PTX_O_MEM) assert(o->n_elems > 0);
  for (unsigned i = 0; i < o->n_elems; i++) walk_operand(m, f, &o->elems[i], depth + 1);
}

static void walk_func(const struct ptx_module *m, const struct ptx_func *f) {
  char name[64];
  struct ptx_touched t;
  for (uint32_t i = 0; i < f->n_insts; i++) {
    ptx_inst_name(&f->insts[i], name, sizeof name);
    ptx_touches(f, &f->insts[i], &t);
    assert(t.n_reads <= PTX_MAX_TOUCHED && t.n_writes <= PTX_MAX_TOUCHED);
    for (unsigned k = 0; k < f->insts[i].n_ops; k++) walk_operand(m, f, &f->insts[i].ops[k], 0);
    assert(f->block_of[i] < f->n_blocks);
    assert(f->reconverge[i] == PTX_NO_RECONVERGE || f->reconverge[i] < f->n_insts);
  }
  for (uint32_t i = 0; i < f->n_regs; i++) {
    int32_t slot = f->regs[i].slot;
    assert(slot < (int32_t)f->slots[ptx_reg_class((enum ptx_type)f->regs[i].type)]);
  }
}

static void walk_module(const struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_vars; i++) {
    const struct ptx_var *v = &m->vars[i];
    assert(v->align && (v->align & (v->align - 1)) == 0);
    for (size_t k = 0; k < v->n_relocs; k++) {
      assert(v->relocs[k].offset + v->relocs[k].bytes <= v->bytes);
      assert((uint32_t)v->relocs[k].sym < (v->relocs[k].is_func ? m->n_funcs : m->n_vars));
    }
    if (v->init && v->bytes) assert(v->init[v->bytes - 1] <= 255);
  }
  for (uint32_t i = 0; i < m->n_funcs; i++) walk_func(m, &m->funcs[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ptx_module m;
  struct err e = {0};
  char *text = malloc(size ? size : 1); /* exactly the size, so that reading past the end is seen */
  if (size) memcpy(text, data, size);
  if (ptx_read(&m, "fuzz.ptx", text, size, &e)) {
    walk_module(&m);
    ptx_lower(&m);
    ptx_order_blocks(&m, true);
    ptx_count_slots(&m);
    ptx_mark_yields(&m);
    ptx_mark_looks(&m);
    walk_module(&m);
  } else {
    assert(e.kind == ERR_INPUT && e.text[0]);
  }
  ptx_free(&m);
  free(text);
  return 0;
}

#ifndef HEDDLE_LIBFUZZER

struct input {
  uint8_t *bytes;
  size_t n;
};

static const char *const words[] = {".weak ",
                                    ".const ",
                                    ".common ",
                                    ".u8 x[9]",
                                    ".reg .b32 %r<4>;",
                                    ".entry k()",
                                    "{",
                                    "}",
                                    "(",
                                    ")",
                                    "[",
                                    "]",
                                    ";",
                                    ",",
                                    ":",
                                    "@%p1 ",
                                    "bra L;",
                                    "L:",
                                    "%r1",
                                    "%p1",
                                    ".global ",
                                    ".param ",
                                    ".shared ",
                                    ".v4 ",
                                    ".f32 ",
                                    "= {1, 2}",
                                    "<9>",
                                    "|",
                                    "!",
                                    "-",
                                    "0x7fffffffffffffff",
                                    "1e400",
                                    "0f3F800000",
                                    ".align 8 ",
                                    "generic(x)",
                                    "0xff(x)",
                                    "call (r), f, (a), p;",
                                    "T: .branchtargets L, M;",
                                    "brx.idx %r1, T;",
                                    ".callprototype _ (.param .b32 _);",
                                    ".func ",
                                    ".extern ",
                                    "ret;",
                                    "mov.b64 {%r1, %r2}, %rd1;",
                                    "[4294967296]",
                                    ".section .debug_str {",
                                    "/*",
                                    "*/",
                                    "//",
                                    "\"",
                                    "\n",
                                    "::cta",
                                    ".alias f, g;",
                                    ".loc 1 2 3",
                                    "%tid.x",
                                    "WARP_SZ",
                                    "?1:2",
                                    "setp.eq.s32 %p1|%p2, %r1, 0;",
                                    "ld.global.v4.u32 ",
                                    "st.shared.u32 [x+4], %r1;",
                                    ".texref t",
                                    "_",
                                    "[]",
                                    ".x",
                                    "\0"};

static size_t insert(uint8_t *out, size_t n, size_t cap, size_t at, const void *bytes, size_t count) {
  if (n + count > cap) return n;
  memmove(out + at + count, out + at, n - at);
  memcpy(out + at, bytes, count);
  return n + count;
}

static size_t mutate_once(struct rng *g, const struct input *inputs, size_t n_inputs, uint8_t *out, size_t n,
                          size_t cap) {
  size_t at = n ? (size_t)rng_below(g, n) : 0, len = (size_t)rng_below(g, 40) + 1;
  const struct input *other = &inputs[rng_below(g, n_inputs)];
  const char *word = words[rng_below(g, sizeof words / sizeof words[0])];
  if (at + len > n) len = n - at;
  switch (rng_below(g, 7)) {
  case 0:
    if (n) out[at] = (uint8_t)rng_next(g);
    return n;
  case 1:
    if (n) out[at] ^= (uint8_t)(1u << rng_below(g, 8));
    return n;
  case 2: memmove(out + at, out + at + len, n - at - len); return n - len;
  case 3: return insert(out, n, cap, at, word, strlen(word));
  case 4: {
    uint8_t copy[64];
    memcpy(copy, out + at, len);
    return insert(out, n, cap, n ? (size_t)rng_below(g, n) : 0, copy, len);
  }
  case 5: {
    size_t from = other->n ? (size_t)rng_below(g, other->n) : 0, count = (size_t)rng_below(g, 120);
    if (from + count > other->n) count = other->n - from;
    return insert(out, n, cap, at, other->bytes + from, count);
  }
  default: return rng_below(g, 10) ? n : at;
  }
}

enum { LONGEST_S = 1 }; /* of processor time, so that a busy machine does not matter */

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void keep(const uint8_t *bytes, size_t n) {
  FILE *f = fopen("fuzz_last.ptx", "wb");
  if (!f) return;
  fwrite(bytes, 1, n, f);
  fclose(f);
}

static void run_timed(const uint8_t *bytes, size_t n, bool keeps) {
  double start = seconds();
  if (keeps) keep(bytes, n);
  LLVMFuzzerTestOneInput(bytes, n);
  if (seconds() - start < LONGEST_S) return;
  keep(bytes, n);
  fprintf(stderr, "an input took %.1f s: see fuzz_last.ptx\n", seconds() - start);
  exit(1);
}

static struct input load(const char *path) {
  struct input in = {0};
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    exit(2);
  }
  in.bytes = malloc(1 << 20);
  in.n = fread(in.bytes, 1, 1 << 20, f);
  fclose(f);
  return in;
}

static void run_mutations(const struct input *inputs, size_t n_inputs, unsigned long count, uint64_t seed,
                          bool keeps) {
  enum { CAP = 1 << 20 };
  uint8_t *out = malloc(CAP);
  struct rng g = {seed};
  for (unsigned long i = 0; i < count; i++) {
    const struct input *base = &inputs[rng_below(&g, n_inputs)];
    size_t n = base->n;
    memcpy(out, base->bytes, n);
    for (uint64_t k = rng_below(&g, 6) + 1; k-- > 0;) n = mutate_once(&g, inputs, n_inputs, out, n, CAP);
    run_timed(out, n, keeps);
  }
  free(out);
}

enum { MAX_INPUTS = 256 };

static size_t load_corpus(struct input *inputs) {
  size_t n = 0;
  char path[600];
  DIR *d = opendir(PTX_TEST_CORPUS);
  for (struct dirent *e; d && (e = readdir(d)) && n < MAX_INPUTS;) {
    if (e->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", PTX_TEST_CORPUS, e->d_name);
    inputs[n++] = load(path);
  }
  if (d) closedir(d);
  return n;
}

int main(int argc, char **argv) {
  unsigned long count = argc > 1 ? 0 : 20000;
  uint64_t seed = 1;
  bool keeps = false;
  static struct input inputs[MAX_INPUTS];
  size_t n = argc > 1 ? 0 : load_corpus(inputs);
  for (int i = 1; i < argc && n < MAX_INPUTS; i++) {
    if (strcmp(argv[i], "-n") == 0 && i + 1 < argc)
      count = strtoul(argv[++i], NULL, 0);
    else if (strcmp(argv[i], "-s") == 0 && i + 1 < argc)
      seed = strtoull(argv[++i], NULL, 0);
    else if (strcmp(argv[i], "-k") == 0)
      keeps = true;
    else
      inputs[n++] = load(argv[i]);
  }
  if (n == 0) {
    fprintf(stderr, "no inputs\n");
    return 2;
  }
  for (size_t i = 0; i < n; i++) run_timed(inputs[i].bytes, inputs[i].n, keeps);
  run_mutations(inputs, n, count, seed, keeps);
  printf("%zu inputs and %lu mutations of them, seed %llu: no crash, no hang\n1 passed, 0 failed\n", n, count,
         (unsigned long long)seed);
  for (size_t i = 0; i < n; i++) free(inputs[i].bytes);
  return 0;
}

#endif
