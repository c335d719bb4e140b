/* Blocks, edges and immediate post-dominators, the latter against a slow and obvious definition on random
 * graphs. */
#include "base/rng.h"
#include "ptx_test.h"

enum { MAX_BLOCKS = 64 };

/* ---- small graphs by hand ------------------------------------------------------------------------------ */

static void check_block(const struct ptx_func *f, uint32_t b, uint32_t first, uint32_t end, int32_t ipdom) {
  assert_int_equal(f->blocks[b].first, first);
  assert_int_equal(f->blocks[b].end, end);
  assert_int_equal(f->blocks[b].ipdom, ipdom);
  for (uint32_t i = first; i < end; i++) {
    assert_int_equal(f->block_of[i], b);
    uint32_t meets = ipdom < 0 ? PTX_NO_RECONVERGE : f->blocks[ipdom].first;
    assert_int_equal(f->reconverge[i], meets);
  }
}

static void test_both_sides_of_a_branch_meet_behind_it(void **state) {
  (void)state;
  struct ptx_module m = read_text(
      KERNEL("mov.u32 %r1, 0; @%p1 bra ELSE; mov.u32 %r1, 1; bra END; ELSE: mov.u32 %r1, 2; END: ret;"));
  const struct ptx_func *f = func_named(&m, "k");
  assert_int_equal(f->n_blocks, 4);
  check_block(f, 0, 0, 2, 3);
  check_block(f, 1, 2, 4, 3);
  check_block(f, 2, 4, 5, 3);
  check_block(f, 3, 5, 6, -1);
  assert_int_equal(f->blocks[0].n_succ, 2);
  assert_int_equal(f->blocks[0].succ[0], 1);
  assert_int_equal(f->blocks[0].succ[1], 2);
  assert_int_equal(f->blocks[3].n_succ, 0);
  ptx_free(&m);
}

static void test_labels_nobody_branches_to_do_not_end_a_block(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(KERNEL("mov.u32 %r1, 0; $L__tmp0: mov.u32 %r1, 1; bar.sync 0; $L__tmp1: ret;"));
  assert_int_equal(func_named(&m, "k")->n_blocks, 1);
  ptx_free(&m);
}

static void test_a_guarded_exit_goes_on(void **state) {
  (void)state;
  struct ptx_module m = read_text(KERNEL("@%p1 exit; @%p1 ret; @%p1 trap; mov.u32 %r1, 1;"));
  const struct ptx_func *f = func_named(&m, "k");
  assert_int_equal(f->n_blocks, 4);
  for (uint32_t b = 0; b < 3; b++) {
    assert_int_equal(f->blocks[b].n_succ, 1);
    assert_int_equal(f->blocks[b].succ[0], b + 1);
    assert_int_equal(f->blocks[b].ipdom, -1);
  }
  ptx_free(&m);
}

static void test_a_loop_meets_at_its_exit(void **state) {
  (void)state;
  struct ptx_module m = read_text(KERNEL("mov.u32 %r1, 0; LOOP: add.s32 %r1, %r1, 1; @%p1 bra LOOP; ret;"));
  const struct ptx_func *f = func_named(&m, "k");
  check_block(f, 1, 1, 3, 2);
  assert_int_equal(f->blocks[1].succ[0], 2);
  assert_int_equal(f->blocks[1].succ[1], 1);
  ptx_free(&m);
}

static void test_a_jump_table_has_each_target_once(void **state) {
  (void)state;
  struct ptx_module m =
      read_text(KERNEL("T: .branchtargets A, B, A, E; brx.idx %r1, T; A: mov.u32 %r1, 1; B: ret; E:"));
  const struct ptx_func *f = func_named(&m, "k");
  assert_int_equal(f->n_blocks, 3);
  assert_int_equal(f->blocks[0].n_succ, 2);
  assert_int_equal(f->blocks[0].ipdom, -1);
  assert_int_equal(f->blocks[1].ipdom, 2);
  ptx_free(&m);
}

static void test_an_endless_loop_has_a_graph_too(void **state) {
  (void)state;
  struct ptx_module m = read_text(KERNEL("L: @%p1 bra M; bra L; M: bra L;"));
  const struct ptx_func *f = func_named(&m, "k");
  assert_int_equal(f->n_blocks, 3);
  assert_int_equal(f->blocks[0].ipdom, 2);
  ptx_free(&m);
}

static void test_an_empty_body_has_no_blocks(void **state) {
  (void)state;
  struct ptx_module m = read_text(HEAD ".entry k { L: }\n");
  assert_int_equal(func_named(&m, "k")->n_blocks, 0);
  ptx_free(&m);
}

/* ---- the oracle ---------------------------------------------------------------------------------------- */

struct graph {
  uint32_t n;
  bool edge[MAX_BLOCKS][MAX_BLOCKS];
  bool out[MAX_BLOCKS]; /* leads to the exit */
};

/* Whether the exit can be reached from b without entering `without` (MAX_BLOCKS: nothing is forbidden). */
static bool reaches_exit(const struct graph *g, uint32_t b, uint32_t without) {
  bool seen[MAX_BLOCKS] = {false};
  uint32_t stack[MAX_BLOCKS], n = 0;
  if (b == without) return false;
  seen[b] = true;
  stack[n++] = b;
  while (n) {
    uint32_t at = stack[--n];
    if (g->out[at]) return true;
    for (uint32_t to = 0; to < g->n; to++)
      if (g->edge[at][to] && !seen[to] && to != without) {
        seen[to] = true;
        stack[n++] = to;
      }
  }
  return false;
}

