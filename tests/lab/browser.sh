#!/bin/bash
# heddle report in a real browser: browser.sh BUILD [SCREENSHOT.png]. Needs chromium, chromedriver and node
# (`tools/install_browser.sh` installs them); without, it says so and skips. Last line "N passed, N failed".
heddle=$(realpath "$1/heddle")
here=$(cd "$(dirname "$0")" && pwd)
shot=${2:+$(realpath "$2")}
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2
says() { # says MESSAGE ARGUMENTS...
  local message=$1
  shift
  [ "$("$heddle" report "$@" 2>&1)" = "heddle: $message" ]
}

cat >plan.toml <<'END'
workloads = ["vectoradd", "reduction", "scan"]
[vary]
"l1.ways" = [2, 4]
"sm.scheduler" = ["lrr", "gto"]
END
printf 'workloads = ["vectoradd"]\n[set]\n"sm.threads" = 32\n' >failing.toml
check "a sweep" "$heddle" sweep plan.toml --db results.db
"$heddle" sweep failing.toml --db results.db >log 2>&1
"$heddle" sweep failing.toml --db empty.db >log 2>&1
check "a page" "$heddle" report results.db -o page.html --title '</script><b>x'
check "a page without runs" "$heddle" report empty.db -o empty.html
cat >times.toml <<'END'
workloads = ["scan", "reduction"]
interval = 500
[vary]
"l1.ways" = [2, 4]
END
check "claims" "$heddle" claims T01 T09 T31 B01 C21 --stored none --db lab.db
check "claims under another reading" "$heddle" claims T03 --reading t.clock=1400 --stored none --db lab.db
check "combinations" "$heddle" explore vectoradd scan --gpu gtx480 --combinations 12 --rounds 2 --db lab.db
check "intervals" "$heddle" sweep times.toml --db lab.db
check "a page of all three" "$heddle" report lab.db --stored none -o lab.html
check "no database" says "cannot read the database 'none.db': No such file or directory" none.db -o page2.html
check "no page is made of it" test ! -e page2.html
check "a folder that is not there" says "cannot write 'none/page.html': No such file or directory" results.db -o none/page.html
check "no -o" says "-o FILE, and one database at most, are expected; \`heddle report --help\` says more" results.db

for tool in chromium chromedriver node; do
  if ! command -v $tool >/dev/null; then
    echo "skipped: the page in a browser (no $tool here; tools/install_browser.sh installs it)"
    finish
    exit
  fi
done
node "$here/browser.js" page.html empty.html lab.html $shot | tee browser.log | grep -v ' passed, '
p=$(tail -n 1 browser.log)
f=${p#*, }
passed "${p%% *}" "${f%% *}"
finish
