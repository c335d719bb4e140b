#!/bin/sh
# What tools/check_points.sh takes for a second list of what can be chosen, by made-up files: points_once.sh BUILD.
build=$(cd "$1" && pwd)
. "$(dirname "$0")/../lib/checks.sh"
check_points=$(dirname "$0")/../../tools/check_points.sh
once() { # once TEXT: a file of this text has no second list
  printf '%s\n' "$1" >"$root/made.c"
  "$check_points" "$build" "$root/made.c" >"$root/said"
}
twice() { ! once "$1" && grep -q "$2" "$root/said"; }
check "a string of words" twice 'x = "lrr gto two-level";' 'made.c:1: words of sm.scheduler: "lrr gto two-level"'
check "of two words" twice 'x = "frfcfs fcfs";' dram.scheduler
check "with bars between them" twice 'usage("base|tsc|lamar");' l1.org
check "words side by side" twice 'char *x[] = {"mesh", "hxbar"};' noc.topology
check "words in rows of a table" twice 'x[] = {{"dpc", 1, false}, {"bdi", 2, true}};' reply.compress
check "a row a line" twice 'x[] = {
  {"lrr", 1}, /* one */
  {"gto", 2},
};' 'made.c:3: words of sm.scheduler'
check "a key's text that is compared" twice 'if (!strcmp(cfg_text(c, "x.y"), "z")) f();' "a key's text is compared"
check "not one word" once 'x = "gto";'
check "nor words of different points" once 'x = "gto mesh lamar";'
check "nor words and others" once 'x = "lrr is not gto";'
check "nor in two statements" once 'f("lrr");
g("gto");'
check "nor a word twice" once 'x = "none none";'
check "nor a comment" once '/* "lrr gto" */ x = 1; // "lrr gto"'
check "nor settings" once 'x = "l1.org=base,l1.org=tsc";'
check "nothing in the project" "$check_points" "$build"
finish
