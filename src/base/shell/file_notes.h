// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/shell/call.h"
#include "base/shell/notes.h"
#include "base/shell/place.h"

// The files that a call names, and those that it changes or deletes.
namespace parley::shell {

// Notes about the operands and options of a call, by its program.
void note_files(const Call& call, const Place& place, Notes& notes);
// Notes about the target of a redirection.
void note_redirect(const Redirect& redirect, std::span<const std::string> folders,
                   const Place& place, Notes& notes);

}  // namespace parley::shell
