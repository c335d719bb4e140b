/* Wrong texts: each error with its exact place and words, the line and the caret; and bounds against hostile
 * ones. */
#include "ptx_test.h"

static void check_error(const char *text, unsigned line, unsigned col, const char *message) {
  struct ptx_module m;
  struct err e = {0};
  char wanted[600], got[2048];
  bool ok = read_bytes(&m, "t.ptx", text, strlen(text), &e);
  ptx_free(&m);
  if (ok) fail_msg("accepted: %s", text);
  assert_int_equal(e.kind, ERR_INPUT);
  snprintf(wanted, sizeof wanted, "t.ptx:%u:%u: error: %s", line, col, message);
  snprintf(got, sizeof got, "%.*s", (int)strcspn(e.text, "\n"), e.text);
  assert_string_equal(got, wanted);
}

/* In the body of a kernel; columns count in the body's own line. */
static void body_error(const char *body, unsigned col, const char *message) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s\n}\n",
           HEAD ".func none { ret; }\n.func (.param .b32 r) one (.param .b32 x) { ret; }\n"
                ".visible .entry k(.param .u64 a, .param .u32 n) {\n" REGS,
           body);
  check_error(text, 8, col, message);
}

/* A declaration in line 4. */
static void decl_error(const char *decl, unsigned col, const char *message) {
  char text[2000];
  snprintf(text, sizeof text, HEAD "%s\n", decl);
  check_error(text, 4, col, message);
}

/* ---- the form of a message ----------------------------------------------------------------------------- */

static void test_shows_file_line_column_text_and_caret(void **state) {
  (void)state;
  struct ptx_module m;
  struct err e = {0};
  const char *text = HEAD ".entry k {\n\t.reg .b32 %r<3>;\n\taddd.s32 \t%r1, %r2, 1;\n}\n";
  assert_false(read_bytes(&m, "dir/file.ptx", text, strlen(text), &e));
  ptx_free(&m);
  assert_string_equal(e.text, "dir/file.ptx:6:2: error: unknown opcode 'addd' (did you mean 'add'?)\n"
                              "\taddd.s32 \t%r1, %r2, 1;\n\t^");
}

static void test_a_caret_keeps_the_tabs_of_its_line(void **state) {
  (void)state;
  struct ptx_module m;
  struct err e = {0};
  const char *text = HEAD ".entry k {\n.reg .b32 %r<3>;\n\tadd.s32\t%r1, %r9, 1; // \xc3\xa4\n}\n";
  assert_false(read_bytes(&m, "f", text, strlen(text), &e));
  ptx_free(&m);
  assert_string_equal(e.text, "f:6:15: error: register '%r9' is not declared\n"
                              "\tadd.s32\t%r1, %r9, 1; // \xc3\xa4\n\t       \t     ^");
}

static void test_a_long_line_is_shown_in_part(void **state) {
  (void)state;
  struct ptx_module m;
  struct err e = {0};
  char text[5000] = HEAD;
  memset(text + strlen(text), ' ', 3000);
  strcpy(text + 3040, "?");
  assert_false(read_bytes(&m, "f", text, strlen(text), &e));
  ptx_free(&m);
  assert_true(strlen(e.text) < 400);
  assert_non_null(strstr(e.text, "\n..."));
  assert_int_equal(e.text[strlen(e.text) - 1], '^');
}

/* ---- words --------------------------------------------------------------------------------------------- */

