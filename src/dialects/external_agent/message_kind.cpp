// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/message_kind.h"

#include <algorithm>
#include <array>

namespace parley::external_agent {
namespace {

struct Row {
  std::string_view type;
  MessageKind kind;
};

constexpr std::array kAgentTypes = {
    Row{"tool.call", MessageKind::tool_call},
    Row{"agent.status", MessageKind::agent_status},
    Row{"agent.message", MessageKind::agent_message},
    Row{"snapshot.get", MessageKind::snapshot_get},
    Row{"session.start", MessageKind::session_start},
    Row{"session.end", MessageKind::session_end},
    Row{"relay.join", MessageKind::join},
};

constexpr std::array kHostTypes = {
    Row{"tool.result", MessageKind::tool_result},
    Row{"state.updated", MessageKind::push},
    Row{"user.message", MessageKind::user_message},
    Row{"snapshot.state", MessageKind::snapshot_state},
    Row{"error", MessageKind::error},
    Row{"session.started", MessageKind::session_started},
    Row{"session.ended", MessageKind::session_ended},
    Row{"session.reset", MessageKind::push},
    Row{"voice.mode", MessageKind::push},
    Row{"tts.playback.complete", MessageKind::push},
    Row{"relay.join", MessageKind::join},
};

template <std::size_t N>
MessageKind find(const std::array<Row, N>& rows, std::string_view type) {
  const auto* found =
      std::find_if(rows.begin(), rows.end(), [type](const Row& row) { return row.type == type; });
  return found == rows.end() ? MessageKind::unsupported : found->kind;
}

}  // namespace

std::string_view role_name(RelayRole role) { return role == RelayRole::host ? "host" : "agent"; }

MessageKind kind_of(RelayRole role, std::string_view type) {
  return role == RelayRole::host ? find(kHostTypes, type) : find(kAgentTypes, type);
}

bool expects_reply(MessageKind request) {
  return request == MessageKind::session_start || request == MessageKind::snapshot_get ||
         request == MessageKind::tool_call || request == MessageKind::session_end;
}

bool answers(MessageKind reply, MessageKind request) {
  switch (reply) {
    case MessageKind::session_started:
      return request == MessageKind::session_start;
    case MessageKind::snapshot_state:
      return request == MessageKind::snapshot_get;
    case MessageKind::tool_result:
      return request == MessageKind::tool_call;
    case MessageKind::session_ended:
      return request == MessageKind::session_end;
    case MessageKind::error:
      return true;
    default:
      return false;
  }
}

bool opens_study(MessageKind kind) {
  return kind == MessageKind::tool_call || kind == MessageKind::snapshot_get ||
         kind == MessageKind::agent_message || kind == MessageKind::user_message;
}

}  // namespace parley::external_agent
