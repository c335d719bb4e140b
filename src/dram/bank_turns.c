/* The order of commands in DRAMsim3 (Li, Yang, Reddy, Srivastava, Jacob: DRAMsim3, IEEE CAL 2020). In every clock the
 * banks are asked in turn, beginning after the bank that had the last command; the first bank with a request whose
 * next command may be issued gets the command. Within a bank, the oldest such request is chosen: a row hit may
 * overtake an older request whose command the bus does not allow yet, so reads and writes of an open row are served
 * in batches of either kind. A row is closed only for the oldest request of its bank, and while other requests want
 * the open row, only after dram.turn_hits commands have read or written it.
 *
 * Simplified: in DRAMsim3 a request is one burst; here it keeps its place in the queue until its last burst. In
 * DRAMsim3 a second command that finds its bus taken also advances the turn. */
#include "dram/dram_timing.h"

#include "base/arena.h"

#include <stdlib.h>

static const struct cfg_key keys[] = {
    {"dram.turn_hits", CFG_INT, "4", 1, 1e6, NULL, "commands",
     "reads and writes of an open row after which bank-turns closes it for the oldest request, although others still want it"},
    {0},
};

struct turns {
  uint32_t most;
  unsigned banks, last; /* the bank that had the last command */
  uint32_t hits[];      /* per bank: reads and writes since its row was opened */
};

static void *create(const struct cfg *cfg, const struct dram_sched_place *place, struct err *e) {
  struct turns *t = must_alloc(sizeof *t + place->banks * sizeof *t->hits);
  (void)e;
  t->most = (uint32_t)cfg_int(cfg, "dram.turn_hits");
  t->banks = place->banks;
  return t;
}

static bool is_wanted(const struct dram_view *v, int32_t from, uint64_t row) {
  for (; from != DRAM_NONE; from = v->requests[from].next)
    if (v->requests[from].row == row) return true;
  return false;
}

/* Whether the oldest request of a bank may close its row. */
static bool may_close(const struct turns *t, const struct dram_view *v, unsigned bank) {
  return t->hits[bank] >= t->most || !is_wanted(v, v->first[bank], v->open[bank]);
}

static bool choose_in(const struct turns *t, const struct dram_view *v, unsigned bank, struct dram_choice *choice) {
  for (int32_t i = v->first[bank]; i != DRAM_NONE; i = v->requests[i].next) {
    enum dram_command need = dram_need(&v->requests[i], v->open[bank]);
    if (dram_device_may(v->device, bank, need) > v->now) continue;
    if (need == DRAM_PRECHARGE && (i != v->first[bank] || !may_close(t, v, bank))) continue;
    *choice = (struct dram_choice){i, need};
    return true;
  }
  return false;
}

static bool choose(void *s, const struct dram_view *v, struct dram_choice *choice) {
  const struct turns *t = s;
  for (unsigned j = 1; j <= t->banks; j++)
    if (choose_in(t, v, (t->last + j) % t->banks, choice)) return true;
  return false;
}

static void issued(void *s, const struct dram_request *r, enum dram_command command, uint64_t now) {
  struct turns *t = s;
  (void)now;
  t->last = r->bank;
  if (command == DRAM_ACTIVATE)
    t->hits[r->bank] = 0;
  else if (command != DRAM_PRECHARGE)
    t->hits[r->bank]++;
}

/* The last bank's number, and a count of hits a bank. */
static bool bits(const struct cfg *cfg, uint64_t *out, struct err *e) {
  uint64_t banks = (uint64_t)cfg_int(cfg, "dram.banks"), most = (uint64_t)cfg_int(cfg, "dram.turn_hits");
  (void)e;
  *out = banks * (64u - (unsigned)__builtin_clzll(most)) + (banks > 1 ? 64u - (unsigned)__builtin_clzll(banks - 1) : 0);
  return true;
}
static const struct policy_part storage[] = {{"dram.scheduler", POLICY_OF_CHANNEL, bits, NULL, "dram.reads", true}, {0}};

const struct dram_scheduler dram_bank_turns = {
    .policy = {.name = "bank-turns", .meaning = "banks in turn; within a bank, the oldest request whose next command can be issued",
               .paper = "Li, Yang, Reddy, Srivastava, Jacob: DRAMsim3: a cycle-accurate, thermal-capable DRAM simulator, IEEE CAL 2020",
               .keys = keys, .storage = storage},
    .create = create, .destroy = free, .choose = choose, .issued = issued};
