/* The reader's own state, used only by the files of src/ptx/.
 *
 * One struct ptx_reader exists during one ptx_read. It owns the heap arrays that grow while reading; what the module keeps is copied into
 * the module's arena when a function or the module is complete. Reading is one pass over the tokens: only code labels and addresses in
 * initialisers may be used before they are declared, and are resolved at the end of their function or module.
 *
 * Errors: every function that can fail returns bool. After the first error the current token is the end of the text, so loops over tokens
 * end by themselves. */
#ifndef PTX_READER_H
#define PTX_READER_H

#include "ptx/ptx.h"

enum { /* bounds on what a text may request, so that a hostile one cannot exhaust the host */
       PTX_MAX_SCOPES_DEEP = 64,
       PTX_MAX_EXPR_DEEP = 64,
       PTX_MAX_DIMS = 8,
       PTX_MAX_OPS = 16,
       PTX_MAX_ELEMS =
           256, /* of all the lists and vectors of one instruction; keeps within PTX_MAX_TOUCHED */
       PTX_MAX_FILES = 1 << 16,
       PTX_MAX_VARS = 1 << 20,
       PTX_MAX_NAME = 4096,
       PTX_MAX_INIT_BYTES = 1 << 30, /* of all initialised variables together */
};
#define PTX_MAX_VAR_BYTES ((uint64_t)1 << 40)

/* ---- tokens -------------------------------------------------------------------------------------------- */

enum ptx_tok_kind {
  PTX_T_END,
  PTX_T_IDENT,  /* names, with a leading % or $ where written */
  PTX_T_DOT,    /* .word, .word::word; s and len leave the first dot out */
  PTX_T_INT,    /* value */
  PTX_T_F32,    /* value: bits of 0fXXXXXXXX */
  PTX_T_F64,    /* value: bits of 0dX.., or of a decimal literal */
  PTX_T_STRING, /* s and len are what is between the quotes */
  PTX_T_PUNCT,  /* punct */
};

/* A punctuation token is its character, or for the operators of two characters this number. */
#define PTX_PUNCT2(a, b) (((a) << 8) | (b))

struct ptx_tok {
  uint8_t kind;     /* enum ptx_tok_kind */
  bool is_unsigned; /* an integer with the suffix U, or too large for 63 bits */
  int punct;
  const char *s;
  uint32_t len;
  const char *start; /* first character, the dot or quote included */
  uint64_t value;
};

/* ---- symbols ------------------------------------------------------------------------------------------- */

enum ptx_sym_kind {
  PTX_SYM_REG,
  PTX_SYM_VECTOR, /* n registers from index on */
  PTX_SYM_VAR,
  PTX_SYM_FUNC,
  PTX_SYM_MODULE_REG, /* a register of the module, index into range_list: each function that names it gets its own */
};
struct ptx_sym {
  uint8_t kind;
  uint8_t n;
  uint16_t depth; /* of the scope that declares it; 0 is the module */
  uint32_t index;
};
/* %r<10>: registers of a range are created when first named, so a range costs nothing. */
struct ptx_range {
  uint32_t count;
  uint32_t outer; /* the range of the same name that this one hides, or PTX_NO_SYM */
  uint8_t type, vec;
  uint16_t depth;
};
struct ptx_undo { /* what a name meant before the scope redefined it */
  const char *name;
  uint32_t len;
  uint32_t before;
  bool in_ranges;
};
struct ptx_made { /* a register that was created; chained per scope */
  const char *name;
  uint32_t len;
  uint32_t before, next;
  uint32_t reg;
  bool of_module; /* declared outside functions */
};
enum { PTX_NO_SYM = 0xffffffffu };

enum ptx_label_kind { PTX_LABEL_CODE, PTX_LABEL_TARGETS, PTX_LABEL_PROTO };
struct ptx_label {
  uint8_t kind;
  uint32_t value;
};
struct ptx_name_ref { /* a name used before it may have been declared */
  const char *s;
  uint32_t len;
  uint32_t scope; /* of labels: where it was used */
};

