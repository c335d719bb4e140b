/* Reading: every directive, operand form and initialiser ends up where ptx.h says. */
#include "ptx_test.h"

/* The only kernel's instruction i. */
static const struct ptx_inst *inst(const struct ptx_module *m, uint32_t i) {
  const struct ptx_func *f = func_named(m, "k");
  assert_true(i < f->n_insts);
  return &f->insts[i];
}

static const char *reg_name(const struct ptx_module *m, int32_t reg) {
  return func_named(m, "k")->regs[reg].name;
}

/* ---- module level -------------------------------------------------------------------------------------- */

static void test_reads_version_target_and_address_size(void **state) {
  (void)state;
  struct ptx_module m = read_text(".version 7.8\n.target sm_90a, debug\n.address_size 64\n");
  assert_int_equal(m.version, 78);
  assert_int_equal(m.target, 90);
  assert_true(m.target_arch_specific);
  assert_int_equal(m.address_size, 64);
  ptx_free(&m);
}

static void test_address_size_is_32_when_not_given(void **state) {
  (void)state;
  struct ptx_module m = read_text(".version 1.4\n.target sm_10, map_f64_to_f32\n");
  assert_int_equal(m.version, 14);
  assert_int_equal(m.target, 10);
  assert_false(m.target_arch_specific);
  assert_int_equal(m.address_size, 32);
  ptx_free(&m);
}

static void test_skips_comments_and_preprocessor_lines(void **state) {
  (void)state;
  struct ptx_module m =
      read_text("// one\n# 1 \"x.cu\"\n/* two\nlines */ .version/**/8.5 .target sm_75 // end\n"
                "@@DWARF .byte 0x2b\n.entry k { /* } */ ret; // }\n}");
  assert_int_equal(func_named(&m, "k")->n_insts, 1);
  ptx_free(&m);
}

static void test_keeps_the_table_of_files(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".file 1 \"a.cu\", 123, 456\n.file 3 \"dir/b.h\"\n");
  assert_int_equal(m.n_files, 4);
  assert_string_equal(m.files[1], "a.cu");
  assert_null(m.files[2]);
  assert_string_equal(m.files[3], "dir/b.h");
  ptx_free(&m);
}

static void test_skips_debug_sections(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".section .debug_info\n{\n.b8 1, 2\nL: .b32 L-4\n.b64 .debug_str\n}\n"
                                       ".global .u32 after;\n");
  assert_true(ptx_find_var(&m, "after") >= 0);
  ptx_free(&m);
}

static void test_linkage_of_variables_and_functions(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(HEAD ".extern .global .u32 e; .visible .global .u32 v; .weak .const .u32 w = 1;\n"
                     ".common .global .u32 c; .global .attribute(.managed) .u32 g;\n"
                     ".visible .func fv { ret; } .weak .func fw { ret; } .extern .func fe;\n");
  assert_true(var_named(&m, "e")->is_extern);
  assert_true(var_named(&m, "v")->is_visible);
  assert_true(var_named(&m, "w")->is_weak);
  assert_int_equal(var_named(&m, "w")->space, PTX_CONST);
  assert_true(var_named(&m, "c")->is_common);
  assert_true(var_named(&m, "g")->is_managed);
  assert_false(var_named(&m, "v")->is_managed);
  assert_true(func_named(&m, "fv")->is_visible);
  assert_true(func_named(&m, "fw")->is_weak);
  assert_true(func_named(&m, "fe")->is_extern);
  assert_false(func_named(&m, "fv")->is_extern);
  ptx_free(&m);
}

static void test_an_extern_variable_may_be_defined_later(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".extern .global .u32 x;\n.visible .global .u32 x = 7;\n");
  assert_int_equal(m.n_vars, 1);
  assert_false(m.vars[0].is_extern);
  assert_int_equal(m.vars[0].init[0], 7);
  ptx_free(&m);
}

/* As nvcc writes them in two files: bits where they are declared, a type where they are defined. */
static void test_a_variable_declared_in_bits_may_be_defined_with_a_type(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".extern .global .align 8 .b64 p;\n.extern .global .align 8 .b8 t[16];\n"
                                       ".extern .global .align 8 .b8 open[];\n.visible .global .align 8 .u64 p = 7;\n"
                                       ".visible .global .align 8 .u64 t[2] = {1, 2};\n"
                                       ".visible .global .align 8 .u64 open[3] = {1, 2, 3};\n"
                                       ".visible .global .u8 flag = 1;\n.extern .global .b8 flag;\n");
  assert_int_equal(m.n_vars, 4);
  assert_int_equal(var_named(&m, "p")->init[0], 7);
  assert_int_equal(var_named(&m, "t")->init[8], 2);
  assert_int_equal(var_named(&m, "open")->bytes, 24);
  assert_int_equal(var_named(&m, "flag")->init[0], 1);
  for (unsigned i = 0; i < 4; i++) assert_false(m.vars[i].is_extern);
  ptx_free(&m);
}

/* Templates and inline functions of two files; a function that is not weak takes the place of one that is. */
static void test_of_weak_functions_the_first_body_counts(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".weak .func (.param .b32 r) f(.param .b32 x);\n"
                                       ".weak .func (.param .b32 r) f(.param .b32 x) { ret; }\n"
                                       ".weak .entry k(.param .u64 p) { .reg .u32 %r<2>; { mov.u32 %r1, 1; } ret; }\n"
                                       ".weak .func g { ret; }\n"
                                       ".weak .func (.param .b32 r) f(.param .b32 x) { .reg .u32 %r<2>; mov.u32 %r1, 1; { ret; } }\n"
                                       ".weak .entry k(.param .u64 p) { ret; }\n"
                                       ".visible .func g { .reg .u32 %r<2>; mov.u32 %r1, 1; ret; }\n.weak .func g { ret; }\n");
  assert_int_equal(m.n_funcs, 3);
  assert_int_equal(func_named(&m, "f")->n_insts, 1);
  assert_int_equal(func_named(&m, "k")->n_insts, 2);
  assert_int_equal(func_named(&m, "g")->n_insts, 2);
  ptx_free(&m);
}

static void test_sizes_and_alignments_of_variables(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(HEAD ".global .align 32 .b8 a[10]; .global .u64 b; .global .v4 .f32 c[2];\n"
                     ".global .u16 d[3][5]; .extern .shared .align 16 .b8 e[]; .global .f32 f<3>;\n"
                     ".global .u16 g[7];\n");
  assert_int_equal(var_named(&m, "a")->bytes, 10);
  assert_int_equal(var_named(&m, "a")->align, 32);
  assert_true(var_named(&m, "a")->is_array);
  assert_int_equal(var_named(&m, "b")->align, 8);
  assert_false(var_named(&m, "b")->is_array);
  assert_int_equal(var_named(&m, "c")->bytes, 32);
  assert_int_equal(var_named(&m, "c")->align, 16);
  assert_int_equal(var_named(&m, "c")->vec, 4);
  assert_int_equal(var_named(&m, "d")->bytes, 30);
  assert_int_equal(var_named(&m, "e")->bytes, 0);
  assert_true(var_named(&m, "e")->is_extern);
  assert_int_equal(var_named(&m, "f2")->bytes, 4);
  assert_int_equal(ptx_find_var(&m, "f3"), -1);
  assert_int_equal(var_named(&m, "g")->bytes, 14);
  ptx_free(&m);
}

