/* Variants of the copies by tensor maps: cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, tiles and im2col.
 *
 * The tensor is random bits, so that a word of the result says where it came from: layouts, swizzles, edges and steps are told by the
 * elements that come, without a second description of them here. A tile is cleared, filled by one copy, and read by all lanes. */
#include "variants.h"

#include <stdio.h>
#include <string.h>

enum { TILE = 4096, BODY = 8192 };
enum { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ }; /* CUtensorMapDataType */

static const char *const TYPES[] = {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32ftz", "tf32", "tf32ftz"};
static const unsigned BYTES[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

struct copy {
  const char *what; /* in the variant's name */
  struct tensor_shape map;
  int at[5];           /* coordinates of the first element */
  unsigned offsets[3]; /* of im2col */
};

#define PRELUDE ".shared .align 1024 .b8 tiles[4096];\n.shared .align 128 .b8 newmap[128];\n.shared .align 8 .b64 mbar;"

/* Everything but the copy itself. */
#define CLEAR                                                                                                                            \
  "mov.u32 %r0, tiles; mov.u32 %r1, mbar; mov.u32 %r2, 0; shl.b32 %r3, %th, 5; add.u32 %r3, %r3, %r0; "                                  \
  "st.shared.v4.b32 [%r3], {%r2, %r2, %r2, %r2}; st.shared.v4.b32 [%r3+16], {%r2, %r2, %r2, %r2}; setp.eq.u32 %p0, %th, 0; "
#define INIT "@%p0 mbarrier.init.shared::cta.b64 [%r1], 1; fence.mbarrier_init.release.cluster; fence.proxy.async; bar.sync 0; "
#define MAP  "mov.b64 %l2, p_map; cvta.param.u64 %l2, %l2; "
#define WAIT "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0; @!%p1 bra W; "
#define READ "ld.shared.v4.b32 {%d0, %d1, %d2, %d3}, [%r3]; ld.shared.v4.b32 {%d4, %d5, %d6, %d7}, [%r3+16];"

static int put(char *out, const char *text) {
  strcpy(out, text);
  return (int)strlen(text);
}

static unsigned box_bytes(const struct copy *c) {
  unsigned n = c->map.interleave ? 8u << c->map.interleave : BYTES[c->map.type];
  if (c->map.im2col) return n * (c->map.interleave ? 1 : c->map.box[0]) * c->map.box[1];
  for (unsigned i = 0; i < c->map.rank; i++) {
    if (c->map.interleave && i + 2 == c->map.rank) continue; /* one slice of channels */
    unsigned step = i || c->map.interleave ? c->map.steps[i] : 1;
    n *= (c->map.box[i] + step - 1) / step;
  }
  return n;
}

/* [map, {c0, c1, ..}] */
static int place(char *out, const struct copy *c) {
  int n = sprintf(out, "[%%l2, {");
  for (unsigned i = 0; i < c->map.rank; i++) n += sprintf(out + n, "%s%d", i ? ", " : "", c->at[i]);
  return n + sprintf(out + n, "}]");
}

static int offsets(char *out, const struct copy *c) {
  int n = 0;
  for (unsigned i = 0; c->map.im2col && i + 2 < c->map.rank; i++) n += sprintf(out + n, "%s%u", i ? ", " : ", {", c->offsets[i]);
  return n + sprintf(out + n, c->map.im2col ? "}" : "");
}

/* The row keeps a copy of its shape for as long as the program runs. */
static const struct tensor_shape *keep(const struct tensor_shape *t) {
  static struct tensor_shape kept[1024];
  static unsigned n;
  kept[n] = *t;
  for (unsigned i = 0; i < 5; i++)
    if (!kept[n].steps[i]) kept[n].steps[i] = 1;
  return &kept[n++];
}

static void name(char *op, const char *opcode, const struct copy *c) {
  int n = sprintf(op, "%s %s %s", opcode, TYPES[c->map.type], c->what);
  for (unsigned i = 0; i < c->map.rank; i++) n += sprintf(op + n, "%s%d", i ? "_" : " at ", c->at[i]);
  for (unsigned i = 0; c->map.im2col && i + 2 < c->map.rank; i++) n += sprintf(op + n, "%s%u", i ? "_" : " offset ", c->offsets[i]);
}

/* ---- loads -------------------------------------------------------------------------------------------------------------- */

static void add_load(struct variants *all, const struct copy *c, const char *values) {
  static char op[512], opcode[128], body[BODY], signature[64];
  sprintf(opcode, "cp.async.bulk.tensor.%ud.shared::cluster.global%s.mbarrier::complete_tx::bytes", c->map.rank,
          c->map.im2col ? ".im2col" : ".tile");
  name(op, opcode, c);
  struct copy full = *c;
  full.map = *keep(&c->map);
  int n = put(body, CLEAR INIT MAP);
  n += sprintf(body + n, "@%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %%l0, [%%r1], %u; @%%p0 @@ [%%r0], ", box_bytes(&full));
  n += place(body + n, c);
  n += sprintf(body + n, ", [%%r1]");
  n += offsets(body + n, c);
  put(body + n, "; " WAIT READ);
  sprintf(signature, "b32*8:&%s*16", values);
  variants_add(
      all,
      &(struct row){
          .family = "tensor", .op = op, .signature = signature, .body = body, .lanes = 128, .prelude = PRELUDE, .tensor = keep(&c->map)});
}

static void load(struct variants *all, struct copy c) { add_load(all, &c, "raw32"); }

static void add_types(struct variants *all) {
  for (unsigned t = U8; t <= TF32_FTZ; t++) {
    unsigned b = BYTES[t];
    struct copy c = {"box", {.type = t, .rank = 2, .sizes = {128 / b, 60}, .strides = {128}, .box = {64 / b, 8}}, {16 / (int)b, 3}, {0}};
    add_load(all, &c, t >= F32_FTZ || t == F32 ? "f32" : "raw32");
    c.what = "edge";
    c.at[0] = 96 / (int)b, c.at[1] = 57;
    load(all, c);
    c.what = "before";
    c.at[0] = -32 / (int)b, c.at[1] = -3;
    load(all, c);
    c.what = "nan", c.map.fill = 1;
    if (t >= F16) load(all, c);
  }
}

static void add_ranks(struct variants *all) {
  static const struct copy LIST[] = {
      {"1d", {.type = U32, .rank = 1, .sizes = {500}, .box = {128}}, {76}, {0}},
      {"1d edge", {.type = U32, .rank = 1, .sizes = {500}, .box = {128}}, {440}, {0}},
      {"1d wide", {.type = U16, .rank = 1, .sizes = {4096}, .box = {256}}, {-8}, {0}},
      {"3d", {.type = U32, .rank = 3, .sizes = {30, 10, 6}, .strides = {128, 1280}, .box = {8, 4, 4}}, {4, 7, 3}, {0}},
      {"4d", {.type = U16, .rank = 4, .sizes = {16, 6, 5, 7}, .strides = {32, 192, 960}, .box = {8, 4, 3, 4}}, {8, 3, 2, 5}, {0}},
      {"5d",
       {.type = U8, .rank = 5, .sizes = {32, 4, 5, 3, 4}, .strides = {32, 128, 640, 1920}, .box = {16, 2, 3, 2, 4}},
       {16, -1, 2, 1, 2},
       {0}},
      {"steps",
       {.type = U32, .rank = 3, .sizes = {30, 10, 6}, .strides = {128, 1280}, .box = {8, 4, 4}, .steps = {1, 2, 3}},
       {4, 1, 1},
       {0}},
      {"steps7", {.type = U16, .rank = 2, .sizes = {64, 60}, .strides = {128}, .box = {32, 64}, .steps = {1, 7}}, {0, -2}, {0}},
      {"step inside", {.type = U32, .rank = 2, .sizes = {32, 60}, .strides = {128}, .box = {16, 8}, .steps = {2, 1}}, {4, 5}, {0}},
      {"padded", {.type = U32, .rank = 2, .sizes = {21, 60}, .strides = {96}, .box = {16, 8}}, {12, 5}, {0}},
  };
  for (unsigned i = 0; i < sizeof LIST / sizeof LIST[0]; i++) load(all, LIST[i]);
}

static void add_swizzles(struct variants *all) {
  static const char *const NAMES[] = {"plain", "swizzle 32B", "swizzle 64B", "swizzle 128B", "atom 32B", "atom 32B flip", "atom 64B"};
  for (unsigned s = 1; s <= 3; s++) {
    unsigned row = 16u << s;
    for (unsigned narrow = 0; narrow < (s > 1 ? 2 : 1); narrow++)
      load(all,
           (struct copy){
               NAMES[s],
               {.type = U16, .rank = 2, .sizes = {128, 60}, .strides = {256}, .box = {row / 2 >> narrow, 32u >> (s == 3)}, .swizzle = s},
               {8, narrow ? 40 : 2},
               {0}});
    load(all, (struct copy){NAMES[s],
                            {.type = U8, .rank = 3, .sizes = {128, 5, 12}, .strides = {128, 640}, .box = {row, 4, 8}, .swizzle = s},
                            {0, 2, 3},
                            {0}});
  }
}

/* ---- im2col -------------------------------------------------------------------------------------------------------------- */

#define IMAGE3 .rank = 3, .sizes = {16, 9, 12}, .strides = {32, 288}
#define IMAGE4 .rank = 4, .sizes = {16, 7, 6, 8}, .strides = {32, 224, 1344}
#define IMAGE5 .rank = 5, .sizes = {16, 5, 4, 3, 6}, .strides = {32, 160, 640, 1920}

static void add_im2col(struct variants *all) {
  static const struct copy LIST[] = {
      {"w", {.type = U16, IMAGE3, .box = {8, 16}, .im2col = true}, {0, 0, 0}, {0}},
      {"w", {.type = U16, IMAGE3, .box = {8, 16}, .im2col = true, .lower = {-1}, .upper = {-1}}, {8, 3, 1}, {1}},
      {"w", {.type = U16, IMAGE3, .box = {8, 32}, .im2col = true, .lower = {-2}, .upper = {1}}, {0, -2, 10}, {2}},
      {"w steps", {.type = U16, IMAGE3, .box = {8, 8}, .im2col = true, .lower = {-1}, .upper = {1}, .steps = {1, 2, 1}}, {0, -1, 2}, {0}},
      {"hw", {.type = U16, IMAGE4, .box = {16, 32}, .im2col = true}, {0, 0, 0, 0}, {0}},
      {"hw", {.type = U16, IMAGE4, .box = {16, 32}, .im2col = true, .lower = {-1, -1}, .upper = {-1, -1}}, {0, -1, -1, 0}, {0, 0}},
      {"hw", {.type = U16, IMAGE4, .box = {16, 32}, .im2col = true, .lower = {-1, -1}, .upper = {-1, -1}}, {0, -1, -1, 0}, {1, 1}},
      {"hw", {.type = U16, IMAGE4, .box = {16, 32}, .im2col = true, .lower = {-1, -1}, .upper = {-1, -1}}, {0, 4, 3, 1}, {2, 1}},
      {"hw", {.type = U16, IMAGE4, .box = {16, 64}, .im2col = true, .lower = {-1, -2}, .upper = {0, 1}}, {8, 2, 1, 6}, {2, 0}},
      {"hw", {.type = U16, IMAGE4, .box = {8, 64}, .im2col = true, .lower = {0, 0}, .upper = {-2, -2}}, {8, 1, 2, 0}, {2, 2}},
      {"hw 32B",
       {.type = U16, IMAGE4, .box = {16, 32}, .im2col = true, .swizzle = 1, .lower = {-1, -1}, .upper = {-1, -1}},
       {0, 1, 1, 2},
       {1, 2}},
      {"hw steps",
       {.type = U16, IMAGE4, .box = {16, 16}, .im2col = true, .lower = {-1, -1}, .upper = {-1, -1}, .steps = {1, 2, 2, 1}},
       {0, -1, -1, 1},
       {1, 2}},
      {"hw steps",
       {.type = U16, IMAGE4, .box = {16, 24}, .im2col = true, .lower = {-1, 0}, .upper = {1, 0}, .steps = {1, 3, 2, 1}},
       {0, 2, 2, 1},
       {0, 1}},
      {"hw steps of n", {.type = U16, IMAGE4, .box = {16, 32}, .im2col = true, .steps = {1, 1, 1, 2}}, {0, 3, 4, 1}, {0, 0}},
      {"hw nan",
       {.type = F16, IMAGE4, .box = {16, 32}, .im2col = true, .fill = 1, .lower = {-1, -1}, .upper = {-1, -1}},
       {0, -1, -1, 0},
       {0, 0}},
      {"hw f32",
       {.type = F32,
        .rank = 4,
        .sizes = {8, 7, 6, 8},
        .strides = {32, 224, 1344},
        .box = {8, 32},
        .im2col = true,
        .lower = {-1, -1},
        .upper = {-1, -1}},
       {0, 2, 2, 3},
       {1, 1}},
      {"dhw", {.type = U16, IMAGE5, .box = {16, 48}, .im2col = true}, {0, 1, 2, 1, 0}, {0, 0, 0}},
      {"dhw",
       {.type = U16, IMAGE5, .box = {16, 48}, .im2col = true, .lower = {-1, -1, -1}, .upper = {-1, -1, -1}},
       {0, 0, 1, 0, 1},
       {2, 1, 0}},
      {"dhw",
       {.type = U16, IMAGE5, .box = {8, 64}, .im2col = true, .lower = {-1, 0, -2}, .upper = {0, -1, 1}},
       {8, -1, 0, -2, 2},
       {1, 2, 3}},
  };
  for (unsigned i = 0; i < sizeof LIST / sizeof LIST[0]; i++) load(all, LIST[i]);
}

/* ---- interleaved tensors: {width, height, depth, channels by slices of 16 or 32 bytes, images} --------------------------- */

#define SLICES3 .rank = 3, .sizes = {9, 4, 5}
#define SLICES4 .rank = 4, .sizes = {7, 6, 3, 2}
#define SLICES5 .rank = 5, .sizes = {5, 4, 3, 2, 2}

static struct copy interleaved(struct copy c, unsigned interleave, unsigned swizzle) {
  uint64_t stride = 8u << interleave;
  for (unsigned i = 0; i + 1 < c.map.rank; i++) c.map.strides[i] = stride *= c.map.sizes[i];
  c.map.interleave = interleave;
  c.map.swizzle = swizzle;
  c.map.box[0] *= c.map.im2col ? interleave : 1; /* channels, of at least a slice */
  return c;
}

static void add_interleaved(struct variants *all) {
  static const struct copy LIST[] = {
      {"slices", {.type = U16, SLICES3, .box = {8, 2, 4}}, {0, 1, 1}, {0}},
      {"slices", {.type = U16, SLICES3, .box = {8, 1, 4}}, {4, -1, 2}, {0}},
      {"slices", {.type = U16, SLICES4, .box = {8, 4, 3, 2}}, {-2, 3, 2, -1}, {0}},
      {"slices", {.type = U8, SLICES5, .box = {16, 2, 2, 2, 2}}, {1, -1, 2, 1, 0}, {0}},
      {"slices steps", {.type = U16, SLICES3, .box = {16, 1, 4}, .steps = {2, 1, 1}}, {1, 2, 0}, {0}},
      {"slices steps", {.type = U16, SLICES4, .box = {8, 6, 1, 2}, .steps = {1, 2, 2, 1}}, {0, 1, 1, 0}, {0}},
      {"slices w", {.type = U16, SLICES3, .box = {8, 16}, .im2col = true}, {2, 1, 1}, {0}},
      {"slices w", {.type = U16, SLICES3, .box = {16, 24}, .im2col = true, .lower = {-1}, .upper = {-1}}, {-1, 3, 2}, {2}},
      {"slices w steps",
       {.type = U16, SLICES3, .box = {8, 24}, .im2col = true, .lower = {-1}, .upper = {1}, .steps = {2, 1, 2}},
       {-1, 3, 0},
       {0}},
      {"slices hw", {.type = U16, SLICES4, .box = {8, 32}, .im2col = true}, {3, 4, 1, 0}, {0, 0}},
      {"slices hw", {.type = U8, SLICES4, .box = {16, 32}, .im2col = true, .lower = {-1, -1}, .upper = {-1, -1}}, {-1, -1, 2, 0}, {1, 2}},
      {"slices hw", {.type = U16, SLICES4, .box = {8, 64}, .im2col = true, .lower = {-1, -2}, .upper = {0, 1}}, {2, 1, 1, 0}, {2, 0}},
      {"slices hw", {.type = U16, SLICES4, .box = {8, 32}, .im2col = true}, {3, 4, 3, 0}, {0, 0}},
      {"slices hw steps",
       {.type = U16, SLICES4, .box = {8, 16}, .im2col = true, .lower = {-1, -1}, .upper = {-1, -1}, .steps = {2, 2, 1, 1}},
       {-1, -1, 2, 0},
       {1, 2}},
      {"slices dhw",
       {.type = U16, SLICES5, .box = {8, 64}, .im2col = true, .lower = {-1, -1, -1}, .upper = {-1, -1, -1}},
       {0, 1, 0, 1, 0},
       {2, 1, 0}},
      {"slices dhw",
       {.type = U16, SLICES5, .box = {8, 96}, .im2col = true, .lower = {-1, 0, -2}, .upper = {0, -1, 1}},
       {-1, 0, -2, 0, 0},
       {1, 2, 3}},
  };
  static char names[2][4][sizeof LIST / sizeof LIST[0]][40];
  for (unsigned i = 0; i < sizeof LIST / sizeof LIST[0]; i++)
    for (unsigned k = 0; k < 8; k++) {
      unsigned wide = k / 4, swizzle = k % 4;
      struct copy c = interleaved(LIST[i], wide + 1, swizzle);
      snprintf(names[wide][swizzle][i], sizeof names[0][0][0], "%s of %uB swizzle %u", LIST[i].what, 16u << wide, swizzle);
      c.what = names[wide][swizzle][i];
      load(all, c);
    }
}

/* ---- maps changed on the device -------------------------------------------------------------------------------------------- */

/* The first warp copies the map to shared memory, one lane changes a field, and the copy that goes to global memory is used. */
#define EDIT                                                                                                                             \
  "mov.u32 %r6, newmap; setp.lt.u32 %p2, %th, 32; shl.b32 %r4, %th, 2; cvt.u64.u32 %l3, %r4; add.u64 %l3, %l2, %l3; "                    \
  "add.u32 %r5, %r6, %r4; @%p2 ld.b32 %r7, [%l3]; @%p2 st.shared.b32 [%r5], %r7; bar.sync 0; "
static void add_replaced(struct variants *all) {
  static const struct {
    const char *what, *field;
    unsigned type, bytes;
    int at[2];
  } LIST[] = {
      {"box 0", "box_dim.shared::cta.b1024.b32 [%r6], 0, 8", U32, 256, {4, 3}},
      {"box 1", "box_dim.shared::cta.b1024.b32 [%r6], 1, 4", U32, 256, {4, 3}},
      {"size 0", "global_dim.shared::cta.b1024.b32 [%r6], 0, 18", U32, 512, {8, 3}},
      {"size 1", "global_dim.shared::cta.b1024.b32 [%r6], 1, 7", U32, 512, {8, 3}},
      {"stride", "global_stride.shared::cta.b1024.b64 [%r6], 0, 256", U32, 512, {4, 3}},
      {"step", "element_stride.shared::cta.b1024.b32 [%r6], 1, 2", U32, 256, {4, 3}},
      {"swizzle", "swizzle_mode.shared::cta.b1024.b32 [%r6], 2", U32, 512, {4, 3}},
      {"fill", "fill_mode.shared::cta.b1024.b32 [%r6], 1", F32, 512, {20, 56}},
      {"type", "elemtype.shared::cta.b1024.b32 [%r6], 11", F32, 512, {4, 3}},
      {"address", "global_address.shared::cta.b1024.b64 [%r6], %l4", U32, 512, {4, 3}},
  };
  for (unsigned i = 0; i < sizeof LIST / sizeof LIST[0]; i++) {
    static char op[512], body[BODY];
    struct tensor_shape t = {.type = LIST[i].type, .rank = 2, .sizes = {30, 28}, .strides = {128}, .box = {16, 8}};
    snprintf(op, sizeof op, "tensormap.replace.tile %s", LIST[i].what);
    int n = put(body, CLEAR INIT MAP EDIT "add.u64 %l4, %pa, 256; ");
    n += sprintf(body + n, "@%%p0 tensormap.replace.tile.%s; bar.sync 0; ", LIST[i].field);
    n += put(body + n, "@%p2 mov.b64 {%r8, %r9}, %pm; @%p2 shfl.sync.idx.b32 %r8, %r8, 0, 31, -1; "
                       "@%p2 shfl.sync.idx.b32 %r9, %r9, 0, 31, -1; @!%p2 bra SKIP; mov.b64 %l5, {%r8, %r9}; "
                       "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%l5], [%r6], 128; "
                       "fence.proxy.tensormap::generic.acquire.gpu [%l5], 128; ");
    n += sprintf(body + n,
                 "@%%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %%l0, [%%r1], %u; "
                 "@%%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%r0], [%%l5, {%d, %d}], [%%r1]; "
                 "SKIP: ",
                 LIST[i].bytes, LIST[i].at[0], LIST[i].at[1]);
    put(body + n, WAIT READ);
    variants_add(all, &(struct row){.family = "tensor",
                                    .op = op,
                                    .signature = LIST[i].type == F32 ? "b32*8:&f32*16" : "b32*8:&raw32*16",
                                    .body = body,
                                    .lanes = 128,
                                    .prelude = PRELUDE,
                                    .tensor = keep(&t)});
  }
}

/* ---- stores and reductions ------------------------------------------------------------------------------------------------ */

/* Lanes fill the tile and the lane's 64 bytes of the tensor, and read the latter afterwards. */
#define FILL                                                                                                                             \
  "mov.u32 %r0, tiles; shl.b32 %r3, %th, 5; add.u32 %r3, %r3, %r0; setp.eq.u32 %p0, %th, 0; "                                            \
  "ld.global.v2.b64 {%l0, %l1}, [%pa]; st.shared.v2.b64 [%r3], {%l0, %l1}; ld.global.v2.b64 {%l0, %l1}, [%pa+16]; "                      \
  "st.shared.v2.b64 [%r3+16], {%l0, %l1}; ld.global.v2.b64 {%l0, %l1}, [%pb]; st.global.v2.b64 [%pm], {%l0, %l1}; "                      \
  "st.global.v2.b64 [%pm+32], {%l0, %l1}; ld.global.v2.b64 {%l0, %l1}, [%pb+16]; st.global.v2.b64 [%pm+16], {%l0, %l1}; "                \
  "st.global.v2.b64 [%pm+48], {%l0, %l1}; membar.gl; fence.proxy.async; bar.sync 0; "
#define DONE                                                                                                                             \
  "; @%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk.wait_group 0; fence.proxy.async; bar.sync 0; "                                  \
  "ld.global.v4.b32 {%d0, %d1, %d2, %d3}, [%pm]; ld.global.v4.b32 {%d4, %d5, %d6, %d7}, [%pm+16]; "                                      \
  "ld.global.v4.b32 {%d8, %d9, %d10, %d11}, [%pm+32]; ld.global.v4.b32 {%d12, %d13, %d14, %d15}, [%pm+48];"

static void add_store(struct variants *all, struct copy c, const char *reduce, const char *values) {
  static char op[512], opcode[128], body[BODY], signature[64];
  c.map.scratch = true;
  sprintf(opcode, "cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s.bulk_group", *reduce ? "reduce." : "", c.map.rank, reduce,
          c.map.im2col ? ".im2col_no_offs" : ".tile");
  name(op, opcode, &c);
  int n = put(body, FILL MAP "@%p0 @@ ");
  n += place(body + n, &c);
  put(body + n, ", [%r0]" DONE);
  sprintf(signature, "b32*16:&%s*4,&%s*4", values, values);
  variants_add(
      all,
      &(struct row){
          .family = "tensor", .op = op, .signature = signature, .body = body, .lanes = 128, .prelude = PRELUDE, .tensor = keep(&c.map)});
}

static void add_stores(struct variants *all) {
  static const struct copy LIST[] = {
      {"1d", {.type = U32, .rank = 1, .sizes = {500}, .box = {128}}, {76}, {0}},
      {"2d", {.type = U32, .rank = 2, .sizes = {30, 60}, .strides = {128}, .box = {16, 8}}, {4, 3}, {0}},
      {"2d edge", {.type = U32, .rank = 2, .sizes = {30, 60}, .strides = {128}, .box = {16, 8}}, {20, 56}, {0}},
      {"2d steps", {.type = U32, .rank = 2, .sizes = {30, 60}, .strides = {128}, .box = {16, 16}, .steps = {1, 2}}, {4, 3}, {0}},
      {"2d 128B", {.type = U16, .rank = 2, .sizes = {64, 60}, .strides = {128}, .box = {64, 16}, .swizzle = 3}, {0, 3}, {0}},
      {"3d", {.type = U32, .rank = 3, .sizes = {30, 10, 6}, .strides = {128, 1280}, .box = {8, 4, 4}}, {4, 7, 3}, {0}},
      {"4d", {.type = U16, .rank = 4, .sizes = {16, 6, 5, 7}, .strides = {32, 192, 960}, .box = {8, 4, 3, 4}}, {8, 3, 2, 5}, {0}},
      {"w", {.type = U16, IMAGE3, .box = {8, 16}, .im2col = true}, {8, 3, 1}, {0}},
      {"hw",
       {.type = U16, .rank = 4, .sizes = {16, 7, 6, 6}, .strides = {32, 224, 1344}, .box = {16, 32}, .im2col = true},
       {0, 4, 3, 1},
       {0}},
      {"dhw",
       {.type = U16, .rank = 5, .sizes = {16, 5, 4, 3, 4}, .strides = {32, 160, 640, 1920}, .box = {16, 48}, .im2col = true},
       {0, 1, 2, 1, 0},
       {0}},
  };
  static const struct copy SLICES[] = {
      {"slices", {.type = U16, SLICES3, .box = {8, 2, 4}}, {4, 1, 1}, {0}},
      {"slices", {.type = U16, SLICES4, .box = {8, 4, 3, 2}}, {2, 3, 2, 0}, {0}},
      {"slices w", {.type = U16, SLICES3, .box = {8, 16}, .im2col = true}, {2, 1, 1}, {0}},
      {"slices hw", {.type = U16, SLICES4, .box = {8, 32}, .im2col = true}, {3, 4, 1, 0}, {0}},
      {"slices dhw", {.type = U16, SLICES5, .box = {8, 64}, .im2col = true}, {1, 2, 1, 1, 0}, {0}},
  };
  for (unsigned i = 0; i < sizeof LIST / sizeof LIST[0]; i++) add_store(all, LIST[i], "", "raw32");
  static char names[sizeof SLICES / sizeof SLICES[0]][2][40];
  for (unsigned i = 0; i < sizeof SLICES / sizeof SLICES[0]; i++)
    for (unsigned k = 0; k < 2; k++) {
      struct copy c = interleaved(SLICES[i], k + 1, k);
      snprintf(names[i][k], sizeof names[0][0], "%s of %uB", SLICES[i].what, 16u << k);
      c.what = names[i][k];
      add_store(all, c, "", "raw32");
    }
}

static void add_reductions(struct variants *all) {
  static const struct {
    unsigned type;
    const char *values, *ops[8];
  } LIST[] = {{U32, "raw32", {".add", ".min", ".max", ".inc", ".dec", ".and", ".or", ".xor"}},
              {S32, "raw32", {".add", ".min", ".max", ".and", ".or", ".xor"}},
              {U64, "raw64", {".add", ".min", ".max", ".and", ".or", ".xor"}},
              {S64, "raw64", {".min", ".max"}},
              {F16, "f16x2", {".add", ".min", ".max"}},
              {BF16, "bf16x2", {".add", ".min", ".max"}},
              {F32, "f32", {".add"}},
              {F32_FTZ, "f32", {".add"}},
              {F64, "f64", {".add"}}};
  for (unsigned i = 0; i < sizeof LIST / sizeof LIST[0]; i++) {
    unsigned b = BYTES[LIST[i].type];
    struct copy c = {"into 2d",
                     {.type = LIST[i].type, .rank = 2, .sizes = {128 / b, 60}, .strides = {128}, .box = {64 / b, 8}},
                     {16 / (int)b, 54},
                     {0}};
    for (unsigned k = 0; k < 8 && LIST[i].ops[k]; k++) add_store(all, c, LIST[i].ops[k], LIST[i].values);
  }
}

/* ---- clusters ---------------------------------------------------------------------------- */

#define CLUSTER "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; "

/* One CTA's copy to some of four, each of which hears of it at its own mbarrier; the others read what they had. */
static void add_multicast(struct variants *all, struct copy c, unsigned mask) {
  static char op[512], opcode[160], body[BODY];
  sprintf(opcode, "cp.async.bulk.tensor.%ud.shared::cluster.global%s.mbarrier::complete_tx::bytes.multicast::cluster", c.map.rank,
          c.map.im2col ? ".im2col" : ".tile");
  int n = sprintf(op, "%s mask %x ", opcode, mask);
  name(op + n, "", &c);
  n = put(body, ".reg .b16 %h0; " CLEAR INIT CLUSTER MAP);
  n += sprintf(body + n,
               "mov.u32 %%r4, %%cluster_ctarank; mov.u32 %%r5, %u; shr.u32 %%r5, %%r5, %%r4; and.b32 %%r5, %%r5, 1; "
               "setp.ne.u32 %%p2, %%r5, 0; and.pred %%p3, %%p2, %%p0; @%%p3 mbarrier.arrive.expect_tx.shared::cta.b64 %%l0, [%%r1], %u; ",
               mask, box_bytes(&(struct copy){.map = *keep(&c.map)}));
  n += sprintf(body + n, CLUSTER "setp.eq.u32 %%p3, %%r4, 1; and.pred %%p3, %%p3, %%p0; mov.u16 %%h0, %u; @%%p3 @@ [%%r0], ", mask);
  n += place(body + n, &c);
  n += sprintf(body + n, ", [%%r1]");
  n += offsets(body + n, &c);
  put(body + n, ", %h0; @!%p2 bra OUT; " WAIT "OUT: " CLUSTER READ);
  variants_add(all, &(struct row){.family = "tensor",
                                  .op = op,
                                  .signature = "b32*8:&raw32*16",
                                  .body = body,
                                  .lanes = 512,
                                  .prelude = PRELUDE,
                                  .tensor = keep(&c.map),
                                  .cluster = 4});
}

static void add_multicasts(struct variants *all) {
  struct copy tile = {"box", {.type = U32, .rank = 2, .sizes = {30, 60}, .strides = {128}, .box = {16, 8}}, {20, 56}, {0}};
  struct copy swizzled = {
      "128B", {.type = U16, .rank = 2, .sizes = {64, 60}, .strides = {128}, .box = {64, 16}, .swizzle = 3}, {0, 3}, {0}};
  struct copy image = {
      "hw", {.type = U16, IMAGE4, .box = {16, 32}, .im2col = true, .lower = {-1, -1}, .upper = {-1, -1}}, {0, 4, 3, 1}, {2, 1}};
  static const unsigned MASKS[] = {15, 2, 13, 6};
  for (unsigned i = 0; i < 4; i++) add_multicast(all, tile, MASKS[i]);
  add_multicast(all, swizzled, 11);
  add_multicast(all, image, 15);
}

void rows_tensor(struct variants *all) {
  add_types(all);
  add_ranks(all);
  add_swizzles(all);
  add_im2col(all);
  add_interleaved(all);
  add_stores(all);
  add_reductions(all);
  add_multicasts(all);
  add_replaced(all);
}
