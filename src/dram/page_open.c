/* Open page: a row stays open until its bank needs another row. */
#include "dram/dram_sched.h"

const struct dram_page dram_page_open = {
    .policy = {.name = "open", .meaning = "a row stays open until its bank needs another"}};