static void test_texture_references_old_and_new(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      ".version 1.4\n.target sm_13, texmode_independent\n.tex .u32 old; .global .texref new; .global .surfref s;\n"
      ".global .samplerref p = {addr_mode_0 = clamp_to_edge, filter_mode = nearest, x = 3};\n");
  assert_int_equal(var_named(&m, "old")->type, PTX_TEXREF);
  assert_int_equal(var_named(&m, "old")->space, PTX_GLOBAL);
  assert_int_equal(var_named(&m, "new")->type, PTX_TEXREF);
  assert_int_equal(var_named(&m, "s")->type, PTX_SURFREF);
  const struct ptx_var *p = var_named(&m, "p");
  assert_int_equal(p->n_settings, 3);
  assert_string_equal(p->settings[0].key, "addr_mode_0");
  assert_string_equal(p->settings[0].word, "clamp_to_edge");
  assert_null(p->settings[2].word);
  assert_int_equal(p->settings[2].number, 3);
  ptx_free(&m);
}

static void test_an_alias_is_replaced_by_what_it_stands_for(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".func g { ret; }\n.func f;\n.alias f, g;\n.global .u64 p = f;\n"
                                       ".entry k { call f; ret; }\n");
  int32_t g = ptx_find_func(&m, "g");
  assert_int_equal(ptx_find_func(&m, "f"), g);
  assert_int_equal(inst(&m, 0)->ops[1].sym, g);
  assert_int_equal(var_named(&m, "p")->relocs[0].sym, g);
  ptx_free(&m);
}

static void test_of_two_weak_variables_the_initialised_one_counts(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".weak .global .u8 x;\n.weak .global .u8 x[100] = {1, 2, 3};\n"
                                       ".weak .global .u8 x[2];\n");
  assert_int_equal(m.n_vars, 1);
  assert_int_equal(m.vars[0].bytes, 100);
  assert_int_equal(m.vars[0].init[2], 3);
  ptx_free(&m);
}

/* ---- initialisers -------------------------------------------------------------------------------------- */

static void check_init(const char *decl, const void *bytes, size_t n) {
  char text[1000];
  snprintf(text, sizeof text, HEAD "%s\n", decl);
  struct ptx_module m = read_text(text);
  const struct ptx_var *v = var_named(&m, "x");
  assert_int_equal(v->bytes, n);
  assert_non_null(v->init);
  assert_memory_equal(v->init, bytes, n);
  ptx_free(&m);
}

static void test_initialisers_of_integers_in_all_bases(void **state) {
  (void)state;
  check_init(".global .u8 x[7] = {1, 0x2, 03, 0b100, 5U, -1, 0377};", (uint8_t[]){1, 2, 3, 4, 5, 255, 255},
             7);
  check_init(".global .s16 x = -2;", (int16_t[]){-2}, 2);
  check_init(".const .u64 x = 0xFFFFFFFFFFFFFFFF;", (uint64_t[]){~0ull}, 8);
  check_init(".global .u32 x[1] = {9};", (uint32_t[]){9}, 4);
}

static void test_initialisers_of_floats(void **state) {
  (void)state;
  check_init(".global .f32 x[5] = {0f3F800000, 1.5, -2.5e1, 3.0, -0f40000000};", (float[]){1, 1.5f, -25, 3, -2},
             20);
  check_init(".global .f64 x[4] = {0d3FF0000000000000, 0.1, 1e-3, -2.0};", (double[]){1, 0.1, 1e-3, -2}, 32);
  check_init(".global .f32 x = 0f7FC12345;", (uint32_t[]){0x7fc12345}, 4);
  check_init(".global .b32 x = 0f3F800000;", (float[]){1}, 4);
  check_init(".global .b64 x = 0d3FF0000000000000;", (double[]){1}, 8);
}

static void test_nested_braces_leave_the_rest_zero(void **state) {
  (void)state;
  check_init(".global .s32 x[2][3] = {{1}, {4, 5, 6}};", (int32_t[]){1, 0, 0, 4, 5, 6}, 24);
  check_init(".global .s32 x[2][3] = {1, 2, 3, 4};", (int32_t[]){1, 2, 3, 4, 0, 0}, 24);
  check_init(".global .s32 x[2][2][2] = {{{1}, {2, 3}}, {{4}}};", (int32_t[]){1, 0, 2, 3, 4, 0, 0, 0}, 32);
  check_init(".global .v2 .u32 x[2] = {{1, 2}};", (uint32_t[]){1, 2, 0, 0}, 16);
  check_init(".global .u8 x[4] = {};", (uint8_t[]){0, 0, 0, 0}, 4);
}

static void test_an_initialiser_gives_the_size_left_out(void **state) {
  (void)state;
  check_init(".global .u16 x[] = {1, 2, 3};", (uint16_t[]){1, 2, 3}, 6);
  check_init(".global .u8 x[][2] = {{1}, {2, 3}, {4}};", (uint8_t[]){1, 0, 2, 3, 4, 0}, 6);
  check_init(".global .b8 x[] = \"hi\\n\";", "hi\n", 4);
}

static void test_strings_fill_arrays_of_bytes(void **state) {
  (void)state;
  check_init(".global .b8 x[6] = \"a\\\"b\\\\\";", "a\"b\\\0", 6);
}

static void test_constant_expressions(void **state) {
  (void)state;
  check_init(".const .s64 x[4] = {1 + 2 * 3, (7 - 2) << 4, -8 / 3, 7 % 4};", (int64_t[]){7, 80, -2, 3}, 32);
  check_init(".const .s64 x[4] = {5 > 3 ? 10 : 20, 0 ? 1 : 2, WARP_SZ, ~0 & 0xff};",
             (int64_t[]){10, 2, 32, 255}, 32);
  check_init(".const .s64 x[4] = {!0, !5, 3 == 3, 3 != 3};", (int64_t[]){1, 0, 1, 0}, 32);
  check_init(".const .s64 x[4] = {-1 > 0, (.u64)-1 > 0, -1 >> 1, 1 && 0 || 1};", (int64_t[]){0, 1, -1, 1},
             32);
  check_init(".const .s64 x[4] = {6 ^ 3, 6 | 1, 2 <= 2, 1 << 70};", (int64_t[]){5, 7, 1, 0}, 32);
  check_init(".const .s64 x[2] = {(.s64)-9223372036854775808 / -1, - - 4};", (int64_t[]){INT64_MIN, 4}, 16);
  check_init(".const .f64 x[3] = {1.0 / 4, 2 * 1.5 + 1, 1.5 > 1 ? 3.0 : 4.0};", (double[]){0.25, 4, 3}, 24);
}

