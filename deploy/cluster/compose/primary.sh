#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# primary.sh   prepares the new database of the primary: the image of PostgreSQL runs it once, after initdb, on a server that
# listens on its socket only. Makes the role and the database of Parley and what the standby needs.
set -euo pipefail
secrets=${SECRETS:-/run/secrets}

# Commits do not yet wait for a standby: the setting of the last statement counts from the next start, which follows at once.
# Between the two nothing is committed, and pg_basebackup of the standby commits nothing either.
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
  --set parley="$(cat "$secrets/parley_password")" --set standby="$(cat "$secrets/standby_password")" <<'SQL'
CREATE ROLE parley LOGIN PASSWORD :'parley';
CREATE DATABASE parley OWNER parley ENCODING 'UTF8' TEMPLATE template0;
CREATE ROLE standby LOGIN REPLICATION PASSWORD :'standby';
SELECT pg_create_physical_replication_slot('standby');
ALTER SYSTEM SET synchronous_standby_names = 'standby';
SQL
echo 'host replication standby samenet scram-sha-256' >>"$PGDATA/pg_hba.conf"
