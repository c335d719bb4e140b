/* Closed page: a row is closed as soon as no queued request wants it, so that the next request to another row of the
 * bank does not wait for the precharge. Requests that wait for the open row are served first, as in memory
 * controllers whose page policy looks at the queue (Kim, Yang, Mutlu: Ramulator, a fast and extensible DRAM
 * simulator, CAL 2015: "closed"). */
#include "dram/dram_sched.h"

static uint64_t close_at(void *s, const struct dram_view *v, unsigned bank, uint64_t used) {
  (void)s;
  (void)v;
  (void)bank;
  return used;
}

const struct dram_page dram_page_closed = {
    .policy = {.name = "closed", .meaning = "a row is closed as soon as no queued request wants it",
               .paper = "Kim, Yang, Mutlu: Ramulator: a fast and extensible DRAM simulator, CAL 2015"},
    .close_at = close_at};
