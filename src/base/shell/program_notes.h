// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/shell/call.h"
#include "base/shell/notes.h"

namespace parley::shell {

// Notes about the network, packages, rights, processes and machines, by the program of a call.
// Files and git have rooms of their own (file_notes.h, git_notes.h).
void note_program(const Call& call, Notes& notes);
// Notes about the wrappers in front, whose program may be unknown.
void note_wrappers(const Call& call, Notes& notes);

// True if what the call prints may come from another computer.
bool uses_network(const Call& call);
// True if the call prints what it decodes: from base64, from an archive.
bool decodes(const Call& call);

// Adds the hosts of the addresses "scheme://host" in a word. False: there is none.
bool note_hosts(std::string_view word, Notes& notes);

}  // namespace parley::shell
