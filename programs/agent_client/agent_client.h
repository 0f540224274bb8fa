// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/net/loop/stream.h"
#include "programs/agent_client/envelope.h"
#include "programs/agent_client/relay_link.h"

namespace parley::agent_client {

// Events of an agent. Called on the client's scheduler; the client must not be destroyed inside.
// Payloads are raw JSON and valid during the call.
class AgentEvents {
 public:
  virtual ~AgentEvents() = default;
  virtual void on_joined() {}
  // The connection was lost and waiting requests have failed; the client reconnects after `pause`.
  virtual void on_lost(const core::Error& /*why*/, core::Millis /*pause*/) {}
  // The client does not reconnect: wrong token, refused handshake, or refused join.
  virtual void on_ended(const core::Error& /*why*/) {}
  // relay.presence: `host_active` is true while a host is connected.
  virtual void on_presence(bool /*host_active*/, std::string_view /*payload*/) {}
  // state.updated: the state of the page.
  virtual void on_state(std::string_view /*payload*/) {}
  // user.message: a message of the participant.
  virtual void on_user_message(std::string_view /*text*/, std::string_view /*payload*/) {}
  // Any other message, such as session.reset or voice.mode.
  virtual void on_other(std::string_view /*type*/, std::string_view /*payload*/) {}
};

// The answer of the host: tool.result, snapshot.state, session.started or session.ended.
struct Reply {
  std::string type;
  std::string payload;  // raw JSON
};

struct AgentOptions {
  LinkOptions link = {};
  core::Millis request_timeout{20'000};  // longer than the relay waits for the host
  std::size_t max_requests = 256;        // limit of waiting requests; more fail at once
};

// An agent of the External Agent Protocol: joins a session, reconnects after a loss, sends
// requests to the host, matches each answer to its request, and reports events of the page.
// Belongs to one scheduler. `done` is called once, on it, and never inside the call that takes it.
//
// Errors of a request:
//   not_found            UNKNOWN_TOOL
//   invalid_argument     INVALID_PARAMS, INVALID_MESSAGE
//   failed_precondition  NO_ACTIVE_SPEC, SESSION_NOT_ACTIVE
//   aborted              TOOL_EXECUTION_FAILED: the action had no effect
//   deadline_exceeded    no answer in time: the action may have taken effect
//   unavailable          not joined, or the connection was lost: the action may have taken effect
//   resource_exhausted   too many requests wait
//   cancelled            stop() was called
// The message is the sentence of the host or the relay. After `deadline_exceeded` and
// `unavailable` a snapshot shows the actual state.
class AgentClient final : private LinkHandler {
 public:
  using Done = absl::AnyInvocable<void(core::Result<Reply>)>;

  // All references must outlive the client.
  AgentClient(core::Scheduler& scheduler, core::Entropy& entropy, net::Network& network,
              AgentEvents& events, AgentOptions options);
  ~AgentClient() override;  // drops waiting requests without a callback

  void start() { link_.start(); }
  // Closes the connection and cancels waiting requests. No event follows.
  void stop();

  bool joined() const { return link_.joined(); }
  // State of the last relay.presence; false while not joined.
  bool host_active() const { return host_active_; }
  std::size_t waiting() const { return waiting_.size(); }
  // Number of answers that matched no waiting request.
  std::uint64_t stray_replies() const { return stray_replies_; }

  // `params`: a raw JSON object.
  void call_tool(std::string_view tool, std::string_view params, std::string_view reason,
                 Done done);
  void snapshot(Done done);
  void start_session(std::string_view study_id, std::string_view participant_id, Done done);
  void end_session(std::string_view reason, Done done);
  // Shows an explanation in the chat of the page; there is no answer. False: not joined.
  bool say(std::string_view text);
  // Reports this agent's phase to the host: "idle", "planning", "executing". False: not joined.
  bool report_status(std::string_view phase);

 private:
  struct Waiting {
    std::string reply_type;  // type of its answer
    Done done;
    core::TimerId timer = 0;
  };

  void on_joined(std::string_view payload) override;
  void on_envelope(const Envelope& envelope) override;
  void on_lost(const core::Error& why, core::Millis pause) override;
  void on_ended(const core::Error& why) override;

  void request(std::string type, std::string reply_type, std::string payload, Done done);
  void refuse(core::Error error, Done done);
  bool take_reply(const Envelope& envelope);
  std::map<std::uint64_t, Waiting>::iterator find(const Envelope& envelope);
  void on_timeout(std::uint64_t number);
  void fail_all(const core::Error& error);
  std::string raw_id(std::uint64_t number) const;

  core::Scheduler& scheduler_;
  AgentEvents& events_;
  AgentOptions options_;
  RelayLink link_;
  std::string prefix_;  // of this client's request ids
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, Waiting> waiting_;  // by number, so in order of age
  bool host_active_ = false;
  std::uint64_t stray_replies_ = 0;
};

}  // namespace parley::agent_client
