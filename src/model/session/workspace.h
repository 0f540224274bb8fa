// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "model/session/hub.h"

namespace parley::session {

// The session in which the people of a token are asked: the inbox of the assistant's user
// interfaces, and of every other part that asks the same people (the approvals and questions of a
// run).
SessionKey assistant_workspace(std::string_view owner);
// True for that session of its owner.
bool is_inbox(const event::SessionRow& row);

}  // namespace parley::session
