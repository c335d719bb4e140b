/* Ideal cooperation, among all SMs and in clusters, between mock SMs. */
#include "coop_kit.h"

#include "coop/ideal.h"

enum { SMS = 15 };

struct below {
  struct mem_wake net;
  struct mem_port port;
};

static void open_ideal(struct kit *k, struct below *b, const char *const *settings) {
  kit_open(k, SMS, settings);
  b->net = (struct mem_wake){.at = MEM_NEVER, .period = 1};
  mem_port_init(&b->port, 4, 1, &b->net, &k->wake[0]);
  k->net->nodes[0]->below = &b->port;
}

static void close_ideal(struct kit *k, struct below *b) {
  kit_close(k);
  mem_port_free(&b->port);
}

static void test_the_answer_comes_after_the_reuse_latency(void **state) {
  static const struct {
    const char *latency;
    unsigned cycles;
  } rows[] = {{"coop.reuse_latency=0", 1}, {"coop.reuse_latency=1", 1}, {"coop.reuse_latency=80", 80}, {"coop.reuse_latency=300", 300}};
  (void)state;
  for (unsigned i = 0; i < 4; i++) {
    struct kit k;
    struct below b;
    bool answered;
    open_ideal(&k, &b, SETTINGS("coop=ideal", rows[i].latency));
    kit_hold(&k, 14, 0x1000, true);
    assert_int_equal(kit_wait(&k, kit_ask(&k, 0, 0x1000), &answered), rows[i].cycles);
    assert_true(answered);
    assert_null(mem_port_peek(&b.port, k.now));
    close_ideal(&k, &b);
  }
}

static void test_what_nobody_has_goes_to_l2_in_the_same_cycle(void **state) {
  struct kit k;
  struct below b;
  (void)state;
  open_ideal(&k, &b, SETTINGS("coop=ideal"));
  struct mem_packet *p = kit_ask(&k, 0, 0x1000);
  uint64_t sent = k.now;
  kit_step(&k);
  assert_ptr_equal(mem_port_peek(&b.port, sent + 1), p); /* as if the SM had pushed it */
  assert_int_equal(p->sent, sent);
  mem_port_pop(&b.port, k.now);
  mem_packet_free(k.pool, p);
  close_ideal(&k, &b);
}

static void test_a_blocked_miss_that_is_shared_leaves_a_cycle_later(void **state) {
  struct kit k;
  struct below b;
  bool answered;
  (void)state;
  open_ideal(&k, &b, SETTINGS("coop=ideal"));
  kit_hold(&k, 3, 0x1000, true);
  struct mem_packet *p = kit_miss(&k, 0, 0x1000);
  assert_false(coop_offer(k.net->nodes[0], p, false, k.now)); /* no way to L2 */
  kit_step(&k);
  assert_true(coop_offer(k.net->nodes[0], p, false, k.now));
  kit_wait(&k, p, &answered);
  assert_true(answered);
  p = kit_miss(&k, 0, 0x2000); /* nobody has this one: it stays */
  for (unsigned i = 0; i < 3; i++) {
    assert_false(coop_offer(k.net->nodes[0], p, false, k.now));
    kit_step(&k);
  }
  mem_packet_free(k.pool, p);
  close_ideal(&k, &b);
}

/* Clusters of 3 among 15: SM 0 is answered by 1 and 2 only. Of 4: the last has three SMs. */
static void test_only_the_own_cluster_answers(void **state) {
  static const char *const sizes[] = {"coop.cluster=3", "coop.cluster=5", "coop.cluster=4"};
  static const unsigned group[] = {3, 5, 4};
  (void)state;
  for (unsigned s = 0; s < 3; s++)
    for (uint32_t holder = 1; holder < SMS; holder++) {
      struct kit k;
      struct below b;
      open_ideal(&k, &b, SETTINGS("coop=cluster", sizes[s]));
      kit_hold(&k, holder, 0x1000, true);
      struct mem_packet *p = kit_ask(&k, 0, 0x1000);
      kit_step(&k);
      struct mem_packet *r = kit_reply(&k, 0);
      assert_int_equal(r == p, holder < group[s]);
      if (!r) mem_port_pop(&b.port, k.now);
      mem_packet_free(k.pool, p);
      close_ideal(&k, &b);
    }
}

static void test_a_cluster_larger_than_the_gpu_is_refused(void **state) {
  struct cfg *c = kit_cfg(SETTINGS("coop=cluster", "coop.cluster=16"));
  struct coop_place place = {.sms = SMS, .period = 1, .parts = 1};
  struct coop *net;
  struct err e = {0};
  (void)state;
  assert_false(coop_new(&net, c, &place, &e));
  assert_non_null(strstr(e.text, "coop.cluster"));
  cfg_delete(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_answer_comes_after_the_reuse_latency),
      cmocka_unit_test(test_what_nobody_has_goes_to_l2_in_the_same_cycle),
      cmocka_unit_test(test_a_blocked_miss_that_is_shared_leaves_a_cycle_later),
      cmocka_unit_test(test_only_the_own_cluster_answers),
      cmocka_unit_test(test_a_cluster_larger_than_the_gpu_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
