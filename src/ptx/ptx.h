/* A PTX module as returned by the reader: symbols, functions, instructions with all their modifiers and operands, the control-flow graph
 * with immediate post-dominators, liveness, and a dense register assignment.
 *
 * Owns: everything reachable from a `struct ptx_module` lives in its arena. Once read, it is changed only by the passes below (order,
 * lowering, marks). Gives no meaning to instructions (exec does) and knows no addresses of variables in device memory. Whether a
 * combination of modifiers is legal for an opcode is decided where it is executed, so that one table says what is supported; the reader
 * checks syntax, symbols, types of registers and structure. */
#ifndef PTX_PTX_H
#define PTX_PTX_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_type {
  PTX_NOTYPE,
  PTX_PRED,
  PTX_B1, PTX_B4, PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_B128,
  PTX_U2, PTX_U4, PTX_U8, PTX_U16, PTX_U32, PTX_U64, PTX_U16X2,
  PTX_S2, PTX_S4, PTX_S8, PTX_S16, PTX_S32, PTX_S64, PTX_S16X2,
  PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2, PTX_TF32, PTX_F32, PTX_F64, PTX_F32X2,
  PTX_E4M3, PTX_E5M2, PTX_E4M3X2, PTX_E5M2X2, PTX_E2M1X2, PTX_E2M3X2, PTX_E3M2X2, PTX_UE8M0X2,
  PTX_E2M1, PTX_E2M3, PTX_E3M2, PTX_UE8M0, PTX_UE4M3, PTX_E4M3X4, PTX_E5M2X4, PTX_E2M1X4, PTX_E2M3X4, PTX_E3M2X4,
  PTX_S2F6X2,
  PTX_TEXREF, PTX_SAMPLERREF, PTX_SURFREF,
  PTX_TYPES
};
const char *ptx_type_name(enum ptx_type t);   /* "f32" */
unsigned ptx_type_bits(enum ptx_type t);      /* 0 for NOTYPE; 64 for the reference types; 1 for PRED */
bool ptx_type_float(enum ptx_type t);         /* f16 .. f64 and the packed and tensor float types */
bool ptx_type_signed(enum ptx_type t);        /* the s types */

enum ptx_space {
  PTX_GENERIC, PTX_REG, PTX_SREG, PTX_CONST, PTX_GLOBAL, PTX_LOCAL, PTX_PARAM, PTX_SHARED, PTX_TEX
};
const char *ptx_space_name(enum ptx_space s);

enum ptx_op {
#define OP(name, family) PTX_OP_##name,
#include "ptx/ptx_opcodes.def"
#undef OP
  PTX_OPS
};
enum ptx_family { /* which family executes it: see exec/decode.h */
  PTX_ARITH, PTX_COMPARE, PTX_CONVERT, PTX_MOVE, PTX_VIDEO, PTX_MEMORY, PTX_WARP, PTX_CONTROL, PTX_TENSOR,
  PTX_TEXTURE, PTX_REFUSED
};
const char *ptx_op_name(enum ptx_op op);
enum ptx_family ptx_op_family(enum ptx_op op);

/* Modifiers: every dotted word after the opcode that is not a type, in the order written. MOD(identifier, "text")
 * in ptx_modifiers.def; PTX_M_ftz is ".ftz". Words with a colon ("L1::evict_first") have it written as "__" in the
 * identifier. */
enum ptx_mod {
  PTX_M_none,
#define MOD(id, text) PTX_M_##id,
#include "ptx/ptx_modifiers.def"
#undef MOD
  PTX_MODS
};
const char *ptx_mod_name(enum ptx_mod m); /* without the dot */

/* Special registers, one identifier each, components apart: PTX_SR_tid_x, PTX_SR_laneid, PTX_SR_clock64 ... */
enum ptx_sreg {
#define SREG(id, text, bits) PTX_SR_##id,
#include "ptx/ptx_sregs.def"
#undef SREG
  PTX_SREGS
};
const char *ptx_sreg_name(enum ptx_sreg s); /* with the percent sign: "%tid.x" */
bool ptx_differs_by_lane(int32_t sreg);     /* a special register of a thread or lane, enum ptx_sreg */
unsigned ptx_sreg_bits(enum ptx_sreg s);

