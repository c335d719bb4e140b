/* Makes sequences of stream, event and graph calls from the input's bytes, runs them on a small timed GPU, and holds what happened
 * against a slow, obvious model of CUDA's order: every operation is a row that lists all rows it must come after.
 *
 *   - An operation comes after the one before it in its stream; in a blocking stream after all that the legacy stream was given
 *     before, in the legacy stream after all that blocking streams were; a wait after the latest recording of its event by then.
 *   - A launch of a graph is a row for every node, after the nodes it depends on, and after earlier launches of the same
 *     executable graph; what follows in the stream comes after all of them.
 *   - An operation begins when the last of those it comes after has ended, or when it is issued: not before, and not later.
 *   - A kernel comes to the GPU when its launch is over if there is a place (gpu.concurrent_kernels), else when a place is freed, the
 *     higher priority first; never are there more kernels than places.
 *   - Kernels draw two numbers each from a counter in memory, copies take its value: these tell the same order.
 *
 * Begins and ends are seen by standing between the library's own files (the linker's --wrap); the model knows the calls only. */
#include "cuda_kit.h"
#undef CHECK
#include "cuda/state.h"
#undef CHECK
#include "fuzz_kit.h"

#include <math.h>
#include <stdbool.h>

enum {
  ROWS = 192,
  WORDS = (ROWS + 63) / 64,
  STREAMS = 6, /* 0: legacy, 1: of the thread, others are made */
  EVENTS = 4,
  GRAPHS = 3,
  NODES = 24, /* six, each of which may be a graph of three and its end */
  CELL = 16, /* bytes: two numbers of a kernel, or the value of a copy */
  PLACES = 3,
  MOST_IDS = ROWS + GRAPHS * NODES * 8
};
#define SMALL_GPU                                                                                                      \
  "gpu.sms=2,gpu.clusters=2,dram.channels=1,l2.slices_per_channel=1,gpu.concurrent_kernels=3,gpu.launch_latency=100"

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry draw(.param .u64 counter, .param .u64 cell, .param .u32 rounds, .param .u32 id)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [counter]; ld.param.u64 %rd2, [cell]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;\n"
    "atom.global.add.u32 %r3, [%rd1], 1; st.global.u32 [%rd2], %r3;\n"
    "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L;\n"
    "atom.global.add.u32 %r4, [%rd1], 1; st.global.u32 [%rd2+4], %r4;\nret;\n}\n";

/* ---- complaints ----------------------------------------------------------------------------------------------------------- */

static const uint8_t *input;
static size_t input_bytes;

static _Noreturn void complain(const char *what, long a, long b) {
  printf("the order is wrong: %s (%ld, %ld); the input:", what, a, b);
  for (size_t i = 0; i < input_bytes; i++) printf(" %02x", input[i]);
  printf("\n");
  fflush(stdout);
  abort();
}
#define MUST(condition, what, a, b)                                                                                    \
  do {                                                                                                                 \
    if (!(condition)) complain(what, (long)(a), (long)(b));                                                            \
  } while (0)

/* ---- the model ------------------------------------------------------------------------------------------------------------ */

enum kind { NOTHING /* takes no time and shows nothing */, KERNEL, COPY, FILL, RECORD, HOST };

struct row { /* an operation that was given to a stream, or a node of a graph that was */
  enum kind kind;
  unsigned id;           /* what the operation carries with it; a node's is that of every launch of it */
  uint64_t after[WORDS]; /* rows it must come after */
  int priority;
  double issued, begun, came, ended; /* the last three as seen; NAN: not yet */
};
struct set {
  uint64_t bits[WORDS];
};
struct node {
  enum kind kind;
  unsigned id;
  uint32_t after;   /* nodes */
  int record, wait; /* event, or -1 */
};
struct graph {
  CUgraphExec exec;
  struct node node[NODES];
  unsigned n;
  struct set launched; /* the ends of earlier launches */
};
struct stream {
  CUstream handle;
  bool there, blocking, captured;
  int priority;
  struct set tail;  /* what the next operation comes after */
  struct set whole; /* all it was given */
  uint32_t heads;   /* while captured: nodes */
};

