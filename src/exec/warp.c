/* One warp: its paths, its joins, and exec_step().
 *
 * A path is a set of lanes at one pc. A branch that divides a path creates a join at the immediate post-dominator. Lanes that arrive there
 * wait in the join's `arrived` set until all `expected` lanes that are still alive have come, and then go on as one path. Divergence thus
 * costs what a SIMT stack costs, but no lane depends on the order of a stack.
 *
 * Forward progress (independent thread scheduling, as on Volta and later). Waiting at a join affects speed, not results: when no path of
 * the warp can run, or when the running path gives way, the waiting lanes leave their join and run on their own. A lock taken by one lane
 * of a warp while another spins on it is therefore always released. A path gives way only where a loop turns, because a lane that waits for
 * a lock there holds none, and never because it waits for memory: on an H200 the sides of a branch run strictly one after the other, loads,
 * atomics and 40 million cycles of arithmetic alike; only the YIELD that the assembler puts into loops that wait for other threads changes
 * that. There are two rules: a path gives way at every turn of such a loop, if the module was loaded with EXEC_YIELD_LOOPS; and, in any
 * loop, when it has used up its patience, which is counted in instructions, deterministic, and used up quickly by instructions with which
 * threads spin (EXEC_SPIN). The second rule alone is for GPUs before Volta, whose stack of paths would never let the holder of the lock
 * run.
 *
 * Instructions with a member mask park their path until all live members are there (exec_wait_for_lanes). CTA barriers count threads, not
 * warps, so a divergent bar.sync works.
 *
 * Lanes that reach .sync instructions at different places, or in different calls, meet if these do the same (bar.warp.sync; shfl, vote,
 * match and redux of one kind; elect), and exchange values, as on an H200. Others wait for ever on an H200 and fault here, with a message.
 *
 * Simplified: other .sync instructions (mma, ldmatrix) do not meet in this way. */
#include "exec/run/cta_cluster.h"
#include "exec/observe.h"
#include "exec/warp.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 1 << 22, SPIN_COST = 1 << 14 };

/* ---- the current path ------------------------------------------------------------------------------------------ */

void exec_use_frame(struct exec_warp *w, struct exec_frame *f) {
  w->frame = f;
  memcpy(w->file, f->file, sizeof f->file);
  w->file[EXEC_FCONST] = f->func->constants;
  w->insts = f->func->insts;
}

static void set_rpc(struct exec_warp *w) {
  const struct exec_join *j = w->join >= 0 ? &w->joins[w->join] : NULL;
  w->rpc = j && j->frame == w->frame ? j->pc : EXEC_NO_PC;
}

static void save_path(struct exec_warp *w) {
  struct exec_path *p = &w->paths[w->path];
  p->mask = w->active;
  p->pc = w->pc;
  p->frame = w->frame;
  p->join = w->join;
}

static void load_path(struct exec_warp *w, unsigned index) {
  const struct exec_path *p = &w->paths[index];
  w->path = (uint8_t)index;
  w->active = p->mask;
  w->pc = p->pc;
  w->join = p->join;
  w->patience = 0;
  w->had_turn |= p->mask;
  exec_use_frame(w, p->frame);
  set_rpc(w);
}

static unsigned free_path(const struct exec_warp *w) {
  for (unsigned i = 0; i < EXEC_LANES; i++)
    if (w->paths[i].state == EXEC_P_FREE) return i;
  assert(false && "more paths than lanes");
  return 0;
}

static void make_path(struct exec_warp *w, uint32_t mask, uint32_t pc, struct exec_frame *frame, int16_t join) {
  unsigned i = free_path(w);
  w->paths[i] = (struct exec_path){.mask = mask, .pc = pc, .frame = frame, .join = join, .state = EXEC_P_READY};
  w->n_paths++;
}

static void drop_path(struct exec_warp *w, unsigned index) {
  w->paths[index].state = EXEC_P_FREE;
  w->n_paths--;
}

/* ---- joins ------------------------------------------------------------------------------------------------------ */

