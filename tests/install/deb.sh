#!/bin/sh
# The Debian package: made, looked at, installed by dpkg into a root that has nothing but what the package depends on, used there,
# and removed: deb.sh BUILD. The root is made of this system's own files of those packages; it needs root's rights (or a user
# name space), dpkg-dev and a Debian or Ubuntu; where one is missing, it says so and skips that part. Last line "N passed, N failed".
build=$(realpath "$1")
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../lib/checks.sh"
cd "$here" || exit 2
if ! command -v dpkg-shlibdeps >/dev/null && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 dpkg-dev </dev/null >/dev/null 2>&1
fi
if ! command -v dpkg-shlibdeps >/dev/null; then
  echo "skipped: the Debian package (no dpkg-dev here)"
  finish
  exit
fi
deb=$root/heddle.deb
check "make deb" make -s --no-print-directory BUILD="$build" DEB="$deb" deb
version=$(sed -n 's/^.define HEDDLE_VERSION "\(.*\)"/\1/p' src/base/version.h)
field() { dpkg-deb --field "$deb" "$1"; }
check "its version is heddle's" [ "$(field Version)" = "$version" ]
check "the change log has that version first" [ "$(sed -n 's/^## //p' CHANGELOG.md | head -n 1)" = "$version" ]
check "depends on the libraries" sh -c "echo '$(field Depends)' | grep libc6 | grep libjansson4 | grep libsqlite3-0 | grep -q libzstd1"
dpkg-deb --contents "$deb" >"$root/contents"
check "a man page for each command" sh -c "
  '$build/heddle' --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | while read -r name; do
    grep -q '/usr/share/man/man1/heddle-'\$name'.1.gz\$' '$root/contents' || { echo no page for \$name; exit 1; }; done"
for file in usr/lib/libheddle.so.0 usr/include/heddle/heddle.h usr/lib/pkgconfig/heddle.pc usr/lib/python3/dist-packages/heddle/__init__.py \
  usr/share/doc/heddle/copyright usr/share/doc/heddle/CHANGELOG.md.gz; do
  check "holds $file" grep -q "/$file\$\|/$file -> " "$root/contents"
done
check "files belong to root" sh -c "! grep -v ' root/root ' '$root/contents'"

# Packages that these depend on, themselves included: the first of alternatives that is installed here.
closure() {
  todo=$*
  seen=
  while [ -n "$todo" ]; do
    set -- $todo
    name=$1
    shift
    todo=$*
    case " $seen " in *" $name "*) continue ;; esac
    dpkg-query -W -f '${Status}\n' "$name" 2>/dev/null | grep -q 'install ok installed' || continue
    seen="$seen $name"
    more=$(dpkg-query -W -f '${Pre-Depends}, ${Depends}\n' "$name" | tr ',|' '\n\n' | sed -e 's/(.*//' -e 's/:any//' -e 's/ //g')
    todo="$todo $(echo $more)"
  done
  echo "$seen"
}
if [ "$(id -u)" -eq 0 ]; then as_root=
elif unshare -r true 2>/dev/null; then as_root="unshare -r"
else
  echo "skipped: the package in a root of its own (only root may)"
  finish
  exit
fi
clean=$root/clean
mkdir -p "$clean/var/lib/dpkg/info" "$clean/var/lib/dpkg/updates" "$clean/tmp" "$clean/dev" "$clean/proc" "$clean/root"
# Merged /usr, as the system has it; then the packages' files and what dpkg knows of them.
for link in bin sbin lib lib64; do [ ! -L /$link ] || ln -s "usr/$link" "$clean/$link"; done
for name in $(closure $(field Depends | tr ',' '\n' | sed 's/ *(.*//') python3 dash coreutils grep); do
  dpkg-query -W -f '${Package}\n' "$name" | grep -q '^heddle$' && continue
  dpkg -L "$name" | while read -r path; do [ -d "$path" ] && [ ! -L "$path" ] || echo "$path"; done
  dpkg -s "$name" >>"$clean/var/lib/dpkg/status"
  echo >>"$clean/var/lib/dpkg/status"
done >"$root/files"
# With a merged /usr the names that dpkg knows may go through a link: what is copied is the file behind it.
merged=
for link in bin sbin lib lib64; do [ ! -L /$link ] || merged="$merged;s|^/$link/|/usr/$link/|"; done
sed "s/^package diverts.*//;/^$/d$merged" "$root/files" | grep -v '^/usr/share/\(doc\|locale\|man\)/' | sort -u |
  while read -r path; do [ ! -e "$path" ] && [ ! -L "$path" ] || echo ".$path"; done >"$root/copied"
(cd / && tar -cf - -T "$root/copied") | tar -C "$clean" -xf -
# A program there sees the system's /proc, in a mount name space that ends with it.
inside() {
  unshare ${as_root:+-r} -m sh -c 'mount --rbind /proc "$0/proc" && exec chroot "$0" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root "$@"' "$clean" "$@"
}
if ! inside true 2>/dev/null; then
  echo "skipped: the package in a root of its own (/proc cannot be mounted there)"
  finish
  exit
fi
check "the root has no heddle before" sh -c "[ ! -e '$clean/usr/bin/heddle' ]"
check "dpkg installs it, with every dependency there" $as_root dpkg --root="$clean" --force-not-root --log=/dev/null -i "$deb"
check "heddle --version" inside sh -c "[ \"\$(heddle --version)\" = 'heddle $version' ]"
check "a workload, timed, output right" inside /usr/bin/heddle run vectoradd --quiet --json /out.json
check "its report" grep -q '"output_ok": true' "$clean/out.json"
check "verdicts of stored results" inside sh -c "heddle claims T31 --look | grep -q '^T31 '"
check "the Python module" inside python3 -c "
import heddle
assert heddle.run('vectoradd', functional=True)['output_ok'] and heddle.GPU('gtx480').alloc(16).read() == bytes(16)"
rm -rf "$clean"/usr/lib/python3/dist-packages/heddle/__pycache__
check "dpkg removes it" $as_root dpkg --root="$clean" --force-not-root --log=/dev/null -P heddle
check "and nothing of it is left" sh -c "[ -z \"\$(find '$clean' -path '*heddle*')\" ]"
finish