enum ptx_opnd_kind {
  PTX_O_NONE,
  PTX_O_REG,    /* reg; `second` too in "p|q" (also of VEC and SINK); `negate` in "!p" */
  PTX_O_INT,    /* imm: integer literal, 64 bits, sign-extended */
  PTX_O_F32,    /* imm: bits of a 0f literal */
  PTX_O_F64,    /* imm: bits of a 0d literal or a decimal float literal */
  PTX_O_SREG,   /* reg: enum ptx_sreg */
  PTX_O_VAR,    /* sym: variable, imm: byte offset; its address as a value */
  PTX_O_FUNC,   /* sym: function, as call target or as a value */
  PTX_O_LABEL,  /* sym: index of the instruction it stands before; may be n_insts (the end) */
  PTX_O_TARGETS,/* sym: index into func->targets (.branchtargets / .calltargets) */
  PTX_O_PROTO,  /* sym: index into func->protos (.callprototype) */
  PTX_O_MEM,    /* [..]: elems[0] is the base (REG, VAR or INT), imm the byte offset; for textures and the like
                   elems holds every comma-separated item between the brackets */
  PTX_O_VEC,    /* {a, b, ..}: elems */
  PTX_O_LIST,   /* (a, b, ..): elems, of calls */
  PTX_O_SINK,   /* _ */
};

struct ptx_opnd {
  uint8_t kind;      /* enum ptx_opnd_kind */
  bool negate;       /* !p */
  bool negative;     /* -r written before a register operand */
  uint16_t n_elems;
  int32_t reg;       /* index into func->regs */
  int32_t second;    /* second register of "p|q", -1 if none */
  int32_t sym;
  int64_t imm;
  struct ptx_opnd *elems;
  const char *select; /* "b0", "h1", "h10", "b3210": the part chosen of a register by a video instruction, or NULL */
  uint32_t col;      /* of the operand in its line, 1-based */
  uint32_t line;
};

enum { PTX_MAX_TYPES = 4, PTX_MAX_MODS = 14 };

/* n_ops lies between the least and the most that any form of the opcode takes (ptx_operands.def); a decoder must
 * still check the number its own form needs. A call always has the operands of its longest form:
 *   ops[0] LIST of results (may be empty), ops[1] FUNC or REG, ops[2] LIST of arguments (may be empty), and, with
 *   n_ops == 4, ops[3] PROTO or TARGETS. A list holds .param variables (VAR), registers or constants.
 * brx.idx has the index and TARGETS; bra has one LABEL. */
struct ptx_inst {
  uint16_t op;            /* enum ptx_op */
  uint8_t n_ops, n_types, n_mods;
  uint8_t vec;            /* 1, 2, 4 or 8 */
  uint8_t space;          /* enum ptx_space, the first one written; PTX_GENERIC if none was */
  uint8_t space2;         /* the second one (cp.async.ca.shared.global: PTX_GLOBAL), or PTX_GENERIC. A state space with
                             a qualifier (.shared::cta, .param::entry) is in mods too */
  bool guarded, guard_negate;
  bool nounroll;          /* after .pragma "nounroll": if a loop begins here, it is not unrolled */
  bool folded;            /* made by the lowering: it takes no issue slot (lower_loops.c) */
  bool joined;            /* likewise: an atomic operation that one lane makes for all (lower_atomics.c) */
  int32_t guard;          /* predicate register */
  uint8_t types[PTX_MAX_TYPES]; /* enum ptx_type in the order written */
  uint16_t mods[PTX_MAX_MODS];  /* enum ptx_mod in the order written, without types, .v2/.v4/.v8 and state spaces */
  struct ptx_opnd *ops;
  const char *written;    /* of an opcode that is not executed: its dotted words as in the text, some of which may be in
                             neither types nor mods; NULL otherwise */
  uint32_t line, col;     /* in the PTX text, 1-based */
  uint32_t loc_file, loc_line; /* from the last .loc; file 0 is "none" */
  uint32_t use_file, use_line; /* the same outside of all inlined functions */
};
bool ptx_has(const struct ptx_inst *in, enum ptx_mod m);
/* The instruction's text rebuilt ("ld.global.nc.v4.f32"), operands left out; for messages. */
void ptx_inst_name(const struct ptx_inst *in, char *out, size_t size);

