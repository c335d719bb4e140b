#!/bin/sh
# Makes a Debian package of what `make install` installs: make_deb.sh BUILD VERSION FILE.deb. The packages that it depends on are
# those whose libraries the programs are linked with (dpkg-shlibdeps, of dpkg-dev). One package holds the command, the libraries
# that stand in for CUDA's, the library with its header, the Python module and the man pages.
set -eu
build=$(cd "${1:?make_deb.sh BUILD VERSION FILE.deb}" && pwd)
version=${2:?make_deb.sh BUILD VERSION FILE.deb}
mkdir -p "$(dirname "${3:?make_deb.sh BUILD VERSION FILE.deb}")"
file=$(realpath "$3")
cd "$(dirname "$0")/.."
for tool in dpkg-deb dpkg-shlibdeps; do
  command -v $tool >/dev/null || { echo "make_deb.sh: no $tool here; apt-get install dpkg-dev" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/debian/heddle
mkdir -p "$stage/DEBIAN"
chmod 755 "$work" "$work/debian" "$stage" "$stage/DEBIAN"

make -s --no-print-directory BUILD="$build" PREFIX=/usr DESTDIR="$stage" install
doc=$stage/usr/share/doc/heddle
mv "$doc/LICENSE" "$doc/copyright"
gzip -9n "$doc/CHANGELOG.md" "$stage"/usr/share/man/man1/*.1
strip --strip-debug "$stage/usr/bin/heddle" "$stage"/usr/lib/heddle/heddle-workloads "$stage"/usr/lib/heddle/lib/*.so* "$stage"/usr/lib/libheddle.so.0

# dpkg-shlibdeps reads a source package's control file and writes its answer to a file.
architecture=$(dpkg --print-architecture)
printf 'Source: heddle\n\nPackage: heddle\nArchitecture: any\n' >"$work/debian/control"
(cd "$work" && dpkg-shlibdeps -Tdepends --ignore-missing-info debian/heddle/usr/bin/heddle debian/heddle/usr/lib/heddle/heddle-workloads \
  debian/heddle/usr/lib/libheddle.so.0 debian/heddle/usr/lib/heddle/lib/libcuda.so.1 \
  -ldebian/heddle/usr/lib/heddle/lib 2>"$work/said") || { cat "$work/said" >&2; exit 1; }
depends=$(sed -n 's/^shlibs:Depends=//p' "$work/depends")
[ -n "$depends" ] || { echo "make_deb.sh: dpkg-shlibdeps names no library" >&2; exit 1; }

cat >"$stage/DEBIAN/control" <<CONTROL
Package: heddle
Version: $version
Architecture: $architecture
Section: science
Priority: optional
Maintainer: The authors of Heddle <heddle@localhost>
Depends: $depends
Recommends: python3
Installed-Size: $(du -sk --exclude=DEBIAN "$stage" | cut -f1)
Description: cycle-level GPU simulator that runs CUDA programs
 Heddle simulates a GPU and its memory hierarchy cycle by cycle and runs CUDA
 programs unchanged, as nvcc builds them, without a GPU. It is for people who
 design or tune caches, networks and memory, and for programmers who want to
 see where the time of a kernel goes.
 .
 This package holds the command, workloads, a C library with its header, a
 Python module, man pages and completions.
CONTROL
(cd "$stage" && find usr -type f -exec md5sum {} +) | LC_ALL=C sort -k2 >"$stage/DEBIAN/md5sums"
dpkg-deb --root-owner-group --build "$stage" "$file" >/dev/null
echo "$file"