static struct {
  struct row row[ROWS];
  unsigned rows;
  struct stream stream[STREAMS];
  struct set legacy, blocking; /* all that these streams were given */
  struct {
    CUevent handle;
    int record; /* row, or -1 */
  } event[EVENTS];
  struct graph graph[GRAPHS];
  unsigned ids;
  int of_id[MOST_IDS]; /* the latest row */
  unsigned on_gpu;
  double freed; /* when a kernel last ended */
  bool capturing;
} m;

static CUfunction draw;
static CUdeviceptr counter, cells, scrap;
static CUcontext context;

static void put(struct set *s, unsigned row) { s->bits[row / 64] |= UINT64_C(1) << row % 64; }
static void join(struct set *s, const struct set *other) {
  for (unsigned i = 0; i < WORDS; i++) s->bits[i] |= other->bits[i];
}
static bool has(const uint64_t *bits, unsigned row) { return bits[row / 64] >> row % 64 & 1; }
static bool fits(unsigned rows) { return m.rows + rows < ROWS && m.ids + NODES < MOST_IDS; }

static unsigned add_row(enum kind kind, unsigned id, const struct set *after, int priority) {
  struct row *r = &m.row[m.rows];
  *r = (struct row){.kind = kind, .id = id, .priority = priority, .issued = cuda.engine.now, .begun = NAN, .came = NAN, .ended = NAN};
  memcpy(r->after, after->bits, sizeof r->after);
  return m.rows++;
}

/* What the stream's next operation comes after. */
static struct set before_next(const struct stream *s) {
  struct set before = s->tail;
  if (s == &m.stream[0]) join(&before, &m.blocking);
  else if (s->blocking) join(&before, &m.legacy);
  return before;
}

static void add_to_stream(struct stream *s, unsigned row) {
  put(&s->tail, row);
  put(&s->whole, row);
  if (s == &m.stream[0]) put(&m.legacy, row);
  else if (s->blocking) put(&m.blocking, row);
}

static unsigned give(struct stream *s, enum kind kind, unsigned id) {
  struct set before = before_next(s);
  unsigned row = add_row(kind, id, &before, s->priority);
  add_to_stream(s, row);
  return row;
}

/* ---- what is seen --------------------------------------------------------------------------------------------------------- */

/* Of launches of one node the earliest of which this has not been seen: they come one after the other. */
static struct row *row_of(enum kind kind, unsigned id, bool begun) {
  for (unsigned i = 0; i < m.rows; i++) {
    struct row *r = &m.row[i];
    if (r->kind == kind && r->id == id && isnan(begun ? r->begun : r->ended)) return r;
  }
  complain("something begins or ends that was not asked for", kind, id);
}

static bool of_ours(const struct cuda_op *op, enum kind *kind, unsigned *id) {
  switch (op->kind) {
  case CUDA_OP_KERNEL:
    *kind = KERNEL;
    memcpy(id, op->launch.params + 20, sizeof *id);
    return true;
  case CUDA_OP_COPY:
    *kind = COPY;
    *id = (unsigned)((op->copy.dstDevice - cells) / CELL);
    return op->copy.dstDevice >= cells && op->copy.dstDevice < cells + (uint64_t)MOST_IDS * CELL && op->copy.srcDevice == counter;
  case CUDA_OP_FILL:
    *kind = FILL;
    *id = op->fill.value;
    return op->fill.dst == scrap;
  default: return false;
  }
}

static void begins(enum kind kind, unsigned id) { row_of(kind, id, true)->begun = cuda.engine.now; }
static void ends(enum kind kind, unsigned id) {
  struct row *r = row_of(kind, id, false);
  MUST(!isnan(r->begun), "it ends before it begins", kind, id);
  r->ended = cuda.engine.now;
}

static double launched(const struct row *r) { return r->begun + cuda.engine.launch_ns; }
static bool waits(const struct row *r) { return r->kind == KERNEL && !isnan(r->begun) && isnan(r->came); }

