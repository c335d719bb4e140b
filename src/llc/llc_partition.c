/* L2 in two partitions (l2.partitions): half of the channels are near to an SM, half are far. What an SM reads from a
 * far slice is also kept as a copy in the near partition, where it hits without the far latency.
 *
 * In hardware the copy is in another slice, the twin of the line's own slice in the other partition. Here it takes a
 * frame of the line's own slice instead, under the tag line + 1. Over the whole L2, copies take as much capacity from
 * lines either way, and a write finds the copy where it is to be dropped. The far latency is charged once, on the way
 * there, for both ways. For the same reason a slice is charged its twin's work too: a far write takes its data port
 * twice, and a far atomic operation takes its atomics unit for l2.atomic_twin as well, unless its line is one of the
 * few that all SMs use at the time: the twins of these lines are in other slices, which have nothing else to do.
 *
 * Owns: copies, and the queue of requests in flight from the other partition. With one partition nothing here is
 * called. */
#include "llc/llc_slice.h"

static uint64_t copy_of(uint64_t line) { return line | 1; }

void llc_drop_its_copy(struct slice *s, uint32_t set, uint64_t line) {
  int32_t frame = mem_tags_find(&s->tags, set, copy_of(line));
  if (frame == MEM_NO_FRAME) return;
  mem_tags_drop(&s->tags, frame);
  s->lines[frame] = (struct llc_line){0};
}

void llc_keep_copy(struct slice *s, const struct mem_packet *k) {
  if (k->kind != MEM_READ) return;
  uint32_t set = llc_set_of(k);
  int32_t frame = mem_tags_find(&s->tags, set, copy_of(k->line));
  if (frame == MEM_NO_FRAME) {
    frame = mem_tags_victim(&s->tags, set);
    if (frame == MEM_NO_FRAME || llc_is_dirty(s, frame)) return;
    s->base.counters[LLC_EVICTIONS] += llc_holds(s, frame);
    s->lines[frame] = (struct llc_line){0};
    mem_tags_place(&s->tags, frame, copy_of(k->line));
  }
  s->lines[frame].valid |= k->sectors;
}

int llc_access_far(struct slice *s, struct mem_packet *k, uint64_t now) {
  if (k->kind == MEM_READ) {
    int32_t copy = mem_tags_find(&s->tags, llc_set_of(k), copy_of(k->line));
    if (copy != MEM_NO_FRAME && !(k->sectors & ~s->lines[copy].valid)) return llc_access_hit(s, k, copy, now);
  }
  bool twice = k->kind == MEM_WRITE && s->c.write_bytes; /* it goes through its twin's port, too */
  if (!mem_ring_free_slots(&s->distant)) return LLC_STALL_FAR;
  if (twice && s->data_free > now) return LLC_STALL_DATA_PORT;
  if (twice) llc_take_write_port(s, k, now);
  if (s->c.atomic_twin > 0 && llc_is_atomic(k)) llc_take_twin(s, k, now);
  mem_ring_push(&s->distant, k, now + s->c.far_latency);
  s->base.counters[LLC_FAR]++;
  return 0;
}

uint64_t llc_access_distant(struct slice *s, uint64_t now) {
  struct mem_slot *t = mem_ring_head(&s->distant);
  s->distant_stalled = false;
  if (!t || t->ready > now) return t ? t->ready : MEM_NEVER;
  int why = llc_access_home(s, t->k, now);
  s->distant_stalled = why != 0;
  if (why) return llc_stall_end(s, why);
  mem_ring_pop(&s->distant);
  s->moved = true;
  return mem_ring_head(&s->distant) ? mem_later(mem_ring_head(&s->distant)->ready, now) : MEM_NEVER;
}
