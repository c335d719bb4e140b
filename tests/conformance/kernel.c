/* Writes the PTX of one entry a variant: see kernel.h for the registers a body may use. Only the registers
 * that the body names are declared and computed, so that a kernel tests little beside its instruction. */
#include "kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *t, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  size_t need = t->size + (size_t)n + 1;
  if (need > t->capacity) {
    t->capacity = need * 2;
    t->text = realloc(t->text, t->capacity);
    if (!t->text) exit(2);
  }
  vsnprintf(t->text + t->size, t->capacity - t->size, format, again);
  va_end(again);
  t->size += (size_t)n;
}

void text_free(struct text *t) {
  free(t->text);
  *t = (struct text){0};
}

static bool names(const struct variant *v, const char *word) { return strstr(v->body, word) != NULL; }

/* Declares a register or a numbered list of them. */
static void declare(struct text *t, char letter, const struct operand *o) {
  if (o->count == 1)
    text_add(t, "  .reg %s %%%c;\n", o->cls->reg, letter);
  else
    text_add(t, "  .reg %s %%%c<%u>;\n", o->cls->reg, letter, o->count);
}

/* Whether the body names a register of the numbered list with that prefix. */
static bool names_numbered(const struct variant *v, const char *prefix) {
  size_t n = strlen(prefix);
  for (const char *at = strstr(v->body, prefix); at; at = strstr(at + 1, prefix))
    if (at[n] >= '0' && at[n] <= '9') return true;
  return false;
}

static void declare_scratch(struct text *t, const struct variant *v) {
  static const struct {
    const char *prefix, *declaration;
  } SETS[] = {{"%p", ".reg .pred %p<4>"}, {"%r", ".reg .b32 %r<16>"}, {"%l", ".reg .b64 %l<16>"}};
  for (size_t i = 0; i < sizeof SETS / sizeof SETS[0]; i++)
    if (names_numbered(v, SETS[i].prefix)) text_add(t, "  %s;\n", SETS[i].declaration);
}

/* Thread, warp and CTA numbers. */
static void place(struct text *t, const struct variant *v) {
  text_add(t, "  .reg .u32 %%i, %%th, %%cta, %%lane, %%wid, %%t;\n  .reg .b64 %%u, %%v;\n");
  text_add(t, "  mov.u32 %%th, %%tid.x;\n  mov.u32 %%cta, %%ctaid.x;\n  mov.u32 %%t, %%ntid.x;\n");
  text_add(t, "  mad.lo.u32 %%i, %%cta, %%t, %%th;\n");
  if (names(v, "%lane")) text_add(t, "  and.b32 %%lane, %%i, 31;\n");
  text_add(t, "  shr.u32 %%wid, %%i, 5;\n");
}

/* `to` = `base` + `index` * `scale`, all 64-bit. */
static void address(struct text *t, const char *to, const char *param, const char *index, unsigned scale) {
  text_add(t, "  .reg .b64 %s;\n  ld.param.u64 %%u, [%s];\n", to, param);
  text_add(t, "  mul.wide.u32 %%v, %s, %u;\n  add.s64 %s, %%u, %%v;\n", index, scale, to);
}

static void scratch_memory(struct text *t, const struct variant *v) {
  if (names(v, "%pm")) address(t, "%pm", "p_mem", "%i", KERNEL_SCRATCH);
  if (names(v, "%pw")) address(t, "%pw", "p_mem", "%wid", KERNEL_SCRATCH * 32);
  if (names(v, "%pq")) address(t, "%pq", "p_mem", "%cta", KERNEL_SCRATCH * VARIANT_CTA);
  bool lane = names(v, "%ps"), warp = names(v, "%sw");
  if (lane || warp || names(v, "sm"))
    text_add(t, "  .shared .align 128 .b8 sm[%u];\n", KERNEL_SCRATCH * VARIANT_CTA);
  if (lane || warp) text_add(t, "  .reg .u32 %%ps, %%sw;\n  mov.u32 %%t, sm;\n");
  if (lane) text_add(t, "  mad.lo.u32 %%ps, %%th, %u, %%t;\n", KERNEL_SCRATCH);
  if (warp) text_add(t, "  shr.u32 %%sw, %%th, 5;\n  mad.lo.u32 %%sw, %%sw, %u, %%t;\n", KERNEL_SCRATCH * 32);
  if (names(v, "lm")) text_add(t, "  .local .align 16 .b8 lm[64];\n");
}

