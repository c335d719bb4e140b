#!/bin/sh
# Installs what the test of heddle report's page in a real browser needs (tests/lab/browser.sh): Chromium with its driver,
# and Node.js. Not part of install_deps.sh: it is large, and nothing else needs it.
set -eu
missing=
command -v chromium >/dev/null || missing="$missing chromium"
command -v chromedriver >/dev/null || missing="$missing chromium-driver"
command -v node >/dev/null || missing="$missing nodejs"
[ -n "$missing" ] || exit 0
root=
[ "$(id -u)" -eq 0 ] || root="sudo"
echo "installing:$missing"
$root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null
