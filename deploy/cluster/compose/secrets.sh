#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# secrets.sh   makes the folder `secrets` of compose.yaml with new passwords, unless it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -m 700 secrets || exit
# Others cannot enter the folder. The files themselves are read in the containers, by users with other numbers.
umask 022
for each in postgres parley standby; do
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"secrets/${each}_password"
done
cat >secrets/parley.toml <<EOF
[store]
url = "postgresql://parley:$(cat secrets/parley_password)@primary,standby/parley?target_session_attrs=read-write"
EOF
echo 'The passwords are in the folder secrets: keep a copy of it with the backups.'
