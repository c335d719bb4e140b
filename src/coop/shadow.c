/* See shadow.h. */
#include "coop/shadow.h"

#include "mem/mem_mask.h"

void coop_shadow_change(struct table *shadow, uint64_t line, struct mem_bytes bytes, bool here) {
  bool fresh;
  struct mem_bytes *held = here ? table_put(shadow, line, sizeof *held, &fresh) : table_find(shadow, line);
  if (!held) return;
  *held = here ? mem_or(*held, bytes) : mem_minus(*held, bytes);
  if (mem_none(*held)) table_remove(shadow, line);
}

struct mem_bytes coop_shadow_held(const struct table *shadow, uint64_t line) {
  const struct mem_bytes *held = table_find(shadow, line);
  return held ? *held : MEM_NOTHING;
}
