// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agentassist.pb.h"

namespace parley::desktop {

namespace pb = agentassistproto;

enum class WaitingKind : std::uint8_t { question, report };

// A question or a report that waits for a person. Long texts and names are cut.
struct WaitingItem {
  std::string key;  // the request's ID
  WaitingKind kind = WaitingKind::question;
  std::string text;
  std::string project;
  std::string agent;
  std::int64_t asked_at = 0;  // Unix ms
};

// The open questions and reports of one server, from its frames. Does no I/O. The items are kept
// while the connection is down, so that the list after a reconnection reveals only new ones.
class WaitingList {
 public:
  // Applies a frame of the server; frames about other things change nothing. Returns the items that
  // are new, oldest first.
  std::vector<WaitingItem> apply(const pb::WebsocketMessage& message);

  // All items in order of asking.
  const std::vector<WaitingItem>& items() const { return items_; }

 private:
  bool add(WaitingItem item);
  void remove(const std::string& key);
  std::vector<WaitingItem> replace(const pb::GetPendingMessagesResponse& list);

  std::vector<WaitingItem> items_;
};

}  // namespace parley::desktop