static void test_addresses_in_initialisers_become_relocations(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(HEAD ".global .u32 a[4];\n.func f { ret; }\n"
                     ".global .u64 x[6] = {5, a, a+4, generic(a)+-8, f, later};\n.global .u32 later;\n"
                     ".global .u8 y[2] = {0xff(a), 0xff00(generic(a)+3)};\n");
  const struct ptx_var *x = var_named(&m, "x"), *y = var_named(&m, "y");
  int32_t a = ptx_find_var(&m, "a");
  assert_int_equal(x->n_relocs, 5);
  assert_int_equal(x->init[0], 5);
  assert_int_equal(x->relocs[0].offset, 8);
  assert_int_equal(x->relocs[0].sym, a);
  assert_int_equal(x->relocs[0].bytes, 8);
  assert_true(x->relocs[0].mask == ~0ull);
  assert_false(x->relocs[0].generic);
  assert_int_equal(x->relocs[1].addend, 4);
  assert_true(x->relocs[2].generic);
  assert_int_equal(x->relocs[2].addend, -8);
  assert_true(x->relocs[3].is_func);
  assert_int_equal(x->relocs[3].sym, ptx_find_func(&m, "f"));
  assert_int_equal(x->relocs[4].sym, ptx_find_var(&m, "later"));
  assert_int_equal(y->n_relocs, 2);
  assert_int_equal(y->relocs[0].bytes, 1);
  assert_int_equal(y->relocs[1].mask, 0xff00);
  assert_int_equal(y->relocs[1].addend, 3);
  assert_true(y->relocs[1].generic);
  ptx_free(&m);
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static void test_entry_parameters_are_laid_out_as_cuda_does(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(HEAD ".entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .u16 c,\n"
                     ".param .align 4 .b8 d[6], .param .f64 e, .param .align 16 .b8 g[16]) { ret; }\n");
  const struct ptx_func *f = func_named(&m, "k");
  static const uint64_t offsets[] = {0, 8, 16, 20, 32, 48};
  assert_int_equal(f->n_params, 6);
  for (int i = 0; i < 6; i++) assert_int_equal(m.vars[f->params[i]].offset, offsets[i]);
  assert_int_equal(f->param_bytes, 64);
  assert_true(m.vars[f->params[1]].is_ptr);
  assert_int_equal(m.vars[f->params[1]].ptr_space, PTX_GLOBAL);
  assert_int_equal(m.vars[f->params[1]].align, 8);
  assert_int_equal(m.vars[f->params[0]].func, ptx_find_func(&m, "k"));
  ptx_free(&m);
}

static void test_performance_directives(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(HEAD ".entry k() .maxntid 256, 2 .minnctapersm 3 .maxnreg 40 { ret; }\n"
                     ".entry q() .reqntid 32 .explicitcluster .reqnctapercluster 2, 1, 1\n"
                     ".maxclusterrank 8 .pragma \"x\"; { ret; }\n.func n .noreturn { exit; }\n");
  const struct ptx_func *k = func_named(&m, "k"), *q = func_named(&m, "q");
  assert_int_equal(k->maxntid[0], 256);
  assert_int_equal(k->maxntid[1], 2);
  assert_int_equal(k->maxntid[2], 1);
  assert_int_equal(k->minnctapersm, 3);
  assert_int_equal(k->maxnreg, 40);
  assert_int_equal(k->reqntid[0], 0);
  assert_int_equal(q->reqntid[0], 32);
  assert_int_equal(q->reqntid[2], 1);
  assert_int_equal(q->reqnctapercluster[0], 2);
  assert_true(q->explicit_cluster);
  assert_int_equal(q->maxclusterrank, 8);
  assert_true(func_named(&m, "n")->noreturn);
  assert_false(k->noreturn);
  ptx_free(&m);
}

static void test_ctas_of_an_sm_before_ptx_2_1(void **state) {
  (void)state;
  struct ptx_module m = read_text(".version 2.0\n.target sm_20\n.entry k() .maxntid 64 .maxnctapersm 5 { ret; }\n");
  assert_int_equal(func_named(&m, "k")->maxnctapersm, 5);
  ptx_free(&m);
}

static void test_a_declared_function_is_defined_later_in_its_place(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".func (.param .b32 r) f (.param .b64 x);\n.func g { ret; }\n"
                                       ".func (.param .b32 r) f (.param .b64 y) { ret; }\n");
  assert_int_equal(ptx_find_func(&m, "f"), 0);
  assert_int_equal(m.n_funcs, 2);
  assert_int_equal(m.funcs[0].n_insts, 1);
  assert_false(m.funcs[0].is_extern);
  assert_string_equal(m.vars[m.funcs[0].params[0]].name, "y");
  assert_int_equal(m.funcs[0].ret_bytes, 4);
  ptx_free(&m);
}

static void test_parameters_in_registers_are_pinned(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(HEAD ".func (.reg .u32 out) f (.reg .u32 a, .reg .u64 b, .reg .u32 unused)\n"
                     "{ .reg .u32 t; add.u32 t, a, 1; mov.u32 out, t; ret; }\n"
                     ".entry k { .reg .u32 x; .reg .u64 y; call (x), f, (x, y, 3); ret; }\n");
  const struct ptx_func *f = func_named(&m, "f");
  assert_int_equal(f->n_params, 3);
  assert_int_equal(m.vars[f->params[0]].space, PTX_REG);
  int32_t a = m.vars[f->params[0]].reg, out = m.vars[f->rets[0]].reg, unused = m.vars[f->params[2]].reg;
  assert_string_equal(f->regs[a].name, "a");
  assert_string_equal(f->regs[out].name, "out");
  assert_true(f->regs[a].pinned && f->regs[out].pinned);
  assert_true(f->regs[a].slot != f->regs[out].slot && f->regs[a].slot != f->regs[unused].slot);
  assert_int_equal(f->slots[PTX_R32], 4);
  assert_int_equal(f->slots[PTX_R64], 1);
  ptx_free(&m);
}

static void test_areas_of_a_function(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      KERNEL(".local .align 16 .b8 depot[20]; .local .u32 l; .shared .b8 s[3]; .shared .u64 t;\n"
             "{ .param .b32 p; .param .align 8 .b8 q[16]; }\n{ .param .b64 p; { .param .b64 w; } }\n"
             ".global .u32 hidden; st.global.u32 [hidden], 1; ret;"));
  const struct ptx_func *f = func_named(&m, "k");
  assert_int_equal(f->local_bytes, 24);
  assert_int_equal(f->shared_bytes, 16);
  assert_int_equal(f->call_param_bytes, 24);
  const struct ptx_var *hidden = &m.vars[inst(&m, 0)->ops[0].elems[0].sym];
  assert_int_equal(hidden->func, -1);
  assert_true(hidden->is_hidden);
  assert_int_equal(ptx_find_var(&m, "hidden"), -1);
  ptx_free(&m);
}

static void test_line_numbers_of_instructions(void **state) {
  (void)state;
  struct ptx_module m = read_text(KERNEL("ret;\n.loc 2 17 3\n  @%p1 ret;\n"
                                         ".loc 1 5 9, function_name $L + 12, inlined_at 2 18 3\n @%p1 ret;\n.loc 1 6 1\n ret;"));
  assert_int_equal(inst(&m, 0)->loc_file, 0);
  assert_int_equal(inst(&m, 0)->line, 6);
  assert_int_equal(inst(&m, 0)->col, 1);
  assert_int_equal(inst(&m, 1)->loc_file, 2);
  assert_int_equal(inst(&m, 1)->loc_line, 17);
  assert_int_equal(inst(&m, 1)->line, 8);
  assert_int_equal(inst(&m, 1)->col, 8);
  assert_int_equal(inst(&m, 1)->use_line, 17);
  assert_int_equal(inst(&m, 2)->loc_line, 5);
  assert_int_equal(inst(&m, 2)->use_file, 2);
  assert_int_equal(inst(&m, 2)->use_line, 18);
  assert_int_equal(inst(&m, 3)->use_line, 6);
  ptx_free(&m);
}

/* ---- words of instructions ----------------------------------------------------------------------------- */