/* A recording is known by its event and which of its recordings it is. */
static struct {
  const void *event;
  uint64_t ticket;
  unsigned row;
} ticket_rows[ROWS];
static unsigned n_tickets;
static struct row *recording(const struct cuda_op *op) {
  for (unsigned i = n_tickets; i-- > 0;)
    if (ticket_rows[i].event == op->event.event && ticket_rows[i].ticket == op->event.ticket) return &m.row[ticket_rows[i].row];
  complain("an unknown recording", (long)op->event.ticket, 0);
}

/* Names as the linker wants them. */
void __real_cuda_engine_begin_kernel(struct cuda_engine *g, struct cuda_task *t);
void __wrap_cuda_engine_begin_kernel(struct cuda_engine *g, struct cuda_task *t);
void __wrap_cuda_engine_begin_kernel(struct cuda_engine *g, struct cuda_task *t) {
  enum kind kind;
  unsigned id;
  if (of_ours(((struct cuda_activity *)t)->op, &kind, &id)) begins(kind, id);
  __real_cuda_engine_begin_kernel(g, t);
}

void __real_cuda_engine_begin(struct cuda_engine *g, struct cuda_task *t, double ns);
void __wrap_cuda_engine_begin(struct cuda_engine *g, struct cuda_task *t, double ns);
void __wrap_cuda_engine_begin(struct cuda_engine *g, struct cuda_task *t, double ns) {
  const struct cuda_op *op = ((struct cuda_activity *)t)->op;
  enum kind kind;
  unsigned id;
  if (op->kind == CUDA_OP_RECORD) recording(op)->begun = g->now;
  else if (of_ours(op, &kind, &id)) begins(kind, id);
  __real_cuda_engine_begin(g, t, ns);
}

enum gpu_end __real_gpu_submit(struct gpu *g, const struct gpu_launch *l, uint64_t *ticket, struct err *e);
enum gpu_end __wrap_gpu_submit(struct gpu *g, const struct gpu_launch *l, uint64_t *ticket, struct err *e);
enum gpu_end __wrap_gpu_submit(struct gpu *g, const struct gpu_launch *l, uint64_t *ticket, struct err *e) {
  unsigned id;
  memcpy(&id, l->grid->params + 20, sizeof id);
  struct row *r = NULL;
  for (unsigned i = 0; i < m.rows && !r; i++)
    if (m.row[i].id == id && waits(&m.row[i])) r = &m.row[i];
  MUST(r, "a kernel comes that was not launched", id, 0);
  double now = cuda.engine.now;
  MUST(now >= launched(r), "a kernel comes before its launch is over", id, now);
  MUST(now == launched(r) || now == m.freed, "a kernel waits longer than until a place was freed", id, now);
  MUST(l->priority == r->priority, "a kernel comes with another priority", l->priority, r->priority);
  for (unsigned i = 0; i < m.rows; i++) {
    const struct row *o = &m.row[i];
    if (o == r || !waits(o) || launched(o) > now) continue;
    MUST(o->priority >= r->priority, "a higher priority waits", o->id, id);
    MUST(o->priority > r->priority || launched(o) >= launched(r), "an earlier kernel waits", o->id, id);
  }
  r->came = now;
  MUST(++m.on_gpu <= PLACES, "more kernels than places", m.on_gpu, PLACES);
  return __real_gpu_submit(g, l, ticket, e);
}

void __real_cuda_launch_end(struct cuda_activity *a, bool failed, const struct err *e);
void __wrap_cuda_launch_end(struct cuda_activity *a, bool failed, const struct err *e);
void __wrap_cuda_launch_end(struct cuda_activity *a, bool failed, const struct err *e) {
  enum kind kind;
  unsigned id;
  MUST(!failed && of_ours(a->op, &kind, &id), "a kernel fails", 0, 0);
  for (unsigned i = 0; i < m.rows; i++)
    if (waits(&m.row[i]) && launched(&m.row[i]) < cuda.engine.now)
      MUST(m.on_gpu == PLACES || m.freed == cuda.engine.now, "a place was free", m.on_gpu, m.row[i].id);
  m.on_gpu--;
  m.freed = cuda.engine.now;
  ends(kind, id);
  __real_cuda_launch_end(a, failed, e);
}

