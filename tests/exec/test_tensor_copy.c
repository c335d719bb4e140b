/* cp.async.bulk.tensor against a slow model that walks the box element by element. The map is written by the test itself; that
 * cuTensorMapEncodeTiled makes such maps is tested in tests/cuda. */
#include "kernel_kit.h"

#include "exec/memory/tensor_map.h"

#include <stdio.h>
#include <string.h>

enum { TENSOR_BYTES = 3072, MAP_AT = 3072, OUT_MAP_AT = 3328, TILE = 4096, OUT_AT = 4096 };

struct copy {
  uint8_t rank, swizzle;
  bool nan_fill;
  uint32_t dims[5];
  uint64_t strides[5];
  uint16_t box[5];
  uint8_t steps[5];
  int at[5];
  uint8_t interleave; /* bytes that the first dimension counts; of the last dimension but one there is one place then */
};

static const struct copy COPIES[] = {
    {1, 0, false, {40}, {4}, {32}, {1}, {-4}, 0},
    {2, 3, false, {20, 10}, {4, 96}, {16, 6}, {1, 1}, {8, -2}, 0},
    {2, 7, false, {32, 9}, {4, 128}, {32, 8}, {1, 1}, {0, 3}, 0},
    {2, 1, true, {20, 9}, {4, 80}, {8, 12}, {1, 1}, {16, 0}, 0},
    {3, 0, true, {16, 4, 3}, {4, 64, 256}, {8, 2, 2}, {1, 2, 1}, {4, 1, -1}, 0},
    {4, 3, false, {16, 3, 2, 2}, {4, 64, 256, 1024}, {16, 3, 2, 2}, {1, 1, 1, 1}, {0, 1, 1, 0}, 0},
    {5, 0, false, {8, 2, 2, 2, 3}, {4, 32, 64, 128, 256}, {4, 2, 2, 1, 2}, {1, 1, 1, 1, 1}, {4, 0, 1, 1, 1}, 0},
    {3, 0, false, {16, 8, 4}, {4, 32, 256}, {8, 4, 2}, {1, 1, 1}, {8, 1, 1}, 16},
    {4, 0, false, {8, 8, 4, 4}, {4, 16, 128, 512}, {8, 4, 2, 2}, {1, 1, 1, 1}, {0, 6, 3, 3}, 16},
    {3, 1, false, {16, 8, 4}, {4, 32, 256}, {8, 4, 2}, {1, 1, 1}, {1, 0, 0}, 32},
    {3, 7, false, {32, 8, 4}, {4, 64, 512}, {16, 4, 2}, {1, 1, 1}, {8, 0, 0}, 16},
};
enum { FIRST_INTERLEAVED = 7, CHUNK = 16 };
/* What an H200 gave for these: which 16 bytes of the tensor each 16 bytes of the tile are; -1: zeros. */
static const int16_t RECORDED[][64] = {
    {26, 27, 28, 29, 30, 31, 32, 33, 42, 43, 44, 45, 46, 47, 48, 49},
    {126, 127, 128, 129, 130, 131, 132, 133, 127, 128, 129, 130, 131, 132, 133, 134, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
     -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
     -1, -1, -1, -1},
    {2, 3, 4, 5, 6, 7, 8, 9, 11, 10, 13, 12, 15, 14, 17, 16, 18, 19, 20, 21, 22, 23, 24, 25, 27, 26, 29, 28, 31, 30, 33, 32},
    {8, 9, 10, 11, 12, 13, 14, 15, 17, 16, 19, 18, 21, 20, 23, 22, 42, 43, 40, 41, 46, 47, 44, 45, 51, 50, 49, 48, 55, 54, 53, 52},
};
enum { N_COPIES = sizeof COPIES / sizeof COPIES[0] };

static void write_map(const struct copy *c, uint64_t tensor, void *to) {
  struct exec_tensor_map m = {
      .address = tensor, .mark = EXEC_TENSOR_MAP_MARK, .rank = c->rank, .swizzle = c->swizzle, .nan_fill = c->nan_fill,
      .interleave = c->interleave};
  for (unsigned i = 0; i < c->rank; i++) {
    m.last[i] = c->dims[i] - 1;
    m.strides[i] = c->strides[i];
    m.box[i] = c->box[i];
    m.steps[i] = c->steps[i];
  }
  memcpy(to, &m, sizeof m);
}

