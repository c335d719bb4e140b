#!/bin/sh
# Every link in the tree's pages leads somewhere, and the documentation becomes a site with a search: site.sh BUILD. The site needs MkDocs;
# where there is none, that part is skipped. Last line "N passed, N failed".
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$here/tests/lib/checks.sh"
python3 "$here/tests/docs/links.py" "$here" >"$root/links"
sed '$d' "$root/links"
passed $(tail -n 1 "$root/links" | sed 's/ passed, / /; s/ failed//')
if command -v mkdocs >/dev/null; then
  check "make docs" "$here/tools/docs_site.sh" "$root/site"
  for page in index tutorial-cuda rooms/llc workloads/kmeans changelog; do check "the site has $page" test -s "$root/site/$page.html"; done
  check "the search knows a word of a page" grep -q 'Tag-split cache' "$root/site/search/search_index.json"
  cp -r "$here/tools" "$here/docs" "$here/workloads" "$here/plans" "$here/CHANGELOG.md" "$root"
  echo '[nowhere](nowhere.md)' >>"$root/docs/index.md"
  check "a link that leads nowhere is an error" answers 1 nowhere "$root/tools/docs_site.sh" "$root/site"
else
  echo "skipped: the site (no mkdocs here)"
fi
finish
