#!/bin/sh
# Every statistic is asserted by some test: check_stats.sh BUILD [TESTS]. Lists those of `heddle list stats` that no test
# reads and exits 1 if there is one; last line "N passed, N failed". TESTS is the folder with the tests, tests/ if not given.
#
# A test reads a statistic where it compares it: with comments taken out, its name in quotes, or the constant of the enum that
# indexes its counter, is written between the parentheses of
#   assert_..._equal(...), assert_true(...) with a == in it, or a helper of the test whose name begins expect_,
# or, in a script, its name is on a line that begins with the command check. Values given to a component, names in tables of
# input, "is not 0", "is about" and prose are no comparisons. The names of statistics and their constants are matched by the
# tables in src/ (struct stat_def x[..._STATS], in the order of the enum that ends in that word); where several tables share
# an enum (the two directions of the network, the read-only caches) a constant says nothing and only names count.
cd "$(dirname "$0")/.." || exit 2
build=$1
tests=${2:-tests}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$build/heddle" list stats >"$work/list" || exit 2
awk 'NR > 1 { print $1 }' "$work/list" >"$work/names"

# Without comments; the rest of a line stays on it.
code() {
  awk '{
    out = ""
    while (length($0)) {
      if (inside) { i = index($0, "*/"); if (!i) break; inside = 0; $0 = substr($0, i + 2); continue }
      i = match($0, /"([^"\\]|\\.)*"|\/\*|\/\//)
      if (!i) { out = out $0; break }
      token = substr($0, i, RLENGTH); out = out substr($0, 1, i - 1); rest = substr($0, i + RLENGTH)
      if (token == "//") break
      if (token == "/*") inside = 1; else out = out token
      $0 = rest
    }
    print out
  }' "$@"
}

# "constant name", one a line.
code $(grep -lE 'stat_def|_STATS' -r src --include='*.[ch]') | awk '
  { text = text $0 " " }
  END {
    rest = text
    while (match(rest, /enum[ a-z_0-9]*\{[^{}]*\}/)) {
      body = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
      sub(/^[^{]*\{/, "", body); sub(/\}$/, "", body); gsub(/[ \n]/, "", body); sub(/,$/, "", body)
      n = split(body, constant, ",")
      if (constant[n] ~ /_STATS$/) for (i = 1; i < n; i++) of[constant[n], i - 1] = constant[i]
    }
    rest = text
    while (match(rest, /stat_def [a-z_0-9]*\[[A-Z0-9]*_STATS( \+ 1)?\] = \{/)) {
      head = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
      sub(/.*\[/, "", head); sub(/[ \]].*/, "", head)
      body = substr(rest, 1, index(rest, "};"))
      for (i = 0; match(body, /(\[[A-Z0-9_ +]+\] = )?\{ *"[^"]*"/); i++) {
        row = substr(body, RSTART, RLENGTH); body = substr(body, RSTART + RLENGTH)
        name = row; sub(/^[^"]*"/, "", name); sub(/"$/, "", name)
        constant_of = of[head, i]
        if (row ~ /^\[/) { constant_of = row; sub(/\].*/, "", constant_of); sub(/.*[^A-Z0-9_]/, "", constant_of) }
        print constant_of, name
      }
    }
  }' >"$work/constants"

# What stands in comparisons: names in quotes and constants, one a line.
code $(find "$tests" -name '*.[ch]') | awk '
  { text = $0
    while (1) {
      if (!depth) {
        if (!match(text, /(^|[^a-zA-Z_0-9])(assert_[a-z_]*equal|assert_true|expect_[a-z_0-9]*)\(/)) break
        head = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH); call = ""; depth = 1
      }
      if (!match(text, /"([^"\\]|\\.)*"|[()]/)) { call = call text " "; break }
      token = substr(text, RSTART, RLENGTH); call = call substr(text, 1, RSTART - 1) token; text = substr(text, RSTART + RLENGTH)
      depth += (token == "(") - (token == ")")
      if (!depth && head !~ /not_equal/ && (head !~ /assert_true/ || call ~ /==/)) print call
    }
  }' | awk '
  { while (match($0, /"[a-z_0-9]+[.][a-z_0-9]+"|[A-Z][A-Z0-9_]+/)) {
      word = substr($0, RSTART, RLENGTH); $0 = substr($0, RSTART + RLENGTH); gsub(/"/, "", word); print word } }' | sort -u >"$work/read"
find "$tests" -name '*.sh' | sort | xargs sed -n 's/^ *check //p' | grep -oE '[a-z_0-9]+[.][a-z_0-9]+' | sort -u >>"$work/read"

awk -v file="$work/read" '
  BEGIN { while ((getline word < file) > 0) read[word] = 1 }
  FNR == NR { if ($1 in read) read[$2] = 1; next }
  !($1 in read) { print "no test reads the statistic " $1; missing++ }
  END { print missing ? "0 passed, 1 failed" : "1 passed, 0 failed"; exit missing > 0 }' "$work/constants" "$work/names"
