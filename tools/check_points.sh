#!/bin/sh
# What can be chosen at a point stands once, in the point's list of policies: check_points.sh BUILD [FILES]. Prints what stands a second
# time and exits 1 if there is anything; last line "N passed, N failed". FILES are those of the project if not given.
#
# The words are those of `heddle list policies` that are not numbers. With comments taken out, no code, completion or page of help may have
#   a string that is nothing but two or more words of one point ("lrr gto two-level", "lrr|gto"),
#   two strings side by side that are words of one point ("lrr", "gto"), alone or in rows of a table ({"lrr", 1}, {"gto", 2}), or
#   a comparison of a key's text with a string (strcmp(cfg_text(...)...)): a policy is found by cfg_policy, a number by cfg_option.
# src/lab is left out of the second: a claim's table names the configurations that a paper compares.
cd "$(dirname "$0")/.." || exit 2
build=$1
shift
[ $# -gt 0 ] || set -- $(find src include python -name '*.[ch]' -o -name '*.def' -o -name '*.py') completion/* man/*
"$build/heddle" list policies >/dev/null || exit 2
"$build/heddle" list policies | awk '
  FILENAME == "-" { if ($2 !~ /^[0-9]+$/) at[$2] = at[$2] $1 " "; next }
  # The points that every one of the words has, of which there are two different ones at least.
  function shared(list, n,   i, k, m, keys, common, differ) {
    if (n < 2) return ""
    m = split(at[list[1]], keys, " ")
    for (i = 2; i <= n; i++) differ = differ || list[i] != list[1]
    if (!differ) return ""
    for (k = 1; k <= m; k++) {
      common = 1
      for (i = 2; i <= n; i++) if (index(" " at[list[i]], " " keys[k] " ") == 0) common = 0
      if (common) return keys[k]
    }
    return ""
  }
  function complain(key, what) { printf "%s:%d: words of %s: %s\n", FILENAME, FNR, key, what; bad = 1 }
  FNR == 1 { inside = 0; last = gap = "" }
  {
    rest = $0; token = ""
    if (FILENAME ~ /\.[ch]$/ && rest ~ /strcmp\(cfg_text\(/) { print FILENAME ":" FNR ": a key'"'"'s text is compared"; bad = 1 }
    while (length(rest)) {
      if (inside) { i = index(rest, "*/"); if (!i) break; inside = 0; rest = substr(rest, i + 2); continue }
      if (!match(rest, /"([^"\\]|\\.)*"|\/\*|\/\//)) break
      token = substr(rest, RSTART, RLENGTH); between = gap substr(rest, 1, RSTART - 1); gap = ""; rest = substr(rest, RSTART + RLENGTH)
      if (token == "//") break
      if (token == "/*") { inside = 1; gap = between; continue }
      literal = substr(token, 2, length(token) - 2)
      n = split(literal, word, /[ ,|:\/]+/)
      if ((key = shared(word, n)) != "") complain(key, token)
      if (FILENAME !~ /^src\/lab\// && last != "" && between ~ /^[ ,]*$|\}[ ,]*\{ *$/) {
        pair[1] = last; pair[2] = literal
        if ((key = shared(pair, 2)) != "") complain(key, "\"" last "\", " token)
      }
      last = literal
    }
    gap = gap (inside || token == "//" ? "" : rest)
    if (gap ~ /;/) last = gap = ""
  }
  END { print bad ? "0 passed, 1 failed" : "1 passed, 0 failed"; exit bad }
' - "$@"