static int16_t make_join(struct exec_warp *w, uint32_t pc, uint32_t expected) {
  uint32_t i = 0;
  while (i < w->n_joins && w->joins[i].used) i++;
  if (i == w->n_joins) {
    size_t capacity = w->n_joins;
    GROW(w->joins, capacity, i + 1);
    memset(w->joins + w->n_joins, 0, (capacity - w->n_joins) * sizeof *w->joins);
    w->n_joins = (uint32_t)capacity;
  }
  w->joins[i] =
      (struct exec_join){.frame = w->frame, .pc = pc, .expected = expected, .parent = w->join, .used = true};
  return (int16_t)i;
}

/* Lanes that wait in join i go on as a path of their own, outside the join. */
static void release_join(struct exec_warp *w, int16_t i) {
  struct exec_join *j = &w->joins[i];
  uint32_t lanes = j->arrived;
  j->expected &= ~lanes;
  j->arrived = 0;
  make_path(w, lanes, j->pc, j->frame, j->parent);
  if (!j->expected) j->used = false;
}

static bool release_waiting_joins(struct exec_warp *w) {
  bool any = false;
  for (uint32_t i = 0; i < w->n_joins; i++)
    if (w->joins[i].used && w->joins[i].arrived) {
      release_join(w, (int16_t)i);
      any = true;
    }
  return any;
}

/* Lanes stop being expected at join i; those that wait there may be complete now. */
static void leave_join(struct exec_warp *w, int16_t i, uint32_t lanes) {
  struct exec_join *j = &w->joins[i];
  j->expected &= ~lanes;
  j->arrived &= ~lanes;
  if (!j->expected) j->used = false;
  else if (j->arrived == j->expected) release_join(w, i);
}

static void pick_path(struct exec_warp *w);

/* The current path has reached its join. */
static void arrive(struct exec_warp *w) {
  struct exec_join *j = &w->joins[w->join];
  j->arrived |= w->active;
  if (j->arrived == j->expected) {
    w->active = j->arrived;
    w->join = j->parent;
    j->used = false;
    set_rpc(w);
  } else {
    drop_path(w, w->path);
    pick_path(w);
  }
}

static void settle(struct exec_warp *w) {
  while (w->pc == w->rpc && w->status == EXEC_RUNNING) arrive(w);
}

/* ---- which path runs ------------------------------------------------------------------------------------------- */

static int next_ready(const struct exec_warp *w) {
  for (unsigned k = 1; k <= EXEC_LANES; k++) {
    unsigned i = (w->path + k) % EXEC_LANES;
    if (w->paths[i].state == EXEC_P_READY) return (int)i;
  }
  return -1;
}

/* Moves a parked path's membership up to the join `to`, an ancestor (or -1). */
static void climb(struct exec_warp *w, struct exec_path *p, int16_t to) {
  while (p->join != to && p->join >= 0) {
    int16_t i = p->join;
    p->join = w->joins[i].parent;
    leave_join(w, i, p->mask);
  }
}

static bool is_ancestor(const struct exec_warp *w, int16_t join, int16_t of) {
  for (; of >= 0; of = w->joins[of].parent)
    if (of == join) return true;
  return join < 0;
}

static void merge_paths(struct exec_warp *w, unsigned into, unsigned from) {
  struct exec_path *a = &w->paths[into], *b = &w->paths[from];
  int16_t common = a->join;
  while (!is_ancestor(w, common, b->join)) common = w->joins[common].parent;
  climb(w, a, common);
  climb(w, b, common);
  a->mask |= b->mask;
  drop_path(w, from);
}

static void show_meeting(const struct exec_warp *w, uint32_t members) {
  if (exec_observer(w)) exec_observer(w)->meet(exec_observer(w)->user, w, members);
}

static const struct exec_inst *parked_at(const struct exec_path *p) { return &p->frame->func->insts[p->pc]; }

static bool is_warp_barrier(const struct exec_inst *in) { return in->ptx->op == PTX_OP_bar || in->ptx->op == PTX_OP_barrier; }

