/* What the parts of the checker share: events and stamps, what is known of a CTA and its warps, findings.
 *
 * Time is counted in events. An event is a warp, with some set of lanes, between two points at which others may come to know
 * what it did (a barrier, a fence, a meeting of lanes); all it touches meanwhile bears the event's number. Numbers rise through
 * the whole program, so "before" is a comparison of numbers where a point in time is known to both sides: everything below
 * check.first is of an earlier launch, everything below cta.base was before the CTA's last barrier. Other knowledge is in vector
 * clocks (vclock.h): `now`, what has happened before whatever the warp does next, and `fenced`, the part of it that the warp
 * may hand on through a flag or an atomic operation, since a fence came after it.
 *
 * A stamp is a touch as kept in shadow memory: the event, and which instruction, lane and kind. An asynchronous copy is
 * an agent of its own: its stamps compare as the latest of all, until somebody knows that they are done. */
#ifndef CHECK_STATE_H
#define CHECK_STATE_H

#include "check/check.h"
#include "check/check_shadow.h"
#include "check/vclock.h"

#include <stdio.h>

/* ---- stamps ---- */

enum check_agent { AGENT_NONE, AGENT_COPY /* cp.async */, AGENT_BULK /* cp.async.bulk */, AGENTS };
/* Bits: 0 to 4 the lane, 6 and 7 the agent, from 9 on the instruction, from 32 on the event, and: */
enum { STAMP_STRONG = 1 << 5 /* atomic, volatile, relaxed ... */, STAMP_MANY = 1 << 8 /* other lanes too */ };
enum { STAMP_AGENT = 6, STAMP_PC = 9, STAMP_LAST_PC = (1 << (32 - STAMP_PC)) - 1 };
#define STAMP_ASYNC (UINT64_C(1) << 63)

static inline uint32_t stamp_event(uint64_t s) { return (uint32_t)(s >> 32) & 0x7fffffffu; }
static inline unsigned stamp_lane(uint64_t s) { return (unsigned)s & 31; }
static inline unsigned stamp_agent(uint64_t s) { return (unsigned)(s >> STAMP_AGENT) & 3; }
static inline uint32_t stamp_pc(uint64_t s) { return (uint32_t)s >> STAMP_PC; }
static inline uint32_t who(uint32_t warp, unsigned agent) { return warp * 4 + agent; }

/* ---- warps and CTAs ---- */

enum { GROUPS = 16, EVENTS_KEPT = 2, CHECK_MOST_WARPS = 32 /* of a CTA */ };

struct check_warp {
  uint32_t id;                       /* in the grid */
  uint32_t event[EVENTS_KEPT], mask[EVENTS_KEPT]; /* current events, by their lanes; 0: none */
  uint32_t synced;                   /* all lanes met then */
  uint32_t lane_synced[EXEC_LANES], lane_with[EXEC_LANES]; /* when the lane last met with some, and with which */
  uint32_t agent_event[AGENTS];      /* of copies not committed; 0: none */
  uint32_t done[AGENTS];             /* copies before are complete, to this warp */
  uint32_t done_all[AGENTS];         /* and to the CTA */
  uint32_t group[AGENTS][GROUPS], n_groups[AGENTS]; /* when groups were committed: a ring */
  struct vclock *now, *fenced, *heard; /* heard: what it learnt last */
};

struct check_arrival { /* of a warp at a barrier */
  const struct exec_inst *in;
  uint32_t lanes;                    /* 0: it is not there */
};

struct check_barrier {
  const struct exec_inst *first;     /* that came to it; NULL: nobody is there */
  uint32_t threads, warp, lane;      /* what that one said, and who it was */
  uint64_t waiting;                  /* warps */
  struct vclock *now, *fenced;
  struct check_arrival by_warp[CHECK_MOST_WARPS];
};

struct check_cta {
  struct check_cta *next;
  const struct exec_grid *grid;      /* NULL: nobody uses it */
  uint32_t first_warp, n_warps;      /* ids */
  uint32_t first, base;              /* events: when it began, when it last met as a whole */
  struct check_warp *warps;
  size_t warp_capacity;
  struct check_barrier barriers[EXEC_ALL_BARRIERS];
  struct plane shared;
  uint64_t *written;                 /* of shared memory, a bit a byte */
  size_t written_bytes;
};

