// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_interactions.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include "core/utf8.h"
#include "runtime/tool/inbox.h"
#include "session/subscription.h"
#include "session/workspace.h"

namespace parley::run {

using core::Code;
using core::Result;
using session::InteractionPtr;
using session::InteractionState;

namespace {

constexpr std::size_t kMaxCallIdBytes = 96;  // call ids come from models; a key has its limit

// Ends an interaction of the session `key` as it was decided in its mirror.
void end_original(session::Session& session, const std::string& key, InteractionState state,
                  session::Outcome outcome, session::Session::AnswerDone done) {
  const session::Actor actor{outcome.client_id, outcome.nickname};
  if (state == InteractionState::answered) {
    session.answer(key, std::move(outcome.answer), actor, std::move(done));
  } else {
    session.cancel(key, std::move(outcome.reason), actor, std::move(done));
  }
}

// What a mirror asks; it may come when the run is gone, from the thread of the mirror.
session::Decide decide_in(session::Hub& hub, session::SessionKey original, std::string key,
                          core::Scheduler& mirror) {
  return [&hub, original = std::move(original), key = std::move(key), &mirror](
             InteractionState state, session::Outcome outcome, auto done) {
    auto tell = [&mirror, done = std::move(done)](Result<session::AnswerReceipt> receipt) mutable {
      mirror.post([done = std::move(done), receipt = std::move(receipt)]() mutable {
        done(std::move(receipt));
      });
    };
    hub.with_session(original, [key, state, outcome = std::move(outcome),
                                tell = std::move(tell)](Result<session::Session*> found) mutable {
      if (!found) return tell(core::fail(std::move(found.error())));
      end_original(**found, key, state, std::move(outcome), std::move(tell));
    });
  };
}

// One interaction that is waited for. Kept alive by the session, which has its waiter.
class Waiting : public std::enable_shared_from_this<Waiting> {
 public:
  Waiting(session::Hub& hub, session::Session& session, core::Scheduler& shard,
          RunInteractions::Done done)
      : hub_(hub),
        shard_(shard),
        alive_(hub.shard_of(session.id()).alive()),
        session_(session.id()),
        done_(std::move(done)) {}

  void begin(session::Session& session, session::AskRequest request, bool mirrored,
             const core::CancelToken& cancel) {
    if (cancel.cancelled()) return settle(core::fail(Code::cancelled, cancel.reason()));
    key_ = request.key;
    cancelled_ = cancel.on_cancel([weak = weak_from_this(), cancel] {
      if (const auto self = weak.lock()) self->withdraw(cancel.reason());
    });
    session::AskRequest shown = mirrored ? request : session::AskRequest{};
    session.ask(std::move(request), [self = shared_from_this()](Result<InteractionPtr> ended) {
      self->on_ended(std::move(ended));
    });
    if (mirrored && done_) mirror(session, std::move(shown));
  }

 private:
  void mirror(const session::Session& session, session::AskRequest request) {
    const session::SessionKey inbox = session::assistant_workspace(session.owner());
    request.decide = decide_in(hub_, {session.id(), session.dialect(), session.owner()}, key_,
                               hub_.shard_of(inbox.id).scheduler());
    mirror_ = session::Subscription(hub_, inbox, shard_);
    mirror_.ask(std::move(request), nullptr,
                [weak = weak_from_this()](const Result<InteractionPtr>& ended) {
                  if (const auto self = weak.lock()) self->on_mirror_ended(ended);
                });
  }

  void on_ended(Result<InteractionPtr> ended) {
    if (mirror_ && ended) mirror_.settle(key_, *ended);
    settle(ended ? session::answer_of(**ended) : core::fail(std::move(ended.error())));
  }

  // It was answered while this run did not go on: before a restart, and the original after it.
  void on_mirror_ended(const Result<InteractionPtr>& ended) {
    if (!ended) {
      spdlog::warn("{}: \"{}\" is not in the inbox: {}", session_, key_, ended.error().message);
      return;
    }
    session::Session* session = *alive_ == nullptr ? nullptr : (*alive_)->find(session_);
    const bool decided = (*ended)->state == InteractionState::answered ||
                         (*ended)->state == InteractionState::cancelled;
    if (session == nullptr || !decided || !session->is_pending(key_)) return;
    end_original(*session, key_, (*ended)->state, (*ended)->outcome, nullptr);
  }

  void withdraw(const std::string& reason) {
    // Runs that end with the server are resumed: what they ask stays.
    if (hub_.shutting_down()) return settle(core::fail(Code::unavailable, reason));
    session::Session* session = *alive_ == nullptr ? nullptr : (*alive_)->find(session_);
    if (session != nullptr) session->withdraw(key_, reason);
    if (mirror_) mirror_.withdraw(key_, reason);
    settle(core::fail(Code::cancelled, reason));
  }

  void settle(Result<session::Answer> result) {
    if (!done_) return;
    cancelled_.reset();
    mirror_ = {};
    shard_.post([done = std::exchange(done_, nullptr), result = std::move(result)]() mutable {
      done(std::move(result));
    });
  }

  session::Hub& hub_;
  core::Scheduler& shard_;
  const std::shared_ptr<session::Shard*> alive_;
  const std::string session_;
  std::string key_;
  RunInteractions::Done done_;
  core::CancelToken::Registration cancelled_;
  session::Subscription mirror_;
};

}  // namespace

void RunInteractions::ask(session::AskRequest request, const core::CancelToken& cancel, Done done) {
  std::make_shared<Waiting>(hub_, session_, shard_, std::move(done))
      ->begin(session_, std::move(request), false, cancel);
}

void RunInteractions::ask_owner(session::AskRequest request, const core::CancelToken& cancel,
                                Done done) {
  std::make_shared<Waiting>(hub_, session_, shard_, std::move(done))
      ->begin(session_, std::move(request), true, cancel);
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
      if (each->key.starts_with(prefix)) (*found)->withdraw(each->key, reason);
    }
  });
}

}  // namespace parley::run