/* Lanes that wait for each other at different places go on if they do the same there. */
static void meet_apart(struct exec_warp *w, unsigned first, uint32_t need) {
  const struct exec_path *p = &w->paths[first];
  const struct exec_inst *in = parked_at(p);
  struct exec_party parties[EXEC_LANES];
  unsigned n = 0;
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    const struct exec_path *q = &w->paths[i];
    if (q->state != EXEC_P_SYNC || !(q->mask & need)) continue;
    parties[n++] = (struct exec_party){q->frame, parked_at(q), exec_guarded_lanes(parked_at(q), q->frame->file, q->mask)};
    bool same = q->sync_mask == p->sync_mask && exec_is_same_operation(in, parked_at(q));
    if (is_warp_barrier(in) ? is_warp_barrier(parked_at(q)) : same) continue;
    exec_fault(w, in, EXEC_FAULT_DEADLOCK, (unsigned)__builtin_ctz(p->mask),
               "lanes of one member mask (0x%08x) reached this instruction and another one, where they do not meet",
               p->sync_mask);
    return;
  }
  if (!is_warp_barrier(in)) exec_do_apart(w, parties, n);
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    struct exec_path *q = &w->paths[i];
    if (q->state == EXEC_P_SYNC && q->mask & need) q->state = EXEC_P_READY, q->pc++;
  }
  show_meeting(w, need);
}

/* Wakes parked .sync paths whose members have all arrived: those at the same instruction become one path. */
static bool wake_sync(struct exec_warp *w, unsigned first) {
  struct exec_path *p = &w->paths[first];
  uint32_t need = p->sync_mask & w->live, together = 0, anywhere = 0;
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    const struct exec_path *q = &w->paths[i];
    if (q->state != EXEC_P_SYNC || !(q->mask & need)) continue;
    anywhere |= q->mask;
    if (q->pc == p->pc && q->frame == p->frame) together |= q->mask;
  }
  if ((anywhere & need) != need) return false;
  if ((together & need) != need) {
    meet_apart(w, first, need);
    return true;
  }
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    const struct exec_path *q = &w->paths[i];
    if (i == first || q->state != EXEC_P_SYNC || !(q->mask & need)) continue;
    if (q->pc == p->pc && q->frame == p->frame) merge_paths(w, first, i);
  }
  p->state = EXEC_P_READY;
  return true;
}

static bool wake_syncs(struct exec_warp *w) {
  bool any = false;
  for (unsigned i = 0; i < EXEC_LANES; i++)
    if (w->paths[i].state == EXEC_P_SYNC) any |= wake_sync(w, i);
  return any;
}

static bool any_path_in(const struct exec_warp *w, enum exec_path_state s) {
  for (unsigned i = 0; i < EXEC_LANES; i++)
    if (w->paths[i].state == s) return true;
  return false;
}

/* The current path has ended or is parked: chooses another one, or sets why there is none. */
static void pick_path(struct exec_warp *w) {
  if (!w->live) {
    w->status = EXEC_DONE;
    return;
  }
  const struct exec_path *now = &w->paths[w->path];
  if (now->state == EXEC_P_BARRIER && now->mask == w->live) { /* no other lanes are left */
    w->status = EXEC_BLOCKED;
    return;
  }
  if (now->state == EXEC_P_READY && now->mask == w->live) { /* no other lanes are alive */
    load_path(w, w->path);
    return;
  }
  wake_syncs(w);
  int next = next_ready(w);
  if (next < 0 && release_waiting_joins(w)) {
    wake_syncs(w);
    next = next_ready(w);
  }
  if (w->status == EXEC_FAULTED) return;
  if (next >= 0) {
    load_path(w, (unsigned)next);
    return;
  }
  w->status = EXEC_BLOCKED;
  if (any_path_in(w, EXEC_P_BARRIER)) return;
  const struct exec_path *p = &w->paths[0];
  while (p->state != EXEC_P_SYNC) p++;
  exec_fault(w, &p->frame->func->insts[p->pc], EXEC_FAULT_DEADLOCK, (unsigned)__builtin_ctz(p->mask),
             "the lanes 0x%08x wait for lanes 0x%08x that can never come", p->mask,
             p->sync_mask & w->live & ~p->mask);
}

/* Lets the other paths run. */
static void yield(struct exec_warp *w) {
  save_path(w);
  release_waiting_joins(w);
  load_path(w, (unsigned)next_ready(w));
}

static uint32_t waiting_for_a_turn(const struct exec_warp *w) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < w->n_joins; i++)
    if (w->joins[i].used) lanes |= w->joins[i].arrived;
  for (unsigned i = 0; i < EXEC_LANES; i++)
    if (w->paths[i].state == EXEC_P_READY && i != w->path) lanes |= w->paths[i].mask;
  return lanes;
}