/* As ptx_cfg.c says: the last block that cannot reach the exit gets an edge to it, until all can. */
static void open_endless_loops(struct graph *g) {
  for (uint32_t b = g->n; b-- > 0;)
    if (!reaches_exit(g, b, MAX_BLOCKS)) g->out[b] = true;
}

static bool post_dominates(const struct graph *g, uint32_t d, uint32_t b) {
  return d == b || !reaches_exit(g, b, d);
}

/* The post-dominator of b that all its other post-dominators post-dominate. */
static int32_t slow_ipdom(const struct graph *g, uint32_t b) {
  for (uint32_t d = 0; d < g->n; d++) {
    if (d == b || !post_dominates(g, d, b)) continue;
    bool nearest = true;
    for (uint32_t o = 0; o < g->n; o++)
      if (o != b && o != d && post_dominates(g, o, b) && !post_dominates(g, o, d)) nearest = false;
    if (nearest) return (int32_t)d;
  }
  return -1;
}

static void graph_of(const struct ptx_func *f, struct graph *g) {
  memset(g, 0, sizeof *g);
  g->n = f->n_blocks;
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    const struct ptx_inst *last = &f->insts[f->blocks[b].end - 1];
    for (uint32_t i = 0; i < f->blocks[b].n_succ; i++) g->edge[b][f->blocks[b].succ[i]] = true;
    bool ends = last->op == PTX_OP_ret || last->op == PTX_OP_exit;
    bool jumps = last->op == PTX_OP_bra || last->op == PTX_OP_brx;
    bool to_end = last->op == PTX_OP_bra && (uint32_t)last->ops[0].sym == f->n_insts;
    bool falls = f->blocks[b].end == f->n_insts && (last->guarded || (!ends && !jumps));
    g->out[b] = ends || to_end || falls;
  }
}

/* A kernel of n labelled instructions, most of them branches. */
static void random_kernel(struct rng *r, struct str *text, uint32_t n) {
  str_add(text, "%s", HEAD ".entry k {\n" REGS);
  uint32_t tables = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t to = (uint32_t)rng_below(r, n + 1), other = (uint32_t)rng_below(r, n);
    str_add(text, "L%u: ", i);
    switch (rng_below(r, 10)) {
    case 0:
    case 1:
    case 2:
    case 3: str_add(text, "@%%p1 bra L%u;\n", to); break;
    case 4: str_add(text, "bra L%u;\n", to); break;
    case 5: str_add(text, "@%%p1 ret;\n"); break;
    case 6: str_add(text, rng_below(r, 3) ? "mov.u32 %%r1, 1;\n" : "exit;\n"); break;
    case 7:
      str_add(text, "T%u: .branchtargets L%u, L%u; brx.idx %%r1, T%u;\n", tables, to % n, other, tables);
      tables++;
      break;
    default: str_add(text, "add.s32 %%r1, %%r1, 1;\n");
    }
  }
  str_add(text, "L%u:\n}\n", n);
}

static void test_post_dominators_match_their_definition_on_random_graphs(void **state) {
  (void)state;
  struct rng r = {12345};
  struct graph g;
  for (int round = 0; round < 1500; round++) {
    struct str text = {0};
    random_kernel(&r, &text, (uint32_t)rng_below(&r, 28) + 1);
    struct ptx_module m = read_text(text.s);
    const struct ptx_func *f = func_named(&m, "k");
    graph_of(f, &g);
    open_endless_loops(&g);
    for (uint32_t b = 0; b < f->n_blocks; b++)
      if (f->blocks[b].ipdom != slow_ipdom(&g, b)) fail_msg("block %u of\n%s", b, text.s);
    ptx_free(&m);
    str_free(&text);
  }
}

static void test_blocks_partition_the_code(void **state) {
  (void)state;
  struct ptx_module m = read_file("math.ptx");
  for (uint32_t i = 0; i < m.n_funcs; i++) {
    const struct ptx_func *f = &m.funcs[i];
    uint32_t at = 0;
    for (uint32_t b = 0; b < f->n_blocks; b++) {
      assert_int_equal(f->blocks[b].first, at);
      assert_true(f->blocks[b].end > at);
      at = f->blocks[b].end;
      assert_true(f->blocks[b].ipdom >= -1 && f->blocks[b].ipdom < (int32_t)f->n_blocks);
    }
    assert_int_equal(at, f->n_insts);
  }
  ptx_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_both_sides_of_a_branch_meet_behind_it),
      cmocka_unit_test(test_labels_nobody_branches_to_do_not_end_a_block),
      cmocka_unit_test(test_a_guarded_exit_goes_on),
      cmocka_unit_test(test_a_loop_meets_at_its_exit),
      cmocka_unit_test(test_a_jump_table_has_each_target_once),
      cmocka_unit_test(test_an_endless_loop_has_a_graph_too),
      cmocka_unit_test(test_an_empty_body_has_no_blocks),
      cmocka_unit_test(test_post_dominators_match_their_definition_on_random_graphs),
      cmocka_unit_test(test_blocks_partition_the_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
