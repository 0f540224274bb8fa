# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# Completion of parley for fish. The options come from the program's own --help, so they are always
# those of the installed version.

# True if the cursor stands at the first word after all of these: parley and its subcommands.
function __parley_at
    test (commandline -opc | string join ' ') = (string join ' ' $argv)
end

# True if the word before the cursor is one of these.
function __parley_after
    contains -- (commandline -opc)[-1] $argv
end

function __parley_within
    string match -q -- (string join ' ' $argv)' *' (commandline -opc | string join ' ')' '
end

function __parley_needs_value
    __parley_after --config --data --out --output --file --mcp-config --project --cwd --agent --approve \
        --tls --tls-cert --tls-key --stop --questions --when-nobody --gate --wait
end

function __parley_options
    set -l words (commandline -opc)[2..3]
    contains -- "$words[1]" token user config study booking models session agent tool hook mcp
    or set words $words[1]
    parley $words --help 2>/dev/null | string match -r -- '^ +-.*' |
        string replace -r -- '^ +(.*?)(  .*)?$' '$1' | string match -ar -- '--[a-z][a-z0-9-]*' | sort -u
end

complete -c parley -f
complete -c parley -n '__parley_at parley' -a serve -d 'run the server'
complete -c parley -n '__parley_at parley' -a run -d 'run an agent and show what it does'
complete -c parley -n '__parley_at parley' -a token -d 'make, list, rename and revoke tokens'
complete -c parley -n '__parley_at parley' -a user -d 'the people who log in with a password'
complete -c parley -n '__parley_at parley' -a export -d 'write the stored events'
complete -c parley -n '__parley_at parley' -a events -d 'read, check and show the stream of runs'
complete -c parley -n '__parley_at parley' -a session -d 'list, show and delete conversations'
complete -c parley -n '__parley_at parley' -a agent -d 'list the agents that runs may name'
complete -c parley -n '__parley_at parley' -a tool -d 'list and show the tools of agents'
complete -c parley -n '__parley_at parley' -a doctor -d 'check the data directory'
complete -c parley -n '__parley_at parley' -a config -d 'check or show the configuration'
complete -c parley -n '__parley_at parley' -a study -d 'list, show, export and verify study sessions'
complete -c parley -n '__parley_at parley' -a booking -d 'the sample data of the booking backend'
complete -c parley -n '__parley_at parley' -a models -d 'list the models that runs can use'
complete -c parley -n '__parley_at parley' -a ask -d 'ask a person from a shell'
complete -c parley -n '__parley_at parley' -a hook -d 'ask a person for a coding agent'
complete -c parley -n '__parley_at parley' -a setup -d 'add Parley to the settings of coding agents'
complete -c parley -n '__parley_at parley' -a mcp -d 'be an MCP server, or name those that agents use'
complete -c parley -n '__parley_at parley' -a version -d 'print the version'
complete -c parley -n '__parley_at parley token' -a 'create list rename revoke'
complete -c parley -n '__parley_at parley user' -a 'add list password lock unlock delete role'
complete -c parley -n '__parley_at parley hook' -a 'claude codex qwen opencode copilot vscode cursor crush gemini goose cline kiro'
complete -c parley -n '__parley_within parley setup; and not __parley_needs_value; and not string match -q -- "-*" (commandline -ct)' \
    -a 'claude codex qwen opencode gemini copilot vscode cursor cline roo goose crush zed kiro amp junie windsurf'
complete -c parley -n '__parley_at parley config' -a 'check show'
complete -c parley -n '__parley_at parley study' -a 'list show export verify kit'
complete -c parley -n '__parley_at parley study kit' -a check
complete -c parley -n '__parley_at parley booking' -a 'seed show'
complete -c parley -n '__parley_at parley models' -a 'list show'
complete -c parley -n '__parley_at parley session' -a 'list show delete'
complete -c parley -n '__parley_at parley agent' -a 'list graph'
complete -c parley -n '__parley_at parley tool' -a 'list show'
complete -c parley -n '__parley_at parley mcp' -a 'list show add edit delete enable disable'
complete -c parley -n '__parley_within parley config check' -F
complete -c parley -n '__parley_within parley study verify' -F
complete -c parley -n '__parley_within parley events' -F
complete -c parley -n '__parley_within parley study kit check' -F
complete -c parley -n '__parley_after --tls' -a 'off auto'
complete -c parley -n '__parley_after --approve' -a 'auto ask deny'
complete -c parley -n '__parley_after --output' -a 'json yaml'
complete -c parley -n '__parley_after --stop' -a 'off notify ask'
complete -c parley -n '__parley_after --questions' -a 'on off pre'
complete -c parley -n '__parley_after --when-nobody' -a 'ask pass'
complete -c parley -n '__parley_after --agent' -a 'react dup tot got agot'
complete -c parley -n '__parley_after --data --project --cwd' -a '(__fish_complete_directories)'
complete -c parley -n '__parley_after --config --out --file --mcp-config --tls-cert --tls-key' -F
complete -c parley -a '(__parley_options)' \
    -n 'not __parley_at parley; and not __parley_at parley token; and not __parley_at parley user; and not __parley_at parley config; and not __parley_at parley study; and not __parley_at parley study kit; and not __parley_at parley booking; and not __parley_at parley models; and not __parley_at parley session; and not __parley_at parley agent; and not __parley_at parley tool; and not __parley_at parley hook; and not __parley_at parley mcp; and not __parley_needs_value'
complete -c parley -a '(__parley_options)' \
    -n '__parley_at parley mcp; and string match -q -- "-*" (commandline -ct)'