static void test_types_modifiers_space_and_vector_are_distinguished(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      KERNEL("ld.global.nc.L1::evict_last.L2::128B.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];\n"
             "cvt.rn.ftz.f32.s32 %f1, %r1;\ncp.async.cg.shared::cta.global.L2::128B [%rd1], [%rd2], 16;\n"
             "ld.volatile.global.u32 %r1, [%rd1];\nld.param::entry.u64 %rd1, [a];"));
  const struct ptx_inst *ld = inst(&m, 0), *cvt = inst(&m, 1), *cp = inst(&m, 2);
  assert_int_equal(ld->op, PTX_OP_ld);
  assert_int_equal(ld->space, PTX_GLOBAL);
  assert_int_equal(ld->vec, 4);
  assert_int_equal(ld->n_types, 1);
  assert_int_equal(ld->types[0], PTX_F32);
  assert_int_equal(ld->n_mods, 3);
  assert_int_equal(ld->mods[0], PTX_M_nc);
  assert_int_equal(ld->mods[1], PTX_M_L1__evict_last);
  assert_int_equal(ld->mods[2], PTX_M_L2__128B);
  assert_int_equal(cvt->n_types, 2);
  assert_int_equal(cvt->types[0], PTX_F32);
  assert_int_equal(cvt->types[1], PTX_S32);
  assert_true(ptx_has(cvt, PTX_M_rn) && ptx_has(cvt, PTX_M_ftz) && !ptx_has(cvt, PTX_M_sat));
  assert_int_equal(cvt->vec, 1);
  assert_int_equal(cvt->space, PTX_GENERIC);
  assert_int_equal(cp->space, PTX_SHARED);
  assert_int_equal(cp->space2, PTX_GLOBAL);
  assert_true(ptx_has(cp, PTX_M_shared__cta));
  assert_true(ptx_has(inst(&m, 3), PTX_M_volatile));
  assert_int_equal(inst(&m, 4)->space, PTX_PARAM);
  assert_true(ptx_has(inst(&m, 4), PTX_M_param__entry));
  ptx_free(&m);
}

static void test_old_spellings_are_read(void **state) {
  (void)state;
  struct ptx_module m = read_text(KERNEL("vote.ballot.b32 %r1, %p1; vote.sync.ballot.b32 %r1, %p1, -1;\n"
                                         "shfl.down.b32 %r1, %r2, 1, 31; bra.uni L; L: bar.sync 0; ret.uni;\n"
                                         "ld .global .u32 %r1, [%rd1]; ld.global.volatile.u32 %r1, [%rd1];"));
  assert_int_equal(inst(&m, 0)->n_ops, 2);
  assert_int_equal(inst(&m, 1)->n_ops, 3);
  assert_int_equal(inst(&m, 2)->n_ops, 4);
  assert_true(ptx_has(inst(&m, 3), PTX_M_uni));
  assert_int_equal(inst(&m, 6)->space, PTX_GLOBAL);
  ptx_free(&m);
}

static void test_instructions_not_modelled_are_read_and_named_as_written(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(KERNEL("tcgen05.mma.cta_group::1.kind::f16.strange::word [%r1], %rd1, %rd2, %r2, %p1;\n"
                       "wgmma.fence.sync.aligned; mapa.shared::cluster.u32 %r1, %r2, 1;"));
  assert_int_equal(ptx_op_family((enum ptx_op)inst(&m, 0)->op), PTX_REFUSED);
  static const char *const names[] = {"tcgen05.mma.cta_group::1.kind::f16.strange::word", "wgmma.fence.sync.aligned",
                                      "mapa.shared::cluster.u32"};
  for (unsigned i = 0; i < 3; i++) {
    char name[64];
    ptx_inst_name(inst(&m, i), name, sizeof name);
    assert_string_equal(name, names[i]);
  }
  ptx_free(&m);
}

static void test_the_name_of_an_instruction_is_rebuilt(void **state) {
  (void)state;
  char name[64];
  struct ptx_module m = read_text(KERNEL("ld.global.nc.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1]; ret;\n"
                                         "ld.shared::cta.u32 %r1, [%r2]; cvt.rn.f32.s32 %f1, %r1;"));
  ptx_inst_name(inst(&m, 0), name, sizeof name);
  assert_string_equal(name, "ld.nc.global.v4.f32");
  ptx_inst_name(inst(&m, 1), name, sizeof name);
  assert_string_equal(name, "ret");
  ptx_inst_name(inst(&m, 2), name, sizeof name);
  assert_string_equal(name, "ld.shared::cta.u32");
  ptx_inst_name(inst(&m, 3), name, sizeof name);
  assert_string_equal(name, "cvt.rn.f32.s32");
  ptx_inst_name(inst(&m, 3), name, 6);
  assert_string_equal(name, "cvt.r");
  ptx_free(&m);
}

/* ---- operands ------------------------------------------------------------------------------------------ */

static void test_immediates_in_all_forms(void **state) {
  (void)state;
  static const int64_t wanted[] = {10, -5, 127, 15, 10, 42, 32, 14, -1, 2};
  struct ptx_module m =
      read_text(KERNEL("mov.u32 %r1, 10; mov.u32 %r1, -5; mov.u32 %r1, 0x7f; mov.u32 %r1, 017;\n"
                       "mov.u32 %r1, 0b1010; mov.u32 %r1, 42U; mov.u32 %r1, WARP_SZ;\n"
                       "mov.u32 %r1, (3 + 4) * 2; mov.u32 %r1, ~0; mov.u32 %r1, 1 ? 2 : 3;\n"
                       "mov.f32 %f1, 0f3F800000; mov.f64 %fd1, 0d3FF0000000000000; mov.f64 %fd1, -1.25e2;\n"
                       "mov.f32 %f1, -0f3F800000; mov.f64 %fd1, .5; mov.f64 %fd1, -.25e1;"));
  for (uint32_t i = 0; i < 10; i++) {
    assert_int_equal(inst(&m, i)->ops[1].kind, PTX_O_INT);
    assert_int_equal(inst(&m, i)->ops[1].imm, wanted[i]);
  }
  assert_int_equal(inst(&m, 10)->ops[1].kind, PTX_O_F32);
  assert_int_equal(inst(&m, 10)->ops[1].imm, 0x3f800000);
  assert_int_equal(inst(&m, 11)->ops[1].kind, PTX_O_F64);
  assert_int_equal(inst(&m, 11)->ops[1].imm, 0x3ff0000000000000);
  double d = -125;
  assert_int_equal(inst(&m, 12)->ops[1].kind, PTX_O_F64);
  assert_memory_equal(&inst(&m, 12)->ops[1].imm, &d, 8);
  d = 0.5;
  assert_memory_equal(&inst(&m, 14)->ops[1].imm, &d, 8);
  d = -2.5;
  assert_memory_equal(&inst(&m, 15)->ops[1].imm, &d, 8);
  assert_int_equal(inst(&m, 13)->ops[1].imm, 0xbf800000);
  ptx_free(&m);
}