bool exec_owes_turns(struct exec_warp *w, bool begin) {
  if (w->status != EXEC_RUNNING) return false;
  if (begin) w->had_turn = w->active;
  if (!(waiting_for_a_turn(w) & ~w->had_turn)) return false;
  w->patience = PATIENCE;
  return true;
}

void exec_after(struct exec_warp *w, const struct exec_inst *in, const struct exec_before *b) {
  if (w->pc == w->rpc) settle(w);
  if (w->active == w->live) return;
  w->patience += in->flags & EXEC_SPIN ? SPIN_COST : 1;
  bool turned = w->pc <= b->pc && w->path == b->path && w->insts == b->insts && w->status == EXEC_RUNNING;
  if (turned && (w->patience > PATIENCE || in->flags & EXEC_YIELD)) yield(w);
}

enum exec_status exec_step(struct exec_warp *w) {
  exec_do(w, exec_next(w));
  return w->status;
}

void exec_warp_begin(struct exec_warp *w, uint32_t lanes) {
  if (w->n_paths) memset(w->paths, 0, sizeof w->paths); /* the last warp of the slot was cancelled */
  if (w->n_joins) memset(w->joins, 0, w->n_joins * sizeof *w->joins);
  w->live = lanes;
  w->n_paths = 0;
  w->at_cluster = 0;
  w->watched = false;
  w->status = EXEC_RUNNING;
  w->root.lanes = lanes;
  make_path(w, lanes, 0, &w->root, -1);
  load_path(w, 0);
}

/* ---- branching -------------------------------------------------------------------------------------------------- */

static void join_at(struct exec_warp *w, uint32_t rpc) {
  if (rpc == EXEC_NO_PC || w->rpc == rpc) return;
  w->join = make_join(w, rpc, w->active);
  w->rpc = rpc;
}

void exec_split(struct exec_warp *w, uint32_t lanes, uint32_t pc, uint32_t rpc) {
  join_at(w, rpc);
  make_path(w, lanes, pc, w->frame, w->join);
  w->active &= ~lanes;
}

void exec_diverge(struct exec_warp *w, uint32_t taken, uint32_t target, uint32_t rpc) {
  join_at(w, rpc);
  uint32_t rest = w->active & ~taken;
  if (target == w->rpc) {
    w->joins[w->join].arrived |= taken;
    w->active = rest;
  } else if (w->pc == w->rpc) {
    w->joins[w->join].arrived |= rest;
    w->active = taken;
    w->pc = target;
  } else {
    make_path(w, taken, target, w->frame, w->join);
    w->active = rest;
  }
}

bool exec_wait_for_lanes(struct exec_warp *w, const struct exec_inst *in, uint32_t members) {
  uint32_t need = members & w->live;
  (void)in;
  if ((w->active & need) == need) {
    show_meeting(w, members);
    return true;
  }
  w->pc--;
  save_path(w);
  w->paths[w->path].state = EXEC_P_SYNC;
  w->paths[w->path].sync_mask = members;
  pick_path(w);
  return false;
}

/* ---- barriers --------------------------------------------------------------------------------------------------- */

static void give_result(struct exec_path *p, const struct exec_barrier *b) {
  const struct exec_inst *in = &p->frame->func->insts[p->pc - 1];
  if (in->sub == EXEC_BAR_PLAIN || in->d.file == EXEC_FNONE) return;
  uint32_t *row = (uint32_t *)(void *)(p->frame->file[in->d.file] + in->d.off);
  if (in->sub == EXEC_BAR_POPC) {
    for (unsigned i = 0; i < EXEC_LANES; i++)
      if (p->mask >> i & 1) row[i] = b->count;
  } else {
    bool r = in->sub == EXEC_BAR_AND ? b->all : b->any;
    *row = r ? *row | p->mask : *row & ~p->mask;
  }
}

/* Paths of one warp that waited at the same place go on as one. The entry of the running path is not up to date. */
static void merge_released(struct exec_warp *w, unsigned path) {
  struct exec_path *p = &w->paths[path];
  for (unsigned i = 0; i < path; i++) {
    struct exec_path *q = &w->paths[i];
    if (w->status == EXEC_RUNNING && i == w->path) continue;
    if (q->state == EXEC_P_READY && q->pc == p->pc && q->frame == p->frame && q->join == p->join) {
      q->mask |= p->mask;
      drop_path(w, path);
      return;
    }
  }
}

