/* What networks count, in both directions and by the names of the statistics, against figures worked out by hand. A packet sent in
 * cycle 0 is at its router in cycle 1; a flit that enters at t crosses the switch at t + noc.pipeline. */
#include "nocrig.h"
#include "test_stats.h"

/* The statistics of a rig's networks; until rig_teardown. */
static struct stats *stats_of(struct rig *r) {
  struct stats *s = stats_new();
  for (unsigned i = 0; i < r->f.n_nets; i++) noc_register(r->f.net[i], s);
  return s;
}

/* `cycles` cycles in which receivers take what comes if `taking`. */
static void run(struct rig *r, unsigned cycles, bool taking) {
  for (unsigned c = 0; c < cycles; c++, r->now += PERIOD) {
    for (unsigned dir = 0; taking && dir < 2; dir++)
      for (unsigned i = 0; i < rig_outs(r, dir); i++) rig_receive(r, dir, i);
    rig_visit_all(r);
  }
}

static void end(struct rig *r, struct stats *s) {
  stats_delete(s);
  rig_teardown(r);
}

/* Each flit is inside for the two cycles of the pipeline, the first enters at 1: three flits leave at 3, 4 and 5, five until 7. */
static void test_an_unloaded_crossbar(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 4, 4, 2, SETTINGS("noc.pipeline=2"));
  struct stats *s = stats_of(&r);
  rig_send(&r, 0, 1, 3, 88, 1);
  rig_send(&r, 1, 2, 0, 128, 2);
  run(&r, 20, true);
  expect_stats(s, {"noc.request_packets_in", 1}, {"noc.request_packets", 1}, {"noc.request_flits_in", 3}, {"noc.request_flits", 3},
               {"noc.request_inject_stalls", 0}, {"noc.request_eject_stalls", 0}, {"noc.request_lost_grants", 0},
               {"noc.request_active_cycles", 5 - 1}, {"noc.request_occupancy_sum", 3 * 2}, {"noc.request_latency_sum", 5 - 1},
               {"noc.request_router_flits", 3}, {"noc.request_link_flits", 0}, {"noc.request_bypass_flits", 0},
               {"noc.request_gated_cycles", 0});
  expect_stats(s, {"noc.reply_packets_in", 1}, {"noc.reply_packets", 1}, {"noc.reply_flits_in", 5}, {"noc.reply_flits", 5},
               {"noc.reply_inject_stalls", 0}, {"noc.reply_eject_stalls", 0}, {"noc.reply_lost_grants", 0},
               {"noc.reply_active_cycles", 7 - 1}, {"noc.reply_occupancy_sum", 5 * 2}, {"noc.reply_latency_sum", 7 - 1},
               {"noc.reply_router_flits", 5}, {"noc.reply_link_flits", 0}, {"noc.reply_bypass_flits", 0},
               {"noc.reply_gated_cycles", 0});
  end(&r, s);
}

/* Three packets of a flit. Their receiver has two slots, which come at 3 and 4, and takes one at 20: the third waits at its output
 * from 5 to 20 and leaves at 21. */
static void expect_stalls_of(const char *topology) {
  struct rig r;
  rig_setup(&r, 2, 2, 2, SETTINGS("noc.pipeline=2", "noc.concentration=1", topology));
  struct stats *s = stats_of(&r);
  for (unsigned i = 0; i < 3; i++) rig_send(&r, 0, 0, 1, 0, i);
  for (unsigned i = 0; i < 3; i++) rig_send(&r, 1, 1, 0, 0, i);
  run(&r, 20, false);
  run(&r, 20, true);
  expect_stats(s, {"noc.request_eject_stalls", 16}, {"noc.request_inject_stalls", 0}, {"noc.request_packets", 3},
               {"noc.request_latency_sum", (3 - 1) + (4 - 2) + (21 - 3)}, {"noc.request_active_cycles", 20},
               {"noc.request_occupancy_sum", 2 + 2 + 18});
  expect_stats(s, {"noc.reply_eject_stalls", 16}, {"noc.reply_inject_stalls", 0}, {"noc.reply_packets", 3},
               {"noc.reply_latency_sum", (3 - 1) + (4 - 2) + (21 - 3)}, {"noc.reply_active_cycles", 20},
               {"noc.reply_occupancy_sum", 2 + 2 + 18});
  end(&r, s);
}

static void test_cycles_in_which_a_receiver_has_no_free_slot(void **state) {
  (void)state;
  expect_stalls_of("noc.topology=xbar");
  expect_stalls_of("noc.topology=cxbar"); /* a router between the ports, of the kind that all other topologies are made of */
}