static void test_characters_and_numbers(void **state) {
  (void)state;
  body_error("mov.u32 %r1, `;", 14, "unexpected character '`'");
  body_error("mov.u32 %r1, \x01;", 14, "unexpected character with code 1");
  body_error("mov.u32 %r1, 12ab;", 14, "malformed number: a letter or digit that does not belong to it");
  body_error("mov.u32 %r1, 08;", 14, "malformed number: a letter or digit that does not belong to it");
  body_error("mov.u32 %r1, 0x;", 14, "malformed number: a digit is missing");
  body_error("mov.u32 %r1, 0x11112222333344445;", 14, "malformed number: it does not fit in 64 bits");
  body_error("mov.f32 %f1, 0f3F8;", 14, "malformed number: 0f takes 8 hexadecimal digits");
  body_error("mov.f64 %fd1, 0d3F8000000;", 15, "malformed number: 0d takes 16 hexadecimal digits");
  body_error("mov.u32 %r1, 1 / 0;", 16, "division by zero in a constant expression");
  body_error("mov.u32 %r1, 1 + ;", 18, "expected a constant, found ';'");
  body_error("/* never closed", 1, "this comment is not closed");
  body_error(".pragma \"open;", 9, "this string is not closed");
  body_error("ld. global.u32 %r1, [%rd1];", 3, "a word must follow the dot");
}

static void test_unknown_words(void **state) {
  (void)state;
  body_error("addd.s32 %r1, %r2, %r3;", 1, "unknown opcode 'addd' (did you mean 'add'?)");
  body_error("frobnicate %r1;", 1, "unknown opcode 'frobnicate'");
  body_error("add.s33 %r1, %r2, %r3;", 4, "unknown modifier or type '.s33' of 'add' (did you mean 's32'?)");
  body_error("ld.globl.u32 %r1, [%rd1];", 3,
             "unknown modifier or type '.globl' of 'ld' (did you mean 'global'?)");
  body_error(".reg .b33 %x;", 6, "unknown type or directive '.b33' (did you mean 'b32'?)");
  body_error("add.s32.s32.s32.s32.s32 %r1, %r2, %r3;", 20, "more than 4 types");
  body_error("vadd.s32.s32.s32 %r1, %r2.q3, %r3;", 26, "unknown part '.q3' of a register");
}

static void test_names_that_are_not_declared(void **state) {
  (void)state;
  body_error("add.s32 %r1, %r99, 1;", 14, "register '%r99' is not declared");
  body_error("mov.u32 %r1, %r01;", 14, "register '%r01' is not declared");
  body_error("mov.u32 %r1, %tid.q;", 14, "register '%tid' is not declared");
  body_error("mov.u64 %rd1, thing;", 15, "name 'thing' is not declared");
  body_error("ld.global.u32 %r1, [thing+4];", 21, "variable 'thing' is not declared");
  body_error("@%p77 ret;", 2, "register '%p77' is not declared");
  body_error("bra NOWHERE;", 5, "label 'NOWHERE' is not declared in this function");
  body_error("{ IN: ret; } bra IN;", 18, "label 'IN' is not declared in this function");
  body_error("call thing;", 6, "function 'thing' is not declared");
  body_error("T: .branchtargets A, B; A: brx.idx %r1, T;", 22, "label 'B' is not declared in this function");
  body_error("T: .calltargets thing;", 17, "function 'thing' is not declared");
  decl_error(".global .u64 x = thing;", 18, "'thing' is not declared");
  decl_error(".func f; .alias f, g;", 20, "function 'g' is not declared");
}

static void test_a_label_of_another_function_is_out_of_reach(void **state) {
  (void)state;
  check_error(HEAD ".entry a { L: ret; }\n.entry b { bra L; }\n", 5, 16,
              "label 'L' is not declared in this function");
}

static void test_names_declared_twice(void **state) {
  (void)state;
  body_error(".reg .b32 x; .reg .f32 x;", 24, "'x' is declared twice");
  body_error(".reg .b32 %r5;", 11, "'%r5' is declared twice");
  body_error(".reg .b32 %r<5>;", 11, "'%r<..>' is declared twice");
  body_error(".local .b32 n;", 13, "'n' is declared twice");
  body_error("L: ret; L: ret;", 9, "label 'L' is declared twice");
  decl_error(".global .u32 x; .global .u32 x;", 30, "'x' is declared twice");
  decl_error(".global .u32 x; .func x { ret; }", 23, "'x' is already a variable");
  decl_error(".func f { ret; } .func f { ret; }", 24, "function 'f' is defined twice, first in line 4");
  decl_error(".func f (.param .b32 a); .func f (.param .b64 a) { ret; }", 32,
             "'f' was declared with other parameters in line 4");
  decl_error(".extern .global .u32 x; .global .u64 x;", 38, "'x' was declared as .global .u32 in line 4");
  decl_error(".entry k(.param .u32 a, .param .u32 a) { ret; }", 37, "'a' is declared twice");
}

