// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_interactions.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/core/ask.h"
#include "base/core/utf8.h"
#include "model/session/approval.h"
#include "runtime/tool/inbox.h"

namespace parley::run {

using core::Code;
using core::Result;
using session::InteractionPtr;

namespace {

constexpr std::size_t kMaxCallIdBytes = 96;  // call ids come from models; a key is limited

// Between two attempts to ask while the store does not answer.
constexpr core::Millis kAskPause{1'000};

// One pending interaction. Kept alive by the session, which holds its callback. A store that is
// away does not end it before it is open: the question is asked when the store is back.
class Waiting : public std::enable_shared_from_this<Waiting> {
 public:
  Waiting(session::Hub& hub, session::Session& session, core::Scheduler& shard,
          session::AskRequest request, RunInteractions::Done done)
      : hub_(hub),
        shard_(shard),
        alive_(hub.home_of(session.id()).alive()),
        session_(session.id()),
        key_(request.key),
        request_(std::move(request)),
        done_(std::move(done)) {}

  void tell_who(RunInteractions::AnsweredBy answered_by) { answered_by_ = std::move(answered_by); }

  void begin(session::Session& session, const core::CancelToken& cancel) {
    if (cancel.cancelled()) return settle(core::fail(Code::cancelled, cancel.reason()));
    cancelled_ = cancel.on_cancel(core::unless_gone(
        weak_from_this(), [cancel](Waiting& self) { self.withdraw(cancel.reason()); }));
    ask(session);
  }

 private:
  void ask(session::Session& session) {
    session.ask(
        *request_,
        [self = shared_from_this()](Result<InteractionPtr> ended) {
          self->on_ended(std::move(ended));
        },
        core::unless_gone(weak_from_this(), [](Waiting& self, const InteractionPtr& /*opened*/) {
          self.request_.reset();
        }));
  }

  // The session, as long as it is this node's.
  session::Session* found() const {
    return *alive_ == nullptr ? nullptr : (*alive_)->find(session_);
  }

  void ask_again() {
    if (!done_) return;
    if (session::Session* const session = found()) return ask(*session);
    settle(core::fail(Code::unavailable, "The session is not served here any more."));
  }

  void on_ended(Result<InteractionPtr> ended) {
    const bool is_away = !ended && ended.error().code == Code::unavailable;
    if (done_ && request_ && is_away && !hub_.shutting_down() && found() != nullptr) {
      shard_.after(kAskPause, [self = shared_from_this()] { self->ask_again(); });
      return;
    }
    const bool answered = ended && (*ended)->state == session::InteractionState::answered;
    if (answered && answered_by_) {
      const session::Outcome& outcome = (*ended)->outcome;
      answered_by_({{outcome.client_id, outcome.nickname}, outcome.by.holder});
    }
    settle(ended ? session::answer_of(**ended) : core::fail(std::move(ended.error())));
  }

  void withdraw(const std::string& reason) {
    // Runs that end with the server are resumed, so their questions stay.
    if (hub_.shutting_down()) return settle(core::fail(Code::unavailable, reason));
    session::Session* const session = found();
    if (session != nullptr) session->withdraw(key_, reason, session::Authority::of_run());
    settle(core::fail(Code::cancelled, reason));
  }

  void settle(Result<session::Answer> result) {
    if (!done_) return;
    cancelled_.reset();
    core::reply(shard_, std::exchange(done_, nullptr), std::move(result));
  }

  session::Hub& hub_;
  core::Scheduler& shard_;
  const std::shared_ptr<session::Shard*> alive_;
  const std::string session_;
  const std::string key_;
  std::optional<session::AskRequest> request_;  // until the question is open
  RunInteractions::Done done_;
  RunInteractions::AnsweredBy answered_by_;
  core::CancelToken::Registration cancelled_;
};

}  // namespace

void RunInteractions::ask(session::AskRequest request, const core::CancelToken& cancel, Done done) {
  std::make_shared<Waiting>(hub_, session_, shard_, std::move(request), std::move(done))
      ->begin(session_, cancel);
}

void RunInteractions::ask_owner(session::AskRequest request, const core::CancelToken& cancel,
                                Done done, AnsweredBy answered_by) {
  request.in_inbox = true;
  const auto waiting =
      std::make_shared<Waiting>(hub_, session_, shard_, std::move(request), std::move(done));
  waiting->tell_who(std::move(answered_by));
  waiting->begin(session_, cancel);
}

void RunInteractions::allow(const std::string& key, const Person& by) {
  session_.answer(key, session::approval_answer({true, {}}),
                  {session::Authority::of_run_allowance(by.holder), by.name, session::Channel::run},
                  nullptr);
}

std::string call_key(std::string_view run_id, std::string_view what, std::string_view call_id) {
  return tool::question_prefix(run_id) + std::string(what) + "/" +
         std::string(core::utf8_truncate(call_id, kMaxCallIdBytes));
}

void withdraw_interactions(session::Hub& hub, session::SessionKey session, std::string prefix,
                           std::string reason) {
  hub.with_session(std::move(session), [prefix = std::move(prefix), reason = std::move(reason)](
                                           const Result<session::Session*>& found) {
    if (!found) return;
    for (const InteractionPtr& each : (*found)->pending()) {
      if (each->key.starts_with(prefix)) {
        (*found)->withdraw(each->key, reason, session::Authority::of_run());
      }
    }
  });
}

}  // namespace parley::run
