#!/bin/sh
# Makes the documentation as a site: docs_site.sh FOLDER. The pages of docs/, the workloads' pages, the plans and the change log, by MkDocs
# with the theme Material (Debian: mkdocs, mkdocs-material), with a search. A link that leads nowhere is an error.
set -eu
site=$(realpath "${1:?docs_site.sh FOLDER}")
cd "$(dirname "$0")/.."
command -v mkdocs >/dev/null || { echo "docs_site.sh: no mkdocs here; apt-get install --no-install-recommends mkdocs mkdocs-material" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r docs "$work/docs"
cp CHANGELOG.md "$work/docs/changelog.md"
mkdir "$work/docs/workloads"
cp workloads/*/*.md "$work/docs/workloads"
# Pages outside docs/ lead to it by another way from here; sources are not part of the site.
sed 's|(../docs/|(../|g' workloads/README.md >"$work/docs/workloads/index.md"
sed 's|(../docs/|(|g' plans/README.md >"$work/docs/plans.md"
sed -i 's/\[\([^]]*\)\]([^):]*\.\(h\|c\|cu\|cuh\|py\|toml\|tsv\))/\1/g' "$work"/docs/*.md "$work"/docs/*/*.md

{
  cat <<'CONFIG'
site_name: Heddle
site_description: cycle-level GPU simulator that runs CUDA programs
use_directory_urls: false
strict: true
theme:
  name: material
  font: false
  palette:
    - {scheme: default, media: "(prefers-color-scheme: light)", toggle: {icon: material/weather-night, name: Dark}}
    - {scheme: slate, media: "(prefers-color-scheme: dark)", toggle: {icon: material/weather-sunny, name: Light}}
plugins: [search]
markdown_extensions: [tables, fenced_code, toc]
nav:
  - Begin: [index.md, tutorial-cuda.md, tutorial-architect.md, add-a-policy.md, python.md, changelog.md]
CONFIG
  echo "  - Using it: [results.md, database.md, cuda.md, check.md, characterization.md, correlate.md, page.md, sampling.md, speed.md, programs.md, plans.md, glossary.md]"
  echo "  - How far to trust it: [reference.md, networks.md, h200.md, h200-programs.md, workloads-h200.md, originals.md, claims.md, claims-t.md, claims-b.md, claims-a.md, claims-d.md, claims-c.md, figures.md, combinations.md]"
  echo "  - Inside: [architecture.md, a-load.md, conventions.md, dependencies.md, state.md]"
  echo "  - Rooms: [$(cd docs && echo rooms/*.md | tr ' ' ',')]"
  echo "  - Workloads: [workloads/index.md,$(cd "$work/docs" && ls workloads/*.md | grep -v index.md | tr '\n' ',')]"
} >"$work/mkdocs.yml"
# A page that the list above forgets would be in the search and nowhere else.
for page in $(cd "$work/docs" && find . -name '*.md' | sed 's|^\./||'); do
  grep -q "[ ,[]$page[],]" "$work/mkdocs.yml" || { echo "docs_site.sh: $page is not in the list of pages" >&2; exit 1; }
done
mkdocs build --config-file "$work/mkdocs.yml" --site-dir "$site" >"$work/said" 2>&1 || { grep -v DeprecationWarning "$work/said" >&2; exit 1; }
echo "$site/index.html"