struct ptx_reg {
  const char *name;
  uint8_t type;      /* enum ptx_type */
  bool pinned;       /* a .reg parameter or result of a .func: holds its slot through the whole function */
  bool unread;       /* found by the lowering: no instruction reads it */
  int32_t slot;      /* dense slot within its class, after allocation; -1 if never used */
};
/* Register classes: how exec stores them. Up to 32 bits, 64 bits, 128 bits, predicates. */
enum ptx_class { PTX_R32, PTX_R64, PTX_R128, PTX_RPRED, PTX_CLASSES };
enum ptx_class ptx_reg_class(enum ptx_type t);

struct ptx_reloc { /* a symbol's address inside an initialiser */
  uint32_t offset;      /* byte offset in the variable */
  uint8_t bytes;        /* of the element there: it receives ((address + addend) & mask) >> (trailing zeros of mask) */
  int32_t sym;          /* variable, or function if is_func */
  bool is_func, generic; /* generic(...) around it */
  int64_t addend;
  uint64_t mask;        /* 0xff.. selector of mask(sym); all ones if none */
};

struct ptx_setting { /* one "key = value" of a .texref or .samplerref initialiser */
  const char *key, *word; /* word: the value where it is a name, else NULL */
  int64_t number;
};

/* .tex variables of old code are given as .global .texref. An .extern .shared variable without a size is the dynamic
 * shared memory, wherever it is declared. */
struct ptx_var {
  const char *name;
  uint8_t type, space;  /* element type; enum ptx_space */
  uint32_t vec;         /* 1, 2, 4 */
  uint64_t align, bytes; /* bytes 0: .extern .shared x[] or a parameter array of unknown size */
  bool is_extern, is_visible, is_weak, is_common, is_array, is_managed, is_ptr /* .param .ptr */;
  uint8_t ptr_space;
  bool is_hidden;       /* a .global or .const variable declared inside a function: not found by name */
  const unsigned char *init; /* `bytes` long, or NULL for zeros */
  struct ptx_reloc *relocs;
  size_t n_relocs;
  struct ptx_setting *settings;
  size_t n_settings;
  int32_t func;         /* index of the function that declares it, -1 at module scope */
  int32_t reg;          /* of a .reg parameter of a .func (space is PTX_REG): its register there; -1 otherwise */
  uint32_t stacked;     /* of a .func's parameter whose address is taken: the .local variable that holds it, plus 1; 0 otherwise */
  uint64_t offset;      /* within its area: function-scope .shared, .local and .param, entry and .func parameters */
  uint32_t line;
};

struct ptx_block {
  uint32_t first, end;  /* instructions [first, end) */
  uint32_t *succ;
  uint32_t n_succ;
  int32_t ipdom;        /* block, or -1: the exit */
};

struct ptx_targets { /* .branchtargets (instruction indices) or .calltargets (functions) */
  uint32_t *at;
  uint32_t n;
  bool calls;
};
struct ptx_proto { /* .callprototype */
  uint64_t *ret_bytes, *param_bytes, *ret_align, *param_align;
  uint32_t n_rets, n_params;
};

