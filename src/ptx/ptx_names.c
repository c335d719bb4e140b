/* The words of PTX: opcodes, types, state spaces, modifiers and special registers, as tables, the maps from text to their numbers, and the
 * small queries about them that ptx.h declares. */
#include "ptx/ptx_reader.h"

#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

const char *const ptx_op_names[] = {
#define OP(name, family) #name,
#include "ptx/ptx_opcodes.def"
#undef OP
};

static const uint8_t op_families[] = {
#define OP(name, family) PTX_##family,
#include "ptx/ptx_opcodes.def"
#undef OP
};

const char *const ptx_mod_names[] = {
    "",
#define MOD(id, text) text,
#include "ptx/ptx_modifiers.def"
#undef MOD
};

static const struct {
  const char *name; /* with the percent sign */
  unsigned bits;
} sregs[] = {
#define SREG(id, text, bits) {"%" text, bits},
#include "ptx/ptx_sregs.def"
#undef SREG
};

enum { INT = 1, FLOAT = 2, SIGNED = 4 };
#define TYPE_LIST(T)                                                                                         \
  T(NOTYPE, "", 0, 0)                                                                                        \
  T(PRED, "pred", 1, 0)                                                                                      \
  T(B1, "b1", 1, 0)                                                                                          \
  T(B4, "b4", 4, 0)                                                                                          \
  T(B8, "b8", 8, 0)                                                                                          \
  T(B16, "b16", 16, 0)                                                                                       \
  T(B32, "b32", 32, 0)                                                                                       \
  T(B64, "b64", 64, 0)                                                                                       \
  T(B128, "b128", 128, 0)                                                                                    \
  T(U2, "u2", 2, INT)                                                                                        \
  T(U4, "u4", 4, INT)                                                                                        \
  T(U8, "u8", 8, INT)                                                                                        \
  T(U16, "u16", 16, INT)                                                                                     \
  T(U32, "u32", 32, INT)                                                                                     \
  T(U64, "u64", 64, INT)                                                                                     \
  T(U16X2, "u16x2", 32, INT)                                                                                 \
  T(S2, "s2", 2, INT | SIGNED)                                                                               \
  T(S4, "s4", 4, INT | SIGNED)                                                                               \
  T(S8, "s8", 8, INT | SIGNED)                                                                               \
  T(S16, "s16", 16, INT | SIGNED)                                                                            \
  T(S32, "s32", 32, INT | SIGNED)                                                                            \
  T(S64, "s64", 64, INT | SIGNED)                                                                            \
  T(S16X2, "s16x2", 32, INT | SIGNED)                                                                        \
  T(F16, "f16", 16, FLOAT)                                                                                   \
  T(F16X2, "f16x2", 32, FLOAT)                                                                               \
  T(BF16, "bf16", 16, FLOAT)                                                                                 \
  T(BF16X2, "bf16x2", 32, FLOAT)                                                                             \
  T(TF32, "tf32", 32, FLOAT)                                                                                 \
  T(F32, "f32", 32, FLOAT)                                                                                   \
  T(F64, "f64", 64, FLOAT)                                                                                   \
  T(F32X2, "f32x2", 64, FLOAT)                                                                               \
  T(E4M3, "e4m3", 8, FLOAT)                                                                                  \
  T(E5M2, "e5m2", 8, FLOAT)                                                                                  \
  T(E4M3X2, "e4m3x2", 16, FLOAT)                                                                             \
  T(E5M2X2, "e5m2x2", 16, FLOAT)                                                                             \
  T(E2M1X2, "e2m1x2", 8, FLOAT)                                                                              \
  T(E2M3X2, "e2m3x2", 16, FLOAT)                                                                             \
  T(E3M2X2, "e3m2x2", 16, FLOAT)                                                                             \
  T(UE8M0X2, "ue8m0x2", 16, FLOAT)                                                                           \
  T(E2M1, "e2m1", 4, FLOAT)                                                                                  \
  T(E2M3, "e2m3", 6, FLOAT)                                                                                  \
  T(E3M2, "e3m2", 6, FLOAT)                                                                                  \
  T(UE8M0, "ue8m0", 8, FLOAT)                                                                                \
  T(UE4M3, "ue4m3", 8, FLOAT)                                                                                \
  T(E4M3X4, "e4m3x4", 32, FLOAT)                                                                             \
  T(E5M2X4, "e5m2x4", 32, FLOAT)                                                                             \
  T(E2M1X4, "e2m1x4", 16, FLOAT)                                                                             \
  T(E2M3X4, "e2m3x4", 32, FLOAT)                                                                             \
  T(E3M2X4, "e3m2x4", 32, FLOAT)                                                                             \
  T(S2F6X2, "s2f6x2", 16, FLOAT)                                                                             \
  T(TEXREF, "texref", 64, 0)                                                                                 \
  T(SAMPLERREF, "samplerref", 64, 0)                                                                         \
  T(SURFREF, "surfref", 64, 0)

