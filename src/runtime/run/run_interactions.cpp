// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_interactions.h"

#include <memory>
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

// One pending interaction. Kept alive by the session, which holds its callback.
class Waiting : public std::enable_shared_from_this<Waiting> {
 public:
  Waiting(session::Hub& hub, session::Session& session, core::Scheduler& shard,
          RunInteractions::Done done)
      : hub_(hub),
        shard_(shard),
        alive_(hub.home_of(session.id()).alive()),
        session_(session.id()),
        done_(std::move(done)) {}

  void tell_who(RunInteractions::AnsweredBy answered_by) { answered_by_ = std::move(answered_by); }

  void begin(session::Session& session, session::AskRequest request,
             const core::CancelToken& cancel) {
    if (cancel.cancelled()) return settle(core::fail(Code::cancelled, cancel.reason()));
    key_ = request.key;
    cancelled_ = cancel.on_cancel(core::unless_gone(
        weak_from_this(), [cancel](Waiting& self) { self.withdraw(cancel.reason()); }));
    session.ask(std::move(request), [self = shared_from_this()](Result<InteractionPtr> ended) {
      self->on_ended(std::move(ended));
    });
  }

 private:
  void on_ended(Result<InteractionPtr> ended) {
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
    session::Session* session = *alive_ == nullptr ? nullptr : (*alive_)->find(session_);
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
  std::string key_;
  RunInteractions::Done done_;
  RunInteractions::AnsweredBy answered_by_;
  core::CancelToken::Registration cancelled_;
};

}  // namespace

void RunInteractions::ask(session::AskRequest request, const core::CancelToken& cancel, Done done) {
  std::make_shared<Waiting>(hub_, session_, shard_, std::move(done))
      ->begin(session_, std::move(request), cancel);
}

void RunInteractions::ask_owner(session::AskRequest request, const core::CancelToken& cancel,
                                Done done, AnsweredBy answered_by) {
  const auto waiting = std::make_shared<Waiting>(hub_, session_, shard_, std::move(done));
  waiting->tell_who(std::move(answered_by));
  request.in_inbox = true;
  waiting->begin(session_, std::move(request), cancel);
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