static unsigned box_of(const struct copy *c, unsigned i) { return c->interleave && i + 2 == c->rank ? 1 : c->box[i]; }
static unsigned words_of(const struct copy *c) { return c->interleave ? c->interleave / 4u : 1; }

static unsigned elements(const struct copy *c) {
  unsigned n = words_of(c);
  for (unsigned i = 0; i < c->rank; i++) n *= box_of(c, i);
  return n;
}

/* Where element `e` of the box is in the tensor, in bytes; -1: nowhere. */
static long place(const struct copy *c, unsigned e) {
  long at = 4 * (long)(e % words_of(c));
  e /= words_of(c);
  for (unsigned i = 0; i < c->rank; e /= box_of(c, i), i++) {
    long x = c->at[i] + (long)(e % box_of(c, i)) * c->steps[i];
    if (x < 0 || x >= (long)c->dims[i]) return -1;
    at += x * (long)(i || !c->interleave ? c->strides[i] : c->interleave);
  }
  return at;
}

static unsigned swizzled(const struct copy *c, unsigned byte) { return byte ^ (byte >> 7 & c->swizzle) << 4; }

/* Thread 0 copies the box to `tile` and from there to a tensor like it behind OUT_AT; all of them show the tile. */
static void run(struct kit *k, const struct copy *c) {
  char at[128] = "";
  for (unsigned i = 0; i < c->rank; i++) sprintf(at + strlen(at), "%s%%r%u", i ? ", " : "", 20 + i);
  char coords[256] = "";
  for (unsigned i = 0; i < c->rank; i++) sprintf(coords + strlen(coords), "mov.s32 %%r%u, %d; ", 20 + i, c->at[i]);
  k->outside = ".shared .align 1024 .b8 tile[4096];";
  kit_run(k, 32,
          kit_text("%s add.s64 %%rd30, %%rd1, %u; add.s64 %%rd31, %%rd1, %u;\n"
                   "mov.u32 %%r10, tile; shl.b32 %%r11, %%r1, 2; add.u32 %%r12, %%r10, %%r11; cvt.u64.u32 %%rd20, %%r11;\n"
                   "add.s64 %%rd20, %%rd20, %%rd2; setp.ne.u32 %%p1, %%r1, 0; mov.u32 %%r13, 0; mov.b32 %%r14, 0xeeeeeeee;\n"
                   "FILL: add.u32 %%r15, %%r12, %%r13; st.shared.b32 [%%r15], %%r14; add.u32 %%r13, %%r13, 128;\n"
                   "setp.lt.u32 %%p2, %%r13, 4096; @%%p2 bra FILL; bar.sync 0; @%%p1 bra MEET;\n"
                   "mbarrier.init.shared.b64 [sm], 1; mbarrier.arrive.expect_tx.shared.b64 %%rd21, [sm], %u;\n"
                   "cp.async.bulk.prefetch.tensor.%ud.L2.global [%%rd30, {%s}];\n"
                   "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%r10], [%%rd30, {%s}], [sm];\n"
                   "WAIT: mbarrier.try_wait.parity.shared.b64 %%p3, [sm], 0; @!%%p3 bra WAIT;\n"
                   "cp.async.bulk.tensor.%ud.global.shared::cta.bulk_group [%%rd31, {%s}], [%%r10];\nMEET: bar.sync 0; mov.u32 %%r13, 0;\n"
                   "SHOW: add.u32 %%r15, %%r12, %%r13; ld.shared.b32 %%r14, [%%r15]; st.global.b32 [%%rd20], %%r14;\n"
                   "add.s64 %%rd20, %%rd20, 128; add.u32 %%r13, %%r13, 128; setp.lt.u32 %%p2, %%r13, 4096; @%%p2 bra SHOW;",
                   coords, (unsigned)MAP_AT, (unsigned)OUT_MAP_AT, elements(c) * 4, c->rank, at, c->rank, at, c->rank, at));
}

