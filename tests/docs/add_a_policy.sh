#!/bin/sh
# docs/add-a-policy.md does what it says: add_a_policy.sh BUILD. Its files are put into a copy of the tree, its line into the registry,
# and its commands are executed there one after the other, each of which must succeed.
here=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
. "$here/tests/lib/checks.sh"
kind=
case $build in *-sanitize*) kind="SANITIZE=1" ;; esac
case $build in *-portable*) kind="$kind PORTABLE=1" ;; esac
page=$here/docs/add-a-policy.md
tree=$root/tree
# With their times, so that only what the page adds is built.
mkdir "$tree" "$tree/build"
tar -C "$here" -cf - --exclude=./.git --exclude='./build*' . | tar -C "$tree" -xf -
cp -a "$build/obj" "$build/libheddle_core.a" "$build/lib" "$build/heddle" "$build/heddle-workloads" "$tree/build"

# Blocks of the page: files with the name that stands before them, the line, and the commands, numbered.
awk -v tree="$tree" -v work="$root" '
  /^`[^`]*`:$/ { name = $0; gsub(/[`:]/, "", name); next }
  /^```$/ && kind != "" { kind = ""; close(file); next }
  /^```/ {
    kind = substr($0, 4)
    if (kind == "sh") file = sprintf("%s/commands%02d", work, ++n)
    else if (kind == "line") file = work "/line"
    else { file = tree "/" name; print name > (work "/files") }
    next
  }
  kind != "" { print > file }
' "$page"

check "the page has a policy, its test and a plan" sh -c "[ \"\$(cat '$root/files' | tr '\n' ' ')\" = 'src/dram/patient.c tests/dram/patient_test.c patient.toml ' ]"
cp "$tree/src/dram/dram_registry.c" "$root/before"
sed -i "/X(T, dram_frfcfs) /r $root/line" "$tree/src/dram/dram_registry.c"
check "one line is added to the registry" sh -c "[ \"\$(diff '$root/before' '$tree/src/dram/dram_registry.c' | grep -c '^[<>]')\" = 1 ]"
execute() { (cd "$tree" && export MAKEFLAGS= && eval "$1"); }
make() { command make BUILD=build $kind "$@"; }
for commands in "$root"/commands*; do
  while read -r line; do check "$line" execute "$line"; done <"$commands"
done
check "the page of the comparison names the policy" grep -q patient "$tree/patient.html"
check "the statistic is in the JSON" grep -q '"patience_lost"' "$tree/out.json"
finish