static void test_registers_predicates_and_guards(void **state) {
  (void)state;
  struct ptx_module m = read_text(KERNEL(
      "setp.lt.s32 %p1|%p2, %r1, %r2; @%p1 ret; @!%p2 ret;\n"
      "setp.eq.and.s32 %p3, %r1, 0, !%p1; elect.sync _|%p4, -1; shfl.sync.idx.b32 %r1|%p5, %r2, 0, 31, -1;"));
  const struct ptx_inst *setp = inst(&m, 0);
  assert_string_equal(reg_name(&m, setp->ops[0].reg), "%p1");
  assert_string_equal(reg_name(&m, setp->ops[0].second), "%p2");
  assert_int_equal(setp->ops[1].second, -1);
  assert_true(inst(&m, 1)->guarded && !inst(&m, 1)->guard_negate);
  assert_string_equal(reg_name(&m, inst(&m, 1)->guard), "%p1");
  assert_true(inst(&m, 2)->guard_negate);
  assert_true(inst(&m, 3)->ops[3].negate);
  assert_false(setp->guarded);
  assert_int_equal(inst(&m, 4)->ops[0].kind, PTX_O_SINK);
  assert_string_equal(reg_name(&m, inst(&m, 4)->ops[0].second), "%p4");
  assert_string_equal(reg_name(&m, inst(&m, 5)->ops[0].second), "%p5");
  ptx_free(&m);
}

static void test_special_registers_whole_and_by_component(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(KERNEL("mov.u32 %r1, %tid.y; mov.u32 %r1, %laneid; mov.u64 %rd1, %clock64;\n"
                       "mov.v4.u32 {%r1,%r2,%r3,%r4}, %ctaid; mov.u32 %r1, %ntid.w;"));
  assert_int_equal(inst(&m, 0)->ops[1].kind, PTX_O_SREG);
  assert_int_equal(inst(&m, 0)->ops[1].reg, PTX_SR_tid_y);
  assert_int_equal(inst(&m, 1)->ops[1].reg, PTX_SR_laneid);
  assert_int_equal(inst(&m, 2)->ops[1].reg, PTX_SR_clock64);
  const struct ptx_opnd *v = &inst(&m, 3)->ops[1];
  assert_int_equal(v->kind, PTX_O_VEC);
  assert_int_equal(v->elems[2].reg, PTX_SR_ctaid_z);
  assert_int_equal(v->elems[3].kind, PTX_O_INT);
  assert_int_equal(inst(&m, 4)->ops[1].kind, PTX_O_INT);
  assert_string_equal(ptx_sreg_name(PTX_SR_tid_y), "%tid.y");
  assert_int_equal(ptx_sreg_bits(PTX_SR_clock64), 64);
  ptx_free(&m);
}

static void check_address(const struct ptx_opnd *o, int kind, int64_t imm) {
  assert_int_equal(o->kind, PTX_O_MEM);
  assert_int_equal(o->n_elems, 1);
  assert_int_equal(o->elems[0].kind, kind);
  assert_int_equal(o->imm, imm);
}

static void test_addresses_in_all_forms(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      KERNEL(".shared .u32 s[8];\nld.global.u32 %r1, [%rd1]; ld.global.u32 %r1, [%rd1+8];\n"
             "ld.global.u32 %r1, [%rd1+-8]; ld.global.u32 %r1, [%rd1+-4+2]; ld.shared.u32 %r1, [s];\n"
             "ld.shared.u32 %r1, [s+4*2]; ld.shared.u32 %r1, [s+-4]; ld.local.u32 %r1, [64]; ld.shared.u32 "
             "%r1, s[3];"));
  check_address(&inst(&m, 0)->ops[1], PTX_O_REG, 0);
  check_address(&inst(&m, 1)->ops[1], PTX_O_REG, 8);
  check_address(&inst(&m, 2)->ops[1], PTX_O_REG, -8);
  check_address(&inst(&m, 3)->ops[1], PTX_O_REG, -2);
  check_address(&inst(&m, 4)->ops[1], PTX_O_VAR, 0);
  check_address(&inst(&m, 5)->ops[1], PTX_O_VAR, 8);
  check_address(&inst(&m, 6)->ops[1], PTX_O_VAR, -4);
  check_address(&inst(&m, 7)->ops[1], PTX_O_INT, 0);
  assert_int_equal(inst(&m, 7)->ops[1].elems[0].imm, 64);
  check_address(&inst(&m, 8)->ops[1], PTX_O_VAR, 12);
  ptx_free(&m);
}

static void test_addresses_as_values(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      KERNEL(".shared .u16 s[8]; mov.u64 %rd1, s; mov.u64 %rd1, s+6; mov.u64 %rd1, s[2]; mov.u64 %rd1, k;"));
  assert_int_equal(inst(&m, 0)->ops[1].kind, PTX_O_VAR);
  assert_int_equal(inst(&m, 1)->ops[1].imm, 6);
  assert_int_equal(inst(&m, 2)->ops[1].kind, PTX_O_VAR);
  assert_int_equal(inst(&m, 2)->ops[1].imm, 4);
  assert_int_equal(inst(&m, 3)->ops[1].kind, PTX_O_FUNC);
  ptx_free(&m);
}

static void test_vectors_and_sinks(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      KERNEL("mov.b64 {%r1, _}, %rd1; mov.b64 %rd1, {%r1, %r2}; st.global.v2.u32 [%rd1], {%r1, 7};"));
  const struct ptx_opnd *d = &inst(&m, 0)->ops[0];
  assert_int_equal(d->kind, PTX_O_VEC);
  assert_int_equal(d->n_elems, 2);
  assert_int_equal(d->elems[1].kind, PTX_O_SINK);
  assert_int_equal(inst(&m, 1)->ops[1].n_elems, 2);
  assert_int_equal(inst(&m, 2)->ops[1].elems[1].imm, 7);
  ptx_free(&m);
}

static void test_vector_registers_become_scalars(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      KERNEL(".reg .v4 .f32 v; .reg .v2 .u32 w<3>;\nld.global.v4.f32 v, [%rd1]; add.f32 %f1, v.x, v.w;\n"
             "add.f32 %f1, v.r, v.a; mov.u32 w2.y, 1;"));
  const struct ptx_opnd *v = &inst(&m, 0)->ops[0];
  assert_int_equal(v->kind, PTX_O_VEC);
  assert_int_equal(v->n_elems, 4);
  assert_string_equal(reg_name(&m, v->elems[3].reg), "v.w");
  assert_int_equal(inst(&m, 1)->ops[1].reg, v->elems[0].reg);
  assert_int_equal(inst(&m, 2)->ops[2].reg, v->elems[3].reg);
  assert_string_equal(reg_name(&m, inst(&m, 3)->ops[0].reg), "w2.y");
  ptx_free(&m);
}

static void test_parts_of_registers_in_video_instructions(void **state) {
  (void)state;
  struct ptx_module m = read_text(KERNEL(
      "vadd.u32.s32.u32.sat %r1, %r2.b0, %r3.h1; vadd4.u32.u32.u32 %r1.b310, %r2.b3210, %r3.b7654, %r4;\n"
      "vmad.s32.s32.s32 %r1, -%r2, %r3, %r4;"));
  assert_null(inst(&m, 0)->ops[0].select);
  assert_string_equal(inst(&m, 0)->ops[1].select, "b0");
  assert_string_equal(inst(&m, 0)->ops[2].select, "h1");
  assert_string_equal(inst(&m, 1)->ops[0].select, "b310");
  assert_string_equal(inst(&m, 1)->ops[2].select, "b7654");
  assert_true(inst(&m, 2)->ops[1].negative);
  ptx_free(&m);
}