CUresult __real_cuda_copy_end(const CUDA_MEMCPY3D *c);
CUresult __wrap_cuda_copy_end(const CUDA_MEMCPY3D *c);
CUresult __wrap_cuda_copy_end(const CUDA_MEMCPY3D *c) {
  struct cuda_op op = {.kind = CUDA_OP_COPY, .copy = *c};
  enum kind kind;
  unsigned id;
  if (of_ours(&op, &kind, &id)) ends(kind, id);
  return __real_cuda_copy_end(c);
}

CUresult __real_cuda_fill_end(const struct cuda_op *op);
CUresult __wrap_cuda_fill_end(const struct cuda_op *op);
CUresult __wrap_cuda_fill_end(const struct cuda_op *op) {
  enum kind kind;
  unsigned id;
  if (of_ours(op, &kind, &id)) ends(kind, id);
  return __real_cuda_fill_end(op);
}

void __real_cuda_finish_recording(const struct cuda_op *op);
void __wrap_cuda_finish_recording(const struct cuda_op *op);
void __wrap_cuda_finish_recording(const struct cuda_op *op) {
  recording(op)->ended = cuda.engine.now;
  __real_cuda_finish_recording(op);
}

static void host_function(void *user) {
  struct row *r = row_of(HOST, (unsigned)(uintptr_t)user, true);
  r->begun = r->ended = cuda.engine.now;
}

/* ---- the check ------------------------------------------------------------------------------------------------------------ */

/* When a row may begin, and when it has ended: all rows it comes after stand before it. */
static void check_times(void) {
  for (unsigned i = 0; i < m.rows; i++) {
    struct row *r = &m.row[i];
    double from = r->issued;
    for (unsigned k = 0; k < i; k++)
      if (has(r->after, k)) from = fmax(from, m.row[k].ended);
    if (r->kind == NOTHING) {
      r->ended = from;
      continue;
    }
    MUST(!isnan(r->begun) && !isnan(r->ended), "an operation never ended", i, r->kind);
    MUST(r->begun >= from, "an operation begins too early", i, r->kind);
    MUST(r->begun == from, "an operation begins too late", i, r->kind);
    MUST(r->kind == HOST || r->ended > r->begun, "an operation takes no time", i, r->kind);
  }
}

/* Numbers that a row saw: the first and the last of the counter. */
static bool numbers(const struct row *r, unsigned row, uint32_t *first, uint32_t *last) {
  if ((r->kind != KERNEL && r->kind != COPY) || m.of_id[r->id] != (int)row) return false;
  const uint32_t *cell = (const uint32_t *)exec_mem_ptr(cells + (uint64_t)r->id * CELL);
  *first = cell[0];
  *last = r->kind == KERNEL ? cell[1] : cell[0];
  return true;
}

static void check_numbers(void) {
  static struct set all[ROWS]; /* rows that come before, by any way */
  for (unsigned i = 0; i < m.rows; i++) {
    uint32_t first, last, end, before;
    bool shows = numbers(&m.row[i], i, &first, &last);
    all[i] = (struct set){{0}};
    for (unsigned k = 0; k < i; k++) {
      if (!has(m.row[i].after, k)) continue;
      put(&all[i], k);
      join(&all[i], &all[k]);
    }
    for (unsigned k = 0; k < i && shows; k++) {
      if (!has(all[i].bits, k) || !numbers(&m.row[k], k, &before, &end)) continue;
      bool drew = m.row[k].kind == KERNEL;
      MUST(drew ? end < first : end <= first, "numbers tell another order", k, i);
    }
  }
}

/* ---- calls ---------------------------------------------------------------------------------------------------------------- */

struct tape {
  const uint8_t *p, *end;
};
static unsigned byte(struct tape *t) { return t->p < t->end ? *t->p++ : 0; }

/* A stream that is there; with `no_legacy` not that one. */
static struct stream *stream(struct tape *t, bool no_legacy) {
  struct stream *s = &m.stream[byte(t) % STREAMS];
  return s->there && !(no_legacy && s == &m.stream[0]) ? s : &m.stream[no_legacy];
}
static unsigned new_id(void) { return m.ids++; }
static CUdeviceptr cell(unsigned id) { return cells + (uint64_t)id * CELL; }

