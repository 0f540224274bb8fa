# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# Completion of parley for bash. The candidates come from the program itself (`parley completion --of`), so
# they are always those of the installed version.
_parley() {
  local current=${COMP_WORDS[COMP_CWORD]} line paths=''
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) paths=-f ;;
      :folders) paths=-d ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <(parley completion --of "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [ -n "$paths" ] || return 0
  compopt -o filenames 2>/dev/null || true  # outside of a completion: a test
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$paths" -- "$current")
}
complete -F _parley parley
