#!/usr/bin/env bash
# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# completions_test.sh BIN_DIR   tests the completions of `parley` in each of the three shells.
set -euo pipefail
PATH=$1:$PATH
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
touch "$scratch/parley.toml"
failed=0

# expect SHELL CANDIDATES WORD...   CANDIDATES: sorted, separated by blanks.
expect() {
  local shell=$1 wanted=$2 got
  shift 2
  got=$("$here/candidates.sh" "$shell" "$@" | sed '/^$/d' | LC_ALL=C sort -u | tr '\n' ' ')
  if [ "${got% }" != "$wanted" ]; then
    printf '%s: [%s]\n  expected  %s\n  got       %s\n' "$shell" "$*" "$wanted" "$got"
    failed=1
  fi
}

for shell in bash zsh fish; do
  expect $shell 'serve service' parley serv
  # shellcheck disable=SC2016  # A word is only passed on. fish reads the whole line anew.
  [ $shell = fish ] || scratch=$scratch expect $shell '' parley serve --token 'a b;$(touch "$scratch/made")'
  expect $shell 'bash fish zsh' parley completion ''
  expect $shell 'install status uninstall' parley service ''
  expect $shell '--help --json' parley version --
  expect $shell '--config --data --help --print --store-pooled --store-url' parley open --
  expect $shell 'create list logins logout rename revoke' parley token ''
  expect $shell 'add delete list lock password role unlock' parley user ''
  expect $shell '--admin --config --data --help --json --name --password-stdin --store-pooled --store-url --token' parley user add --
  expect $shell 'check show' parley config ''
  expect $shell 'export kit list show verify' parley study ''
  expect $shell 'check' parley study kit ''
  expect $shell 'seed show' parley booking ''
  expect $shell 'list show' parley models ''
  expect $shell '--config --help --json' parley models list --
  expect $shell 'run' parley ru
  expect $shell '--agent --append --approve --config --cwd --data --dry --export --file --help --interactive --json --mcp-config --model --pretty --resume --session --store-pooled --store-url --timestamp --values' parley run --
  expect $shell 'ask auto deny' parley run --approve ''
  expect $shell "$scratch/parley.toml" parley run --file "$scratch/par"
  expect $shell 'delete list show' parley session ''
  expect $shell '--config --data --help --json --store-pooled --store-url' parley session delete --
  expect $shell 'list show' parley tool ''
  expect $shell '--config --cwd --data --help --json --output --store-pooled --store-url' parley tool show --
  expect $shell 'json yaml' parley tool show read --output ''
  expect $shell 'add delete disable edit enable list show' parley mcp ''
  expect $shell '--config --cwd --env --header --help --json --mcp-config --project --url --user' parley mcp add --
  expect $shell '--unset-env --unset-header' parley mcp edit files --unset
  expect $shell "$scratch/parley.toml" parley mcp list --mcp-config "$scratch/par"
  expect $shell 'claude cline codex copilot crush cursor gemini goose kiro opencode qwen vscode' parley hook ''
  expect $shell '--agent-folder --config --data --explain --gate --help --language --questions --somebody --stop --wait --when-nobody' parley hook claude --
  expect $shell 'ask pass' parley hook codex --when-nobody ''
  expect $shell 'ask notify off' parley hook codex --stop ''
  expect $shell 'off on pre' parley hook claude --questions ''
  expect $shell 'claude cline' parley setup cl
  expect $shell 'gemini goose' parley setup claude g
  expect $shell '--all --dry-run --force --foreground --gate --help --hooks-only --json --mcp-only --project --questions --remove --shared --show --somebody --stop --trust --when-nobody --yes' parley setup claude --
  expect $shell '--check --data --export --help --json --token' parley events --
  expect $shell "$scratch/parley.toml" parley events "$scratch/par"
  expect $shell '--config --data --format --help --out --store-pooled --store-url --study' parley study export --
  expect $shell "$scratch/parley.toml" parley study verify "$scratch/par"
  expect $shell '--config --data --expires --help --json --name --rights --same-workspace-as --store-pooled --store-url' parley token create --
  expect $shell '--retention-interval --retention-max-age --retention-max-events' parley serve --retention
  expect $shell '--tls --tls-cert --tls-key' parley serve --listen 127.0.0.1:0 --tls
  expect $shell 'auto off' parley serve --tls ''
  expect $shell '--ask --config --data --help --json --store-pooled --store-url' parley doctor --
  expect $shell '--disable-ask-question --disable-workreport' parley mcp --disable
  expect $shell "$scratch/parley.toml" parley config check "$scratch/par"
  expect $shell "$scratch/parley.toml" parley serve --config "$scratch/par"
  # `parley completion` prints the script that is installed.
  case $shell in bash) file=parley.bash ;; zsh) file=_parley ;; fish) file=parley.fish ;; esac
  parley completion "$shell" | cmp - "$here/../../deploy/completions/$file" || failed=1
done
[ ! -e "$scratch/made" ] || { echo 'a word of the command line was run'; failed=1; }
exit "$failed"