const char *const ptx_type_names[] = {
#define T(id, text, bits, flags) [PTX_##id] = text,
    TYPE_LIST(T)
#undef T
};
static const struct {
  uint8_t bits, flags;
} types[] = {
#define T(id, text, bits, flags) [PTX_##id] = {bits, flags},
    TYPE_LIST(T)
#undef T
};

const char *const ptx_space_names[] = {
    [PTX_GENERIC] = "generic", [PTX_REG] = "reg",       [PTX_SREG] = "sreg",
    [PTX_CONST] = "const",     [PTX_GLOBAL] = "global", [PTX_LOCAL] = "local",
    [PTX_PARAM] = "param",     [PTX_SHARED] = "shared", [PTX_TEX] = "tex",
};

const char *ptx_type_name(enum ptx_type t) { return ptx_type_names[t]; }
unsigned ptx_type_bits(enum ptx_type t) { return types[t].bits; }
bool ptx_type_float(enum ptx_type t) { return (types[t].flags & FLOAT) != 0; }
bool ptx_type_signed(enum ptx_type t) { return (types[t].flags & SIGNED) != 0; }
const char *ptx_space_name(enum ptx_space s) { return ptx_space_names[s]; }
const char *ptx_op_name(enum ptx_op op) { return ptx_op_names[op]; }
enum ptx_family ptx_op_family(enum ptx_op op) { return (enum ptx_family)op_families[op]; }
const char *ptx_mod_name(enum ptx_mod m) { return ptx_mod_names[m]; }
const char *ptx_sreg_name(enum ptx_sreg s) { return sregs[s].name; }
unsigned ptx_sreg_bits(enum ptx_sreg s) { return sregs[s].bits; }

enum ptx_class ptx_reg_class(enum ptx_type t) {
  if (t == PTX_PRED) return PTX_RPRED;
  return types[t].bits <= 32 ? PTX_R32 : types[t].bits <= 64 ? PTX_R64 : PTX_R128;
}

bool ptx_has(const struct ptx_inst *in, enum ptx_mod m) {
  for (unsigned i = 0; i < in->n_mods; i++)
    if (in->mods[i] == m) return true;
  return false;
}

/* Appends ".word" as far as it fits. */
static void add_word(char *out, size_t size, const char *word) {
  size_t n = strlen(out);
  if (n < size) snprintf(out + n, size - n, ".%s", word);
}

/* The order in the text is known within modifiers and within types only; the usual one is shown. */
void ptx_inst_name(const struct ptx_inst *in, char *out, size_t size) {
  char vec[4] = {'v', (char)('0' + in->vec), 0, 0};
  bool qualified = false;
  snprintf(out, size, "%s%s", ptx_op_names[in->op], in->written ? in->written : "");
  if (in->written) return;
  for (unsigned i = 0; i < in->n_mods; i++) {
    add_word(out, size, ptx_mod_names[in->mods[i]]);
    qualified |= strncmp(ptx_mod_names[in->mods[i]], "shared::", 8) == 0;
    qualified |= strncmp(ptx_mod_names[in->mods[i]], "param::", 7) == 0;
  }
  if (in->space != PTX_GENERIC && !qualified) add_word(out, size, ptx_space_names[in->space]);
  if (in->space2 != PTX_GENERIC) add_word(out, size, ptx_space_names[in->space2]);
  if (in->vec > 1) add_word(out, size, vec);
  for (unsigned i = 0; i < in->n_types; i++) add_word(out, size, ptx_type_names[in->types[i]]);
}

/* ---- text to numbers ----------------------------------------------------------------------------------- */

static void put_word(struct strmap *m, const char *text, enum ptx_word_kind kind, uint32_t value) {
  strmap_put(m, text, strlen(text), (uint32_t)kind << 16 | value);
}

void ptx_load_names(struct ptx_reader *r) {
  for (uint32_t i = 0; i < COUNT(ptx_op_names); i++)
    strmap_put(&r->ops, ptx_op_names[i], strlen(ptx_op_names[i]), i);
  for (uint32_t i = 0; i < COUNT(sregs); i++) strmap_put(&r->sregs, sregs[i].name, strlen(sregs[i].name), i);
  for (uint32_t i = 1; i < COUNT(ptx_mod_names); i++) put_word(&r->words, ptx_mod_names[i], PTX_W_MOD, i);
  for (uint32_t i = 1; i < PTX_TEXREF; i++) put_word(&r->words, ptx_type_names[i], PTX_W_TYPE, i);
  for (uint32_t i = PTX_REG; i < COUNT(ptx_space_names); i++)
    put_word(&r->words, ptx_space_names[i], PTX_W_SPACE, i);
  put_word(&r->words, "v2", PTX_W_VECTOR, 2);
  put_word(&r->words, "v4", PTX_W_VECTOR, 4);
  put_word(&r->words, "v8", PTX_W_VECTOR, 8);
}

bool ptx_find_word(const struct ptx_reader *r, const struct ptx_tok *t, enum ptx_word_kind *kind,
                   uint32_t *value) {
  uint32_t v;
  if (!strmap_get(&r->words, t->s, t->len, &v)) return false;
  *kind = (enum ptx_word_kind)(v >> 16);
  *value = v & 0xffff;
  return true;
}