static void release_warp(struct exec_warp *w, unsigned id, const struct exec_barrier *b) {
  bool any = false;
  unsigned left = w->n_paths;
  for (unsigned i = 0; left; i++) {
    struct exec_path *p = &w->paths[i];
    left -= p->state != EXEC_P_FREE;
    if (p->state != EXEC_P_BARRIER || p->barrier != id) continue;
    give_result(p, b);
    p->state = EXEC_P_READY;
    merge_released(w, i);
    any = true;
  }
  if (any && w->status == EXEC_BLOCKED) {
    w->status = EXEC_RUNNING;
    pick_path(w);
    settle(w);
  }
}

void exec_release_paths(struct exec_warp *w, unsigned id) { release_warp(w, id, NULL); }

static void try_complete(struct exec_cta *cta, unsigned id) {
  struct exec_barrier *b = &cta->barriers[id];
  if (!b->used || b->arrived < (b->expected ? b->expected : cta->live_threads)) return;
  const struct exec_observer *o = cta->grid->device->observer;
  if (o && id < EXEC_ALL_BARRIERS) o->release(o->user, cta, id);
  struct exec_barrier done = *b;
  *b = (struct exec_barrier){0};
  for (uint32_t i = 0; i < cta->n_warps; i++) release_warp(&cta->warps[i], id, &done);
  cta->barrier_releases++;
}

static void join_barrier(struct exec_warp *w, const struct exec_inst *in, unsigned id, uint32_t threads, uint32_t bits, bool wait) {
  if (exec_observer(w) && id < EXEC_ALL_BARRIERS) exec_observer(w)->arrive(exec_observer(w)->user, w, in, id, threads, wait);
  struct exec_barrier *b = &w->cta->barriers[id];
  if (!b->used) *b = (struct exec_barrier){.used = true, .expected = threads, .all = true};
  /* With an explicit count a whole warp counts as 32 threads even if its last lanes do not exist. */
  unsigned n = exec_count_lanes(w->mask);
  b->arrived += threads && w->mask == w->live ? EXEC_LANES : n;
  b->count += exec_count_lanes(bits & w->mask);
  b->any |= (bits & w->mask) != 0;
  b->all &= (bits & w->mask) == w->mask;
  if (wait) {
    save_path(w);
    w->paths[w->path].state = EXEC_P_BARRIER;
    w->paths[w->path].barrier = (uint8_t)id;
    w->status = EXEC_BLOCKED; /* so that completion picks a path for this warp too */
  }
  try_complete(w->cta, id);
  if (wait && w->status == EXEC_BLOCKED) {
    w->status = EXEC_RUNNING;
    pick_path(w);
  }
}

/* A guarded barrier divides the path: only w->mask's lanes take part. */
static void split_guarded(struct exec_warp *w) {
  uint32_t rest = w->active & ~w->mask;
  if (!rest) return;
  make_path(w, rest, w->pc, w->frame, w->join);
  w->active = w->mask;
}

void exec_park(struct exec_warp *w, unsigned id) {
  split_guarded(w);
  save_path(w);
  w->paths[w->path].state = EXEC_P_BARRIER;
  w->paths[w->path].barrier = (uint8_t)id;
  pick_path(w);
}

void exec_barrier_arrive(struct exec_warp *w, const struct exec_inst *in, unsigned id, uint32_t threads, bool wait) {
  if (!w->mask) return;
  if (wait) split_guarded(w);
  join_barrier(w, in, id, threads, 0, wait);
}