/* Kernel, copy, fill or host function of a byte's choice; the same for a stream that captures. */
static enum kind put_in(struct tape *t, CUstream s, unsigned id) {
  CUdeviceptr at = cell(id);
  unsigned rounds = byte(t) % 16 * 10;
  switch (byte(t) % 8) {
  default: CU(cuLaunchKernel(draw, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){&counter, &at, &rounds, &id}, NULL)); return KERNEL;
  case 5: CU(cuMemcpyDtoDAsync(at, counter, 4, s)); return COPY;
  case 6: CU(cuMemsetD32Async(scrap, id, 1, s)); return FILL;
  case 7: CU(cuLaunchHostFunc(s, host_function, (void *)(uintptr_t)id)); return HOST;
  }
}

/* The row stands before the call, so that what the call lets happen is seen. */
static void call_operation(struct tape *t, struct stream *s) {
  static const enum kind kinds[] = {KERNEL, KERNEL, KERNEL, KERNEL, KERNEL, COPY, FILL, HOST};
  if (!fits(1)) return;
  unsigned id = new_id();
  enum kind kind = t->p + 1 < t->end ? kinds[t->p[1] % 8] : KERNEL;
  m.of_id[id] = (int)give(s, kind, id);
  put_in(t, s->handle, id);
}

static void expect_recording(unsigned event, unsigned row) {
  CUevent e = m.event[event].handle;
  ticket_rows[n_tickets].event = e;
  ticket_rows[n_tickets].ticket = e->issued + 1;
  ticket_rows[n_tickets++].row = row;
  m.event[event].record = (int)row;
}

static bool in_a_graph(int event) {
  for (unsigned i = 0; i < GRAPHS; i++)
    for (unsigned k = 0; k < m.graph[i].n; k++)
      if (m.graph[i].node[k].record == event || m.graph[i].node[k].wait == event) return true;
  return false;
}

static void call_event(struct tape *t, struct stream *s) {
  unsigned i = byte(t) % EVENTS, what = byte(t) % 8;
  if (!fits(1)) return;
  if (what < 3) {
    expect_recording(i, give(s, RECORD, 0));
    CU(cuEventRecord(m.event[i].handle, s->handle));
  } else if (what < 7) {
    unsigned row = give(s, NOTHING, 0);
    if (m.event[i].record >= 0) m.row[row].after[m.event[i].record / 64] |= UINT64_C(1) << m.event[i].record % 64;
    CU(cuStreamWaitEvent(s->handle, m.event[i].handle, 0));
  } else if (!in_a_graph((int)i)) {
    CU(cuEventDestroy(m.event[i].handle));
    CU(cuEventCreate(&m.event[i].handle, byte(t) % 2 ? CU_EVENT_DISABLE_TIMING : 0));
    m.event[i].record = -1;
  }
}

/* Which rows have ended. Rows that take no time are over with those they come after. */
static struct set ended(void) {
  struct set over = {{0}};
  for (unsigned i = 0; i < m.rows; i++) {
    bool is = m.row[i].kind == NOTHING || !isnan(m.row[i].ended);
    for (unsigned k = 0; k < i && m.row[i].kind == NOTHING; k++) is &= !has(m.row[i].after, k) || has(over.bits, k);
    if (is) put(&over, i);
  }
  return over;
}
static bool over(int row) { return row < 0 || has(ended().bits, (unsigned)row); }
static bool all_over(const struct set *s) {
  struct set over = ended();
  for (unsigned i = 0; i < m.rows; i++)
    if (has(s->bits, i) && !has(over.bits, i)) return false;
  return true;
}

