/* See blame.h. An access outside every allocation is attributed to one of the two neighbouring allocations: the one that the same
 * instruction used before, or else the one that a parameter of the kernel points into, or else the closer one. Far from both, it is
 * attributed to the closest allocation that a parameter points into. */
#include "exec/blame.h"

#include "exec/observe.h"
#include "exec/memory/strays.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- words -------------------------------------------------------------------------------------------------------------- */

/* 1234567 as "1,234,567". */
static const char *grouped(uint64_t n, char out[32]) {
  char digits[24];
  int len = snprintf(digits, sizeof digits, "%" PRIu64, n), k = 0;
  for (int i = 0; i < len; i++) {
    if (i && (len - i) % 3 == 0) out[k++] = ',';
    out[k++] = digits[i];
  }
  out[k] = 0;
  return out;
}

static const char *access_name(uint8_t op) {
  switch (op) {
  case EXEC_STORE: return "store to";
  case EXEC_ATOMIC:
  case EXEC_REDUCE: return "atomic operation on";
  case EXEC_PREFETCH: return "hint on";
  default: return "load from";
  }
}

static const char *space_word(uint8_t space) {
  switch (space) {
  case PTX_SHARED: return "shared memory at offset";
  case PTX_LOCAL: return "local memory at offset";
  case PTX_PARAM: return "parameter memory at offset";
  case PTX_CONST: return "constant memory at";
  default: return "global memory at";
  }
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* ", made by main (prog+0x1189)", as far as it is known. */
static void name_site(const struct exec_alloc *a, char *out, size_t size) {
  Dl_info at;
  *out = 0;
  if (!a->site || !dladdr(a->site, &at) || !at.dli_fname) return;
  uint64_t offset = (uint64_t)((const char *)a->site - (const char *)at.dli_fbase);
  const char *object = file_name(at.dli_fname);
  if (at.dli_sname) snprintf(out, size, ", made by %s (%s+0x%" PRIx64 ")", at.dli_sname, object, offset);
  else snprintf(out, size, ", made by %s+0x%" PRIx64, object, offset);
}

/* "the 1,024-byte allocation at 0x..., made by ...", or the variable's name. */
static void name_allocation(const struct exec_alloc *a, char *out, size_t size) {
  char n[32], site[160];
  grouped(a->range.end - a->range.base, n);
  name_site(a, site, sizeof site);
  const char *registered = a->kind == EXEC_ALLOC_REGISTERED ? "piece of registered memory" : "allocation";
  if (a->name) snprintf(out, size, "the %s-byte variable '%s' at 0x%" PRIx64, n, a->name, a->range.base);
  else snprintf(out, size, "the %s-byte %s at 0x%" PRIx64 "%s", n, registered, a->range.base, site);
}

static void what_of(const struct exec_touch *t, const char *why, char *out, size_t size) {
  char bytes[32];
  snprintf(out, size, "%s-byte %s %s 0x%" PRIx64 ": %s", grouped(t->bytes, bytes), access_name(t->op), space_word(t->space),
           t->addr, why);
}

static void fault(const struct exec_touch *t, enum exec_fault_kind kind, const char *why) {
  char what[640];
  what_of(t, why, what, sizeof what);
  exec_fault(t->w, t->in, kind, t->lane, "%s", what);
  if (!exec_observer(t->w)) return;
  struct exec_fault *f = &t->w->grid->fault;
  f->space = t->space;
  f->address = t->addr;
  f->bytes = t->bytes;
}

void exec_blame_misaligned(const struct exec_touch *t, uint64_t align) {
  char why[96];
  snprintf(why, sizeof why, "the address is not a multiple of %" PRIu64, align);
  fault(t, EXEC_FAULT_MISALIGNED, why);
}

void exec_blame_outside(const struct exec_touch *t, const char *what, uint64_t size) {
  char why[128], n[32];
  snprintf(why, sizeof why, "%s %s bytes", what, grouped(size, n));
  fault(t, EXEC_FAULT_ILLEGAL_ADDRESS, why);
}

/* All CTAs of a grid have the same amount. */
static void why_outside_shared(const struct exec_touch *t, char *why, size_t size) {
  char n[32];
  snprintf(why, size, "the CTA's shared memory has %s bytes", grouped(t->w->cta->shared_bytes, n));
}

void exec_blame_outside_shared(const struct exec_touch *t) {
  char why[128];
  why_outside_shared(t, why, sizeof why);
  fault(t, EXEC_FAULT_ILLEGAL_ADDRESS, why);
}

void exec_blame_read_only(const struct exec_touch *t, const char *why) { fault(t, EXEC_FAULT_READ_ONLY, why); }

void exec_blame_space(const struct exec_touch *t, const char *why) { fault(t, EXEC_FAULT_ADDRESS_SPACE, why); }

void exec_blame_constant(const struct exec_touch *t, const struct exec_alloc *a) {
  char why[400], name[320];
  name_allocation(a, name, sizeof name);
  snprintf(why, sizeof why, "%s is constant: kernels cannot write it", name);
  fault(t, EXEC_FAULT_READ_ONLY, why);
}

/* ---- which allocation was meant ------------------------------------------------------------------------------------------ */

static bool holds(const struct exec_alloc *a, uint64_t addr) { return addr >= a->range.base && addr < a->range.end; }

/* Whether an eight-byte parameter of the kernel points into the allocation. */
static bool is_parameter(const struct exec_grid *g, const struct exec_alloc *a) {
  for (uint64_t at = 0, value; at + 8 <= g->kernel->ptx->param_bytes; at += 8) {
    memcpy(&value, g->params + at, 8);
    if (holds(a, value)) return true;
  }
  return false;
}

static bool was_used(const struct exec_touch *t, const struct exec_alloc *a) {
  const struct exec_range_memo *memo = &t->w->cta->memo;
  uint64_t base = memo->at[t->w->pc % EXEC_MEMO].range.base;
  return memo->mem == t->w->grid->device->mem && base == a->range.base;
}

static uint64_t distance(const struct exec_alloc *a, uint64_t addr) {
  return addr < a->range.base ? a->range.base - addr : addr < a->range.end ? 0 : addr - a->range.end;
}

/* Of the allocations that parameters point into, the one closest to the address; NULL: there is none. */
static const struct exec_alloc *closest_parameter(const struct exec_grid *g, uint64_t addr) {
  const struct exec_alloc *best = NULL;
  for (uint64_t at = 0, value; at + 8 <= g->kernel->ptx->param_bytes; at += 8) {
    memcpy(&value, g->params + at, 8);
    const struct exec_alloc *a = exec_mem_find(g->device->mem, value, NULL);
    if (a && (!best || distance(a, addr) < distance(best, addr))) best = a;
  }
  return best;
}

static const struct exec_alloc *meant(const struct exec_touch *t) {
  const struct exec_mem *mem = t->w->grid->device->mem;
  const struct exec_alloc *below, *above;
  exec_mem_around(mem, t->addr, &below, &above);
  if (below && holds(below, t->addr)) return below;
  bool used = below && was_used(t, below), used_above = above && was_used(t, above);
  if (used == used_above) used = below && is_parameter(t->w->grid, below), used_above = above && is_parameter(t->w->grid, above);
  if (used != used_above) return used ? below : above;
  const struct exec_alloc *near = exec_mem_nearest(mem, t->addr), *given = closest_parameter(t->w->grid, t->addr);
  return given && distance(near, t->addr) >= EXEC_MAP_BLOCK ? given : near;
}

static void describe_near(const struct exec_alloc *a, uint64_t addr, uint64_t bytes, char *why, size_t size) {
  char name[320], n[32];
  name_allocation(a, name, sizeof name);
  if (holds(a, addr) && a->kind == EXEC_ALLOC_ARRAY)
    snprintf(why, size, "texture storage is not plain memory");
  else if (holds(a, addr))
    snprintf(why, size, "its last %s bytes are past the end of %s", grouped(addr + bytes - a->range.end, n), name);
  else if (addr == a->range.end)
    snprintf(why, size, "right past the end of %s", name);
  else if (addr > a->range.end)
    snprintf(why, size, "%s bytes past the end of %s", grouped(addr - a->range.end, n), name);
  else
    snprintf(why, size, "%s bytes before %s", grouped(a->range.base - addr, n), name);
}

/* There is no device memory below this address and hardly any of the host's: an index into an array that was never allocated. */
#define NEAR_NULL (UINT64_C(1) << 32)

/* ---- the host's own memory ------------------------------------------------------------------------------------------------ */

/* Whether the host process has memory there; `kind` is the last word of the line in its memory map. */
static bool of_host(uint64_t addr, char *kind, size_t size) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512], rights[8], name[256];
  bool found = false;
  while (maps && !found && fgets(line, sizeof line, maps)) {
    uint64_t from, to;
    int n = sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %255s", &from, &to, rights, name);
    if (n < 3 || addr < from || addr >= to || rights[0] != 'r') continue;
    found = true;
    if (n == 3) snprintf(kind, size, "memory it mapped");
    else if (name[0] == '[') snprintf(kind, size, "its %.*s", (int)strcspn(name + 1, "]"), name + 1);
    else snprintf(kind, size, "%s", file_name(name));
  }
  if (maps) fclose(maps);
  return found;
}

