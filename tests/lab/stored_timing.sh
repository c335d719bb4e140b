#!/bin/sh
# The version of the timing that stored results carry is that of this build: stored_timing.sh BUILD. Last line "N rows passed, N failed".
exec "$(dirname "$0")/../../tools/timing.sh" "$1"
