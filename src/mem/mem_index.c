/* See mem_index.h. */
#include "mem/mem_index.h"

#include "base/arena.h"
#include "mem/mem_gf2.h"

#include <assert.h>
#include <stdlib.h>

/* The odd part of the sets above hashed low bits. */
static uint32_t above(const struct mem_index *x, uint64_t line, uint32_t low) {
  return x->odd == 1 ? low : (uint32_t)((line >> x->bits) % x->odd) << x->bits | low;
}

static uint32_t plain(const struct mem_index *x, uint64_t address) {
  uint64_t line = address >> x->line_shift;
  return above(x, line, (uint32_t)line & ((1u << x->bits) - 1));
}

static uint32_t xor_fold(const struct mem_index *x, uint64_t address) {
  uint64_t line = address >> x->line_shift;
  uint32_t low = 0;
  if (x->bits)
    for (uint64_t left = line; left; left >>= x->bits) low ^= (uint32_t)left;
  return above(x, line, low & ((1u << x->bits) - 1));
}

static uint32_t ipoly(const struct mem_index *x, uint64_t address) {
  uint64_t line = address >> x->line_shift;
  return above(x, line, x->own ? (uint32_t)mem_gf2_apply(x->own, line) : 0);
}

static void *ipoly_create(const struct mem_index *x) {
  if (!x->bits) return NULL;
  uint64_t column[64];
  for (unsigned i = 0; i < 64; i++) column[i] = mem_gf2_power(x->bits, i);
  struct mem_gf2 *poly = must_alloc(sizeof *poly);
  mem_gf2_init(poly, column);
  return poly;
}

static uint32_t fermi(const struct mem_index *x, uint64_t a) {
  uint32_t low = (uint32_t)(a >> 7) & 31;
  uint32_t high = ((uint32_t)(a >> 13) & 7) | ((uint32_t)(a >> 17) & 1) << 3 | ((uint32_t)(a >> 19) & 1) << 4;
  return (low ^ high) | (x->sets == 64 ? ((uint32_t)(a >> 12) & 1) << 5 : 0);
}

static bool fermi_fits(uint32_t sets, struct err *e) {
  if (sets == 32 || sets == 64) return true;
  return err_set(e, ERR_INPUT, "the fermi set index needs 32 or 64 sets, not %u", sets);
}

static uint32_t modulo(const struct mem_index *x, uint64_t number) {
  return (uint32_t)(x->odd == 1 ? number & (x->sets - 1) : number % x->sets);
}

static uint32_t fold(const struct mem_index *x, uint64_t address) {
  uint64_t line = address >> x->line_shift;
  return modulo(x, line ^ line >> 5 ^ line >> 11 ^ line >> 17);
}

static uint32_t mix(const struct mem_index *x, uint64_t address) {
  return modulo(x, (uint32_t)((address >> x->line_shift) * 0x9e3779b97f4a7c15u >> 40));
}

const struct mem_index_function mem_index_plain = {.policy = {.name = "plain", .meaning = "line number modulo the number of "
                                                                                          "sets"}, .set = plain};
const struct mem_index_function mem_index_xor = {
    .policy = {.name = "xor", .meaning = "the upper bits of the line number are folded onto the index by exclusive-or"}, .set = xor_fold};
const struct mem_index_function mem_index_ipoly = {
    .policy = {.name = "ipoly", .meaning = "line number modulo an irreducible polynomial over GF(2)"},
    .set = ipoly, .create = ipoly_create, .destroy = free};
const struct mem_index_function mem_index_fermi = {
    .policy = {.name = "fermi", .meaning = "address bits 7 to 11 exclusive-or bits 13, 14, 15, 17 and 19; with 64 sets, bit 12 on top"},
    .set = fermi, .fits = fermi_fits};
const struct mem_index_function mem_index_fold = {
    .policy = {.name = "fold", .meaning = "line number exclusive-or itself shifted by 5, 11 and 17, modulo sets"}, .set = fold};
const struct mem_index_function mem_index_mix = {
    .policy = {.name = "mix", .meaning = "line number multiplied by 2^64 over the golden ratio, upper bits"}, .set = mix};

#define LIST(X, T)        \
  X(T, mem_index_plain)   \
  X(T, mem_index_xor)     \
  X(T, mem_index_ipoly)
POLICY_LIST(mem_indexes, struct mem_index_function, LIST);

bool mem_index_fits(const struct mem_index_function *f, uint32_t sets, struct err *e) { return !f->fits || f->fits(sets, e); }

void mem_index_init(struct mem_index *x, const struct mem_index_function *f, uint32_t sets, uint32_t line_bytes) {
  assert(sets && !(line_bytes & (line_bytes - 1)));
  *x = (struct mem_index){.function = f, .sets = sets, .line_shift = (uint32_t)__builtin_ctz(line_bytes)};
  x->bits = (uint32_t)__builtin_ctz(sets);
  x->odd = sets >> x->bits;
  if (f->create) x->own = f->create(x);
}

void mem_index_free(struct mem_index *x) {
  if (x->own) x->function->destroy(x->own);
  x->own = NULL;
}
