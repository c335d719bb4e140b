/* Replies for several SMs in the crossbar, and slices with several request links. */
#include "nocrig.h"

static void step(struct rig *r) {
  rig_visit_all(r);
  r->now += PERIOD;
}

/* A reply of slice `from` for SMs first, first + 1, ...; owners count on from `owner`. */
static void send_for_all(struct rig *r, unsigned from, unsigned first, unsigned n, unsigned payload, uint32_t owner) {
  assert_true(rig_send(r, 1, from, first, payload, owner));
  struct mem_port *p = rig_in(r, 1, from);
  struct mem_packet *k = p->ring[(p->head + p->count - 1) % p->capacity].k;
  for (unsigned i = 1; i < n; i++) {
    struct mem_packet *f = memtest_packet(r->pool, MEM_READ_REPLY, 0, 15);
    f->sm = (uint16_t)(first + i);
    f->payload = (uint16_t)payload;
    f->owner = owner + i;
    k->followers = f;
    k = f;
  }
}

/* The tail of the first leaves at 1 + pipeline + flits - 1; the copies need as many cycles of their own links. */
static void test_copies_follow_the_first_to_the_cycle(void **state) {
  (void)state;
  for (unsigned flits = 1; flits <= 5; flits += 4) {
    struct rig r;
    rig_setup(&r, 4, 2, 8, SETTINGS("noc.pipeline=3", "noc.flit_bytes=32"));
    uint64_t first = 1 + 3 + (flits - 1) + 1, at[4] = {0};
    send_for_all(&r, 0, 0, 3, flits * 32 - 8, 10);
    for (unsigned c = 0; c < 40; c++, step(&r))
      for (unsigned sm = 0; sm < 4; sm++) {
        int64_t owner = rig_receive(&r, 1, sm);
        if (owner < 0) continue;
        assert_int_equal(owner, 10 + sm);
        at[sm] = c;
      }
    assert_int_equal(at[0], first);
    for (unsigned sm = 1; sm < 3; sm++) assert_in_range(at[sm], first + flits - 1, first + flits);
    assert_int_equal(at[3], 0);
    assert_int_equal(rig_counters(&r, 1)[NOC_FLITS_OUT], 3 * flits);
    assert_int_equal(rig_counters(&r, 1)[NOC_HOPS], flits);
    rig_teardown(&r);
  }
}

/* Every SM gets every copy once, with receivers that stop at random and other replies in between. */
static void test_every_copy_arrives_once_under_back_pressure(void **state) {
  (void)state;
  struct rig r;
  struct rng g = {11};
  static unsigned seen[4000];
  uint32_t sent = 0;
  unsigned received = 0;
  memset(seen, 0, sizeof seen);
  rig_setup(&r, 6, 3, 2, SETTINGS("noc.voq=true", "noc.speedup=2", "noc.output_buffer=2"));
  for (unsigned c = 0; c < 20000 && (sent < 3900 || received < sent); c++, step(&r)) {
    for (unsigned slice = 0; slice < 3; slice++) {
      unsigned n = 1 + (unsigned)rng_below(&g, 4);
      if (sent >= 3900 || !mem_port_free_slots(rig_in(&r, 1, slice), r.now) || rng_below(&g, 2)) continue;
      send_for_all(&r, slice, (unsigned)rng_below(&g, 3), n, rng_below(&g, 2) ? 128 : 32, sent);
      sent += n;
    }
    for (unsigned sm = 0; sm < 6; sm++) {
      int64_t owner = rng_below(&g, 3) ? rig_receive(&r, 1, sm) : -1;
      if (owner < 0) continue;
      seen[owner]++;
      received++;
    }
  }
  assert_int_equal(received, sent);
  for (unsigned i = 0; i < sent; i++) assert_int_equal(seen[i], 1);
  assert_true(rig_idle(&r));
  rig_teardown(&r);
}

static unsigned delivered_in_100_cycles(const char *links) {
  struct rig r;
  unsigned n = 0;
  rig_setup(&r, 8, 1, 8, SETTINGS("noc.voq=true", "noc.speedup=4", "noc.output_buffer=16", links));
  for (unsigned c = 0; c < 100; c++, step(&r)) {
    for (unsigned sm = 0; sm < 8; sm++) rig_send(&r, 0, sm, 0, 0, sm);
    while (rig_receive(&r, 0, 0) >= 0) n++;
  }
  while (!rig_idle(&r)) {
    while (rig_receive(&r, 0, 0) >= 0) continue;
    step(&r);
  }
  while (rig_receive(&r, 0, 0) >= 0) continue;
  rig_teardown(&r);
  return n;
}

static void test_a_slice_gets_a_flit_a_cycle_from_each_of_its_links(void **state) {
  (void)state;
  assert_in_range(delivered_in_100_cycles("noc.request_links=1"), 92, 98);
  assert_in_range(delivered_in_100_cycles("noc.request_links=2"), 185, 196);
  assert_in_range(delivered_in_100_cycles("noc.request_links=4"), 370, 392);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copies_follow_the_first_to_the_cycle),
      cmocka_unit_test(test_every_copy_arrives_once_under_back_pressure),
      cmocka_unit_test(test_a_slice_gets_a_flit_a_cycle_from_each_of_its_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