/* Addresses of operand `k` and its registers, loaded. */
static void load_operand(struct text *t, const struct variant *v, unsigned k) {
  const struct operand *o = &v->operands[k];
  char letter = "abch"[k], lane[8], warp[8], param[8];
  snprintf(lane, sizeof lane, "%%p%c", letter);
  snprintf(warp, sizeof warp, "%%w%c", letter);
  snprintf(param, sizeof param, "p_%c", letter);
  if (!o->address_only || names(v, lane)) address(t, lane, param, "%i", 8 * o->count);
  if (names(v, warp)) address(t, warp, param, "%wid", 8 * 32 * o->count);
  if (o->address_only) return;
  declare(t, letter, o);
  if (!o->cls->mem) {
    text_add(t, "  ld.global.u32 %%t, [%s];\n  setp.ne.u32 %%%c, %%t, 0;\n", lane, letter);
    return;
  }
  for (unsigned i = 0; i < o->count; i++) {
    char reg[16];
    snprintf(reg, sizeof reg, o->count == 1 ? "%%%c" : "%%%c%u", letter, i);
    text_add(t, "  ld.global%s %s, [%s+%u];\n", o->cls->mem, reg, lane, 8 * i);
  }
}

static void store_result(struct text *t, char letter, const struct operand *o) {
  if (!o->cls->mem) {
    text_add(t, "  selp.u32 %%t, 1, 0, %%%c;\n  st.global.u8 [%%po+%u], %%t;\n", letter, o->offset);
    return;
  }
  for (unsigned i = 0; i < o->count; i++) {
    char reg[16];
    snprintf(reg, sizeof reg, o->count == 1 ? "%%%c" : "%%%c%u", letter, i);
    text_add(t, "  st.global%s [%%po+%u], %s;\n", o->cls->mem, o->offset + i * o->cls->bytes, reg);
  }
}

static void entry(struct text *t, const struct variant *v, size_t number) {
  text_add(
      t,
      "// %s\n.visible .entry v%zu(.param .u64 p_out, .param .u64 p_a, .param .u64 p_b, .param .u64 p_c,\n",
      v->name, number);
  text_add(t, "  .param .u64 p_h, .param .u64 p_mem, .param .align 16 .b8 p_block[%u]%s)\n", KERNEL_BLOCK,
           v->tensor ? ", .param .align 64 .b8 p_map[128]" : "");
  if (v->cluster) text_add(t, ".explicitcluster\n.reqnctapercluster %u\n", v->cluster);
  text_add(t, "{\n");
  place(t, v);
  declare_scratch(t, v);
  scratch_memory(t, v);
  for (unsigned k = 0; k < v->operand_count; k++) load_operand(t, v, k);
  for (unsigned k = 0; k < v->result_count; k++) declare(t, (char)('d' + (int)k), &v->results[k]);
  address(t, "%po", "p_out", "%i", v->stride);
  text_add(t, "  %s\n", v->body);
  for (unsigned k = 0; k < v->result_count; k++) store_result(t, (char)('d' + (int)k), &v->results[k]);
  text_add(t, "  ret;\n}\n\n");
}

/* Variants may share a prelude; it is written once. */
static bool prelude_seen(const struct variant *const *list, size_t before) {
  for (size_t i = 0; i < before; i++)
    if (list[i]->prelude && strcmp(list[i]->prelude, list[before]->prelude) == 0) return true;
  return false;
}

/* Instructions of one architecture alone. */
static const char *target(const struct variant *const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (names(list[i], "wgmma") || names(list[i], "setmaxnreg") || names(list[i], "tensormap.replace")) return "sm_90a";
  return "sm_90";
}

void kernel_module(struct text *t, const struct variant *const *list, size_t count) {
  text_add(t, ".version 8.7\n.target %s\n.address_size 64\n\n", target(list, count));
  for (size_t i = 0; i < count; i++) {
    if (list[i]->prelude && !prelude_seen(list, i)) text_add(t, "%s\n", list[i]->prelude);
    entry(t, list[i], i);
  }
}
