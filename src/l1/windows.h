/* Request prediction of the data-filtering thesis (Byoun 2018, chapter 4): the windows manager (figure 4.4) and the
 * request controller (figure 4.5) of one SM. They remember and decide; the critical data tracker (critical_data.c)
 * notifies them of what happened and does what they say.
 *
 * There are four windows, each a queue of the last reply.window events. Three of them are for lines of which 64, 96
 * or 128 bytes have been asked for, and hold whether the accesses to the line were inconsistent (ICA: later loads
 * asked for other sub-blocks than the first) or consistent (CA). A line of which 32 bytes were asked for cannot be
 * inconsistent and has no window. The fourth window holds whether misses asked for whole lines (full data requests,
 * FDR) or parts (partial data requests, PDR). A ratio is always that to the size of the window, also while the window
 * is not yet full. */
#ifndef L1_WINDOWS_H
#define L1_WINDOWS_H

#include "base/policy.h"

enum { L1_ICA_WINDOWS = 3, L1_FIRST_ICA_SIZE = 2 /* sub-blocks of the first of them */ };

/* What the controller decides, and for which reason. */
enum l1_demand {
  L1_DEMAND_PART,      /* the critical sub-blocks only */
  L1_DEMAND_FDR_RATIO, /* the whole line: nearly all requests are for whole lines */
  L1_DEMAND_MSHR,      /* the whole line: an outstanding request for a part of it was not enough */
  L1_DEMAND_ICA_RATIO, /* the whole line: most lines of this size were accessed inconsistently */
  L1_DEMANDS
};

struct l1_windows {
  bool predicts;                  /* reply.predict; false: always a part */
  bool learns_asked;              /* reply.learn=asked: the windows learn what loads asked for */
  uint32_t size, ica_percent, fdr_percent;
  uint64_t ica[L1_ICA_WINDOWS], fdr; /* the last events, newest in bit 0 */
};

extern const struct cfg_key l1_window_keys[]; /* keys of the policies of reply.filter */

void l1_windows_init(struct l1_windows *w, const struct cfg *cfg);
/* A reply for a line has come, or the line was evicted; `sub_blocks` of it have been asked for since its first miss. */
void l1_windows_line(struct l1_windows *w, unsigned sub_blocks, bool inconsistent);
/* The last reply for a line has come, or it was evicted; `whole`: all of it had been asked for. */
void l1_windows_request(struct l1_windows *w, bool whole);
/* Decides what a read miss requests. `sub_blocks` of the line have been asked for, including by this miss.
 * `outstanding`: an earlier miss on the line, which did not ask for enough, is still unanswered. */
enum l1_demand l1_windows_decide(const struct l1_windows *w, bool outstanding, unsigned sub_blocks);

#endif