static void call_wait(struct tape *t, struct stream *s) {
  unsigned e = byte(t) % EVENTS;
  int r = m.event[e].record;
  CUresult answer;
  switch (byte(t) % 8) {
  case 0:
    CU(cuStreamSynchronize(s->handle));
    MUST(all_over(&s->whole), "a stream was waited for and goes on", s - m.stream, 0);
    break;
  case 1:
    CU(cuEventSynchronize(m.event[e].handle));
    MUST(over(r), "an event was waited for in vain", e, r);
    break;
  case 2:
    CU(cuCtxSynchronize());
    for (int i = 0; i < (int)m.rows; i++) MUST(over(i), "everything was waited for and goes on", i, 0);
    break;
  case 3:
  case 4:
    answer = cuEventQuery(m.event[e].handle);
    MUST(answer == (over(r) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY), "an event is said to be where it is not",
         e, answer);
    break;
  default:
    answer = cuStreamQuery(s->handle);
    MUST(answer == (all_over(&s->whole) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY), "a stream is said to be where it is not",
         s - m.stream, answer);
    break;
  }
}

static void call_stream(struct tape *t) {
  struct stream *s = &m.stream[2 + byte(t) % (STREAMS - 2)];
  unsigned flags = byte(t);
  if (s->captured) return;
  if (s->there) CU(cuStreamDestroy(s->handle));
  *s = (struct stream){.there = flags & 2, .blocking = !(flags & 1), .priority = -(int)(flags / 4 % 6)};
  if (s->there) CU(cuStreamCreateWithPriority(&s->handle, flags & 1, s->priority));
}

/* ---- graphs --------------------------------------------------------------------------------------------------------------- */

static void keep_graph(struct graph *at, struct graph *g, CUgraph made) {
  if (at->exec) CU(cuGraphExecDestroy(at->exec));
  CU(cuGraphInstantiateWithFlags(&g->exec, made, 0));
  CU(cuGraphDestroy(made));
  *at = *g;
}

static unsigned add_node(struct graph *g, enum kind kind, unsigned id, uint32_t after) {
  g->node[g->n] = (struct node){kind, id, after, -1, -1};
  return g->n++;
}

/* A capture that begins in one stream and may spread to others, while streams that are not in it go on. */
static void call_capture(struct tape *t) {
  struct stream *origin = stream(t, true);
  unsigned steps = 1 + byte(t) % 8, into = byte(t) % GRAPHS;
  CUevent fork;
  CUgraph made;
  struct graph g = {0};
  CU(cuEventCreate(&fork, 0));
  CU(cuStreamBeginCapture(origin->handle, CU_STREAM_CAPTURE_MODE_RELAXED));
  origin->captured = true;
  origin->heads = 0;
  for (unsigned i = 0; i < steps; i++) {
    struct stream *s = stream(t, true), *other = stream(t, true);
    bool spread = byte(t) % 4 == 0;
    if (!s->captured) {
      call_operation(t, s);
    } else if (spread && s != other) {
      CU(cuEventRecord(fork, s->handle));
      CU(cuStreamWaitEvent(other->handle, fork, 0));
      other->heads = (other->captured ? other->heads : 0) | s->heads;
      other->captured = true;
    } else if (fits(0)) {
      unsigned id = new_id();
      enum kind kind = put_in(t, s->handle, id);
      s->heads = 1u << add_node(&g, kind, id, s->heads);
    }
  }
  for (unsigned i = 1; i < STREAMS; i++) {
    struct stream *s = &m.stream[i];
    if (!s->captured || s == origin) continue;
    CU(cuEventRecord(fork, s->handle));
    CU(cuStreamWaitEvent(origin->handle, fork, 0));
    s->captured = false;
  }
  CU(cuStreamEndCapture(origin->handle, &made));
  origin->captured = false;
  CU(cuEventDestroy(fork));
  keep_graph(&m.graph[into], &g, made);
}

/* Events of which a graph records and events for which it waits are not the same, and each is recorded once. */
static bool records(const struct graph *g, int event) {
  for (unsigned i = 0; i < g->n; i++)
    if (g->node[i].record == event) return true;
  return false;
}