static void check(struct kit *k, const struct copy *c) {
  unsigned char tile[TILE], tensor[TENSOR_BYTES] = {0};
  const unsigned char *in = kit_in(k), *out = kit_out(k);
  uint32_t outside = c->nan_fill ? 0x7ff77ff7 : 0;
  memset(tile, 0xee, sizeof tile);
  for (unsigned e = 0; e < elements(c); e++) {
    long at = place(c, e);
    memcpy(tile + swizzled(c, 4 * e), at < 0 ? (const void *)&outside : in + at, 4);
    if (at >= 0) memcpy(tensor + at, in + at, 4);
  }
  assert_memory_equal(out, tile, TILE);
  assert_memory_equal(out + OUT_AT, tensor, TENSOR_BYTES);
}

static void test_copies_boxes_of_every_rank_both_ways(void **state) {
  struct kit *k = *state;
  unsigned char *in = kit_in(k);
  for (unsigned i = 0; i < TENSOR_BYTES; i++) in[i] = (unsigned char)(i * 151 + (i >> 8) + 1);
  for (unsigned i = 0; i < N_COPIES; i++) {
    memset(kit_out(k), 0, KIT_OUT_BYTES);
    write_map(&COPIES[i], k->in, in + MAP_AT);
    write_map(&COPIES[i], k->out + OUT_AT, in + OUT_MAP_AT);
    run(k, &COPIES[i]);
    check(k, &COPIES[i]);
  }
}

static void test_interleaved_boxes_are_those_of_an_h200(void **state) {
  struct kit *k = *state;
  unsigned char *in = kit_in(k), zeros[CHUNK] = {0};
  for (unsigned i = 0; i < TENSOR_BYTES; i++) in[i] = (unsigned char)(i * 151 + (i >> 8) + 1);
  for (unsigned i = FIRST_INTERLEAVED; i < N_COPIES; i++) {
    const struct copy *c = &COPIES[i];
    memset(kit_out(k), 0, KIT_OUT_BYTES);
    write_map(c, k->in, in + MAP_AT);
    write_map(c, k->out + OUT_AT, in + OUT_MAP_AT);
    run(k, c);
    for (unsigned n = 0; n < elements(c) * 4 / CHUNK; n++) {
      int from = RECORDED[i - FIRST_INTERLEAVED][n];
      assert_memory_equal((unsigned char *)kit_out(k) + CHUNK * n, from < 0 ? zeros : in + CHUNK * from, CHUNK);
    }
  }
}

static unsigned swizzle_word(uint8_t mask) { return mask == 7 ? 3 : mask == 3 ? 2 : mask; }

/* 128 bytes of zeros in shared memory become a map field by field, which goes to global memory: the map that the test would write. */
static void test_a_map_is_made_on_the_device(void **state) {
  struct kit *k = *state;
  k->outside = ".shared .align 1024 .b8 tile[4096];";
  for (unsigned i = 0; i < N_COPIES; i++) {
    const struct copy *c = &COPIES[i];
    char text[8192];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "mov.u32 %%r10, tile; shl.b32 %%r11, %%r1, 2; add.u32 %%r11, %%r11, %%r10; st.shared.u32 [%%r11], 0;\n"
                                "bar.warp.sync -1; add.s64 %%rd30, %%rd1, 256;\n");
#define PUT(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
#define REPLACE "tensormap.replace.tile."
    PUT(REPLACE "global_address.shared::cta.b1024.b64 [%%r10], %%rd30;\n" REPLACE "rank.shared::cta.b1024.b32 [%%r10], %u;\n",
        c->rank - 1u);
    for (unsigned d = 0; d < c->rank; d++) {
      PUT("mov.u32 %%r12, %u; mov.u32 %%r13, %u; mov.u32 %%r14, %u; mov.u64 %%rd31, %llu;\n", (unsigned)c->box[d] * c->steps[d], c->dims[d],
          (unsigned)c->steps[d], (unsigned long long)c->strides[d]);
      if (i & 1) PUT(REPLACE "element_stride.shared::cta.b1024.b32 [%%r10], %u, %%r14;\n", d);
      PUT(REPLACE "box_dim.shared::cta.b1024.b32 [%%r10], %u, %%r12;\n", d);
      PUT(REPLACE "global_dim.shared::cta.b1024.b32 [%%r10], %u, %%r13;\n", d);
      if (!(i & 1)) PUT(REPLACE "element_stride.shared::cta.b1024.b32 [%%r10], %u, %%r14;\n", d);
      if (d) PUT(REPLACE "global_stride.shared::cta.b1024.b64 [%%r10], %u, %%rd31;\n", d - 1);
    }
    PUT(REPLACE "elemtype.shared::cta.b1024.b32 [%%r10], 2;\n" REPLACE "interleave_layout.shared::cta.b1024.b32 [%%r10], %u;\n",
        c->interleave / 16u);
    PUT(REPLACE "swizzle_mode.shared::cta.b1024.b32 [%%r10], %u;\n" REPLACE "fill_mode.shared::cta.b1024.b32 [%%r10], %u;\n",
        swizzle_word(c->swizzle), c->nan_fill);
    PUT("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%%rd2], [%%r10], 128;\n"
        "fence.proxy.tensormap::generic.acquire.gpu [%%rd2], 128;\n"
        REPLACE "global_address.global.b1024.b64 [%%rd2], %%rd1;");
    kit_run(k, 32, text);
    struct exec_tensor_map wanted, got;
    write_map(c, k->in, &wanted);
    wanted.type = EXEC_TENSOR_U32;
    memcpy(&got, kit_out(k), sizeof got);
    assert_memory_equal(&got, &wanted, sizeof got);
  }
}