/* ---- state --------------------------------------------------------------------------------------------- */

/* The function being read. The arrays are kept from one function to the next. */
struct ptx_loc { /* a place in the source, and where the outermost function that was inlined there is used */
  uint32_t file, line, column, use_file, use_line;
};
enum { PTX_LOCS = 16 };

struct ptx_body {
  int32_t func;
  struct ptx_inst *insts;
  size_t n_insts, cap_insts;
  struct ptx_reg *regs;
  size_t n_regs, cap_regs;
  uint32_t *scope_parent; /* one an opened scope; scope 0 is the function's outermost */
  size_t n_scopes, cap_scopes;
  uint32_t open[PTX_MAX_SCOPES_DEEP]; /* the scopes we are in */
  size_t undo_mark[PTX_MAX_SCOPES_DEEP];
  uint64_t param_mark[PTX_MAX_SCOPES_DEEP];
  uint32_t made_head[PTX_MAX_SCOPES_DEEP];
  struct ptx_made *made;
  size_t n_made, cap_made;
  uint32_t depth;
  struct ptx_label *labels;
  size_t n_labels, cap_labels;
  struct strmap label_map;   /* key: scope number (4 bytes) then the name */
  struct ptx_name_ref *refs; /* label names in operands: PTX_O_LABEL with sym as index, until resolved */
  size_t n_refs, cap_refs;
  uint32_t *ref_insts; /* instructions with such operands */
  size_t n_ref_insts, cap_ref_insts;
  struct ptx_targets *targets;
  size_t n_targets, cap_targets;
  struct ptx_proto *protos;
  size_t n_protos, cap_protos;
  uint64_t param_top; /* bytes of .param variables of the open scopes */
  uint32_t loc_file, loc_line;
  struct ptx_loc locs[PTX_LOCS]; /* the last ones: a ring */
  uint32_t n_locs;
  bool nounroll; /* .pragma "nounroll" precedes the next instruction */
};

struct ptx_pending_reloc { /* a name in an initialiser, looked up when the module is complete */
  struct ptx_name_ref name;
  struct ptx_reloc *reloc;
};

struct ptx_promised { /* must have a body by the end of the module */
  const char *at;
  uint32_t func;
};

struct ptx_module_reg_use { /* a register of the module named by a function */
  const char *name;
  uint32_t len;
  uint32_t func;
  bool reads_first; /* the first instruction that names it does not write it */
};

struct ptx_reader {
  struct ptx_module *m;
  struct err *e;
  const char *text, *end, *cur;
  uint32_t line;
  const char *line_start;
  uint32_t tok_line; /* of the current token */
  const char *tok_line_start;
  struct ptx_tok tok;
  struct strmap ops, words, sregs;
  struct ptx_var *vars;
  size_t n_vars, cap_vars;
  struct ptx_func *funcs;
  size_t n_funcs, cap_funcs;
  const char **files;
  size_t n_files, cap_files;
  struct strmap names, ranges;
  struct ptx_sym *syms;
  size_t n_syms, cap_syms;
  struct ptx_range *range_list;
  size_t n_ranges, cap_ranges;
  struct ptx_undo *undo;
  size_t n_undo, cap_undo;
  struct ptx_reloc *relocs; /* of the variable being initialised */
  size_t n_relocs, cap_relocs;
  struct ptx_pending_reloc *pending;
  size_t n_pending, cap_pending;
  struct ptx_promised *promised; /* functions declared without a body that are not .extern */
  size_t n_promised, cap_promised;
  uint64_t module_local_bytes; /* local variables of the module: at the beginning of every kernel's frame */
  struct ptx_module_reg_use *module_regs;
  size_t n_module_regs, cap_module_regs;
  struct ptx_opnd *elems; /* stack of operands being read */
  size_t n_elems, cap_elems;
  uint32_t elems_in_inst;
  unsigned char *init; /* bytes of the variable being initialised */
  size_t n_init, cap_init;
  uint64_t init_bytes;
  bool seen_version, seen_target, seen_address_size;
  bool texmode_independent; /* of .target */
  struct ptx_body body;
};

