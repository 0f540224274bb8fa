#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# standby_test.sh   a primary and a standby made by the scripts of deploy/cluster/compose, as the containers make them: commits
# wait for the standby, an interrupted copy is made again, and a promoted standby waits for nobody.
set -euo pipefail
scripts=${1:-$(cd "$(dirname "$0")/../../deploy/cluster/compose" && pwd)}
# PostgreSQL does not run as root, and another user may not read the sources.
if [ "$(id -u)" = 0 ]; then
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  cp "$scripts"/{primary,standby}.sh "$0" "$copy"
  chmod -R a+rX "$copy"
  cd /
  setpriv --reuid 65534 --regid 65534 --clear-groups "$copy/${0##*/}" "$copy"
  exit
fi
programs=(/usr/lib/postgresql/*/bin)
PATH=${programs[-1]}:$PATH
scratch=$(mktemp -d)
servers=()
finish() {
  local each
  for each in "${servers[@]}"; do kill -QUIT "$each" 2>/dev/null || true; done
  wait
  rm -rf "$scratch"
}
trap finish EXIT
fail() {
  printf 'standby_test: %s\n' "$*" >&2
  tail -n 20 "$scratch"/*.log >&2
  exit 1
}
# until_true COMMAND...   waits at most 30 s until the command succeeds.
until_true() {
  local ends=$((SECONDS + 30))
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$ends" ] || fail "not within 30 s: $*"
    sleep 0.1
  done
}
# ask SERVER SQL   as the superuser, on the socket in the server's folder.
ask() { psql --no-psqlrc -Atq -h "$scratch/$1" -p "$port" -U postgres -d postgres -c "$2"; }
says() { [ "$(ask "$1" "$2")" = "$3" ]; }
start() { # SERVER ADDRESS COMMAND...   one port, two addresses of loopback
  PGDATA=$scratch/$1/main "${@:3}" -p "$port" -c listen_addresses="$2" -c unix_socket_directories="$scratch/$1" \
    >>"$scratch/$1.log" 2>&1 &
  servers+=("$!")
  started=$!
}

mkdir "$scratch"/{primary,standby,secrets}
export SECRETS=$scratch/secrets PGDATA=$scratch/primary/main
for each in parley standby; do printf 'secret of %s' "$each" >"$SECRETS/${each}_password"; done
port=$(node -e 'const probe = require("net").createServer().listen(0, "127.0.0.1", () => {
  console.log(probe.address().port);
  probe.close();
});')

# The image of PostgreSQL: initdb, a server on the socket alone for the scripts, then the real one.
initdb --username postgres --auth-local trust --auth-host scram-sha-256 --encoding UTF8 --no-sync >/dev/null
start primary '' postgres
until_true says primary 'SELECT 1' 1
PGHOST=$scratch/primary PGPORT=$port "$scripts/primary.sh" >/dev/null || fail 'primary.sh'
kill -INT "$started" && wait "$started"
start primary 127.0.0.1 postgres
until_true says primary 'SELECT 1' 1

says primary 'SHOW synchronous_standby_names' standby || fail 'no commit waits for a standby'
ask primary 'CREATE TABLE early ()' &
early=$!
until_true says primary "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'" 1

# What an interrupted copy left.
mkdir "$scratch/standby/main.copy" && touch "$scratch/standby/main.copy/PG_VERSION"
export PRIMARY=127.0.0.1 PRIMARY_PORT=$port
start standby 127.0.0.2 "$scripts/standby.sh" postgres
until_true says primary 'SELECT application_name, sync_state FROM pg_stat_replication' 'standby|sync'
wait "$early" || fail 'the commit that waited'
password=$(cat "$SECRETS/parley_password")
PGPASSWORD=$password psql --no-psqlrc -Atq -h 127.0.0.1 -p "$port" -U parley -d parley -c 'CREATE SCHEMA mine' ||
  fail 'the role parley cannot make a schema'
says primary "SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = 'parley'" UTF8 || fail 'no UTF8'

# The primary is lost.
kill -QUIT "${servers[1]}" && wait "${servers[1]}" || true
says standby 'SELECT pg_promote()' t || fail 'the standby cannot be promoted'
says standby 'SHOW synchronous_standby_names' '' || fail 'a promoted standby waits for itself'
timeout 20 psql --no-psqlrc -q -h "$scratch/standby" -p "$port" -U postgres -d parley -c 'CREATE TABLE mine.late ()' ||
  fail 'the schema is lost, or the promoted standby takes no commits'
echo 'The scripts work: commits waited for the standby, which took over.'