struct ptx_func {
  const char *name;
  bool is_entry, is_extern, is_visible, is_weak, noreturn;
  int32_t *params, *rets;   /* variables; offsets are within the parameter block */
  uint32_t n_params, n_rets;
  uint64_t param_bytes, ret_bytes;
  struct ptx_reg *regs;
  uint32_t n_regs, cap_regs;  /* cap_regs: places that the lowering has made room for, or 0 */
  struct ptx_inst *insts;
  uint32_t n_insts;
  struct ptx_block *blocks;
  uint32_t n_blocks;
  uint32_t *block_of;       /* instruction -> block */
  uint32_t *reconverge;     /* instruction -> first instruction of the block's immediate post-dominator, or
                               PTX_NO_RECONVERGE at the exit; meaningful at the last instruction of a block */
  bool *yields;             /* instruction -> back branch of a loop in which a thread waits for others (ptx_yield.c); NULL: not computed */
  bool *looks;              /* instruction -> a plain load by which a thread waits for others (ptx_yield.c); NULL: none, or not computed */
  bool *late;               /* instruction -> an access to shared memory before which other warps must catch up (ptx_late.c); NULL: none */
  uint32_t *constants;      /* instructions whose results are the same in every CTA of a launch, each behind those it reads; their registers
                               share no slot (exec_keep_constants); NULL: not asked */
  uint32_t n_constants;
  uint8_t *issue;           /* instruction -> issue slots of its machine instructions (lower_slots.c); NULL: not computed */
  uint8_t *reads;           /* instruction -> registers that its machine instruction reads (lower_reads.c); NULL: not computed */
  uint32_t *place;          /* instruction, and one more -> machine instructions before it (lower_slots.c); NULL: not computed */
  struct ptx_targets *targets;
  uint32_t n_targets;
  struct ptx_proto *protos;
  uint32_t n_protos;
  uint64_t shared_bytes;    /* function-scope .shared, laid out; module-scope and dynamic are apart */
  uint64_t local_bytes;     /* function-scope .local */
  uint64_t call_param_bytes;/* function-scope .param (arguments and results of calls) */
  uint32_t slots[PTX_CLASSES]; /* rows needed of each class */
  uint32_t regs_needed;     /* most 32-bit registers alive at once (64 bits count two, predicates none) plus one for
                               the stack pointer; with calls, at least 24 and what the functions called need */
  uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg, maxnctapersm; /* 0 where not given */
  uint32_t reqnctapercluster[3], maxclusterrank;
  bool explicit_cluster, blocks_are_clusters;
  int32_t alias_of;         /* .alias: the function meant; references were already replaced by it. -1: none */
  uint32_t line;
};
enum { PTX_NO_RECONVERGE = 0xffffffffu };

struct ptx_module {
  struct arena arena;
  const char *source_name;
  unsigned version;         /* 10 * major + minor: 90 for 9.0 */
  unsigned target;          /* 75 for sm_75 */
  bool target_arch_specific;/* sm_90a and the like */
  unsigned address_size;    /* 32 or 64 */
  struct ptx_var *vars;
  uint32_t n_vars;
  struct ptx_func *funcs;
  uint32_t n_funcs;
  const char **files;       /* .file table; index 0 unused; NULL where a number was not given */
  uint32_t n_files;
  struct strmap names;      /* module scope: 2 * index, + 1 for a function */
};

/* Reads a whole module. `text` need not be terminated by a zero. On false, *e holds the message with file, line,
 * column, the line itself and a caret. The module must be freed with ptx_free also after a failure. */
bool ptx_read(struct ptx_module *m, const char *source_name, const char *text, size_t bytes, struct err *e);
void ptx_free(struct ptx_module *m);
/* Orders the instructions of blocks as an assembler does, loads first (ptx_order.c). In `lowered` code (ptx_lower) machine registers are
 * counted, and nothing passes instructions that become a branch or a call (lower_has_slow_path). */
void ptx_order_blocks(struct ptx_module *m, bool lowered);
/* Changes control flow as an assembler does (lower.c); called before ptx_order_blocks. */
void ptx_lower(struct ptx_module *m);
/* Number of f64 literals in a computation whose lower half is not zero: a machine instruction has room only for the upper half. */
unsigned ptx_wide_literals(const struct ptx_inst *in);
/* Counts the issue slots of each instruction and finds unused results (lower.c); called after ptx_order_blocks. */
void ptx_count_slots(struct ptx_module *m);
/* Finds the loops in which an assembler lets other lanes of the warp run (ptx_yield.c). */
void ptx_mark_yields(struct ptx_module *m);
/* Finds the plain loads by which threads wait (ptx_yield.c). */
void ptx_mark_looks(struct ptx_module *m);
/* Finds accesses to shared memory before which, on a GPU, other warps have read what they overwrite, or written what they read
 * (ptx_late.c). */
void ptx_mark_late(struct ptx_module *m);

/* Looks a function or variable up by name at module scope; -1 if absent. */
int32_t ptx_find_func(const struct ptx_module *m, const char *name);
int32_t ptx_find_var(const struct ptx_module *m, const char *name);

/* Registers read and written by an instruction (indices into f->regs, a guard first among the reads), each at most
 * once. Arrays must hold PTX_MAX_TOUCHED entries. A guarded instruction's writes are partial. */
enum { PTX_MAX_TOUCHED = 320 };
struct ptx_touched {
  int32_t reads[PTX_MAX_TOUCHED], writes[PTX_MAX_TOUCHED];
  uint32_t n_reads, n_writes;
};
void ptx_touches(const struct ptx_func *f, const struct ptx_inst *in, struct ptx_touched *out);

#endif