static void test_texture_operands(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      KERNEL(".global .texref t, s;\n"
             "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5, %f6}];\n"
             "tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}|%p1, [t, s, {%r5}];\n"
             "tex.level.2d.v4.f32.f32 {%f1,_,_,_}, [%rd1, {%f5, %f6}], %f7; txq.width.b32 %r1, [t];"));
  const struct ptx_opnd *o = &inst(&m, 0)->ops[1];
  assert_int_equal(o->kind, PTX_O_MEM);
  assert_int_equal(o->n_elems, 2);
  assert_int_equal(o->elems[0].kind, PTX_O_VAR);
  assert_int_equal(o->elems[1].kind, PTX_O_VEC);
  assert_int_equal(o->elems[1].n_elems, 2);
  assert_int_equal(inst(&m, 1)->ops[1].n_elems, 3);
  assert_string_equal(reg_name(&m, inst(&m, 1)->ops[0].second), "%p1");
  assert_int_equal(inst(&m, 2)->n_ops, 3);
  ptx_free(&m);
}

#define CALLEES                                                                                              \
  HEAD ".func none { ret; }\n.func (.param .b32 r) one (.param .b32 x) { ret; }\n.func takes (.param .b32 "  \
       "x) { ret; }\n"                                                                                       \
       ".entry k {\n.reg .b64 p; .param .b32 a; .param .b32 b; mov.u64 p, one;\n"

static void check_call(const char *call, unsigned rets, int target, unsigned args, int last) {
  char text[1000];
  snprintf(text, sizeof text, CALLEES "%s\n ret; }\n", call);
  struct ptx_module m = read_text(text);
  const struct ptx_inst *in = inst(&m, 1);
  assert_int_equal(in->op, PTX_OP_call);
  assert_int_equal(in->n_ops, last ? 4 : 3);
  assert_int_equal(in->ops[0].kind, PTX_O_LIST);
  assert_int_equal(in->ops[0].n_elems, rets);
  assert_int_equal(in->ops[1].kind, target);
  assert_int_equal(in->ops[2].kind, PTX_O_LIST);
  assert_int_equal(in->ops[2].n_elems, args);
  if (last) assert_int_equal(in->ops[3].kind, last);
  ptx_free(&m);
}

static void test_calls_in_all_forms_have_the_same_operands(void **state) {
  (void)state;
  check_call("call none;", 0, PTX_O_FUNC, 0, 0);
  check_call("call.uni none, ();", 0, PTX_O_FUNC, 0, 0);
  check_call("call takes, (a);", 0, PTX_O_FUNC, 1, 0);
  check_call("call (b), one, (a);", 1, PTX_O_FUNC, 1, 0);
  check_call("call (b), one, (5);", 1, PTX_O_FUNC, 1, 0);
  check_call("P: .callprototype (.param .b32 _) _ (.param .b32 _); call (b), p, (a), P;", 1, PTX_O_REG, 1,
             PTX_O_PROTO);
  check_call("P: .callprototype ()_ (); call p, (), P;", 0, PTX_O_REG, 0, PTX_O_PROTO);
  check_call("Q: .calltargets one, takes; call (b), p, (a), Q;", 1, PTX_O_REG, 1, PTX_O_TARGETS);
  check_call("call (b), p, (a), L; L: .callprototype (.param .b32 _) _ (.param .b32 _);", 1, PTX_O_REG, 1,
             PTX_O_PROTO);
}

static void test_prototypes_keep_sizes_and_alignments(void **state) {
  (void)state;
  struct ptx_module m = read_text(KERNEL("P: .callprototype (.param .align 16 .b8 _[24]) _ (.param .b64 _, "
                                         ".param .align 4 .b8 _[6]) .noreturn;\nret;"));
  const struct ptx_func *f = func_named(&m, "k");
  assert_int_equal(f->n_protos, 1);
  assert_int_equal(f->protos[0].n_rets, 1);
  assert_int_equal(f->protos[0].ret_bytes[0], 24);
  assert_int_equal(f->protos[0].ret_align[0], 16);
  assert_int_equal(f->protos[0].n_params, 2);
  assert_int_equal(f->protos[0].param_bytes[1], 6);
  assert_int_equal(f->protos[0].param_align[1], 4);
  assert_int_equal(m.n_vars, 2);
  ptx_free(&m);
}

static void test_branches_and_their_targets(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      KERNEL("T: .branchtargets $L__BB0_2, BB0_3, E;\nbrx.idx %r1, T;\n$L__BB0_2: ret;\nBB0_3: bra E;\nE:"));
  const struct ptx_func *f = func_named(&m, "k");
  assert_int_equal(inst(&m, 0)->ops[1].kind, PTX_O_TARGETS);
  assert_int_equal(f->targets[0].n, 3);
  assert_false(f->targets[0].calls);
  assert_int_equal(f->targets[0].at[0], 1);
  assert_int_equal(f->targets[0].at[1], 2);
  assert_int_equal(f->targets[0].at[2], f->n_insts);
  assert_int_equal(inst(&m, 2)->ops[0].kind, PTX_O_LABEL);
  assert_int_equal(inst(&m, 2)->ops[0].sym, 3);
  ptx_free(&m);
}

/* ---- scopes -------------------------------------------------------------------------------------------- */

static void test_inner_scopes_shadow_registers(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      KERNEL("mov.u32 %r1, 0; { .reg .b32 %r<2>; mov.u32 %r1, 1; { .reg .f32 %r1; mov.f32 %r1, 1.0; mov.u32 "
             "%r0, 2; } mov.u32 %r1, 3;\n"
             "mov.u32 %r5, 4; } mov.u32 %r1, 5; mov.u32 %r5, 6; { mov.u32 %r7, 1; } mov.u32 %r7, 2;"));
  int32_t outer = inst(&m, 0)->ops[0].reg, middle = inst(&m, 1)->ops[0].reg, inner = inst(&m, 2)->ops[0].reg;
  assert_true(outer != middle && middle != inner && outer != inner);
  assert_int_equal(func_named(&m, "k")->regs[inner].type, PTX_F32);
  assert_int_equal(inst(&m, 4)->ops[0].reg, middle);
  assert_int_equal(inst(&m, 6)->ops[0].reg, outer);
  assert_int_equal(inst(&m, 5)->ops[0].reg, inst(&m, 7)->ops[0].reg);
  assert_int_equal(inst(&m, 8)->ops[0].reg, inst(&m, 9)->ops[0].reg);
  ptx_free(&m);
}

static void test_labels_belong_to_their_scope(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(KERNEL("{ L: bra L; } { L: bra L; bra OUT; } { { bra L; } ret; } L: OUT: ret;"));
  assert_int_equal(inst(&m, 0)->ops[0].sym, 0);
  assert_int_equal(inst(&m, 1)->ops[0].sym, 1);
  assert_int_equal(inst(&m, 2)->ops[0].sym, 5);
  assert_int_equal(inst(&m, 3)->ops[0].sym, 5);
  ptx_free(&m);
}

static void test_functions_do_not_see_each_others_names(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(HEAD ".entry k(.param .u32 p) { .reg .u32 x; L: ld.param.u32 x, [p]; bra L; }\n"
                     ".entry q(.param .u64 p) { .reg .f32 x; .reg .u64 y; ld.param.u64 y, [p]; mov.f32 x, "
                     "1.0; L: bra L; }\n");
  assert_int_equal(m.funcs[1].insts[2].ops[0].sym, 2);
  ptx_free(&m);
}

