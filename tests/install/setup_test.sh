#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# setup_test.sh   without the right to install packages, `make run` must print the one command to run.
set -euo pipefail
setup=$(cd "$(dirname "$0")/../.." && pwd)/scripts/setup
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# pretend NAME LINE   creates a program NAME that executes LINE.
pretend() {
  printf '#!/bin/sh\n%s\n' "$2" >"$scratch/$1"
  chmod +x "$scratch/$1"
}
pretend id 'echo 1000'
pretend dpkg-query :
pretend apt-get 'echo "apt-get was called" >&2; exit 100'

# told WHEN   checks that setup ends with status 1 and prints the one command.
told() {
  local status=0
  PATH=$scratch:$PATH "$setup" build 2>"$scratch/told" || status=$?
  if [ "$status" != 1 ] || ! grep -qE '^  apt-get update && apt-get install -y .* cmake ' "$scratch/told"; then
    printf '%s: status %s\n' "$1" "$status"
    cat "$scratch/told"
    exit 1
  fi
}
pretend sudo 'echo "not in the sudoers file" >&2; exit 1'
told 'sudo refuses'
pretend sudo 'exec "$@"'
told 'sudo does it, but apt-get cannot'
