#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# candidates.sh SHELL WORD...   prints the candidates of parley's completion in bash, zsh or fish for the
# line WORD..., whose last word (may be empty) is being typed; one candidate per line.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../deploy/completions" && pwd)
shell=$1
shift
case $shell in
  bash)
    # shellcheck source=/dev/null
    source "$here/parley.bash"
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _parley
    printf '%s\n' "${COMPREPLY[@]}"
    ;;
  fish)
    FILE=$here/parley.fish LINE="$*" fish --no-config -c 'source $FILE; complete -C $LINE' | cut -f 1
    ;;
  zsh)
    # The builtins of zsh's completion system work only while a line is edited. These stubs print their
    # arguments; the builtins' filter by the typed word is done below.
    FILE=$here/_parley zsh -f -c '
      _describe() { print -l -- ${${(P)2}%%:*} }
      _values() { print -l -- "${@:2}" }
      compadd() { print -l -- ${(P)2} }
      _files() { print -l -- ${words[CURRENT]}*(N) }
      _path_files() { _files }
      words=("$@")
      CURRENT=$#
      source $FILE' zsh "$@" | { grep -F -- "${!#}" || true; }
    ;;
esac
