/* See windows.h. */
#include "l1/windows.h"

enum { LEARN_DEMANDED, LEARN_ASKED };
static const struct policy *const lessons[] = {[LEARN_DEMANDED] = OPTION("demanded", "the windows learn which part was demanded from L2"),
                                              [LEARN_ASKED] = OPTION("asked", "the windows learn which part loads asked for"), NULL};

const struct cfg_key l1_window_keys[] = {
    {"reply.predict", CFG_BOOL, "true", 0, 0, NULL, "",
     "predict which misses should fetch the whole line (reply.filter); false: each fetches only what it asks for"},
    {"reply.window", CFG_INT, "16", 1, 64, NULL, "events", "events that each of the four windows of reply.predict holds"},
    {"reply.ica_threshold", CFG_INT, "50", 0, 100, NULL, "percent",
     "share of inconsistently accessed lines in a window of reply.predict above which misses on lines of its size fetch the whole line"},
    {"reply.fdr_threshold", CFG_INT, "90", 0, 100, NULL, "percent",
     "share of requests for whole lines in a window of reply.predict above which every miss fetches the whole line"},
    {"reply.learn", CFG_CHOICE, "demanded", 0, 0, lessons, "", "what the windows of reply.predict learn of a line"},
    {0},
};

void l1_windows_init(struct l1_windows *w, const struct cfg *cfg) {
  *w = (struct l1_windows){.predicts = cfg_bool(cfg, "reply.predict"),
                           .learns_asked = cfg_option(cfg, "reply.learn") == LEARN_ASKED,
                           .size = (uint32_t)cfg_int(cfg, "reply.window"),
                           .ica_percent = (uint32_t)cfg_int(cfg, "reply.ica_threshold"),
                           .fdr_percent = (uint32_t)cfg_int(cfg, "reply.fdr_threshold")};
}

static void push(const struct l1_windows *w, uint64_t *window, bool event) {
  uint64_t kept = w->size < 64 ? (UINT64_C(1) << w->size) - 1 : ~UINT64_C(0);
  *window = (*window << 1 | event) & kept;
}

static bool exceeds(const struct l1_windows *w, uint64_t window, uint32_t percent) {
  return (uint32_t)__builtin_popcountll(window) * 100 > percent * w->size;
}

void l1_windows_line(struct l1_windows *w, unsigned sub_blocks, bool inconsistent) {
  if (sub_blocks >= L1_FIRST_ICA_SIZE) push(w, &w->ica[sub_blocks - L1_FIRST_ICA_SIZE], inconsistent);
}

void l1_windows_request(struct l1_windows *w, bool whole) { push(w, &w->fdr, whole); }

enum l1_demand l1_windows_decide(const struct l1_windows *w, bool outstanding, unsigned sub_blocks) {
  if (!w->predicts) return L1_DEMAND_PART;
  if (exceeds(w, w->fdr, w->fdr_percent)) return L1_DEMAND_FDR_RATIO;
  if (outstanding) return L1_DEMAND_MSHR;
  if (sub_blocks >= L1_FIRST_ICA_SIZE && exceeds(w, w->ica[sub_blocks - L1_FIRST_ICA_SIZE], w->ica_percent))
    return L1_DEMAND_ICA_RATIO;
  return L1_DEMAND_PART;
}