static void test_registers_of_the_module_are_each_functions_own(void **state) {
  (void)state;
  struct ptx_module m = read_text(".version 2.3\n.target sm_20\n.address_size 64\n.reg .u32 r<4>, x; .reg .v2 .f32 w;\n"
                                  ".entry k { mov.u32 r1, 3; { .reg .u64 r<2>; mov.u64 r1, 4; mov.u32 r3, x; } mov.u32 r1, 5; "
                                  "mov.f32 w.y, 1.0; exit; }\n"
                                  ".entry q { .reg .f32 x; mov.f32 x, 1.0; mov.u32 r3, 1; exit; }\n"
                                  ".func f { mov.u32 r2, 1; ret; }\n");
  const struct ptx_func *k = func_named(&m, "k"), *q = func_named(&m, "q");
  assert_int_equal(k->insts[0].ops[0].reg, k->insts[3].ops[0].reg);
  assert_int_equal(k->regs[k->insts[1].ops[0].reg].type, PTX_U64);
  assert_int_equal(k->regs[k->insts[2].ops[1].reg].type, PTX_U32);
  assert_string_equal(k->regs[k->insts[4].ops[0].reg].name, "w.y");
  assert_int_equal(q->regs[q->insts[0].ops[0].reg].type, PTX_F32);
  assert_int_equal(q->n_regs, 2);
  ptx_free(&m);
}

static void test_local_variables_of_the_module_begin_every_kernels_frame(void **state) {
  (void)state;
  struct ptx_module m = read_text(".version 2.3\n.target sm_20\n.address_size 64\n.local .u32 a; .local .align 8 .b8 b[12];\n"
                                  ".entry k { .local .u32 c; st.local.u32 [c], 1; st.local.u32 [b], 2; exit; }\n"
                                  ".func f { .local .u32 d; st.local.u32 [d], 1; ret; }\n");
  const struct ptx_func *k = func_named(&m, "k"), *f = func_named(&m, "f");
  assert_int_equal(m.vars[k->insts[1].ops[0].elems[0].sym].offset, 8);
  assert_int_equal(m.vars[k->insts[0].ops[0].elems[0].sym].offset, 20);
  assert_int_equal(k->local_bytes, 24);
  assert_int_equal(f->local_bytes, 4);
  ptx_free(&m);
}

static void test_vectors_are_passed_as_their_elements(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".func (.reg .v2 .u32 o) f (.reg .v2 .u32 i, .reg .u64 x) { mov.v2.u32 o, i; ret; }\n"
                                       ".entry k { .reg .v2 .u32 t; .reg .u64 x; call (t), f, (t, x); ret; }\n");
  const struct ptx_func *f = func_named(&m, "f");
  const struct ptx_inst *call = &func_named(&m, "k")->insts[0];
  assert_int_equal(f->n_rets, 2);
  assert_int_equal(f->n_params, 3);
  assert_int_equal(m.vars[f->params[1]].offset, 4);
  assert_int_equal(m.vars[f->params[2]].offset, 8);
  assert_int_equal(call->ops[0].n_elems, 2);
  assert_int_equal(call->ops[2].n_elems, 3);
  assert_int_equal(call->ops[2].elems[1].kind, PTX_O_REG);
  ptx_free(&m);
}

static void test_a_prototype_may_lack_its_semicolon(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".func (.reg .u32 v) f (.reg .u32 a)\n"
                                       ".visible .entry k() { .reg .u32 x; call (x), f, (3); ret; }\n"
                                       ".func (.reg .u32 v) f (.reg .u32 a) { add.u32 v, a, 1; ret; }\n"
                                       ".extern .func last () .noreturn");
  assert_int_equal(m.n_funcs, 3);
  assert_false(func_named(&m, "f")->is_extern);
  assert_int_equal(func_named(&m, "f")->n_insts, 2);
  assert_true(func_named(&m, "last")->is_extern);
  ptx_free(&m);
}

static void test_a_register_plus_a_number_is_added_first(void **state) {
  (void)state;
  struct ptx_module m = read_text(KERNEL("L: st.global.u32 [%rd1], %r1 + 4; sub.u32 %r2, 100, %r1+-2; bra L;"));
  const struct ptx_inst *add = inst(&m, 0);
  assert_int_equal(add->op, PTX_OP_add);
  assert_int_equal(add->types[0], PTX_U32);
  assert_int_equal(add->ops[2].imm, 4);
  assert_int_equal(inst(&m, 1)->ops[1].reg, add->ops[0].reg);
  assert_int_equal(inst(&m, 2)->ops[2].imm, -2);
  assert_int_equal(inst(&m, 3)->ops[2].reg, inst(&m, 2)->ops[0].reg);
  assert_int_equal(inst(&m, 4)->ops[0].sym, 0);
  ptx_free(&m);
}

static void test_a_huge_range_of_registers_costs_nothing(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(HEAD ".entry k { .reg .b32 %r<1000000000>; mov.b32 %r999999999, %r0; ret; }\n");
  assert_int_equal(func_named(&m, "k")->n_regs, 2);
  ptx_free(&m);
}

/* ---- reads and writes ---------------------------------------------------------------------------------- */

static void check_touches(const char *text, const char *reads, const char *writes) {
  char whole[1000], got[200] = "";
  snprintf(whole, sizeof whole, "%s%s%s\n}\n", HEAD ".global .texref t;\n.entry k {\n", REGS, text);
  struct ptx_module m = read_text(whole);
  const struct ptx_func *f = func_named(&m, "k");
  struct ptx_touched t;
  ptx_touches(f, &f->insts[0], &t);
  for (uint32_t i = 0; i < t.n_reads; i++)
    sprintf(got + strlen(got), "%s%s", i ? " " : "", f->regs[t.reads[i]].name);
  assert_string_equal(got, reads);
  got[0] = 0;
  for (uint32_t i = 0; i < t.n_writes; i++)
    sprintf(got + strlen(got), "%s%s", i ? " " : "", f->regs[t.writes[i]].name);
  assert_string_equal(got, writes);
  ptx_free(&m);
}

