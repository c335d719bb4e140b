/* The observer: grids, CTAs and events, and what a fault means. The tools are in files of their own (check_state.h). */
#include "check/check_state.h"

#include "base/arena.h"
#include "base/str.h"
#include "exec/blame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* So many events of one grid are distinguished; then the older ones are forgotten, and races with them missed. */
enum { MOST_EVENTS = 1 << 25 };
/* Numbers begin anew, with empty shadow memory, when they come near to the sign of a stamp. */
#define LAST_EVENT (UINT32_C(0x7fffffff) - MOST_EVENTS)

/* ---- events ------------------------------------------------------------------------------------------------------------ */

uint32_t check_new_event(struct check *c, uint32_t warp, uint32_t lanes) {
  if (c->next - c->first >= MOST_EVENTS) c->first = c->next;
  size_t at = c->next - c->first;
  GROW(c->events, c->event_capacity, at + 1);
  c->events[at] = (struct check_event){warp, lanes};
  return c->next++;
}

uint32_t check_event(struct check *c, struct check_warp *w, uint32_t lanes) {
  for (int i = 0; i < EVENTS_KEPT; i++)
    if (w->event[i] >= c->first && w->mask[i] == lanes) return w->event[i];
  w->event[1] = w->event[0];
  w->mask[1] = w->mask[0];
  w->mask[0] = lanes;
  return w->event[0] = check_new_event(c, w->id, lanes);
}

/* ---- grids and CTAs ----------------------------------------------------------------------------------------------------- */

/* What comes now is the grid's, and after all that has been. */
static void follow(struct check *c, const struct exec_grid *g) {
  c->grid = g;
  c->warps_per_cta = (g->block[0] * g->block[1] * g->block[2] + EXEC_LANES - 1) / EXEC_LANES;
  c->first = c->next;
}

static void grid_begin(void *user, const struct exec_grid *g) {
  struct check *c = user;
  if (c->grid) c->outer[c->n_outer++] = c->grid;
  else if (c->next > LAST_EVENT) {
    shadow_forget(c->shadow);
    for (struct check_cta *t = c->ctas; t; t = t->next) plane_free(&t->shared);
    c->next = 1;
  }
  follow(c, g);
}

static void drop_knowledge(struct check_cta *t) {
  for (uint32_t i = 0; i < t->n_warps; i++) {
    vclock_drop(t->warps[i].now);
    vclock_drop(t->warps[i].fenced);
    vclock_drop(t->warps[i].heard);
  }
  for (int i = 0; i < EXEC_ALL_BARRIERS; i++) {
    vclock_drop(t->barriers[i].now);
    vclock_drop(t->barriers[i].fenced);
  }
  memset(t->barriers, 0, sizeof t->barriers);
  t->n_warps = 0;
  t->grid = NULL;
}

static struct check_cta *unused_cta(struct check *c) {
  struct check_cta *t = c->ctas;
  while (t && t->grid) t = t->next;
  if (t) return t;
  t = must_alloc(sizeof *t);
  t->next = c->ctas;
  return c->ctas = t;
}

/* What lies behind the CTA's own bytes and answers is told as an invalid access: nobody asks whether it was written. */
static void prepare_shared(struct check_cta *t, const struct exec_cta *cta) {
  size_t bytes = exec_shared_mapped(cta);
  if (bytes > t->shared.bytes) {
    plane_free(&t->shared);
    plane_make(&t->shared, bytes);
  }
  size_t words = (bytes + 63) / 64 + 1;
  if (words * 8 > t->written_bytes) {
    free(t->written);
    t->written = must_alloc(words * 8);
    t->written_bytes = words * 8;
  }
  memset(t->written, 0, words * 8);
  if (bytes > cta->shared_bytes) bits_set(t->written, cta->shared_bytes, bytes - cta->shared_bytes);
}

static void cta_begin(void *user, struct exec_cta *exec) {
  struct check *c = user;
  struct check_cta *t = unused_cta(c);
  exec->observed = t;
  t->grid = exec->grid;
  t->n_warps = exec->n_warps;
  t->first_warp = (uint32_t)(exec->linear_id * exec->n_warps);
  t->first = t->base = c->next;
  if (t->n_warps > t->warp_capacity) {
    free(t->warps);
    t->warps = must_alloc(t->n_warps * sizeof *t->warps);
    t->warp_capacity = t->n_warps;
  }
  for (uint32_t i = 0; i < t->n_warps; i++)
    t->warps[i] = (struct check_warp){.id = t->first_warp + i, .synced = c->next};
  prepare_shared(t, exec);
}

static void cta_end(void *user, struct exec_cta *exec) {
  check_left(user, exec);
  drop_knowledge(exec->observed);
  exec->observed = NULL;
}

/* ---- faults --------------------------------------------------------------------------------------------------------------- */

static const char invalid_access[] = "invalid-access";

static bool synchronises(const struct exec_inst *in) {
  if (!in) return false;
  enum ptx_op op = (enum ptx_op)in->ptx->op;
  return ptx_op_family(op) == PTX_WARP || op == PTX_OP_mbarrier;
}

