#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# install_test.sh BUILD_DIR   installs the build, as a package and under a prefix, and checks the
# installed files and the hardening of the programs.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() {
  printf '%s\n' "$*"
  failed=1
}

# look ROOT PREFIX ZSH_FOLDER   checks an installation with PREFIX, whose files are in ROOT/PREFIX.
look() {
  local at=$1$2 unit doc link file
  unit=$at/lib/systemd/system/parley.service
  grep -qx "ExecStart=$2/bin/parley serve .*" "$unit" || fail "$unit does not start $2/bin/parley"
  doc=$(sed -nE 's/^Documentation=file:(.*)/\1/p' "$unit")
  [ -n "$doc" ] && [ -f "$1$doc" ] || fail "$unit names a document that is not there: $doc"
  for file in bin/parley bin/agentassistant-srv bin/agentassistant-mcp bin/parley-conformance; do
    "$at/$file" --help >/dev/null || fail "$at/$file does not run"
  done
  for file in bash-completion/completions/parley "zsh/$3/_parley" fish/vendor_completions.d/parley.fish; do
    [ -f "$at/share/$file" ] || fail "$at/share/$file is not there"
  done
  while read -r file; do
    { grep -oE '\]\([^)# ]+' "$file" || true; } | cut -c 3- | while read -r link; do
      [[ $link == *:* ]] || [ -e "$(dirname "$file")/$link" ] || echo "$file links to $link, which was not installed"
    done >"$scratch/broken"
    [ ! -s "$scratch/broken" ] || fail "$(cat "$scratch/broken")"
  done < <(find "$at/share/doc/parley" -name '*.md')
}

# hardened PROGRAM   checks for the features that cmake/ParleyHardening.cmake enables.
hardened() {
  local head symbols dynamic notes
  head=$(readelf -hlW "$1") symbols=$(readelf --dyn-syms -W "$1")
  dynamic=$(readelf -dW "$1") notes=$(readelf -nW "$1")
  grep -qE 'Type: +DYN' <<<"$head" && grep -q 'FLAGS_1.*PIE' <<<"$dynamic" || fail "$1 is at a fixed address"
  grep -qE 'GNU_STACK .* RW ' <<<"$head" || fail "$1 has a stack that can be executed"
  grep -q GNU_RELRO <<<"$head" && grep -q 'BIND_NOW' <<<"$dynamic" || fail "$1 has tables that stay writable"
  grep -q __stack_chk_fail <<<"$symbols" || fail "$1 has no stack protector"
  grep -qE ' __[a-z]+_chk[@ ]' <<<"$symbols" || fail "$1 calls the C library unchecked"
  [ "$(uname -m)" = x86_64 ] || return 0
  grep -q IBT <<<"$notes" && grep -q SHSTK <<<"$notes" || fail "$1 is not marked for control-flow enforcement"
  # endbr64, the target of indirect calls: the linker makes one for each imported function, the compiler more.
  [ "$(LC_ALL=C grep -aoP '\xf3\x0f\x1e\xfa' "$1" | wc -l)" -gt $(($(grep -c ' UND ' <<<"$symbols") + 50)) ] ||
    fail "$1 has no landing places of its own"
  # The probe of each page of a stack frame that is larger than a page.
  [ "${1##*/}" != parley ] || LC_ALL=C grep -qaP '\x48\x83\x0c\x24\x00' "$1" || fail "$1 does not probe its stack"
}

# fits PROGRAM   checks that the part that becomes read-only at the start (RELRO) begins in the first
# writable page. The page before may be unmapped or hold code; the program would crash.
fits() {
  local relro writable
  read -r relro writable < <(readelf -lW "$1" |
    awk '$1 == "LOAD" && $7 == "RW" && !w { w = $3 } $1 == "GNU_RELRO" { r = $3 } END { print r, w }')
  [ $((relro >> 12)) = $((writable >> 12)) ] || fail "$1 makes a page read-only that is not its own: $relro, $writable"
}

DESTDIR=$scratch/package cmake --install "$1" --prefix /usr >/dev/null
look "$scratch/package" /usr vendor-completions
# The Debian package, whose programs are stripped.
cpack --config "$1/CPackConfig.cmake" -B "$scratch/deb" >"$scratch/cpack" 2>&1 || fail "$(cat "$scratch/cpack")"
dpkg-deb --extract "$scratch"/deb/parley-server_*.deb "$scratch/unpacked"
look "$scratch/unpacked" /usr vendor-completions
for field in Depends Conflicts; do
  [ -n "$(dpkg-deb --field "$scratch"/deb/parley-server_*.deb "$field")" ] || fail "the package has no $field"
done
dpkg-deb --field "$scratch"/deb/parley-server_*.deb Depends | grep -q libsodium23 || fail 'the package does not need libsodium'
for file in "$scratch"/unpacked/usr/bin/*; do
  [ -L "$file" ] || hardened "$file"
done
# The desktop program, a package of its own: a server must not need its libraries.
dpkg-deb --extract "$scratch"/deb/parley-desktop_*.deb "$scratch/desktop"
"$scratch/desktop/usr/bin/parley-desktop" --help >/dev/null || fail 'parley-desktop does not run'
hardened "$scratch/desktop/usr/bin/parley-desktop"
for file in applications/org.parley.Desktop.desktop icons/hicolor/scalable/apps/org.parley.Desktop.svg \
  icons/hicolor/scalable/status/parley-asking.svg; do
  [ -f "$scratch/desktop/usr/share/$file" ] || fail "the desktop package has no $file"
done
dpkg-deb --field "$scratch"/deb/parley-desktop_*.deb Depends | grep -q libwebkit2gtk || fail 'the desktop package does not need WebKitGTK'
! dpkg-deb --field "$scratch"/deb/parley-server_*.deb Depends | grep -qE 'gtk|indicator' || fail 'the server needs GTK'
[ ! -e "$scratch/unpacked/usr/bin/parley-desktop" ] || fail 'the desktop program is in the package of the server'
for file in "$scratch"/unpacked/usr/bin/* "$scratch"/desktop/usr/bin/* "$1"/bin/*; do
  [ -L "$file" ] || ! readelf -h "$file" >/dev/null 2>&1 || fits "$file"
done
# The linker sets the mark although the start files of Debian 12 lack it, so check each of our objects; not
# those of tests, which may be being compiled.
if [ "$(uname -m)" = x86_64 ]; then
  while read -r file; do
    readelf -nW "$file" | grep -q 'IBT, SHSTK' || fail "$file is not marked for control-flow enforcement"
  done < <(find "$1/src" -name '*.o' -not -path '*_test.dir/*')
fi
cmake --install "$1" --prefix "$scratch/local" >/dev/null
look '' "$scratch/local" site-functions
exit "$failed"
