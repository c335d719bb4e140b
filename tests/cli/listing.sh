#!/bin/sh
# heddle list and heddle ptx as a user calls them: listing.sh BUILD. Last line "N passed, N failed".
heddle=$1/heddle
. "$(dirname "$0")/../lib/checks.sh"

# ---- list: each list is complete, and every row says something
rows_say() { # rows_say LIST LEAST: at least so many rows, of two words and more
  "$heddle" list "$1" >"$root/list" && awk -v least="$2" 'NF < 2 { print; bad = 1 } END { exit bad || NR < least }' "$root/list"
}
check "workloads" rows_say workloads 73
check "GPUs" rows_say gpus 9
for file in configs/*.toml; do check "$file is listed" grep -q "^$(basename "$file" .toml) " "$root/list"; done
check "keys" rows_say keys 200
check "a key has default, unit, meaning, range" grep -q '^l1.ways  *4  *lines  *[a-z].* \[1 to [0-9]*\]$' "$root/list"
check "stats" rows_say stats 200
for name in l1d.accesses coop.hits llc.sampled_accesses reply.blocks energy.total; do
  check "statistic $name" grep -q "^$name " "$root/list"
done
check "policies" rows_say policies 30
"$heddle" list keys >"$root/keys"
for key in l1.org l1.bypass sm.scheduler coop noc.topology reply.compress llc.mode dram.map; do
  for name in $(sed -n "s/^$key .*\[\([a-z].*\)\]\$/\1/p" "$root/keys"); do
    [ "$name" = none ] ||
      check "policy $key=$name" awk -v k="$key" -v n="$name" '$1 == k && $2 == n { found = 1 } END { exit !found }' "$root/list"
  done
done
check "probes" rows_say probes 8
stands_alone() { # stands_alone LIST COLUMN: no meaning, from that column on, leans on its unit or on the row before
  "$heddle" list "$1" >"$root/list" && awk -v from="$2" '
    substr($0, from) ~ /^(of|from|that|to|in|for|at|with|between|after|beyond|its?|more|them|these|those|the same)[ ,:]/ { print; bad = 1 } END { exit bad }' "$root/list"
}
check "a key's meaning stands alone" stands_alone keys 56
check "a statistic's meaning stands alone" stands_alone stats 42
check "a policy's meaning stands alone" stands_alone policies 37
check "no list" answers 2 "usage: heddle list workloads|gpus" "$heddle" list
check "a list that is none" answers 2 "there is no list 'gpu' (did you mean 'gpus'?)" "$heddle" list gpu
check "a key's former name" answers 2 "unknown key 'sm.hoist_loads' (it is 'sm.assembler_order' now)" "$heddle" run bfs --set sm.hoist_loads=true

# ---- ptx
cat >"$root/fine.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 a, .param .align 4 .b8 s[12])
.maxntid 128, 2, 1
{
.reg .b32 %r<4>; .reg .b64 %rd<3>; .shared .align 4 .b8 buf[256];
ld.param.u64 %rd1, [a];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd2, %rd1, %rd2;
ld.global.u32 %r2, [%rd2];
add.u32 %r2, %r2, 1;
st.global.u32 [%rd2], %r2;
ret;
}
END
sed 's/^ret;/tcgen05.fence::before_thread_sync;\nret;/' "$root/fine.ptx" >"$root/refused.ptx"
sed 's/^ret;/rett;/' "$root/fine.ptx" >"$root/wrong.ptx"
ptx() { # ptx STATUS PATTERN FILE...
  status=$1 pattern=$2
  shift 2
  answers "$status" "$pattern" "$heddle" ptx "$@"
}
check "version and target" ptx 0 "fine.ptx: PTX 8.0 for sm_90" "$root/fine.ptx"
check "a kernel and its parameters" ptx 0 "  kernel add(.u64, .b8\[12 bytes\])" "$root/fine.ptx"
check "what it needs" ptx 0 " registers, 256 bytes of shared and 0 of local memory, at most 256 threads a CTA" "$root/fine.ptx"
check "its instructions" ptx 0 "8 instructions:  arithmetic 3  move 1  memory 3  control 1" "$root/fine.ptx"
check "an instruction that is not supported" ptx 1 "refused.ptx:15:1: in 'add': tcgen05.fence::before_thread_sync is not supported" "$root/refused.ptx"
check "how many" ptx 1 "^not supported: 1 of 9 instructions" "$root/refused.ptx"
check "not PTX" ptx 2 "wrong.ptx:15:1: error: unknown opcode 'rett' (did you mean 'ret'?)" "$root/wrong.ptx"
check "of several files the worst counts" ptx 2 "8 instructions" "$root/wrong.ptx" "$root/fine.ptx" "$root/refused.ptx"
check "a file that is not there" ptx 2 "cannot read '$root/none.ptx': No such file" "$root/none.ptx"
check "a folder" ptx 2 "cannot read '$root': Is a directory" "$root"
check "no file" ptx 2 "a PTX file is expected"
finish
