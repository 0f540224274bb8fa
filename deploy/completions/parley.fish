# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# Completion of parley for fish. The options come from the program's own --help.
function __parley_options
    set -l words (commandline -opc)[2..-1]
    set -l commands (string match -v -- '-*' $words)
    parley $commands[1..2] --help 2>/dev/null | string match -ar -- '--[a-z][a-z0-9-]*' | sort -u
    or parley $commands[1] --help 2>/dev/null | string match -ar -- '--[a-z][a-z0-9-]*' | sort -u
end
complete -c parley -f
complete -c parley -n __fish_use_subcommand -a serve -d 'run the server'
complete -c parley -n __fish_use_subcommand -a token -d 'make, list and revoke tokens'
complete -c parley -n __fish_use_subcommand -a export -d 'write the stored events'
complete -c parley -n __fish_use_subcommand -a doctor -d 'check the data directory'
complete -c parley -n __fish_use_subcommand -a config -d 'check or show the configuration'
complete -c parley -n __fish_use_subcommand -a ask -d 'ask a person from a shell'
complete -c parley -n __fish_use_subcommand -a mcp -d 'be the MCP server of an agent'
complete -c parley -n __fish_use_subcommand -a version -d 'print the version'
complete -c parley -n '__fish_seen_subcommand_from token' -a 'create list revoke'
complete -c parley -n '__fish_seen_subcommand_from config' -a 'check show'
complete -c parley -n 'not __fish_use_subcommand' -a '(__parley_options)'
complete -c parley -l data -l project -r -F
complete -c parley -l config -l out -l tls-cert -l tls-key -r -F