static CUgraphNode make_node(struct tape *t, CUgraph made, const CUgraphNode *after, size_t n, struct graph *g, uint32_t deps) {
  unsigned id = new_id(), rounds = byte(t) % 16 * 10, e = byte(t) % (EVENTS / 2), what = byte(t) % 12;
  CUdeviceptr at = cell(id);
  CUDA_KERNEL_NODE_PARAMS kernel = {.func = draw, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
                                    .blockDimZ = 1, .kernelParams = (void *[]){&counter, &at, &rounds, &id}};
  CUDA_MEMSET_NODE_PARAMS fill = {.dst = scrap, .value = id, .elementSize = 4, .width = 1, .height = 1};
  CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = counter, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = at,
                        .WidthInBytes = 4, .Height = 1, .Depth = 1};
  CUDA_HOST_NODE_PARAMS host = {host_function, (void *)(uintptr_t)id};
  static const enum kind kinds[12] = {FILL, COPY, HOST, NOTHING, RECORD, NOTHING, KERNEL, KERNEL, KERNEL, KERNEL, KERNEL, KERNEL};
  if (kinds[what] == RECORD && records(g, (int)e)) what = 11;
  struct node *k = &g->node[add_node(g, kinds[what], id, deps)];
  CUgraphNode node;
  switch (what) {
  case 0: CU(cuGraphAddMemsetNode(&node, made, after, n, &fill, context)); break;
  case 1: CU(cuGraphAddMemcpyNode(&node, made, after, n, &copy, context)); break;
  case 2: CU(cuGraphAddHostNode(&node, made, after, n, &host)); break;
  case 3: CU(cuGraphAddEmptyNode(&node, made, after, n)); break;
  case 4: CU(cuGraphAddEventRecordNode(&node, made, after, n, m.event[k->record = (int)e].handle)); break;
  case 5: CU(cuGraphAddEventWaitNode(&node, made, after, n, m.event[k->wait = (int)(EVENTS / 2 + e)].handle)); break;
  default: CU(cuGraphAddKernelNode(&node, made, after, n, &kernel)); break;
  }
  return node;
}

/* Nodes of a graph, or of one within that comes after the nodes `outer`: each after those before it that a byte says. The set of
 * them in g. */
static uint32_t make_nodes(struct tape *t, CUgraph made, unsigned n, struct graph *g, uint32_t outer, bool within);

/* To what is around it a graph within is one node, which ends with the last of its own. */
static uint32_t make_child(struct tape *t, CUgraph made, CUgraphNode *node, const CUgraphNode *after, size_t n, struct graph *g,
                           uint32_t deps) {
  CUgraph inner;
  CU(cuGraphCreate(&inner, 0));
  uint32_t nodes = make_nodes(t, inner, 1 + byte(t) % 3, g, deps, true);
  CU(cuGraphAddChildGraphNode(node, made, after, n, inner));
  CU(cuGraphDestroy(inner));
  return 1u << add_node(g, NOTHING, 0, nodes | deps);
}

static uint32_t make_nodes(struct tape *t, CUgraph made, unsigned n, struct graph *g, uint32_t outer, bool within) {
  enum { AT_ONCE = 6 };
  CUgraphNode node[AT_ONCE], after[AT_ONCE];
  uint32_t place[AT_ONCE], all = 0;
  for (unsigned i = 0; i < n; i++) {
    unsigned mask = byte(t);
    uint32_t deps = outer;
    size_t k = 0;
    for (unsigned j = 0; j < i; j++) {
      if (!(mask >> j & 1)) continue;
      after[k++] = node[j];
      deps |= place[j];
    }
    if (mask >= 224 && !within) {
      place[i] = make_child(t, made, &node[i], after, k, g, deps);
    } else {
      place[i] = 1u << g->n;
      node[i] = make_node(t, made, after, k, g, deps);
    }
    all |= place[i];
  }
  return all;
}

static void call_make_graph(struct tape *t) {
  unsigned n = 1 + byte(t) % 6, into = byte(t) % GRAPHS;
  CUgraph made;
  struct graph g = {0};
  if (!fits(0)) return;
  CU(cuGraphCreate(&made, 0));
  make_nodes(t, made, n, &g, 0, false);
  keep_graph(&m.graph[into], &g, made);
}

