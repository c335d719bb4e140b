#!/bin/sh
# heddle area as a user calls it. area.sh BUILD
heddle=$1/heddle
. "$(dirname "$0")/../lib/checks.sh"

expect() { # expect STATUS PATTERN ARGUMENTS...
  status=$1 pattern=$2
  shift 2
  check "area $*" answers "$status" "$pattern" "$heddle" area "$@"
}

# The networks' mm2 of a setting.
networks() { "$heddle" area --gpu gpu80 "$@" | awk '/networks, all/ { print $3 }'; }

expect 0 "beyond the base configuration: 0 bits" --gpu gpu80
expect 0 "beyond the base configuration: 0 bits" --gpu v100
expect 0 "l1.org *4736 bits (0.578 KB), 15 of them" --set l1.org=tsc
expect 0 "beyond the base configuration: 3584 bits" --gpu gpu80 --set noc.topology=hxbar --set llc.mode=adaptive
expect 0 "llc.atd *3456 bits" --gpu gpu80 --set noc.topology=hxbar --set llc.mode=adaptive
expect 0 "reply.table *9216 bits (1.125 KB), 8 of them" --gpu mesh56 --set reply.filter=df-truc
expect 0 "sm.scheduler *20736 bits (2.531 KB), 15 of them" --set sm.scheduler=ccws
expect 0 "dram_activate *dram.activates" --events
expect 2 "did you mean 'power.node'" --set power.nodes=22
expect 2 "hxbar has as many clusters" --set noc.topology=hxbar
expect 2 "is not an option" gpu80
expect 3 "cannot write" --json /nowhere/area.json

# At the same bisection bandwidth a hierarchical crossbar is smaller than a full one, and wider channels cost more.
check "areas of full crossbar, hierarchical crossbar and one of half the width are in order" \
  awk -v full="$(networks)" -v hier="$(networks --set noc.topology=hxbar)" \
    -v half="$(networks --set noc.topology=hxbar --set noc.flit_bytes=16)" \
    'BEGIN { exit !(full > hier && hier > 2 * half && half > 0) }'
finish
