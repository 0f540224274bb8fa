// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/session/interaction.h"

namespace parley::session {

// The text of an interaction as a person's client gets it, in the form that is hashed
// (docs/events.md, "Shown"): of each field a line with its name and its number of bytes, then the
// field and a line feed.
std::string shown_text(const Interaction& interaction);

// SHA-256 of shown_text(), in hexadecimal digits.
std::string shown_digest(const Interaction& interaction);

// Completes what is known about the text on which an answer to `interaction` was given. Errors:
// `failed_precondition` (field "shown"): the client showed another text.
core::Result<void> check_shown(const Interaction& interaction, Shown& shown);

}  // namespace parley::session