static void test_which_registers_are_read_and_written(void **state) {
  (void)state;
  check_touches("add.s32 %r1, %r2, %r3;", "%r2 %r3", "%r1");
  check_touches("add.s32 %r1, %r1, %r1;", "%r1", "%r1");
  check_touches("@%p1 mov.u32 %r1, 5;", "%p1", "%r1");
  check_touches("setp.lt.s32 %p1|%p2, %r1, 0;", "%r1", "%p1 %p2");
  check_touches("st.global.v2.u32 [%rd1+4], {%r1, %r2};", "%rd1 %r1 %r2", "");
  check_touches("ld.global.v2.u32 {%r1, %r2}, [%rd1];", "%rd1", "%r1 %r2");
  check_touches("bar.sync %r1, %r2;", "%r1 %r2", "");
  check_touches("bar.red.popc.u32 %r1, %r2, %p1;", "%r2 %p1", "%r1");
  check_touches("red.global.add.u32 [%rd1], %r1;", "%rd1 %r1", "");
  check_touches("atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "%rd1 %r2 %r3", "%r1");
  check_touches("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5, %f6}];", "%f5 %f6", "%f1 %f2 %f3 %f4");
  check_touches("mbarrier.init.shared.b64 [%r1], %r2;", "%r1 %r2", "");
  check_touches("mbarrier.arrive.shared.b64 %rd1, [%r1];", "%r1", "%rd1");
  check_touches("nanosleep.u32 %r1;", "%r1", "");
  check_touches("brx.idx %r1, T; T: .branchtargets L; L:", "%r1", "");
  check_touches("elect.sync _|%p1, %r1;", "%r1", "%p1");
  check_touches("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f1,%f2}, %r1;",
                "%rd1 %f1 %f2 %r1", "");
}

/* ---- whole files --------------------------------------------------------------------------------------- */

static void test_reads_what_the_compilers_wrote(void **state) {
  (void)state;
  static const struct {
    const char *file, *kernel;
  } files[] = {{"kernels.ptx", "vecadd"},
               {"calls.ptx", "_Z8virtualsPfi"},
               {"calls_lineinfo.ptx", "_Z6printsidPKc"},
               {"math.ptx", "_Z7doublesPdPKdi"},
               {"memory.ptx", "_Z6sharedPfPK6float4i"},
               {"control.ptx", "_Z5loopsPiii"},
               {"control_debug.ptx", "_Z8assemblyPiPf"},
               {"hopper.ptx", "_Z8barriersPKiPi"},
               {"clang.ptx", "kernel"},
               {"clang_debug.ptx", "kernel"},
               {"forms.ptx", "kernel"},
               {"modern.ptx", "k"},
               {"triton.ptx", "softmax_kernel"}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    struct ptx_module m = read_file(files[i].file);
    const struct ptx_func *f = func_named(&m, files[i].kernel);
    assert_true(f->is_entry && f->n_insts > 5 && f->n_blocks > 0 && f->regs_needed > 0);
    ptx_free(&m);
  }
}

static void test_the_reference_kernels_in_detail(void **state) {
  (void)state;
  struct ptx_module m = read_file("kernels.ptx");
  assert_int_equal(m.n_funcs, 4);
  const struct ptx_func *f = func_named(&m, "vecadd");
  assert_int_equal(f->n_insts, 22);
  assert_int_equal(f->n_blocks, 3);
  assert_int_equal(f->param_bytes, 28);
  assert_int_equal(f->reconverge[9], 21);
  assert_int_equal(f->regs_needed, 11);
  ptx_free(&m);
}

static void test_line_information_reaches_the_instructions(void **state) {
  (void)state;
  struct ptx_module m = read_file("calls_lineinfo.ptx");
  const struct ptx_func *f = func_named(&m, "_Z9recursionPi");
  assert_string_equal(m.files[f->insts[f->n_insts - 1].loc_file], "calls.cu");
  assert_true(f->insts[f->n_insts - 1].loc_line > 20);
  ptx_free(&m);
}

static void test_a_caller_needs_what_its_callees_need(void **state) {
  (void)state;
  struct str text = {0};
  str_add(&text, "%s", HEAD ".func wide { .reg .b32 %r<50>;\n");
  for (int i = 0; i < 50; i++) str_add(&text, "mov.u32 %%r%d, %d;\n", i, i);
  for (int i = 0; i < 50; i++) str_add(&text, "st.local.u32 [%d], %%r%d;\n", 4 * i, i);
  str_add(&text, "ret; }\n.func self { call self; call wide; ret; }\n.entry k { call self; ret; }\n"
                 ".func leaf { ret; }\n.entry q { call leaf; ret; }\n.entry alone { ret; }\n");
  struct ptx_module m = read_text(text.s);
  assert_int_equal(func_named(&m, "wide")->regs_needed, 51);
  assert_int_equal(func_named(&m, "self")->regs_needed, 51);
  assert_int_equal(func_named(&m, "k")->regs_needed, 51);
  assert_int_equal(func_named(&m, "leaf")->regs_needed, 1);
  assert_int_equal(func_named(&m, "q")->regs_needed, 24);
  assert_int_equal(func_named(&m, "alone")->regs_needed, 1);
  ptx_free(&m);
  str_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_version_target_and_address_size),
      cmocka_unit_test(test_address_size_is_32_when_not_given),
      cmocka_unit_test(test_skips_comments_and_preprocessor_lines),
      cmocka_unit_test(test_keeps_the_table_of_files),
      cmocka_unit_test(test_skips_debug_sections),
      cmocka_unit_test(test_linkage_of_variables_and_functions),
      cmocka_unit_test(test_an_extern_variable_may_be_defined_later),
      cmocka_unit_test(test_of_two_weak_variables_the_initialised_one_counts),
      cmocka_unit_test(test_a_variable_declared_in_bits_may_be_defined_with_a_type),
      cmocka_unit_test(test_of_weak_functions_the_first_body_counts),
      cmocka_unit_test(test_sizes_and_alignments_of_variables),
      cmocka_unit_test(test_texture_references_old_and_new),
      cmocka_unit_test(test_an_alias_is_replaced_by_what_it_stands_for),
      cmocka_unit_test(test_initialisers_of_integers_in_all_bases),
      cmocka_unit_test(test_initialisers_of_floats),
      cmocka_unit_test(test_nested_braces_leave_the_rest_zero),
      cmocka_unit_test(test_an_initialiser_gives_the_size_left_out),
      cmocka_unit_test(test_strings_fill_arrays_of_bytes),
      cmocka_unit_test(test_constant_expressions),
      cmocka_unit_test(test_addresses_in_initialisers_become_relocations),
      cmocka_unit_test(test_entry_parameters_are_laid_out_as_cuda_does),
      cmocka_unit_test(test_performance_directives),
      cmocka_unit_test(test_ctas_of_an_sm_before_ptx_2_1),
      cmocka_unit_test(test_a_declared_function_is_defined_later_in_its_place),
      cmocka_unit_test(test_parameters_in_registers_are_pinned),
      cmocka_unit_test(test_areas_of_a_function),
      cmocka_unit_test(test_line_numbers_of_instructions),
      cmocka_unit_test(test_types_modifiers_space_and_vector_are_distinguished),
      cmocka_unit_test(test_old_spellings_are_read),
      cmocka_unit_test(test_instructions_not_modelled_are_read_and_named_as_written),
      cmocka_unit_test(test_the_name_of_an_instruction_is_rebuilt),
      cmocka_unit_test(test_immediates_in_all_forms),
      cmocka_unit_test(test_registers_predicates_and_guards),
      cmocka_unit_test(test_special_registers_whole_and_by_component),
      cmocka_unit_test(test_addresses_in_all_forms),
      cmocka_unit_test(test_addresses_as_values),
      cmocka_unit_test(test_vectors_and_sinks),
      cmocka_unit_test(test_vector_registers_become_scalars),
      cmocka_unit_test(test_parts_of_registers_in_video_instructions),
      cmocka_unit_test(test_texture_operands),
      cmocka_unit_test(test_calls_in_all_forms_have_the_same_operands),
      cmocka_unit_test(test_prototypes_keep_sizes_and_alignments),
      cmocka_unit_test(test_branches_and_their_targets),
      cmocka_unit_test(test_inner_scopes_shadow_registers),
      cmocka_unit_test(test_labels_belong_to_their_scope),
      cmocka_unit_test(test_functions_do_not_see_each_others_names),
      cmocka_unit_test(test_registers_of_the_module_are_each_functions_own),
      cmocka_unit_test(test_local_variables_of_the_module_begin_every_kernels_frame),
      cmocka_unit_test(test_vectors_are_passed_as_their_elements),
      cmocka_unit_test(test_a_prototype_may_lack_its_semicolon),
      cmocka_unit_test(test_a_register_plus_a_number_is_added_first),
      cmocka_unit_test(test_a_huge_range_of_registers_costs_nothing),
      cmocka_unit_test(test_which_registers_are_read_and_written),
      cmocka_unit_test(test_reads_what_the_compilers_wrote),
      cmocka_unit_test(test_the_reference_kernels_in_detail),
      cmocka_unit_test(test_line_information_reaches_the_instructions),
      cmocka_unit_test(test_a_caller_needs_what_its_callees_need),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