/* ---- ptx_diag.c: messages with a position -------------------------------------------------------------- */

/* Sets the error for the place `at` in the text and ends the token stream. Always false. */
bool ptx_fail(struct ptx_reader *r, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A line and column of the text as a place in it. */
const char *ptx_place(const struct ptx_reader *r, uint32_t line, uint32_t col);
/* "expected WHAT, found TOKEN" at the current token. */
bool ptx_expected(struct ptx_reader *r, const char *what);
/* " (did you mean 'x'?)" for a word and a list of known ones, or "". The result lives in `out`. */
const char *ptx_hint(char *out, size_t size, const char *s, size_t len, const char *const *known, size_t n);

/* ---- ptx_lex.c ----------------------------------------------------------------------------------------- */

bool ptx_next(struct ptx_reader *r); /* false at an error only; the end is a token */
static inline bool ptx_at(const struct ptx_reader *r, int punct) {
  return r->tok.kind == PTX_T_PUNCT && r->tok.punct == punct;
}
bool ptx_at_word(const struct ptx_reader *r, enum ptx_tok_kind kind, const char *word);
bool ptx_accept(struct ptx_reader *r, int punct); /* takes it if it is there */
bool ptx_expect(struct ptx_reader *r, int punct); /* takes it or fails */
/* Copies the current identifier's text and takes it. */
bool ptx_take_name(struct ptx_reader *r, const char *what, struct ptx_tok *out);
char *ptx_keep(struct ptx_reader *r, const struct ptx_tok *t); /* its text, in the module's arena */

/* ---- ptx_names.c: words to numbers --------------------------------------------------------------------- */

enum ptx_word_kind { PTX_W_TYPE, PTX_W_SPACE, PTX_W_VECTOR, PTX_W_MOD };
void ptx_load_names(struct ptx_reader *r);
bool ptx_find_word(const struct ptx_reader *r, const struct ptx_tok *t, enum ptx_word_kind *kind,
                   uint32_t *value);
extern const char *const ptx_op_names[];
extern const char *const ptx_mod_names[];
extern const char *const ptx_type_names[];
extern const char *const ptx_space_names[];

/* ---- ptx_expr.c: constant expressions ------------------------------------------------------------------ */

struct ptx_value {
  bool is_float, is_unsigned, is_f32_bits; /* is_f32_bits: a 0f literal alone, f holds its value */
  int64_t i;
  double f;
  uint32_t f32_bits;
};
bool ptx_expr(struct ptx_reader *r, struct ptx_value *out);
bool ptx_int_expr(struct ptx_reader *r, int64_t *out);
/* A non-negative integer constant up to max, for sizes and counts. */
bool ptx_count(struct ptx_reader *r, const char *what, uint64_t max, uint64_t *out);

/* ---- ptx_symbols.c: scopes, names, registers, labels --------------------------------------------------- */

bool ptx_open_scope(struct ptx_reader *r);
void ptx_close_scope(struct ptx_reader *r);
struct ptx_sym *ptx_lookup(struct ptx_reader *r, const char *s, uint32_t len);
/* Declares a name in the current scope; fails if that scope already has it. */
bool ptx_declare(struct ptx_reader *r, const struct ptx_tok *name, struct ptx_sym sym);
/* Declares a function at module scope, whatever scope is open. */
void ptx_declare_func(struct ptx_reader *r, const struct ptx_tok *name, uint32_t index);
uint32_t ptx_add_reg(struct ptx_reader *r, const char *name, uint8_t type); /* of the function being read */
bool ptx_declare_regs(struct ptx_reader *r, const struct ptx_tok *name, uint8_t type, uint32_t vec,
                      int64_t range);
bool ptx_declare_label(struct ptx_reader *r, const struct ptx_tok *name, enum ptx_label_kind kind,
                       uint32_t value);
const struct ptx_label *ptx_find_label(struct ptx_reader *r, const struct ptx_name_ref *ref);

/* ---- ptx_parse*.c -------------------------------------------------------------------------------------- */

struct ptx_decl { /* what may stand before a declared name */
  bool is_extern, is_visible, is_weak, is_common, is_managed, is_ptr;
  uint8_t ptr_space;
  uint8_t space, type;
  uint32_t vec;
  uint64_t align;
  const char *at;
};
bool ptx_parse_module(struct ptx_reader *r);
/* .extern .visible .weak .common, as many as there are. */
bool ptx_parse_linkage(struct ptx_reader *r, struct ptx_decl *d);
bool ptx_parse_vars(struct ptx_reader *r,
                    struct ptx_decl *d); /* a declaration with its ';', after its linkage */
/* ( .param .. a, .reg .. b ): appended to the module's variables; the list is in the arena. */
bool ptx_parse_params(struct ptx_reader *r, int32_t **out, uint32_t *n, uint64_t *bytes);
bool ptx_parse_attribute(struct ptx_reader *r, struct ptx_decl *d);
/* What follows '='. dims[0] may be 0: then the initialiser decides, and the variable's size is set. */
bool ptx_parse_init(struct ptx_reader *r, uint32_t var, const uint64_t *dims, unsigned n_dims);
bool ptx_resolve_relocs(struct ptx_reader *r);
bool ptx_parse_func(struct ptx_reader *r, const struct ptx_decl *linkage, bool is_entry);
bool ptx_check_promised(struct ptx_reader *r); /* all functions declared without .extern are defined */
bool ptx_parse_proto(struct ptx_reader *r, struct ptx_proto *out);
/* Parses the rest of an instruction whose opcode was read; `in` holds its guard and place. */
bool ptx_parse_inst(struct ptx_reader *r, const struct ptx_tok *opcode, struct ptx_inst *in);
bool ptx_resolve_labels(struct ptx_reader *r);
bool ptx_parse_loc(struct ptx_reader *r);
bool ptx_parse_pragma(struct ptx_reader *r);
uint64_t ptx_align_up(uint64_t x, uint64_t align);

/* ---- after a body is read ------------------------------------------------------------------------------ */

/* Checks the number of operands and the types of registers against ptx_operands.def. `at` is its opcode. */
bool ptx_check_inst(struct ptx_reader *r, const struct ptx_inst *in, const char *at);
void ptx_build_cfg(struct ptx_module *m, struct ptx_func *f);
/* Predecessors of all blocks: those of b are preds[start[b] .. start[b + 1]). Both are the caller's to free.
 */
void ptx_find_preds(const struct ptx_func *f, uint32_t **start, uint32_t **preds);

/* Where each register's value is needed, as one interval of points: 2 * i is when instruction i reads, 2 * i + 1 when it writes. first >
 * last: never used. */
struct ptx_live {
  uint32_t *first, *last;
  uint32_t most; /* 32-bit registers in use at once, at the worst point */
};
/* With `weight` (register -> 32-bit registers that it takes) instead of what the types take. */
void ptx_find_live(const struct ptx_func *f, const uint8_t *weight, struct ptx_live *out);
void ptx_free_live(struct ptx_live *l);
void ptx_allocate_slots(struct ptx_func *f);
void ptx_count_calls(struct ptx_reader *r); /* when all functions are read */
bool ptx_reads_clock(const struct ptx_inst *in); /* ptx_order.c */

/* ---- ptx_module_regs.c: registers declared outside functions ------------------------------------------- */

void ptx_note_module_regs(struct ptx_reader *r);  /* of the body that was just read */
bool ptx_check_module_regs(struct ptx_reader *r); /* when all functions are read */

#endif