static void call_launch_graph(struct tape *t, struct stream *s) {
  struct graph *g = &m.graph[byte(t) % GRAPHS];
  if (!g->exec || !fits(g->n + 1)) return;
  struct set before = before_next(s), all;
  join(&before, &g->launched);
  all = before;
  unsigned first = m.rows;
  for (unsigned i = 0; i < g->n; i++) {
    const struct node *n = &g->node[i];
    struct set after = before;
    for (unsigned k = 0; k < i; k++)
      if (n->after >> k & 1) put(&after, first + k);
    if (n->wait >= 0 && m.event[n->wait].record >= 0) put(&after, (unsigned)m.event[n->wait].record);
    unsigned row = add_row(n->kind, n->id, &after, s->priority);
    m.of_id[n->id] = (int)row;
    put(&all, row);
  }
  for (unsigned i = 0; i < g->n; i++)
    if (g->node[i].record >= 0) expect_recording((unsigned)g->node[i].record, first + i);
  unsigned end = add_row(NOTHING, 0, &all, 0);
  add_to_stream(s, end);
  for (unsigned i = first; i < end; i++) add_to_stream(s, i);
  put(&g->launched, end);
  CU(cuGraphLaunch(g->exec, s->handle));
}

/* ---- one input ------------------------------------------------------------------------------------------------------------ */

static void start(void) {
  CUmodule module;
  if (!getenv("HEDDLE_GPU")) setenv("HEDDLE_GPU", "gtx480", 1);
  setenv("HEDDLE_SET", SMALL_GPU, 1);
  setenv("HEDDLE_MEMORY", "67108864", 1);
  CU(cuInit(0));
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  CU(cuCtxSetCurrent(context));
  CU(cuModuleLoadData(&module, ptx));
  CU(cuModuleGetFunction(&draw, module, "draw"));
  CU(cuMemAlloc(&counter, 4));
  CU(cuMemAlloc(&scrap, 4));
  CU(cuMemAlloc(&cells, (size_t)MOST_IDS * CELL));
}

static void begin_input(void) {
  memset(&m, 0, sizeof m);
  n_tickets = 0;
  CU(cuMemsetD32(counter, 0, 1));
  CU(cuCtxSynchronize());
  for (unsigned i = 0; i < EVENTS; i++) {
    CU(cuEventCreate(&m.event[i].handle, 0));
    m.event[i].record = -1;
  }
  m.stream[0] = (struct stream){.there = true, .blocking = true};
  m.stream[1] = (struct stream){.handle = CU_STREAM_PER_THREAD, .there = true, .blocking = true};
  for (unsigned i = 2; i < 4; i++) {
    m.stream[i] = (struct stream){.there = true, .blocking = i % 2};
    CU(cuStreamCreate(&m.stream[i].handle, m.stream[i].blocking ? 0 : CU_STREAM_NON_BLOCKING));
  }
}

static void end_input(void) {
  CU(cuCtxSynchronize());
  check_times();
  check_numbers();
  MUST(m.on_gpu == 0, "kernels are left", m.on_gpu, 0);
  for (unsigned i = 2; i < STREAMS; i++)
    if (m.stream[i].there) CU(cuStreamDestroy(m.stream[i].handle));
  for (unsigned i = 0; i < EVENTS; i++) CU(cuEventDestroy(m.event[i].handle));
  for (unsigned i = 0; i < GRAPHS; i++)
    if (m.graph[i].exec) CU(cuGraphExecDestroy(m.graph[i].exec));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static bool started;
  if (!started) start();
  started = true;
  input = data;
  input_bytes = bytes;
  struct tape t = {data, data + bytes};
  begin_input();
  while (t.p < t.end) switch (byte(&t) % 12) {
    case 0: call_stream(&t); break;
    case 1: call_capture(&t); break;
    case 2: call_make_graph(&t); break;
    case 3:
    case 4: call_launch_graph(&t, stream(&t, false)); break;
    case 5: call_wait(&t, stream(&t, false)); break;
    case 6:
    case 7:
    case 8: call_event(&t, stream(&t, false)); break;
    default: call_operation(&t, stream(&t, false)); break;
    }
  end_input();
  return 0;
}

#ifndef FUZZER_MAIN
int main(int argc, char **argv) { return fuzz_main(argc, argv, 2000, NULL, 0, NULL); }
#endif