/* ---- operands ------------------------------------------------------------------------------------------ */

static void test_the_number_of_operands(void **state) {
  (void)state;
  body_error("add.s32 %r1, %r2;", 1, "'add' takes 3 operands, found 2");
  body_error("  ret %r1;", 3, "'ret' takes 0 operands, found 1");
  body_error("setp.eq.s32 %p1, %r1, %r2, %p2, %p3;", 1, "'setp' takes 3 to 4 operands, found 5");
  body_error("bra;", 1, "'bra' takes 1 operand, found 0");
  body_error("add.s32 %r1, %r2,;", 18, "expected an operand, found ';'");
  body_error("add.s32 %r1 %r2;", 13, "expected ',' or ';', found '%r2'");
  body_error("call;", 1, "a call needs a function to call");
  body_error("call none, (), (), none;", 1, "a call has at most results, function, arguments and prototype");
}

static void test_types_of_registers(void **state) {
  (void)state;
  body_error("add.s32 %r1, %rd2, %r3;", 14, "register '%rd2' has type .b64, but add.s32 takes .s32 here");
  body_error("add.s32 %f1, %r2, %r3;", 9, "register '%f1' has type .f32, but add.s32 takes .s32 here");
  body_error("add.s32 %r1, %p2, %r3;", 14, "register '%p2' has type .pred, but add.s32 takes .s32 here");
  body_error("selp.b32 %r1, %r2, %r3, %r4;", 25,
             "register '%r4' has type .b32, but selp.b32 takes .pred here");
  body_error("mul.wide.s32 %r1, %r2, %r3;", 14,
             "register '%r1' has type .b32, but mul.wide.s32 takes .s64 here");
  body_error("shl.b64 %rd1, %rd2, %rd3;", 21, "register '%rd3' has type .b64, but shl.b64 takes .u32 here");
  body_error("ld.global.u32 %rs1, [%rd1];", 15,
             "register '%rs1' has type .b16, but ld.global.u32 takes .u32 here or wider");
  body_error("cvt.u32.u64 %r1, %r2;", 18,
             "register '%r2' has type .b32, but cvt.u32.u64 takes .u64 here or wider");
  body_error("ld.global.v2.u32 {%r1, %rs2}, [%rd1];", 24,
             "register '%rs2' has type .b16, but ld.global.v2.u32 takes .u32 here or wider");
  body_error("@%r1 ret;", 2, "'%r1' is not a predicate");
  body_error("setp.eq.and.s32 %p1, %r1, 0, !%r2;", 30, "'!' takes a predicate, and '%r2' is not one");
  body_error("mov.b64 {%r1, %rs2}, %rd1;", 9, "the parts have 48 bits together, but .b64 has 64");
  body_error("ld.global.u32 %r1, [%f1];", 21, "register '%f1' of type .f32 cannot hold an address");
}

static void test_kinds_of_operands(void **state) {
  (void)state;
  body_error("add.f32 %f1, %f2, 1;", 19, "an integer where .f32 is needed; write for instance 1.0");
  body_error("add.s32 %r1, %r2, 1.5;", 19, "a floating-point number where .s32 is needed");
  body_error("mov.b32 %r1, 1.5;", 14, "a floating-point number where .b32 is needed");
  body_error("add.s32 5, %r2, 1;", 9, "the result must go to a register");
  body_error("add.s32 %r1, _, 1;", 14, "'_' cannot be read");
  body_error("add.s32 %r1, -%r2, 1;", 14, "'-' before a register is for vmad only");
  body_error("ld.global.u32 %r1, %rd1;", 20, "expected an address in brackets");
  body_error("ld.global.u32 %r1, [{%r1}];", 26,
             "an address is a register, a variable or a number, with an offset");
  body_error("ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];", 18, "3 elements where the instruction has 2");
  body_error("ld.global.u32 %r1, [n];", 21, "'n' is a .param variable, not .global");
  body_error("setp.eq.s32 %p1|5, %r1, 0;", 17, "expected a register after '|'");
  body_error("ld.global.u32 %r1, [%rd1;", 25, "expected ']', found ';'");
  body_error("bra %r1;", 5, "'%r1' is a register, not a label");
}