#define LOAD_1D "mov.s32 %r20, 0; cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "

static void test_maps_and_addresses_are_checked(void **state) {
  struct kit *k = *state;
  k->outside = ".shared .align 1024 .b8 tile[4096];";
  memset(kit_in(k), 0, KIT_IN_BYTES);
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_INSTRUCTION, LOAD_1D "[tile], [%rd1, {%r20}], [sm];", "cuTensorMapEncodeTiled", NULL);
  write_map(&COPIES[1], k->in, kit_in(k));
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_INSTRUCTION, LOAD_1D "[tile], [%rd1, {%r20}], [sm];", "number of dimensions", NULL);
  write_map(&COPIES[0], k->in, kit_in(k));
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_INSTRUCTION,
             "mov.s32 %r20, 2; cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1, {%r20}], [sm];",
             "multiple of 16 bytes", NULL);
  kit_faults(k, 1, EXEC_FAULT_MISALIGNED, LOAD_1D "[tile+64], [%rd1, {%r20}], [sm];", "multiple of 128", NULL);
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS,
             "add.s64 %rd30, %rd1, 65536; " LOAD_1D "[tile], [%rd30, {%r20}], [sm];",
             "global memory", NULL);
}

static void test_refuses_by_name_what_it_does_not_know(void **state) {
  struct kit *k = *state;
  kit_refuses(k,
              "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [sm], [%rd1, {%r1, %r1}], [sm];",
              "one coordinate");
  kit_refuses(k,
              "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [sm], [%rd1, {%r1, %r1, %r1, %r1}], "
              "[sm], {%h1};",
              "one offset");
  kit_refuses(k,
              "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [sm], [%rd1, {%r1, %r1, %r1, %r1}], "
              "[sm];",
              "operands are missing");
  kit_refuses(k, "tensormap.replace.tile.interleave_layout.global.b1024.b32 [%rd1], 3;", "0, 1 or 2");
  kit_refuses(k, "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 13;", "element type");
  kit_refuses(k, "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%rd1], 4;", "swizzle");
  kit_refuses(k, "tensormap.replace.tile.fill_mode.global.b1024.b32 [%rd1], 2;", "0 or 1");
  kit_refuses(k, "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 5, %r1;", "from 0 on");
  kit_refuses(k, "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [sm], 64;", "128");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_copies_boxes_of_every_rank_both_ways), TEST(test_interleaved_boxes_are_those_of_an_h200),
      TEST(test_a_map_is_made_on_the_device),
      TEST(test_maps_and_addresses_are_checked),
      TEST(test_refuses_by_name_what_it_does_not_know),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
