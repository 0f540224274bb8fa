// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include "core/id.h"
#include "core/json_writer.h"
#include "protocol/v1/handlers.h"
#include "protocol/v1/interaction_json.h"

namespace parley::v1 {
namespace {

using session::InteractionPtr;

// The side of the connection: holds the answer back for as long as the caller wants to wait. The
// interaction outlives it: it ends by an answer, a cancellation or its deadline alone.
class AskReply : public std::enable_shared_from_this<AskReply> {
 public:
  AskReply(Call call, core::Millis wait)
      : call_(std::move(call)), scheduler_(call_->responder.scheduler()), wait_(wait) {}

  core::Scheduler& scheduler() { return scheduler_; }

  void opened(const InteractionPtr& interaction) {
    if (!call_ || pending_) return;
    pending_ = interaction;
    if (wait_ <= core::Millis(0)) return send(201, *interaction);
    timer_ = scheduler_.after(wait_, [self = shared_from_this()] {
      self->timer_ = 0;
      if (self->call_) self->send(201, *self->pending_);
    });
  }

  void closed(const core::Result<InteractionPtr>& result) {
    if (!call_) return;
    scheduler_.cancel(std::exchange(timer_, 0));
    if (result) return send(200, **result);
    send_error(*call_, result.error());
    call_.reset();
  }

 private:
  void send(int status, const session::Interaction& interaction) {
    std::string out;
    core::JsonWriter json(out);
    write_interaction(json, interaction);
    send_json(*call_, status, std::move(out));
    call_.reset();
  }

  std::optional<Call> call_;
  core::Scheduler& scheduler_;
  core::Millis wait_;
  core::TimerId timer_ = 0;
  InteractionPtr pending_;
};

// The side of the session: watches until the interaction is durable, which it learns as a
// participant, and hands on how it ends.
class Asking final : public session::Participant, public std::enable_shared_from_this<Asking> {
 public:
  Asking(session::Shard& shard, std::shared_ptr<AskReply> reply, session::ParticipantInfo info)
      : shard_(shard), reply_(std::move(reply)), info_(std::move(info)) {}

  void start(session::Session& session, session::AskRequest request) {
    session_id_ = session.id();
    key_ = request.key;
    if (const auto joined = session.join(*this); !joined) {
      return tell_closed(core::fail(joined.error()));
    }
    session_ = &session;
    keep_ = shared_from_this();
    session.ask(std::move(request),
                [self = shared_from_this()](core::Result<InteractionPtr> result) {
                  self->finished_ = true;
                  self->tell_closed(std::move(result));
                  self->leave_soon();
                });
    if (finished_ || !session.is_pending(key_)) return;
    const std::vector<InteractionPtr> pending = session.pending();
    const auto it = std::find_if(pending.begin(), pending.end(),
                                 [this](const InteractionPtr& p) { return p->key == key_; });
    if (it != pending.end()) on_opened(*it);
  }

  void refuse(const core::Error& error) { tell_closed(core::fail(error)); }

  const session::ParticipantInfo& info() const override { return info_; }
  void on_opened(const InteractionPtr& interaction) override {
    if (interaction->key != key_) return;
    reply_->scheduler().post([reply = reply_, interaction] { reply->opened(interaction); });
    leave_soon();
  }
  void on_closed(const InteractionPtr&) override {}
  void on_presence(const session::ParticipantInfo&, session::Presence) override {}
  void on_direct_message(const session::DirectMessage&) override {}
  void on_signal(const session::Signal&) override {}
  void on_event(const event::Event&) override {}
  void on_leave_required(session::LeaveReason) override { leave(); }

 private:
  void tell_closed(core::Result<InteractionPtr> result) {
    reply_->scheduler().post(
        [reply = reply_, result = std::move(result)] { reply->closed(result); });
  }

  // Not at once: the session is in the middle of telling its participants.
  void leave_soon() {
    shard_.scheduler().post([self = shared_from_this()] {
      self->leave();
      self->shard_.release(self->session_id_);
    });
  }

  void leave() {
    if (session_ != nullptr) std::exchange(session_, nullptr)->leave(*this);
    // The last reference may go with it.
    const std::shared_ptr<Asking> last = std::move(keep_);
  }

  session::Shard& shard_;
  std::shared_ptr<AskReply> reply_;
  session::ParticipantInfo info_;
  session::Session* session_ = nullptr;  // while joined
  std::shared_ptr<Asking> keep_;         // while joined: the session knows only the address
  std::string session_id_;
  std::string key_;
  bool finished_ = false;
};

}  // namespace

void ask(const Context& context, Call call) {
  auto input = read_ask(call.request.body);
  if (!input) return send_error(call, input.error());
  if (input->request.key.empty()) {
    input->request.key = core::new_id(call.responder.scheduler().clock(), context.entropy);
  }
  std::string session_id = call.request.query_param("session").value_or("");
  with_owned_session(
      context, std::move(call), std::move(session_id),
      [&context, input = std::move(*input)](Call found, event::SessionRow row) mutable {
        if (const auto may = core::admit_work(context.gate); !may) {
          return send_error(found, may.error());
        }
        session::ParticipantInfo info;
        info.client_id = core::new_id(found.responder.scheduler().clock(), context.entropy);
        info.nickname = found.identity.name;
        info.role = session::Role::agent;
        info.dialect = "v1";
        info.connected_at = found.responder.scheduler().clock().wall();
        session::Shard& shard = context.hub.shard_of(row.id);
        auto reply = std::make_shared<AskReply>(std::move(found), input.wait);
        auto asking = std::make_shared<Asking>(shard, std::move(reply), std::move(info));
        context.hub.with_session({row.id, row.dialect, row.owner},
                                 [asking = std::move(asking), request = std::move(input.request)](
                                     core::Result<session::Session*> session) mutable {
                                   if (!session) return asking->refuse(session.error());
                                   asking->start(**session, std::move(request));
                                 });
      });
}

}  // namespace parley::v1
