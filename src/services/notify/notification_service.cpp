// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/notification_service.h"

#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/base64.h"
#include "base/core/id.h"
#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "base/http_client/public_address.h"
#include "base/http_client/url.h"
#include "model/session/approval.h"

namespace parley::notify {
namespace {

using core::Code;
using core::Result;

// Limit (Notifications): endpoint of a device. Reached: 400.
constexpr std::size_t kMaxEndpointBytes = 1'024;
constexpr std::size_t kPublicKeyBytes = 65;
constexpr std::size_t kAuthBytes = 16;
// Limit (Notifications): name of a device. Reached: cut.
constexpr std::size_t kMaxDeviceNameBytes = 100;

tl::unexpected<core::Error> wrong_input(std::string message, std::string field) {
  return core::fail(Code::invalid_argument, std::move(message), std::move(field));
}

// A choice of the question, or text where it takes text.
Result<void> check_text(const session::Interaction& question, const std::string& text) {
  if (text.empty()) return wrong_input("Choose or write an answer first.", "text");
  if (text.size() > kMaxWrittenAnswerBytes) {
    return wrong_input(
        "The answer is longer than " + std::to_string(kMaxWrittenAnswerBytes) + " bytes.", "text");
  }
  if (!core::is_utf8(text)) return wrong_input("The answer must be UTF-8.", "text");
  if (!is_safe_answer(question, text) &&
      !question_text(question.prompt, kMaxPageQuestionBytes).complete) {
    return wrong_input("The question is too long for this page. Open it in Parley.", "text");
  }
  if (question.kind == session::InteractionKind::tool_approval &&
      session::is_loose_consent(core::text_answer(text))) {
    return wrong_input("Answer with the word Allow or Deny.", "text");
  }
  if (takes_text(question)) return {};
  const auto choices = quick_answers(question, Language::english);
  const bool known = std::any_of(choices.begin(), choices.end(),
                                 [&text](const QuickAnswer& one) { return one.text == text; });
  return known ? Result<void>() : wrong_input("This question takes only its choices.", "text");
}

}  // namespace

Result<std::string> checked_endpoint(const std::string& endpoint,
                                     const std::vector<std::string>& private_hosts) {
  if (endpoint.size() > kMaxEndpointBytes) {
    return wrong_input(
        "\"endpoint\" is longer than " + std::to_string(kMaxEndpointBytes) + " bytes.", "endpoint");
  }
  const auto parts = http_client::split_url(endpoint);
  if (!parts) return wrong_input("\"endpoint\" must be a URL.", "endpoint");
  const bool allowed =
      std::find(private_hosts.begin(), private_hosts.end(), parts->host) != private_hosts.end();
  if (allowed) return endpoint;
  if (parts->scheme != "https") {
    return wrong_input("\"endpoint\" must begin with https://.", "endpoint");
  }
  if (http_client::is_public_literal(parts->host) == false ||
      (!http_client::is_public_literal(parts->host) && http_client::is_local_name(parts->host))) {
    return wrong_input("\"endpoint\" must not be in a private network.", "endpoint");
  }
  return endpoint;
}

NotificationService::NotificationService(Dependencies dependencies,
                                         std::unique_ptr<NotifyStore> store,
                                         NotificationPlanner::Dependencies planner,
                                         std::vector<NotificationPlanner::Channel> channels)
    : dependencies_(std::move(dependencies)),
      store_(std::move(store)),
      planner_(std::move(planner), std::move(channels)),
      guesses_(dependencies_.scheduler.clock()) {}

NotificationService::~NotificationService() = default;

void NotificationService::start(std::function<std::string()> base) {
  dependencies_.scheduler.post([this, base = std::move(base)] { planner_.start(base); });
}

void NotificationService::on_opened(const event::SessionRow& session,
                                    const session::InteractionPtr& interaction) {
  if (!interaction->in_inbox) return;
  if (untaken_.fetch_add(1) >= kMaxUntakenOpenings) {
    --untaken_;
    ++missed_;
    return;
  }
  dependencies_.scheduler.post([this, owner = session.owner, interaction] {
    --untaken_;
    if (!planner_.opened(owner, interaction)) ++missed_;
  });
}

void NotificationService::on_closed(const event::SessionRow& /*session*/,
                                    const session::InteractionPtr& interaction) {
  if (!interaction->in_inbox) return;
  dependencies_.scheduler.post([this, interaction] { planner_.closed(*interaction); });
}

void NotificationService::on_left(const event::SessionRow& /*session*/,
                                  const session::InteractionPtr& interaction) {
  if (!interaction->in_inbox) return;
  dependencies_.scheduler.post([this, interaction] { planner_.left(*interaction); });
}

void NotificationService::seen(std::string session, std::string key, core::Scheduler& back,
                               Done<void> done) {
  on_planner<void>(back, std::move(done),
                   [this, session = std::move(session), key = std::move(key)](auto tell) {
                     if (planner_.seen(session, key)) return tell({});
                     tell(core::fail(Code::not_found, "No question with this key waits.", "key"));
                   });
}

void NotificationService::forget_token(std::string token_id) {
  dependencies_.scheduler.post(
      [this, id = std::move(token_id)] { (void)store_->forget_token(id); });
}

void NotificationService::forget_owner(std::string owner) {
  dependencies_.scheduler.post(
      [this, owner = std::move(owner)] { (void)store_->forget_owner(owner); });
}

// Runs `work(tell)` on the planner's scheduler; `tell` takes the result to the caller's.
template <typename T, typename Work>
void NotificationService::on_planner(core::Scheduler& back, Done<T> done, Work work) {
  if (waiting_.fetch_add(1) >= kMaxWaitingCalls) {
    --waiting_;
    return core::reply(
        back, std::move(done),
        core::fail(Code::resource_exhausted,
                   "Too many requests for notifications are waiting. Try again later."));
  }
  Done<T> tell = core::reply_on(back, std::move(done));
  dependencies_.scheduler.post([this, tell = std::move(tell), work = std::move(work)]() mutable {
    --waiting_;
    work(std::move(tell));
  });
}

void NotificationService::notifiers(core::Scheduler& back, Done<std::vector<NotifierState>> done) {
  on_planner<std::vector<NotifierState>>(back, std::move(done),
                                         [this](auto tell) { tell(planner_.states()); });
}

void NotificationService::test(std::string notifier, core::Scheduler& back, Done<void> done) {
  on_planner<void>(back, std::move(done), [this, notifier = std::move(notifier)](auto tell) {
    // Devices are tested one by one, by their owner.
    const auto states = planner_.states();
    const bool is_push =
        std::any_of(states.begin(), states.end(), [&notifier](const NotifierState& state) {
          return state.name == notifier && state.kind == "push";
        });
    if (is_push) {
      return tell(core::fail(Code::failed_precondition,
                             "Test Web Push with the button of a device.", "name"));
    }
    planner_.test(notifier, {}, std::move(tell));
  });
}

void NotificationService::reach(std::string owner, core::Scheduler& back, Done<std::size_t> done) {
  on_planner<std::size_t>(back, std::move(done), [this, owner = std::move(owner)](auto tell) {
    tell(planner_.reach(owner));
  });
}

Result<PushSubscription> NotificationService::checked(std::string owner,
                                                      SubscriptionInput input) const {
  if (dependencies_.push_key.empty()) {
    return core::fail(Code::unimplemented, "This server sends no Web Push.");
  }
  PushSubscription created;
  PARLEY_TRY(created.endpoint, checked_endpoint(input.endpoint, dependencies_.private_hosts));
  created.p256dh = core::base64_decode(input.p256dh).value_or(std::string());
  if (created.p256dh.size() != kPublicKeyBytes || created.p256dh[0] != '\x04') {
    return wrong_input("\"p256dh\" must be an uncompressed P-256 key of 65 bytes.", "p256dh");
  }
  created.auth = core::base64_decode(input.auth).value_or(std::string());
  if (created.auth.size() != kAuthBytes) {
    return wrong_input("\"auth\" must have 16 bytes.", "auth");
  }
  created.id = core::new_id(dependencies_.scheduler.clock(), dependencies_.entropy);
  created.owner = std::move(owner);
  created.token = std::move(input.token);
  created.name = core::utf8_truncate(input.name, kMaxDeviceNameBytes);
  created.created_at = dependencies_.scheduler.clock().wall();
  return created;
}

void NotificationService::subscribe(std::string owner, SubscriptionInput input,
                                    core::Scheduler& back, Done<PushSubscription> done) {
  on_planner<PushSubscription>(
      back, std::move(done),
      [this, owner = std::move(owner), input = std::move(input)](auto tell) mutable {
        auto created = checked(std::move(owner), std::move(input));
        if (created) {
          if (auto stored = store_->subscribe(*created); !stored)
            created = core::fail(stored.error());
        }
        tell(std::move(created));
      });
}

void NotificationService::subscriptions(std::string owner, core::Scheduler& back,
                                        Done<std::vector<PushSubscription>> done) {
  on_planner<std::vector<PushSubscription>>(
      back, std::move(done),
      [this, owner = std::move(owner)](auto tell) { tell(store_->subscriptions(owner)); });
}

void NotificationService::unsubscribe(std::string owner, std::string id, core::Scheduler& back,
                                      Done<void> done) {
  on_planner<void>(back, std::move(done),
                   [this, owner = std::move(owner), id = std::move(id)](auto tell) {
                     const Result<bool> removed = store_->unsubscribe(owner, id);
                     if (!removed) return tell(core::fail(removed.error()));
                     if (!*removed) {
                       return tell(core::fail(Code::not_found, "No device has this id.", "id"));
                     }
                     tell({});
                   });
}

void NotificationService::test_subscription(std::string owner, std::string id,
                                            core::Scheduler& back, Done<void> done) {
  on_planner<void>(back, std::move(done),
                   [this, owner = std::move(owner), id = std::move(id)](auto tell) {
                     const auto found = store_->subscription(id);
                     if (!found) return tell(core::fail(found.error()));
                     if (!found->has_value() || (*found)->owner != owner) {
                       return tell(core::fail(Code::not_found, "No device has this id.", "id"));
                     }
                     planner_.test("push", id, std::move(tell));
                   });
}

void NotificationService::look_up(std::string secret, core::Scheduler& back, Done<LinkView> done) {
  on_planner<LinkView>(back, std::move(done), [this, secret = std::move(secret)](auto tell) {
    tell(planner_.look_up(secret));
  });
}

void NotificationService::answer(std::string secret, std::string text, core::Scheduler& back,
                                 Done<LinkView> done) {
  on_planner<LinkView>(
      back, std::move(done),
      [this, secret = std::move(secret), text = std::move(text)](auto tell) mutable {
        LinkView view = planner_.look_up(secret);
        if (view.state != LinkState::open) return tell(std::move(view));
        if (!view.link.written) {
          text = view.link.text;
        } else if (const auto fits = check_text(*view.question, text); !fits) {
          return tell(core::fail(fits.error()));
        }
        give_answer(secret, std::move(view), std::move(text), std::move(tell));
      });
}

void NotificationService::give_answer(const std::string& secret, LinkView view, std::string text,
                                      Done<LinkView> tell) {
  const session::SessionKey key{view.link.session, {}, view.link.owner};
  // Called on the session's shard.
  auto decided = core::reply_on(
      dependencies_.scheduler,
      [this, secret, view, tell = std::move(tell)](Result<session::AnswerReceipt> receipt) mutable {
        if (!receipt) return tell(core::fail(receipt.error()));
        if (receipt->won) planner_.accepted(secret);
        view.state = receipt->won ? LinkState::accepted : planner_.look_up(secret).state;
        // The end may be on its way to the planner.
        if (view.state == LinkState::open) view.state = LinkState::ended;
        tell(std::move(view));
      });
  dependencies_.hub.with_session(
      key, [answered = view.link, by = planner_.answerer_of(view.link), text = std::move(text),
            decided = std::move(decided)](Result<session::Session*> session) mutable {
        if (!session) return decided(core::fail(session.error()));
        const std::string nickname = answered.notifier + " (link)";
        (*session)->answer(
            answered.key, core::text_answer(std::move(text)),
            {session::Authority::of_answer_link(answered.key, by.holder),
             {"link", std::string(core::utf8_truncate(nickname, core::limits::kMaxNicknameBytes))},
             by.channel,
             {session::Shown::Source::by_server, {}}},
            std::move(decided));
      });
}

}  // namespace parley::notify