/* Five flits through a buffer of two. The third enters at 6, the cycle after the first has crossed at 1 + 4; the fifth at 11. */
static void test_cycles_in_which_an_input_has_no_free_slot(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 2, 2, 2, SETTINGS("noc.pipeline=4", "noc.input_buffer=2"));
  struct stats *s = stats_of(&r);
  rig_send(&r, 0, 0, 1, 128, 1);
  rig_send(&r, 1, 0, 1, 128, 2);
  run(&r, 30, true);
  expect_stats(s, {"noc.request_inject_stalls", 3 + 3}, {"noc.request_latency_sum", 15 - 1}, {"noc.request_occupancy_sum", 5 * 4});
  expect_stats(s, {"noc.reply_inject_stalls", 3 + 3}, {"noc.reply_latency_sum", 15 - 1}, {"noc.reply_occupancy_sum", 5 * 4});
  end(&r, s);
}

/* One input with a queue an output. Both outputs are blocked, receiver and buffer, and get a free slot in the same cycle: both grant the
 * input, which takes one. */
static void test_grants_that_are_lost(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 2, 2, 1, SETTINGS("noc.voq=true", "noc.output_buffer=1"));
  struct stats *s = stats_of(&r);
  for (unsigned dir = 0; dir < 2; dir++)
    for (unsigned i = 0; i < 6; i++) rig_send(&r, dir, 0, i % 2, 0, i);
  run(&r, 20, false);
  run(&r, 20, true);
  expect_stats(s, {"noc.request_lost_grants", 1}, {"noc.request_packets", 6}, {"noc.request_router_flits", 6});
  expect_stats(s, {"noc.reply_lost_grants", 1}, {"noc.reply_packets", 6}, {"noc.reply_router_flits", 6});
  end(&r, s);
}

/* A mesh carries both directions in one network. SM 3 is next to slice 0: two routers of two cycles and a link of one, so that each
 * flit is inside for five. */
static void test_a_mesh_counts_directions_apart(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 56, 8, 2, SETTINGS("noc.topology=mesh", "dram.channels=8", "noc.pipeline=2"));
  struct stats *s = stats_of(&r);
  rig_send(&r, 0, 3, 0, 24, 1);
  rig_send(&r, 1, 0, 3, 128, 2);
  run(&r, 40, true);
  expect_stats(s, {"noc.request_packets_in", 1}, {"noc.request_packets", 1}, {"noc.request_flits_in", 1}, {"noc.request_flits", 1},
               {"noc.request_active_cycles", 5}, {"noc.request_occupancy_sum", 5}, {"noc.request_latency_sum", 5},
               {"noc.request_router_flits", 2}, {"noc.request_link_flits", 1});
  expect_stats(s, {"noc.reply_packets_in", 1}, {"noc.reply_packets", 1}, {"noc.reply_flits_in", 5}, {"noc.reply_flits", 5},
               {"noc.reply_active_cycles", 5 + 4}, {"noc.reply_occupancy_sum", 5 * 5}, {"noc.reply_latency_sum", 5 + 4},
               {"noc.reply_router_flits", 2 * 5}, {"noc.reply_link_flits", 5});
  end(&r, s);
}

/* The eight routers next to the slices have no power: each flit crosses one router, one link, and goes past one router. */
static void test_routers_without_power(void **state) {
  (void)state;
  struct rig r;
  rig_setup(&r, 80, 64, 2, SETTINGS("noc.topology=hxbar", "dram.channels=8", "noc.pipeline=4"));
  struct stats *s = stats_of(&r);
  for (unsigned i = 0; i < 2; i++) noc_bypass(r.f.net[i], true, 0);
  rig_send(&r, 0, 30, 3, 128, 1);
  rig_send(&r, 1, 8 * 2 + 3, 34, 56, 2);
  run(&r, 40, true);
  for (unsigned i = 0; i < 2; i++) noc_settle(r.f.net[i], r.now);
  expect_stats(s, {"noc.request_router_flits", 5}, {"noc.request_link_flits", 5}, {"noc.request_bypass_flits", 5},
               {"noc.request_gated_cycles", 8 * 40}, {"noc.request_latency_sum", 1 + 4 + 1 + 4 + 1 - 2});
  expect_stats(s, {"noc.reply_router_flits", 2}, {"noc.reply_link_flits", 2}, {"noc.reply_bypass_flits", 2},
               {"noc.reply_gated_cycles", 8 * 40}, {"noc.reply_latency_sum", 1 + 1 + 1 + 4 + 1 + 1 - 2});
  end(&r, s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_unloaded_crossbar),
      cmocka_unit_test(test_cycles_in_which_a_receiver_has_no_free_slot),
      cmocka_unit_test(test_cycles_in_which_an_input_has_no_free_slot),
      cmocka_unit_test(test_grants_that_are_lost),
      cmocka_unit_test(test_a_mesh_counts_directions_apart),
      cmocka_unit_test(test_routers_without_power),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