static void test_calls_are_checked_against_the_function(void **state) {
  (void)state;
  body_error("call none, (%r1);", 1, "the call has 1 argument, the function 0");
  body_error("call one, (%r1);", 1, "the call has 0 results, the function 1");
  body_error(".param .b64 x; call (%r1), one, (x);", 34,
             "'x' has 8 bytes, but the function's argument 0 has 4");
  body_error("P: .callprototype _ (.param .b32 _); call %rd1, (), P;", 38,
             "the call has 0 arguments, the function 1");
  body_error("L: call %rd1, (), L;", 19, "'L' is neither a function nor a prototype");
  body_error("L: brx.idx %r1, L;", 17, "'L' is not a list of .branchtargets");
  body_error("P: .callprototype _ (); bra P;", 29, "'P' is not a label of code");
}

/* ---- structure ----------------------------------------------------------------------------------------- */

static void test_the_head_of_the_text(void **state) {
  (void)state;
  check_error("", 1, 1, "this is not PTX: .version is missing");
  check_error("hello", 1, 1, "expected a directive, found 'hello'");
  check_error("\x7f"
              "ELF",
              1, 1, "unexpected character with code 127");
  check_error(".target sm_75\n.entry k {}", 2, 1, "the text must begin with .version");
  check_error(".version 8.5\n.entry k {}", 2, 1, ".target must come before declarations");
  check_error(".version 8\n", 1, 10, "expected a version such as 8.5, found '8'");
  check_error(".version 0.5\n", 1, 10, "PTX version 0.5 is not known; 1.4 to 9.0 are");
  check_error(".version 8.5 .target gfx900\n", 1, 22, "unknown target 'gfx900'; expected one such as sm_75");
  check_error(".version 8.5 .target sm_75 .address_size 48\n", 1, 42, "expected 32 or 64, found '48'");
}

static void test_functions_without_their_parts(void **state) {
  (void)state;
  decl_error(".entry k (.param .u32 a);", 8, "kernel 'k' has no body");
  decl_error(".extern .func f { ret; }", 15, "an .extern function cannot have a body");
  decl_error(".entry { ret; }", 8, "expected the name of the function, found '{'");
  decl_error(".entry k ret;", 10, "expected '{' or ';', found 'ret'");
  decl_error(".entry k .strange 5 { }", 10, "unknown directive '.strange' of a function");
  decl_error(".entry k (.global .u32 a) { }", 11, "a parameter is .param or .reg");
  check_error(HEAD ".entry k { ret;\n", 5, 1, "expected '}', found the end of the text");
  check_error(HEAD ".entry k { ret; } }\n", 4, 19, "expected a directive, found '}'");
}

static void test_declarations(void **state) {
  (void)state;
  decl_error(".global x;", 9, "expected a type, for instance .u32, found 'x'");
  decl_error(".visible .u32 x;", 10, "a declaration needs a state space, for instance .global");
  decl_error(".global .shared .u32 x;", 9, "a declaration has one state space");
  decl_error(".global .u32 .f32 x;", 14, "a declaration has one type");
  decl_error(".global .pred x;", 1, "a variable cannot have type .pred");
  decl_error(".global .align 3 .u32 x;", 16, "an alignment must be a power of two");
  decl_error(".global .v4 .f64 x;", 1, "a vector has at most 128 bits");
  decl_error(".reg .u32 x;", 1, ".reg variables belong inside a function");
  decl_error(".local .u32 x;", 1, ".local variables belong inside a function");
  decl_error(".global .u32 x[];", 14, "the size of 'x' is missing");
  decl_error(".global .u32 x[2][];", 19, "only the first array bound may be left out");
  decl_error(".global .u32 x[-1];", 16, "an array bound is a number, without a sign or an operator");
  decl_error(".shared .u32 x = 5;", 16, "only a defined .global or .const variable may be initialised");
  check_error(HEAD ".global .u32 x", 4, 15, "expected ';', found the end of the text");
}