struct check_event {
  uint32_t warp, mask;
};

struct check {
  unsigned tools;
  bool lockstep;                     /* lanes that execute together are in step */
  struct exec_observer observer;
  FILE *log;
  struct finding *findings;          /* hash table: check_findings.c */
  size_t n_findings, finding_slots;
  struct shadow *shadow;
  struct check_cta *ctas;            /* all ever made */
  const struct exec_grid *grid;      /* that runs, */
  const struct exec_grid *outer[EXEC_LAUNCH_LEVELS + 1]; /* and those that wait for it, which have launched it one the other */
  uint32_t n_outer;
  uint32_t warps_per_cta;
  uint32_t next, first;              /* event numbers: the next one, the launch's first */
  struct check_event *events;        /* by number - first */
  size_t event_capacity;
  struct table flags;                /* memory that hands knowledge on, by what key_of says struct vclock *: check_sync.c */
};

/* The current event of the warp with these lanes. */
uint32_t check_event(struct check *c, struct check_warp *w, uint32_t lanes);
uint32_t check_new_event(struct check *c, uint32_t warp, uint32_t lanes);
/* What the warp does from now on comes after what others may learn now. */
static inline void check_split(struct check_warp *w) { w->event[0] = w->event[1] = 0; }
static inline const struct check_event *check_event_at(const struct check *c, uint32_t event) {
  return &c->events[event - c->first];
}
static inline struct check_warp *check_warp_of(const struct exec_warp *w) {
  return &((struct check_cta *)w->cta->observed)->warps[w->index];
}

/* ---- the tools ---- */

/* check_race.c: whether the stamp's touch comes before what a lane of the warp does now. */
bool check_ordered(const struct check *c, const struct check_cta *cta, const struct check_warp *w, unsigned lane, uint64_t stamp);
void check_race(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t);
/* check_init.c */
void check_init(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t);
void check_moved(void *user, uint64_t to, uint64_t from, uint64_t bytes);
void check_allocated(void *user, const struct exec_alloc *a);
void check_freed(void *user, const struct exec_alloc *a);
/* check_sync.c: who learns of whom, and barriers and masks that are wrong. */
bool check_is_strong(const struct exec_inst *in, const struct exec_shown *t);
unsigned check_agent_of(const struct exec_inst *in);
void check_flags(struct check *c, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t);
void check_flags_clear(struct check *c);
void check_order(void *user, const struct exec_warp *w, const struct exec_inst *in);
void check_come(void *user, const struct exec_warp *w, const struct exec_inst *in, const uint32_t *masks);
void check_meet(void *user, const struct exec_warp *w, uint32_t members);
void check_shuffle(void *user, const struct exec_warp *w, const struct exec_inst *in, uint32_t members, uint32_t sources);
void check_arrive(void *user, const struct exec_warp *w, const struct exec_inst *in, unsigned id, uint32_t threads, bool wait);
void check_release(void *user, const struct exec_cta *c, unsigned id);
void check_left(struct check *c, const struct exec_cta *cta); /* the CTA has ended: barriers that somebody left */

/* ---- findings (check_findings.c) ---- */

/* One side of a finding. */
struct check_place {
  const struct exec_inst *in;
  const char *did;        /* "read", "wrote" ...; NULL: it is in the sentence */
  uint64_t cta;           /* linear */
  uint32_t thread;        /* in the CTA */
};
struct check_found {
  enum check_tool tool;
  const char *kind;
  const char *text;
  struct check_place place[2];
  unsigned places;        /* how many of them */
  uint8_t space;          /* of address; PTX_GENERIC: there is none */
  uint64_t address, bytes;
};
/* Whether it is new; counts it if not. */
bool check_is_new(struct check *c, enum check_tool tool, const char *kind, const void *a, const void *b);
/* Writes one that is. */
void check_write(struct check *c, const struct check_found *f);
struct check_place check_place_of(const struct exec_warp *w, const struct exec_inst *in, unsigned lane, const char *did);
struct check_place check_place_at(const struct check *c, uint64_t stamp, const char *did);
void check_write_counts(struct check *c);

#endif
