#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# service_test.sh UNIT UNDER_UNIT BIN_DIR CASES   systemd's own analysis rates the unit below 2.0, and
# under its filters the server serves and its runs use the shell.
set -euo pipefail
unit=$1 under=$2 bin=$3 cases=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The analysis requires an existing program; that of the unit is not installed here.
sed -E 's#@CMAKE_INSTALL_FULL_BINDIR@/parley#/bin/true#; s#@CMAKE_INSTALL_FULL_DOCDIR@#/usr/share/doc#' "$unit" \
  >"$scratch/parley.service"
systemd-analyze verify "$scratch/parley.service"
# The threshold is the highest rating, in tenths, that passes.
systemd-analyze security --offline=true --no-pager --threshold=19 "$scratch/parley.service" >"$scratch/rating" || {
  grep -E '✗|→' "$scratch/rating" || cat "$scratch/rating"
  exit 1
}
grep '→' "$scratch/rating"

# The filter is active: a call outside of it is refused.
if "$under" "$unit" /usr/bin/unshare --user true 2>/dev/null; then
  echo 'unshare is allowed'
  exit 1
fi

# A run uses the shell and files. Its files are accessible to the owner only.
mkdir "$scratch/folder"
(
  cd "$scratch/folder"
  export HOME=$scratch XDG_CONFIG_HOME=$scratch/config XDG_DATA_HOME=$scratch/share
  "$under" "$unit" "$bin/parley" run --approve auto 'Run the command: date > made' >"$scratch/said" 2>&1
) || {
  cat "$scratch/said"
  exit 1
}
[ -s "$scratch/folder/made" ] || {
  echo 'the shell of a run made no file:'
  cat "$scratch/said"
  exit 1
}
[ "$(stat -c %a "$scratch/folder/made")" = 600 ] || {
  echo "a file of a run has mode $(stat -c %a "$scratch/folder/made")"
  exit 1
}

for protocol in assistant loom v1; do
  "$bin/parley-conformance" \
    --start "'$under' '$unit' '$bin/parley' serve --listen 127.0.0.1:\${port} --data \${tmp}/data --token conformance-admin" \
    --token-command "'$bin/parley' token create --rights ask,answer,read,study,run,run-auto --data \${tmp}/data --name" \
    --var admin=conformance-admin --var "parley=$bin/parley" --var "mcp=$bin/agentassistant-mcp" \
    "$cases/$protocol"
done