static void test_initialisers(void **state) {
  (void)state;
  decl_error(".global .u32 x[2] = {1, 2, 3};", 28, "more values than the variable holds");
  decl_error(".global .u32 x[2] = {{1}};", 22, "more braces than the variable has dimensions");
  decl_error(".global .u32 x[2] = 1;", 21, "expected '{', found '1'");
  decl_error(".global .u32 x = 1.5;", 18, "a variable of type .u32 takes integers");
  decl_error(".global .f16 x = 1.5;", 18, "write values of type .f16 as integers holding their bits");
  decl_error(".global .u16 x = y;", 18,
             "an address does not fit in a variable of type .u16; use a mask such as 0xff(name)");
  decl_error(".global .u8 x[2] = \"abc\";", 20, "the string is longer than the array");
  decl_error(".global .u8 x = 0(y);", 17, "a mask must be an integer other than 0");
}

/* ---- hostile texts ------------------------------------------------------------------------------------- */

/* `head`, then `unit` n times, then `tail`; must fail with a message or be read, within bounds. */
static bool read_repeated(const char *head, const char *unit, size_t n, const char *tail, struct err *e) {
  size_t len = strlen(unit), at = strlen(head);
  char *text = malloc(at + n * len + strlen(tail) + 1);
  strcpy(text, head);
  for (size_t i = 0; i < n; i++, at += len) memcpy(text + at, unit, len);
  strcpy(text + at, tail);
  struct ptx_module m;
  bool ok = read_bytes(&m, "t.ptx", text, strlen(text), e);
  ptx_free(&m);
  free(text);
  return ok;
}

static void check_refused(const char *head, const char *unit, size_t n, const char *tail,
                          const char *message) {
  struct err e = {0};
  assert_false(read_repeated(head, unit, n, tail, &e));
  if (!strstr(e.text, message)) fail_msg("%s", e.text);
}

static void test_nesting_is_bounded(void **state) {
  (void)state;
  check_refused(HEAD ".entry k {", "{", 100000, "", "braces nested more than 64 deep");
  check_refused(HEAD ".global .u32 x = ", "(", 100000, "1", "expression nested more than 64 deep");
  check_refused(HEAD ".global .u32 x = ", "-", 100000, "1", "expression nested more than 64 deep");
  check_refused(HEAD ".global .u32 x = ", "1?", 100000, "1", "expression nested more than 64 deep");
  check_refused(HEAD ".global .u32 x[2] = ", "{", 100000, "1", "more braces than the variable has dimensions");
  check_refused(HEAD ".global .u32 x", "[1]", 100000, ";", "at most 8 dimensions");
  check_refused(HEAD ".entry k { .reg .b32 x; ld.u32 x, ", "[", 100000, "", "operands nested too deep");
  check_refused(HEAD ".entry k { .reg .b32 x; mov.u32 x, ", "{", 100000, "", "operands nested too deep");
  check_refused(HEAD ".entry k { call ", "(", 100000, "", "operands nested too deep");
}

