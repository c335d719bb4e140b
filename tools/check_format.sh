#!/bin/sh
# What every C file keeps to: no tabs, no blanks at a line's end, lines of at most 140 columns (prose and code aim at
# 110 to 120; rows of tables may be longer), a newline at the end; and no two code files or scripts of one name.
# Prints each violation and exits 1 if there is any; last line "N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
find src include tests workloads examples bench -name '*.c' -o -name '*.h' |
  xargs awk '
    /\t/ { print FILENAME ":" FNR ": a tab"; bad = 1 }
    /[ ]$/ { print FILENAME ":" FNR ": a blank at the end"; bad = 1 }
    length($0) > 140 { print FILENAME ":" FNR ": longer than 140 columns"; bad = 1 }
    END { exit bad }'
status=$?
for file in $(find src include tests workloads examples bench -name '*.c' -o -name '*.h'); do
  if [ -n "$(tail -c 1 "$file")" ]; then echo "$file: no newline at the end"; status=1; fi
done
twice=$(find src include tests workloads examples bench tools -name '*.c' -o -name '*.h' -o -name '*.sh' | sed 's|.*/||' | sort | uniq -d)
for name in $twice; do echo "$name: two files have this name"; status=1; done
if [ $status -eq 0 ]; then echo "1 passed, 0 failed"; else echo "0 passed, 1 failed"; fi
exit $status
