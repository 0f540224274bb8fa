// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/assistant_context.h"

#include <algorithm>
#include <utility>

#include "base/core/assert.h"
#include "model/session/workspace.h"

namespace parley::assistant {

std::vector<std::string> UnsentQuestions::joined(const session::Session& session) {
  State& state = states_[session.id()];
  const std::uint64_t sent_until = std::max(state.sent_until, session.taken_up_seq());
  std::set<std::string> unsent;
  for (const session::InteractionPtr& pending : session.pending()) {
    const bool was_unsent = state.unsent.contains(pending->id);
    // The numbers of another session's events say nothing here.
    const bool is_new =
        pending->session == session.id()
            ? pending->opened_seq > sent_until && pending->opened_seq <= session.visible_seq()
            : pending->opened_at >= since_ && !state.sent.contains(pending->id);
    const bool came_between = state.interfaces == 0 && is_new;
    if (was_unsent || came_between) unsent.insert(pending->id);
  }
  state.unsent = std::move(unsent);
  ++state.interfaces;
  return {state.unsent.begin(), state.unsent.end()};
}

void UnsentQuestions::left(const session::Session& session) {
  const auto found = states_.find(session.id());
  PARLEY_ASSERT(found != states_.end() && found->second.interfaces > 0,
                "an interface leaves session " + session.id() + " that never joined");
  State& state = found->second;
  if (--state.interfaces > 0) return;
  state.sent_until = session.visible_seq();
  state.sent.clear();
  const std::vector<session::InteractionPtr> pending = session.pending();
  if (pending.empty()) return static_cast<void>(states_.erase(found));
  for (const session::InteractionPtr& each : pending) {
    if (each->session != session.id()) state.sent.insert(each->id);
  }
}

void UnsentQuestions::sent(const session::Session& session, const std::string& id) {
  const auto found = states_.find(session.id());
  if (found != states_.end()) found->second.unsent.erase(id);
}

AssistantCounters::AssistantCounters(net::Metrics& metrics)
    : logins(metrics.counter("parley_assistant_logins_total", "Accepted UserLogin commands")),
      login_failures(metrics.counter("parley_assistant_login_failures_total",
                                     "UserLogin commands with a wrong or missing token")),
      login_timeouts(metrics.counter("parley_assistant_login_timeouts_total",
                                     "Sockets closed because they did not log in")),
      malformed_frames(metrics.counter("parley_assistant_malformed_frames_total",
                                       "Frames that are not a usable WebsocketMessage")),
      text_frames(metrics.counter("parley_assistant_text_frames_total",
                                  "Text frames, which the protocol ignores")),
      unknown_commands(metrics.counter("parley_assistant_unknown_commands_total",
                                       "Frames with a Cmd that clients do not send")),
      forbidden(metrics.counter("parley_assistant_forbidden_total",
                                "Commands ignored because the token lacks their right")),
      before_login(metrics.counter("parley_assistant_before_login_total",
                                   "Commands ignored because the socket has not logged in")),
      replies_won(
          metrics.counter("parley_assistant_replies_won_total", "Replies that closed a question")),
      replies_without_effect(
          metrics.counter("parley_assistant_replies_without_effect_total",
                          "Replies to unknown or finished questions, or without a response")),
      undeliverable(metrics.counter("parley_assistant_undeliverable_total",
                                    "Chat and forward messages whose receiver is not online")),
      rpc_calls(metrics.counter("parley_assistant_rpc_total", "Calls of SrvAgentAssist")),
      rpc_refused(metrics.counter("parley_assistant_rpc_refused_total",
                                  "Calls answered with a Connect error")),
      rpc_callers_disconnected(metrics.counter("parley_assistant_rpc_callers_gone_total",
                                               "Callers that disconnected before their answer")) {}

AssistantContext::AssistantContext(session::Hub& hub, auth::Verifier& verifier,
                                   core::Entropy& entropy, net::Metrics& metrics,
                                   AssistantOptions options, const FrameMaker& make_frame)
    : hub_(hub),
      verifier_(verifier),
      entropy_(entropy),
      options_(std::move(options)),
      counters_(metrics) {
  for (std::size_t i = 0; i < hub.size(); ++i) {
    core::Scheduler& scheduler = hub.shard(i).scheduler();
    frames_.try_emplace(&scheduler, std::make_unique<FrameCache>(scheduler, make_frame));
    unsent_.try_emplace(&scheduler, scheduler.clock().wall());
  }
}

session::SessionKey AssistantContext::session_key(std::string_view token_id) {
  return session::assistant_workspace(token_id);
}

net::OutgoingMessagePtr AssistantContext::binary_frame(std::string_view bytes) {
  return net::OutgoingMessage::make(net::MessageType::binary, bytes);
}

}  // namespace parley::assistant
