#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# Three nodes on a PostgreSQL of their own, for tests of one server.
#   cluster.sh PARLEY FOLDER PORT [FLAG...]   prints the line `ready URL` of the first node when all slots have a home;
#                                             SIGTERM ends all, and with this script all are killed
#   cluster.sh PARLEY FOLDER run WORD...      `parley WORD...` with the stores of the first node, before that or beside it
set -euo pipefail

parley=$1 folder=$2 port=$3
shift 3
programs=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)
url="postgresql:///postgres?host=$folder/postgres&user=parley"
nodes=(a b c)
declare -A process

# Starts a program that is killed with this script. PostgreSQL does not run as root.
as_nobody=()
[ "$(id -u)" -ne 0 ] || as_nobody=(--reuid 65534 --regid 65534 --clear-groups)
postgres() { exec setpriv --pdeathsig QUIT "${as_nobody[@]}" "$programs/$1" "${@:2}"; }

start_postgres() {
  if [ ! -e "$folder/postgres/data" ]; then
    mkdir -p "$folder/postgres"
    chmod 755 "$folder"
    [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$folder/postgres"
    (postgres initdb --pgdata "$folder/postgres/data" --username parley --auth trust --encoding UTF8 \
      --locale C.UTF-8 --no-sync --no-instructions) >/dev/null
  fi
  rm -f "$folder/postgres/data/postmaster.pid"
  postgres postgres -D "$folder/postgres/data" -k "$folder/postgres" -c listen_addresses= -c fsync=off \
    -c log_min_messages=panic >/dev/null &
  database=$!
  until "$programs/pg_isready" --host "$folder/postgres" --quiet; do sleep 0.05; done
}

# The URL in the line `ready URL` of a node.
url_of() { sed -n 's/^ready //p' "$folder/$1.out"; }

# The value of a gauge of a node; 0: it does not answer yet.
gauge() {
  local at=${1#http://}
  exec 3<>"/dev/tcp/${at%:*}/${at#*:}" || return 0
  printf 'GET /metrics HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$at" >&3
  sed -n "s/^$2 \([0-9]*\).*/\1/p" <&3
  exec 3>&-
}

is_settled() {
  local node newest served=0
  newest=$(gauge "$(url_of c)" parley_cluster_newest_node)
  for node in "${nodes[@]}"; do
    [ "$(gauge "$(url_of "$node")" parley_cluster_nodes)" = ${#nodes[@]} ] || return 1
    [ "$(gauge "$(url_of "$node")" parley_cluster_newest_node)" = "$newest" ] || return 1
    [ "$(gauge "$(url_of "$node")" parley_cluster_slots_moving)" = 0 ] || return 1
    served=$((served + $(gauge "$(url_of "$node")" parley_cluster_slots)))
  done
  [ "$served" -eq 1024 ]
}

end() {
  local node status=0
  for node in "${nodes[@]}"; do kill -TERM "${process[$node]}" 2>/dev/null || true; done
  for node in "${nodes[@]}"; do wait "${process[$node]}" || status=$?; done
  kill -QUIT "$database" 2>/dev/null || true
  wait "$database" 2>/dev/null || true
  exit $status
}

if [ "$port" = run ]; then
  database=
  "$programs/pg_isready" --host "$folder/postgres" --quiet || start_postgres
  status=0
  "$parley" "$@" --data "$folder/a" --store-url "$url" || status=$?
  if [ -n "$database" ]; then
    kill -QUIT "$database"
    wait "$database" || true
  fi
  exit $status
fi
start_postgres
trap end TERM
for node in "${nodes[@]}"; do
  at=0
  [ "$node" != a ] || at=$port
  setpriv --pdeathsig KILL "$parley" serve --listen "127.0.0.1:$at" --data "$folder/$node" --store-url "$url" \
    --cluster-node "$node" "$@" >"$folder/$node.out" &
  process[$node]=$!
  until [ -n "$(url_of "$node")" ]; do
    kill -0 "${process[$node]}" || exit 1
    sleep 0.05
  done
done
until is_settled; do sleep 0.05; done
echo "ready $(url_of a)"
while kill -0 "$database" 2>/dev/null; do wait "$database" || true; done
