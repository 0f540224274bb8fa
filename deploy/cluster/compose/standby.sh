#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# standby.sh COMMAND...   starts PostgreSQL as the standby of PRIMARY (a host name), after copying the primary once. A
# copy that was interrupted is made again.
set -euo pipefail
secrets=${SECRETS:-/run/secrets}

if [ "$(id -u)" = 0 ]; then
  chown postgres:postgres "$(dirname "$PGDATA")"
  exec gosu postgres "$BASH_SOURCE" "$@"
fi
if [ ! -d "$PGDATA" ]; then
  rm -rf "$PGDATA.copy"
  # The password goes into primary_conninfo, with which the standby follows the primary.
  PGPASSWORD=$(cat "$secrets/standby_password") pg_basebackup --pgdata "$PGDATA.copy" --slot standby --wal-method stream \
    --checkpoint fast --write-recovery-conf --no-password \
    --dbname "host=$PRIMARY port=${PRIMARY_PORT:-5432} user=standby application_name=standby"
  # Once promoted, this server has no standby to wait for.
  sed -i '/^synchronous_standby_names/d' "$PGDATA.copy/postgresql.auto.conf"
  mv "$PGDATA.copy" "$PGDATA"
fi
exec "$@"