void exec_barrier_reduce(struct exec_warp *w, const struct exec_inst *in, unsigned id, uint32_t threads,
                         uint32_t bits) {
  if (!w->mask) return;
  split_guarded(w);
  join_barrier(w, in, id, threads, bits, true);
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

static size_t frame_bytes(const struct exec_func *f) {
  size_t n = 64;
  for (int i = 0; i < 4; i++) n += (f->file_bytes[i] + 63u) & ~63u;
  n += EXEC_LANES * (size_t)(exec_param_stride(f->ptx) + exec_call_param_stride(f->ptx));
  return n;
}

static struct exec_frame *lay_out_frame(struct exec_frame *fr, const struct exec_func *f) {
  unsigned char *p = (unsigned char *)(((uintptr_t)(fr + 1) + 63) & ~(uintptr_t)63);
  for (int i = 0; i < 4; i++) {
    fr->file[i] = p;
    p += (f->file_bytes[i] + 63u) & ~63u;
  }
  fr->params = p;
  fr->call_params = p + EXEC_LANES * (size_t)exec_param_stride(f->ptx);
  fr->func = f;
  return fr;
}

/* Recycled frames are kept in one list and found by size, because a warp's slot outlives modules and their functions. */
static struct exec_frame *new_frame(struct exec_warp *w, const struct exec_func *f) {
  size_t need = frame_bytes(f);
  for (struct exec_frame **at = &w->free_frames; *at; at = &(*at)->caller)
    if ((*at)->capacity >= need) {
      struct exec_frame *found = *at;
      *at = found->caller;
      return lay_out_frame(found, f);
    }
  struct exec_frame *fr = must_alloc(sizeof *fr + need);
  fr->capacity = need;
  fr->made_before = w->frames;
  w->frames = fr;
  return lay_out_frame(fr, f);
}

static void drop_from_frame(struct exec_warp *w, struct exec_frame *f, uint32_t lanes) {
  f->lanes &= ~lanes;
  if (f->lanes || f == &w->root) return;
  f->caller = w->free_frames;
  w->free_frames = f;
}

struct exec_frame *exec_enter(struct exec_warp *w, const struct exec_inst *in, const struct exec_func *callee) {
  uint32_t base = exec_round16(w->frame->stack_top);
  if (base + callee->local_bytes > w->stack_bytes) {
    exec_fault(w, in, EXEC_FAULT_STACK, (unsigned)__builtin_ctz(w->mask),
               "the thread's stack of %u bytes is exhausted by the call of '%s' (cudaDeviceSetLimit with "
               "cudaLimitStackSize gives more)",
               w->stack_bytes, callee->ptx->name);
    return NULL;
  }
  w->join = make_join(w, w->pc, w->active);
  w->joins[w->join].arrived = w->active & ~w->mask;
  struct exec_frame *f = new_frame(w, callee);
  f->caller = w->frame;
  f->ret_pc = w->pc;
  f->lanes = w->mask;
  f->local_base = base;
  f->stack_top = base + callee->local_bytes;
  w->active = w->mask;
  w->pc = 0;
  exec_use_frame(w, f);
  set_rpc(w);
  return f;
}

void exec_leave(struct exec_warp *w, uint32_t lanes) {
  struct exec_frame *f = w->frame;
  if (!f->caller) {
    exec_exit_lanes(w, lanes);
    return;
  }
  uint32_t rest = w->active & ~lanes;
  if (rest) make_path(w, rest, w->pc, w->frame, w->join);
  w->active = lanes;
  while (w->join >= 0 && w->joins[w->join].frame == f) {
    int16_t i = w->join;
    w->join = w->joins[i].parent;
    leave_join(w, i, lanes);
  }
  struct exec_frame *caller = f->caller;
  w->pc = f->ret_pc;
  drop_from_frame(w, f, lanes);
  exec_use_frame(w, caller);
  set_rpc(w);
}

void exec_exit_lanes(struct exec_warp *w, uint32_t lanes) {
  w->live &= ~lanes;
  for (struct exec_frame *f = w->frame, *up; f; f = up) {
    up = f->caller;
    drop_from_frame(w, f, lanes);
  }
  for (uint32_t i = 0; i < w->n_joins; i++)
    if (w->joins[i].used && w->joins[i].expected & lanes) leave_join(w, (int16_t)i, lanes);
  struct exec_cta *cta = w->cta;
  cta->live_threads -= exec_count_lanes(lanes);
  w->active &= ~lanes;
  if (!w->active) {
    drop_path(w, w->path);
    pick_path(w);
  }
  if (!w->live) cta->live_warps--;
  for (unsigned i = 0; i < EXEC_BARRIERS; i++)
    if (cta->barriers[i].used && !cta->barriers[i].expected) try_complete(cta, i);
  if (cta->cluster->arrived) exec_cluster_exit(w, lanes);
}