static bool describe_host(const struct exec_mem *mem, uint64_t addr, char *why, size_t size) {
  struct exec_alloc_range ours;
  char kind[280];
  if (exec_mem_backed(mem, addr, &ours) || !of_host(addr, kind, sizeof kind)) return false;
  snprintf(why, size, "this is an address of the host (%s): was the pointer copied with cudaMemcpy?", kind);
  return true;
}

/* ---- accesses outside every allocation -------------------------------------------------------------------------------------- */

static void why_wild(const struct exec_touch *t, char *why, size_t size) {
  const struct exec_mem *mem = t->w->grid->device->mem;
  const struct exec_alloc *freed = NULL, *a = exec_mem_find(mem, t->addr, &freed);
  char name[320];
  if (!a && freed) {
    name_allocation(freed, name, sizeof name);
    snprintf(why, size, "inside memory that was freed (%s)", name);
  } else if (!t->addr) {
    snprintf(why, size, "the pointer is null");
  } else if (t->addr < NEAR_NULL && !exec_mem_mapped(mem, t->addr, 1) && !of_host(t->addr, name, sizeof name)) {
    snprintf(why, size, "the pointer is null or an offset from null");
  } else if (!describe_host(mem, t->addr, why, size)) {
    if (!a) a = meant(t);
    if (a) describe_near(a, t->addr, t->bytes, why, size);
    else snprintf(why, size, "no device memory is allocated");
  }
}