static void test_sizes_are_bounded(void **state) {
  (void)state;
  decl_error(".global .b8 x[1099511627777];", 15, "an array bound must be between 0 and 1099511627776");
  decl_error(".global .b8 x[1099511627776][2];", 13, "a variable of more than 1 TiB");
  decl_error(".global .b8 x[][1099511627776][4] = {1};", 13, "a variable of more than 1 TiB");
  decl_error(".global .b8 x[1099511627776] = {1};", 35, "more than 1 GiB of initialised variables");
  decl_error(".global .b8 x<2000000>;", 13, "more than 1048576 variables");
  decl_error(".file 70000 \"x\"", 7, "a file number must be between 0 and 65536");
  body_error(".local .b8 x[1099511627776], y[1099511627776];", 30,
             "the variables of this function need more than 1 TiB");
  check_refused(HEAD ".entry k { .reg .b32 a; mov.b32 a, {", "a,", 300, "a};",
                "more than 256 elements in one instruction");
  check_refused(HEAD ".entry k { .reg .b32 a; add.s32 a", ", a", 300, ";", "more than 16 operands");
  check_refused(HEAD ".entry k { ld", ".nc", 20, ".u32", "more than 14 modifiers");
  check_refused(HEAD ".global .u32 ", "xxxxxxxxxx", 500, ";", "a name of more than 4096 characters");
}

static void test_every_cut_of_a_text_is_refused_or_read(void **state) {
  (void)state;
  size_t n;
  char *text = load_file("forms.ptx", &n);
  for (size_t cut = 0; cut < n; cut += 3) {
    struct ptx_module m;
    struct err e = {0};
    if (!read_bytes(&m, "t.ptx", text, cut, &e)) assert_int_equal(e.kind, ERR_INPUT);
    ptx_free(&m);
  }
  free(text);
}

static void test_a_register_of_the_module_is_not_handed_between_functions(void **state) {
  (void)state;
  const char *head = ".version 2.3\n.target sm_20\n.address_size 64\n.reg .u32 r<4>;\n";
  const char *bodies[] = {".func f { add.u32 r1, r1, 1; ret; }\n", ".func f { mov.u32 r1, 1; ret; } .entry k { mov.u32 r1, 2; exit; }\n"};
  const unsigned cols[] = {19, 52};
  for (int i = 0; i < 2; i++) {
    char text[300];
    snprintf(text, sizeof text, "%s%s", head, bodies[i]);
    check_error(text, 5, cols[i],
                "register 'r1' of the module carries a value into or out of function 'f', which is not supported");
  }
}

static void test_a_local_variable_of_the_module_belongs_to_kernels(void **state) {
  (void)state;
  check_error(".version 2.3\n.target sm_20\n.local .u32 a;\n.func f { st.local.u32 [a], 1; ret; }\n", 4, 25,
              "local variable 'a' of the module in a function that is called is not supported");
}

static void test_a_sum_wants_an_integer_register(void **state) {
  (void)state;
  body_error("st.global.f32 [%rd1], %f1 + 4;", 27,
             "a number can only be added to a register of 16, 32 or 64 bits that holds an integer");
  body_error("mov.u32 %r1 + 4, %r2;", 13, "expected ',' or ';', found '+'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shows_file_line_column_text_and_caret),
      cmocka_unit_test(test_a_caret_keeps_the_tabs_of_its_line),
      cmocka_unit_test(test_a_long_line_is_shown_in_part),
      cmocka_unit_test(test_characters_and_numbers),
      cmocka_unit_test(test_unknown_words),
      cmocka_unit_test(test_names_that_are_not_declared),
      cmocka_unit_test(test_a_label_of_another_function_is_out_of_reach),
      cmocka_unit_test(test_names_declared_twice),
      cmocka_unit_test(test_the_number_of_operands),
      cmocka_unit_test(test_types_of_registers),
      cmocka_unit_test(test_kinds_of_operands),
      cmocka_unit_test(test_calls_are_checked_against_the_function),
      cmocka_unit_test(test_the_head_of_the_text),
      cmocka_unit_test(test_functions_without_their_parts),
      cmocka_unit_test(test_declarations),
      cmocka_unit_test(test_initialisers),
      cmocka_unit_test(test_nesting_is_bounded),
      cmocka_unit_test(test_sizes_are_bounded),
      cmocka_unit_test(test_every_cut_of_a_text_is_refused_or_read),
      cmocka_unit_test(test_a_register_of_the_module_is_not_handed_between_functions),
      cmocka_unit_test(test_a_local_variable_of_the_module_belongs_to_kernels),
      cmocka_unit_test(test_a_sum_wants_an_integer_register),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
