# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# Completion of parley for bash. The options come from the program's own --help, so they are always
# those of the installed version.
_parley() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} below=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W \
      'serve run token user export events session agent tool doctor config study booking models ask hook setup mcp version --help --version' -- "$current")
    return
  fi
  case $command in
    token) below='create list rename revoke' ;;
    user) below='add list password lock unlock delete role' ;;
    config) below='check show' ;;
    study) below='list show export verify kit' ;;
    booking) below='seed show' ;;
    models) below='list show' ;;
    session) below='list show delete' ;;
    agent) below='list graph' ;;
    tool) below='list show' ;;
    hook) below='claude codex qwen opencode copilot vscode cursor crush gemini goose cline kiro' ;;
    # A flag here is one of the MCP server's.
    mcp) [[ ${COMP_WORDS[2]} == -* ]] || below='list show add edit delete enable disable' ;;
  esac
  if [ -n "$below" ] && [ "$COMP_CWORD" -eq 2 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$below" -- "$current")
    return
  fi
  if [ "$COMP_CWORD" -eq 3 ] && [ "$command $previous" = 'study kit' ]; then
    mapfile -t COMPREPLY < <(compgen -W check -- "$current")
    return
  fi
  if [ "$command" = setup ] && [[ $current != -* && $previous != --* ]]; then
    mapfile -t COMPREPLY < <(compgen -W \
      'claude codex qwen opencode gemini copilot vscode cursor cline roo goose crush zed kiro amp junie windsurf' -- "$current")
    return
  fi
  case $previous in
    --data | --project | --cwd)
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return
      ;;
    --config | --out | --file | --mcp-config | --tls-cert | --tls-key)
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    --tls)
      mapfile -t COMPREPLY < <(compgen -W 'off auto' -- "$current")
      return
      ;;
    --approve)
      mapfile -t COMPREPLY < <(compgen -W 'auto ask deny' -- "$current")
      return
      ;;
    --stop)
      mapfile -t COMPREPLY < <(compgen -W 'off notify ask' -- "$current")
      return
      ;;
    --questions)
      mapfile -t COMPREPLY < <(compgen -W 'on off pre' -- "$current")
      return
      ;;
    --when-nobody)
      mapfile -t COMPREPLY < <(compgen -W 'ask pass' -- "$current")
      return
      ;;
    --gate | --wait) return ;;
    --output)
      mapfile -t COMPREPLY < <(compgen -W 'json yaml' -- "$current")
      return
      ;;
    --agent)
      mapfile -t COMPREPLY < <(compgen -W 'react dup tot got agot' -- "$current")
      return
      ;;
  esac
  local words=("$command")
  [ -z "$below" ] || words+=("${COMP_WORDS[2]}")
  local options
  # A line of help begins with its options; what follows two blanks describes them.
  options=$(parley "${words[@]}" --help 2>/dev/null | sed -nE 's/^ +(-.*)/\1/p' | sed -E 's/  .*//' |
    grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)
  mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  case "${words[*]}" in
    'config check' | 'study verify' | 'study kit' | events)
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
      ;;
  esac
}
complete -o default -F _parley parley
