#!/bin/bash
# heddle run --page and heddle view: the files, and the pages in a real browser: run_page.sh BUILD [SCREENSHOTS]. Needs chromium,
# chromedriver and node (`tools/install_browser.sh` installs them); without, it says so and skips that part. Last line "N passed, N failed".
heddle=$(realpath "$1/heddle")
here=$(cd "$(dirname "$0")" && pwd)
shots=${2:+$(realpath -m "$2")}
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2
says() { # says MESSAGE ARGUMENTS...
  local message=$1
  shift
  [ "$("$heddle" "$@" 2>&1)" = "heddle: $message" ]
}

check "a page and its report" "$heddle" run bfs --page bfs.html --json bfs.json
check "another run" "$heddle" run bfs --detail --set l1.ways=16 --json more.json
check "one without detail" "$heddle" run bfs --json plain.json
check "two beside each other" "$heddle" view bfs.json more.json -o two.html
nowhere() { python3 -c 'import json; d = json.load(open("bfs.json")); d["sources"] = {f: None for f in d["sources"]}; json.dump(d, open("bare.json", "w"))'; }
check "a report whose source was not found" nowhere
check "and its page" "$heddle" view bare.json -o bare.html
check "a plain one" "$heddle" view plain.json -o plain.html
named() { cd "$root" && mkdir -p elsewhere && cd elsewhere && [ "$("$heddle" view ../plain.json)" = plain.html ] && [ -s plain.html ]; }
check "a page is named after its report" named
cd "$root" || exit 2
same() { # what differs is when it was made, how long that took, and what the run is called
  for file; do sed 's/"made":"[^"]*"//; s/"called":"[^"]*"//; s/"host":{[^}]*}//' "$file" >"$file.same"; done
  cmp "$1.same" "$2.same"
}
check "to standard output" sh -c "'$heddle' run bfs --page - >again.html 2>/dev/null"
check "the same page every time" same bfs.html again.html
check "a page of the report" "$heddle" view bfs.json -o view.html
check "is the page of the run" same bfs.html view.html
echo "{}" >not.json
check "no report" says "cannot read the report 'none.json': unable to open none.json: No such file or directory" view none.json
check "not a report" says "'not.json' is not a report of \`heddle run --json\`" view not.json
check "too many" says "one report or two are expected; \`heddle view --help\` says more" view bfs.json bfs.json bfs.json
check "a folder that is not there" says "cannot write 'none/x.html': No such file or directory" run bfs --page none/x.html
check "no page without cycles" answers 2 "and --trace need a timed run" "$heddle" run bfs --functional --page x.html

for tool in chromium chromedriver node; do
  if ! command -v $tool >/dev/null; then
    echo "skipped: the pages in a browser (no $tool here; tools/install_browser.sh installs it)"
    finish
    exit
  fi
done
node "$here/run_page_browser.js" bfs.html two.html plain.html bare.html $shots | tee browser.log | grep -v ' passed, '
p=$(tail -n 1 browser.log)
f=${p#*, }
passed "${p%% *}" "${f%% *}"
finish
