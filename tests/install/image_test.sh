#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# image_test.sh IMAGE BUILDAH [FLAG...]   starts a server from the image with the image's command, as a
# container engine does: it must be ready, a question is asked and answered, and SIGTERM must end it with
# status 0. Runs in network and process namespaces of its own, so that the image's port is free, the
# server is reachable from inside only, and no process outlives the test. Needs root.
set -euo pipefail
if [ -z "${PARLEY_IMAGE_TEST:-}" ]; then
  PARLEY_IMAGE_TEST=1 exec unshare --net --pid --fork --kill-child --mount-proc -- "$0" "$@"
fi
image=$1
shift
buildah=("$@")
ip link set lo up
scratch=$(mktemp -d)
url=http://127.0.0.1:22080
trap 'rm -rf "$scratch"' EXIT
fail() {
  printf 'image_test: %s\n' "$*" >&2
  tail -n 20 "$scratch"/{ready,log,answer} >&2
  exit 1
}
# until_true COMMAND...   waits at most 30 s until the command succeeds.
until_true() {
  local ends=$((SECONDS + 30))
  until "$@"; do
    [ "$SECONDS" -lt "$ends" ] || fail "not within 30 s: $*"
    sleep 0.1
  done
}
inside() { "${buildah[@]}" run --isolation chroot "$container" -- "$@"; }

container=$("${buildah[@]}" from --pull-never "$image")
mapfile -t entry < <("${buildah[@]}" inspect --type image --format \
  '{{range .OCIv1.Config.Entrypoint}}{{println .}}{{end}}' "$image" | grep .)
inside "${entry[@]}" >"$scratch/ready" 2>"$scratch/log" &
engine=$!
until_true grep -q '^ready ' "$scratch/ready"

curl -fsS "$url/healthz" >"$scratch/health" || fail 'the server is not healthy'
curl -fsS "$url/readyz" >"$scratch/readiness" || fail 'the server takes no work'
curl -fsS "$url/" | grep -q '<script' || fail 'the console is not there'
[ "$(curl -s -o "$scratch/refused" -w '%{http_code}' "$url/v1/interactions")" = 401 ] || fail 'no token is needed'
[ "$(inside id -un)" = parley ] || fail 'the server runs as root'
inside test -s /etc/ssl/certs/ca-certificates.crt || fail 'no certificate of a model provider can be checked'
inside parley ask --help | grep -q -- --option || fail 'parley ask does not run'

# Asks a question from a shell in the container and answers it over the API.
inside parley ask --data /var/lib/parley --option yes --option no 'Is this the image?' >"$scratch/answer" &
asked=$!
token=$(inside cat /var/lib/parley/token)
open_question() {
  curl -fsS -H "Authorization: Bearer $token" "$url/v1/interactions" >"$scratch/open" &&
    key=$(grep -oE '"key":"[^"]+"' "$scratch/open" | cut -d '"' -f 4)
}
until_true open_question
curl -fsS -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
  -d '{"text":"yes"}' "$url/v1/interactions/${key//\//%2F}/answer" >"$scratch/receipt" || fail 'the answer is refused'
wait "$asked" || fail 'the question is not answered'
[ "$(cat "$scratch/answer")" = yes ] || fail 'the answer is not that of the person'
inside parley doctor --data /var/lib/parley >"$scratch/doctor" || fail 'the data directory is not sound'

# A container engine stops the server with the signal of STOPSIGNAL.
pid=$(inside cat /var/lib/parley/endpoint.json | grep -oE '"pid": *[0-9]+' | grep -oE '[0-9]+$')
inside bash -c "kill -TERM $pid"
wait "$engine" || fail "SIGTERM ends the server with status $?"
[ "$(cat "$scratch/ready")" = "ready $url" ] || fail 'stdout has more than the line ready'
echo 'The image works: a server from it was healthy, a question was answered, SIGTERM ended it.'
