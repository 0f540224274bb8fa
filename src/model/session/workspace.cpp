// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/workspace.h"

#include <string>

namespace parley::session {

SessionKey assistant_workspace(std::string_view owner) {
  SessionKey key;
  key.id = "assistant-" + std::string(owner);
  key.dialect = "assistant";
  key.owner = std::string(owner);
  return key;
}

bool is_inbox(const event::SessionRow& row) { return row.id == assistant_workspace(row.owner).id; }

}  // namespace parley::session
