// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "dialects/external_agent/envelope.h"
#include "dialects/external_agent/message_kind.h"
#include "dialects/external_agent/relay_context.h"
#include "dialects/external_agent/relay_frames.h"
#include "dialects/external_agent/request_table.h"
#include "model/session/hub.h"
#include "model/session/participant.h"
#include "services/study/study_service.h"

namespace parley::external_agent {

// Represents a relay session in the model: an observer in a session that is never stored. Through
// it the hub reports a revoked token or a shutdown to the relay session. Used on the relay
// session's thread.
class RelaySessionLease final : public session::Participant {
 public:
  // `on_end` is called at most once, on the relay session's thread, and must destroy nothing.
  RelaySessionLease(std::string client_id, std::function<void(session::LeaveReason)> on_end);
  ~RelaySessionLease() override;

  void enter(session::Session& session);

  const session::ParticipantInfo& info() const override { return info_; }
  void on_leave_required(session::LeaveReason reason) override;

 private:
  session::ParticipantInfo info_;
  std::function<void(session::LeaveReason)> on_end_;
  session::Session* session_ = nullptr;  // while joined
};

class RelayConnection;

// A client's membership in a relay session. Outlives its connection while its messages are held.
struct Member {
  RelayConnection* connection = nullptr;  // null: disconnected
  RelayRole role = RelayRole::agent;
  std::string client_id;
  std::string name;  // agents only
  bool full_history = false;
  std::string guest_address;  // empty: the client has a token
};
using MemberPtr = std::shared_ptr<Member>;

// A valid relay.join.
struct JoinRequest {
  RelayRole role = RelayRole::agent;
  std::string session;
  std::string id;    // raw JSON; empty: absent
  std::string name;  // agents only
  bool takeover = false;
  bool full_history = false;
  std::optional<study::StudyStart> study;  // study that a host page opens with its join
};

// One relay session: a host, its agents, the requests between them, and the open study. Lives on
// one shard; every call is on its thread. Exists while it has members, and for kLinger after that
// if a study is open.
//
// While a study is being resumed, opened or closed, messages are held in order (`held_`); they are
// handled when that is done. No other operation waits for the log.
class RelaySession : public std::enable_shared_from_this<RelaySession> {
 public:
  // Limit (External agents): an empty session with a study. Reached: leaves memory; an implicit
  // study ends.
  static constexpr core::Millis kLinger{30'000};
  // Limit of bytes held for a study; above it the clients of the relay session are not read.
  // Limit (External agents): messages of a session that wait for a study. Reached: its clients are
  // not read.
  static constexpr std::size_t kMaxHeldBytes = 1U << 20U;

  RelaySession(RelayShard& shard, std::string owner, std::string session);
  ~RelaySession();
  RelaySession(const RelaySession&) = delete;
  RelaySession& operator=(const RelaySession&) = delete;

  // Resumes the study that is still open in the store. Call once, right after construction.
  void start();

  // Adds a client and sends it relay.joined. Null: it was refused, and has been sent the reason.
  // After a success the connection calls announce().
  MemberPtr join(RelayConnection& connection, const std::string& client_id,
                 const JoinRequest& request);
  // True if join() would refuse this client because the session has another host.
  bool would_refuse(const JoinRequest& request) const;
  // Sends relay.presence to all members, and opens the study that the join asks for.
  void announce(Member& member, const JoinRequest& request);
  // Removes a member whose connection closes or moves. Its held messages are still handled, unless
  // take_held() removed them.
  void leave(Member& member);
  // Removes and returns the held messages of this client, in order.
  std::vector<std::string> take_held(const Member& member);

  // Handles a whole message of a member, or holds it.
  void receive(const MemberPtr& member, std::string_view data);

  bool is_empty() const { return host_ == nullptr && agents_.empty(); }
  bool has_study() const { return recorder_ != nullptr; }
  std::size_t waiting_requests() const { return requests_.waiting(); }

 private:
  enum class Gate : std::uint8_t {
    ready,
    resuming,  // the last study is being resumed
    opening,
    closing,
  };
  // A message that is held or being handled.
  struct Message {
    MemberPtr from;
    std::string data;
    bool waited = false;                 // a study was opened for this message
    std::optional<core::Error> failure;  // error if that study could not be opened

    // Bytes that count to kMaxHeldBytes.
    std::size_t bytes() const { return data.size() + sizeof(Message); }
  };
  // A session.end whose outcome is known.
  struct Ending {
    MemberPtr agent;
    std::string id;
    std::string study;  // empty: none was open at the request
    std::string reason;
    bool state_reset = false;
  };

  // relay_session.cpp: members, waiting messages
  bool may_host(RelayConnection& connection, const JoinRequest& request);
  void evict_host(std::uint16_t code);
  void send_presence();
  void hold(const MemberPtr& member, std::string_view data);
  void resume();
  void work_off();
  void rest_if_empty();
  void on_lingered();
  void update_pause();
  void pause_all(bool pause);
  void end_all(std::uint16_t code, std::string_view reason);
  void enter_session();

  // relay_session_messages.cpp: handling of a message
  void handle(Message& message, std::string_view data);
  void handle_agent(Message& message, const Envelope& envelope, MessageKind kind);
  bool may_pass(const Message& message, const Envelope& envelope, MessageKind kind);
  void pass_to_host(const MemberPtr& agent, const Envelope& envelope, MessageKind kind);
  void handle_host(Message& message, const Envelope& envelope, MessageKind kind);
  void route_reply(const Member& host, const Envelope& envelope, MessageKind kind);
  void answer_request(const Member& host, const Envelope& envelope, MessageKind kind,
                      Request& request);
  void push(const Member& host, const Envelope& envelope);
  Request* request_of(const Envelope& envelope, MessageKind kind);
  bool refuse_over_limit(const Message& message, const Envelope& envelope, MessageKind kind);
  void unroutable(const Member& host, const Envelope& envelope);
  void refuse(const Member& member, RelayError error, std::string_view reply_to);
  void refuse_request(const Request& request, RelayError error);
  void fail_requests();
  void arm_timer();
  void on_timer();

  // relay_session_study.cpp: the study and its records
  bool need_study(Message& message, const Envelope& envelope, MessageKind kind,
                  std::string_view data);
  bool start_study(Message& message, const Envelope& envelope, std::string_view data);
  void wait_for_study(Message& message, std::string_view data, study::StudyStart start);
  void open_host_study();
  void open_study(study::StudyStart start);
  void on_resumed(core::Result<std::unique_ptr<study::Recorder>> recorder);
  void on_opened(core::Result<std::unique_ptr<study::Recorder>> recorder);
  void open_now(study::StudyStart start);
  void on_opening_failed(const core::Error& error);
  void begin_records();
  // Reason why no records of this member are accepted now, for a person; std::nullopt: they are
  // accepted.
  std::optional<std::string> limit_reached(const Member& from) const;
  bool may_open(Message& message);
  void keep(const study::Record& record, const Member& from);
  void end_session(const Request& request, bool state_reset);
  void finish_ending();
  void on_closed(const Ending& ending, core::Result<study::Study> closed);
  void notify_ended(const Ending& ending, std::string_view session, std::string_view log_file);
  std::string_view shown_session() const;

  void record_in(const Member& from, const Envelope& envelope);
  void record_out(const Member& from, const Envelope& envelope, std::string_view reply_to);
  void record_delivered(const Member& from, const Envelope& envelope, const Rewrite& rewrite,
                        std::size_t delivered);
  void record_client(std::string_view type, const Member& member);
  void record_error(const Member& member, RelayError error, std::string_view reply_to);

  RelayContext& context() const { return shard_.context(); }
  RelayCounters& counters() { return shard_.context().counters(); }
  const RelayOptions& options() const { return shard_.context().options(); }
  core::MonoTime now() const { return shard_.scheduler().clock().mono(); }

  RelayShard& shard_;
  const std::string owner_;
  const std::string session_;
  RelaySessionLease lease_;
  MemberPtr host_;
  std::vector<MemberPtr> agents_;
  RequestTable requests_;
  std::deque<Message> held_;
  std::size_t held_bytes_ = 0;
  std::deque<Ending> endings_;
  std::optional<study::StudyStart> host_start_;  // asked for by the host; opened at Gate::ready
  bool opening_for_host_ = false;
  std::unique_ptr<study::Recorder> recorder_;  // null: no study is open
  std::string ended_study_;                    // id of the last study that was closed
  std::string ended_log_file_;
  bool study_of_host_ = false;  // opened by the host page: every session.start of an agent joins it
  Gate gate_ = Gate::resuming;
  bool handling_ = false;
  bool occupied_ = false;  // has had a member
  bool paused_ = false;
  bool log_full_ = false;
  core::TimerId request_timer_ = 0;
  core::TimerId linger_timer_ = 0;
  core::TimerId pause_timer_ = 0;
};

}  // namespace parley::external_agent
