/* A table from the address of a line to a number, for probes: open addressing, grows, never forgets a single line: a tag array
 * (mem_tags.h) would replace some, and what a probe counts must not depend on its size. */
#ifndef PROBE_TABLE_H
#define PROBE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_slot {
  uint64_t line; /* address + 1; 0: empty */
  uint32_t value;
};
struct probe_table {
  struct probe_slot *slots;
  size_t n, mask; /* mask 0: no slots yet */
};
/* The number of a line; a new line gets `fresh`. The pointer is good until the next call. */
uint32_t *probe_table_at(struct probe_table *t, uint64_t line, uint32_t fresh, bool *is_new);
void probe_table_clear(struct probe_table *t);
void probe_table_free(struct probe_table *t);

#endif
