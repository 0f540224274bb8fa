# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# Completion of parley for fish. The candidates come from the program itself (`parley completion --of`), so
# they are always those of the installed version.
function __parley_candidates
    set -l current (commandline -ct)
    for line in (parley completion --of (commandline -opc)[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current"
            case '*'
                echo $line
        end
    end
end
complete -c parley -f -a '(__parley_candidates)'