static const char *kind_of(const struct exec_fault *f, enum check_tool *tool) {
  *tool = CHECK_MEM;
  switch (f->kind) {
  case EXEC_FAULT_ILLEGAL_ADDRESS: return invalid_access;
  case EXEC_FAULT_MISALIGNED: return "misaligned";
  case EXEC_FAULT_READ_ONLY: return "read-only";
  case EXEC_FAULT_ADDRESS_SPACE: return "address-space";
  case EXEC_FAULT_STACK: return "stack-overflow";
  case EXEC_FAULT_ASSERT: return "assert";
  case EXEC_FAULT_TRAP: return "trap";
  default: break;
  }
  if (f->kind == EXEC_FAULT_DEADLOCK || synchronises(f->in)) *tool = CHECK_SYNC;
  return f->kind == EXEC_FAULT_DEADLOCK ? "deadlock" : *tool == CHECK_SYNC ? "invalid-barrier" : "illegal-instruction";
}

static void report_fault(struct check *c, const struct exec_fault *f) {
  enum check_tool tool;
  const char *kind = kind_of(f, &tool);
  if (!check_is_new(c, tool, kind, f->in, NULL)) return;
  char text[sizeof f->text];
  snprintf(text, sizeof text, "%s", f->text);
  text[strcspn(text, "\n")] = 0; /* where it was comes from the place */
  check_write(c, &(struct check_found){.tool = tool,
                                       .kind = kind,
                                       .text = text,
                                       .place = {{.in = f->in, .cta = f->cta, .thread = f->thread}},
                                       .places = 1,
                                       .space = f->space,
                                       .address = f->address,
                                       .bytes = f->bytes});
}

static void stray(void *user, const struct exec_touch *t) {
  struct check *c = user;
  if (!check_is_new(c, CHECK_MEM, invalid_access, t->in, NULL)) return;
  char text[640];
  exec_describe_stray(t, text, sizeof text);
  check_write(c, &(struct check_found){.tool = CHECK_MEM,
                                       .kind = invalid_access,
                                       .text = text,
                                       .place = {check_place_of(t->w, t->in, t->lane, NULL)},
                                       .places = 1,
                                       .space = t->space,
                                       .address = t->addr,
                                       .bytes = t->bytes});
}

/* A grid that has waited for this one goes on. What it did before is forgotten, as that of other grids is: it may have been in step with
 * this one or not. */
static void grid_end(void *user, const struct exec_grid *g) {
  struct check *c = user;
  if (g->fault.kind != EXEC_FAULT_NONE && g->fault.kind != EXEC_FAULT_STOPPED) report_fault(c, &g->fault);
  for (struct check_cta *t = c->ctas; t; t = t->next)
    if (t->grid == g) drop_knowledge(t);
  check_flags_clear(c);
  if (c->n_outer) follow(c, c->outer[--c->n_outer]);
  else c->grid = NULL;
}

/* ---- accesses --------------------------------------------------------------------------------------------------------------- */

static void touch(void *user, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t) {
  struct check *c = user;
  if (c->tools & CHECK_INIT) check_init(c, w, in, t);
  if (!(c->tools & CHECK_RACE)) return;
  check_flags(c, w, in, t);
  check_race(c, w, in, t);
}

/* ---- making one -------------------------------------------------------------------------------------------------------------- */

unsigned check_tools(const char *names, struct err *e) {
  static const char *const known[] = {"memcheck", "racecheck", "synccheck", "initcheck", "all"};
  unsigned tools = 0;
  char *list = strdup(names), *save = NULL;
  for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
    unsigned i = 0;
    while (i < 5 && strcmp(known[i], w) != 0) i++;
    if (i == 5) {
      err_set(e, ERR_INPUT, "no tool '%s'%s: there are memcheck, racecheck, synccheck, initcheck and all", w, str_hint(w, known, 5).s);
      tools = 0;
      break;
    }
    tools |= i == 4 ? CHECK_ALL : 1u << i;
  }
  free(list);
  if (!tools && !e->kind) err_set(e, ERR_INPUT, "no tool is named");
  return tools;
}

struct check *check_new(unsigned tools, const char *log, struct err *e) {
  struct check *c = must_alloc(sizeof *c);
  c->log = fopen(log, "ae"); /* several processes of a program write it */
  if (!c->log) {
    err_set(e, ERR_SYSTEM, "cannot write '%s': %s", log, strerror(errno));
    free(c);
    return NULL;
  }
  c->tools = tools;
  c->next = c->first = 1;
  c->shadow = shadow_new();
  c->observer = (struct exec_observer){.user = c,
                                       .grid_begin = grid_begin,
                                       .grid_end = grid_end,
                                       .cta_begin = cta_begin,
                                       .cta_end = cta_end,
                                       .touch = touch,
                                       .stray = stray,
                                       .order = check_order,
                                       .come = check_come,
                                       .meet = check_meet,
                                       .shuffle = check_shuffle,
                                       .arrive = check_arrive,
                                       .release = check_release,
                                       .allocated = check_allocated,
                                       .freed = check_freed,
                                       .moved = check_moved};
  return c;
}

void check_delete(struct check *c) {
  if (!c) return;
  check_write_counts(c);
  fclose(c->log);
  for (struct check_cta *t = c->ctas, *next; t; t = next) {
    next = t->next;
    drop_knowledge(t);
    plane_free(&t->shared);
    free(t->written);
    free(t->warps);
    free(t);
  }
  check_flags_clear(c);
  shadow_delete(c->shadow);
  free(c->events);
  free(c->findings);
  free(c);
}

const struct exec_observer *check_observer(const struct check *c) { return &c->observer; }

void check_lockstep(struct check *c) { c->lockstep = true; }
