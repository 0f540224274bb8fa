// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "core/entropy.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "net/loop/stream.h"
#include "programs/agent_client/envelope.h"
#include "programs/agent_client/relay_link.h"

namespace parley::agent_client {

// What an agent is told without having asked. Called on the client's scheduler; the client must
// not be destroyed inside. Payloads are raw JSON and valid during the call.
class AgentEvents {
 public:
  virtual ~AgentEvents() = default;
  virtual void on_joined() {}
  // Requests that waited have failed; the client comes back by itself after `pause`.
  virtual void on_lost(const core::Error& /*why*/, core::Millis /*pause*/) {}
  // It does not come back: a wrong token, a refused join.
  virtual void on_ended(const core::Error& /*why*/) {}
  // relay.presence: whether a host is there.
  virtual void on_presence(bool /*host_active*/, std::string_view /*payload*/) {}
  // state.updated: what the page shows now.
  virtual void on_state(std::string_view /*payload*/) {}
  // user.message: what the participant says.
  virtual void on_user_message(std::string_view /*text*/, std::string_view /*payload*/) {}
  // Any other message, such as session.reset or voice.mode.
  virtual void on_other(std::string_view /*type*/, std::string_view /*payload*/) {}
};

// The host's answer: tool.result, snapshot.state, session.started or session.ended.
struct Reply {
  std::string type;
  std::string payload;  // raw JSON
};

struct AgentOptions {
  LinkOptions link = {};
  core::Millis request_timeout{20'000};  // above the relay's own wait for the host
  std::size_t max_requests = 256;        // that wait at a time; more fail at once
};

// An agent of the External Agent Protocol: joins a session and comes back when the connection is
// lost, asks the host and gets each answer to its question, and hears what happens on the page.
// Belongs to one scheduler; `done` is called once, on it, and never from inside the call that asks.
//
// Errors of a request:
//   not_found            UNKNOWN_TOOL
//   invalid_argument     INVALID_PARAMS, INVALID_MESSAGE
//   failed_precondition  NO_ACTIVE_SPEC, SESSION_NOT_ACTIVE
//   aborted              TOOL_EXECUTION_FAILED: the action did not take effect
//   deadline_exceeded    no answer in time: it may have taken effect
//   unavailable          not joined, or the connection was lost meanwhile: it may have taken effect
//   resource_exhausted   too many requests wait
//   cancelled            stop() was called
// The message is the host's or the relay's own sentence. After `deadline_exceeded` and
// `unavailable` a snapshot tells what is true.
class AgentClient final : private LinkHandler {
 public:
  using Done = absl::AnyInvocable<void(core::Result<Reply>)>;

  // All references outlive the client.
  AgentClient(core::Scheduler& scheduler, core::Entropy& entropy, net::Network& network,
              AgentEvents& events, AgentOptions options);
  ~AgentClient() override;  // what waits is forgotten without a call

  void start() { link_.start(); }
  // Says good-bye; requests that wait are cancelled. No event follows.
  void stop();

  bool joined() const { return link_.joined(); }
  // As relay.presence last said; false while not joined.
  bool host_active() const { return host_active_; }
  std::size_t waiting() const { return waiting_.size(); }
  // Answers that came too late, or for nobody.
  std::uint64_t stray_replies() const { return stray_replies_; }

  // `params`: a raw JSON object.
  void call_tool(std::string_view tool, std::string_view params, std::string_view reason,
                 Done done);
  void snapshot(Done done);
  void start_session(std::string_view study_id, std::string_view participant_id, Done done);
  void end_session(std::string_view reason, Done done);
  // Shows an explanation in the chat of the page; nobody answers. False: not joined.
  bool say(std::string_view text);
  // Tells the host what this agent does: "idle", "planning", "executing". False: not joined.
  bool report_status(std::string_view phase);

 private:
  struct Waiting {
    std::string reply_type;  // that answers it
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
  std::string prefix_;  // of this client's ids
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, Waiting> waiting_;  // by number, so the oldest first
  bool host_active_ = false;
  std::uint64_t stray_replies_ = 0;
};

}  // namespace parley::agent_client
