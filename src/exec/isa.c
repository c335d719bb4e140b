/* Which compiled version of the lane files is used: the best that the host supports, or the one that HEDDLE_ISA names. */
#include "exec/decode.h"

#include <stdlib.h>
#include <string.h>

#define MOVER(name, isa) bool exec_##name##_##isa(void *, const void *, uint64_t, uint32_t, const struct exec_window *);
#define MOVERS(width, isa)                                                                                             \
  MOVER(load_##width##_32, isa) MOVER(load_##width##_64, isa) MOVER(load_##width##_u8, isa) MOVER(load_##width##_u16, isa) \
  MOVER(load_##width##_s8, isa) MOVER(load_##width##_s16, isa) MOVER(store_##width##_32, isa) MOVER(store_##width##_64, isa) \
  MOVER(store_##width##_8, isa) MOVER(store_##width##_16, isa) MOVER(load_##width##_128, isa) MOVER(store_##width##_128, isa)
#define LOADS(width, isa)                                                                                              \
  {[EXEC_QUICK_32] = exec_load_##width##_32_##isa, [EXEC_QUICK_64] = exec_load_##width##_64_##isa,                     \
   [EXEC_QUICK_8] = exec_load_##width##_u8_##isa, [EXEC_QUICK_16] = exec_load_##width##_u16_##isa,                     \
   [EXEC_QUICK_S8] = exec_load_##width##_s8_##isa, [EXEC_QUICK_S16] = exec_load_##width##_s16_##isa,                     \
   [EXEC_QUICK_128] = exec_load_##width##_128_##isa}
#define STORES(width, isa)                                                                                             \
  {[EXEC_QUICK_32] = exec_store_##width##_32_##isa, [EXEC_QUICK_64] = exec_store_##width##_64_##isa,                   \
   [EXEC_QUICK_8] = exec_store_##width##_8_##isa, [EXEC_QUICK_16] = exec_store_##width##_16_##isa,                     \
   [EXEC_QUICK_128] = exec_store_##width##_128_##isa}
#define DECLARE(isa)                                                                                                   \
  exec_fn exec_pick_int_##isa(const struct ptx_inst *);                                                                \
  exec_fn exec_pick_float_##isa(const struct ptx_inst *);                                                              \
  exec_fn exec_pick_half_##isa(const struct ptx_inst *);                                                               \
  exec_fn exec_pick_compare_##isa(const struct ptx_inst *);                                                            \
  exec_fn exec_pick_convert_##isa(const struct ptx_inst *);                                                            \
  struct exec_shape exec_form_wide_##isa(const void *, uint64_t, uint64_t, uint32_t, uint64_t *);                      \
  struct exec_shape exec_form_narrow_##isa(const void *, uint64_t, uint64_t, uint32_t, uint64_t *);                    \
  bool exec_within_##isa(const uint64_t *, uint64_t, uint64_t);                                                        \
  MOVERS(narrow, isa)                                                                                                  \
  MOVERS(wide, isa)                                                                                                    \
  void exec_take_quads_##isa(const void *, uint32_t *const *);                                                         \
  void exec_give_quads_##isa(void *, const uint32_t *const *);                                                         \
  void exec_permute_##isa(uint32_t *, const uint32_t *, const uint32_t *);                                             \
  void exec_move32_##isa(struct exec_warp *, const struct exec_inst *);                                                \
  void exec_move64_##isa(struct exec_warp *, const struct exec_inst *);                                                \
  void exec_pack_##isa(const uint32_t *const *, unsigned, unsigned, void *, uint32_t);                                 \
  void exec_unpack_##isa(const void *, uint32_t *const *, unsigned, unsigned, uint32_t);                               \
  bool exec_sample_row_##isa(const struct exec_texture *, const struct exec_texture_row *);                             \
  extern const struct exec_tensor_lanes exec_tensor_##isa;                                                             \
  static const struct exec_lanes lanes_##isa = {#isa,                                                                  \
                                                exec_pick_int_##isa,                                                   \
                                                exec_pick_float_##isa,                                                 \
                                                exec_pick_half_##isa,                                                  \
                                                exec_pick_compare_##isa,                                               \
                                                exec_pick_convert_##isa,                                               \
                                                exec_form_wide_##isa,                                                  \
                                                exec_form_narrow_##isa,                                                \
                                                exec_within_##isa,                                                     \
                                                {LOADS(narrow, isa), LOADS(wide, isa)},                                \
                                                {STORES(narrow, isa), STORES(wide, isa)},                              \
                                                exec_take_quads_##isa,                                                 \
                                                exec_give_quads_##isa,                                                 \
                                                exec_permute_##isa,                                                    \
                                                exec_move32_##isa,                                                     \
                                                exec_move64_##isa,                                                     \
                                                exec_pack_##isa,                                                       \
                                                exec_unpack_##isa,                                                     \
                                                exec_sample_row_##isa,                                                 \
                                                &exec_tensor_##isa};

DECLARE(portable)
#ifdef EXEC_PORTABLE_ONLY
const struct exec_lanes *exec_lanes_best(void) { return &lanes_portable; }
#else
DECLARE(avx2)
DECLARE(avx512)

static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

const struct exec_lanes *exec_lanes_best(void) {
  const char *want = getenv("HEDDLE_ISA");
  if (want && !strcmp(want, "portable")) return &lanes_portable;
  if (want && !strcmp(want, "avx2") && has_avx2()) return &lanes_avx2;
  if (has_avx512()) return &lanes_avx512;
  return has_avx2() ? &lanes_avx2 : &lanes_portable;
}
#endif
