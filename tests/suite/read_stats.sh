#!/bin/sh
# What tools/check_stats.sh takes for a comparison, by made-up tests of one statistic: read_stats.sh BUILD.
build=$1
. "$(dirname "$0")/../lib/checks.sh"
check_stats=$(dirname "$0")/../../tools/check_stats.sh
mkdir "$root/made"
reads() { # reads TEXT: with a test of this text, dram.latency_sum is read
  printf '%s\n' "$1" >"$root/made/test.c"
  "$check_stats" "$build" "$root/made" >"$root/missing"
  grep -q 'statistic dram.reads$' "$root/missing" && ! grep -q 'statistic dram.latency_sum$' "$root/missing"
}
does_not() { ! reads "$1"; }
check "a name that is compared" reads 'assert_int_equal(stats_get(s, "dram.latency_sum"), 26);'
check "over several lines" reads 'expect_stats(s, {"l2.hits", f(1)},
  {"dram.latency_sum", 26});'
check "its constant" reads 'assert_int_equal(c->counters[DRAM_LATENCY], 26);'
check "in a condition with ==" reads 'assert_true(c->counters[DRAM_LATENCY] == 26);'
check "not that it is not 0" does_not 'assert_true(c->counters[DRAM_LATENCY] > 0);'
check "nor that it differs" does_not 'assert_int_not_equal(c->counters[DRAM_LATENCY], 0);'
check "nor a range" does_not 'assert_in_range(c->counters[DRAM_LATENCY], 20, 30);'
check "nor a comment" does_not 'assert_int_equal(1, /* "dram.latency_sum" */ 1); // assert_int_equal(DRAM_LATENCY, 2);'
check "nor a comment over lines" does_not '/* assert_int_equal(
  x[DRAM_LATENCY], 2); */'
check "nor a number given to the code" does_not 'struct made m = {"dram.latency_sum", 12180};'
check "nor what stands beside a comparison" does_not 'assert_int_equal(1, 1); print(DRAM_LATENCY);'
check "nor another's name" does_not 'assert_int_equal(get("dram.latency_sums"), get("xdram.latency_sum"));'
rm "$root/made/test.c"
printf 'check "latency" test "$(stat dram.latency_sum)" = 26\n' >"$root/made/test.sh"
"$check_stats" "$build" "$root/made" >"$root/missing"
check "a check of a script" sh -c "! grep -q 'statistic dram.latency_sum$' '$root/missing'"
check "all of these are missing otherwise" test "$(grep -c '^no test reads' "$root/missing")" -gt 250
finish