void exec_blame_wild(const struct exec_touch *t) {
  char why[480];
  why_wild(t, why, sizeof why);
  fault(t, EXEC_FAULT_ILLEGAL_ADDRESS, why);
}

void exec_describe_stray(const struct exec_touch *t, char *out, size_t size) {
  char why[480];
  if (t->space == PTX_SHARED) why_outside_shared(t, why, sizeof why);
  else why_wild(t, why, sizeof why);
  what_of(t, why, out, size);
}

void exec_note_stray(const struct exec_touch *t, unsigned lanes) {
  struct exec_warp *w = t->w;
  if (exec_observer(w)) exec_observer(w)->stray(exec_observer(w)->user, t);
  struct exec_strays *strays = w->grid->device->strays;
  const struct ptx_inst *pi = t->in->ptx;
  if (!strays) return;
  struct exec_stray s = {.module = w->grid->module->code_base,
                         .file = pi->loc_file,
                         .line = pi->loc_file ? pi->loc_line : pi->line,
                         .grid = w->grid->id,
                         .cta = w->cta->linear_id,
                         .thread = w->first_thread + t->lane,
                         .accesses = lanes};
  char *text, what[640];
  if (!exec_strays_add(strays, &s, &text)) return;
  exec_describe_stray(t, what, sizeof what);
  exec_place_text(w, t->in, t->lane, what, text, sizeof s.text);
  exec_strays_done(strays);
}
