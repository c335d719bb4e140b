#!/bin/sh
# Installs into an empty folder and uses what is there, from another place and without the tree's environment:
# install.sh BUILD. Last line "N passed, N failed".
build=$1
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../lib/checks.sh"

away() { (cd / && env -i PATH="$PATH" HOME="$root" "$@"); } # a command in another place

cd "$here" || exit 2
make -s --no-print-directory BUILD="$build" PREFIX=/opt/heddle DESTDIR="$root/stage" install >"$root/log" 2>&1 ||
  { cat "$root/log"; echo "0 passed, 1 failed"; exit 1; }
# Nothing in it may know where it was staged: it is moved before it is used.
mv "$root/stage/opt/heddle" "$root/moved"
prefix=$root/moved

check "heddle --help" away "$prefix/bin/heddle" --help
check "list of workloads" away sh -c "'$prefix/bin/heddle' list workloads --tsv | grep -q '^vectoradd'"
check "a workload, functional" away "$prefix/bin/heddle" run vectoradd --functional --json "$root/out.json"
check "its report" away grep -q '"output_ok": true' "$root/out.json"
check "a workload, timed" away "$prefix/bin/heddle" run vectoradd
check "results of claims come with it" \
  sh -c "cd / && '$prefix/bin/heddle' claims T03 --look | grep -q '^T03  \(reproduced\|differs\) '"
check "a program of the installed tree" away "$prefix/bin/heddle" run --functional -- "$prefix/lib/heddle/heddle-workloads" vectoradd
python=$(echo "$prefix"/lib/python3*/dist-packages)
check "the Python module" away env PYTHONPATH="$python" python3 -c "
import heddle
assert heddle.run('vectoradd', functional=True)['output_ok'] and heddle.GPU('gtx480').alloc(16).read() == bytes(16)"
rm -rf "$python/heddle/__pycache__"
check "man page" away test -s "$prefix/share/man/man1/heddle.1"
check "bash completion" away bash -c "source '$prefix/share/bash-completion/completions/heddle' && complete -p heddle"
for word in 'run run .OPTIONS. WORKLOAD' 'run --gpu NAME' 'compare --vary KEY'; do
  check "man page of heddle $word" away sh -c "sed 's/[\\\\]//g' '$prefix/share/man/man1/heddle-${word%% *}.1' | grep -q -e '${word#* }'"
done
complete() { # complete EXPECTED WORDS...: what bash would offer for the last word
  expected=$1
  shift
  check "bash completes '$*'" away bash -c "PATH='$prefix/bin':\$PATH; source '$prefix/share/bash-completion/completions/heddle'
    COMP_WORDS=($*); COMP_CWORD=$(($# - 1)); _heddle; printf '%s\n' \"\${COMPREPLY[@]}\" | grep -qx -e '$expected'"
}
complete compare heddle com
complete --functional heddle run --fun
complete vectoradd heddle run vec
complete gtx480 heddle run --gpu gtx
complete gpus heddle list g
complete grr heddle run --set sm.scheduler = gr
# What zsh would offer, with its own helpers played by functions that print; only where zsh is.
zsh_completes() {
  expected=$1
  shift
  check "zsh completes '$*'" away zsh -fc "PATH='$prefix/bin':\$PATH
    compadd() { print -l -- \"\$@\" }; _describe() { print -l -- \${(P)2} }; _files() { }; compset() { [[ \$words[CURRENT] == *=* ]] }
    words=($*); CURRENT=$#; source '$prefix/share/zsh/site-functions/_heddle' | grep -q -e '$expected'"
}
if command -v zsh >/dev/null; then
  zsh_completes '^compare:' heddle com
  zsh_completes '^--functional' heddle run --fun
  zsh_completes '^vectoradd' heddle run vec
  zsh_completes '^gtx480' heddle run --gpu gtx
  zsh_completes '^gpus' heddle list g
  zsh_completes '^grr' heddle run --set sm.scheduler=gr
fi
check "the example, built against the installed library" away sh -c "
  ${CC:-cc} ${SANITIZE:+-fsanitize=address,undefined} -I'$prefix/include' '$prefix/share/doc/heddle/embed.c' -L'$prefix/lib' -Wl,-rpath,'$prefix/lib' \
    -lheddle -o '$root/embed' && '$root/embed'"
check "pkg-config file" away sh -c "
  grep -q '^prefix=/opt/heddle$' '$prefix/lib/pkgconfig/heddle.pc' && grep -Eq '^Version: [0-9]+\.[0-9]+\.[0-9]+$' '$prefix/lib/pkgconfig/heddle.pc'"

mkdir -p "$root/stage/opt" && mv "$prefix" "$root/stage/opt/heddle"
make -s --no-print-directory BUILD="$build" PREFIX=/opt/heddle DESTDIR="$root/stage" uninstall >"$root/log" 2>&1
check "uninstall leaves no file" away sh -c "[ -z \"\$(find '$root/stage' -type f -o -type l)\" ]"
finish
