#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# install_test.sh BUILD_DIR   installs what is built, as a package does and as a person does, and looks
# at what is where.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() {
  printf '%s\n' "$*"
  failed=1
}

# look ROOT PREFIX ZSH_FOLDER   what was installed under PREFIX is in ROOT/PREFIX.
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

DESTDIR=$scratch/package cmake --install "$1" --prefix /usr >/dev/null
look "$scratch/package" /usr vendor-completions
cmake --install "$1" --prefix "$scratch/local" >/dev/null
look '' "$scratch/local" site-functions
exit "$failed"
