// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/shell/notes.h"
#include "base/shell/script.h"

namespace parley::shell {

// A note if the word "NAME=value", or "NAME" alone, sets a variable that decides which programs
// run.
void note_lookup(const Word& word, Notes& notes);

}  // namespace parley::shell
