// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/guess_limit.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "model/session/hub.h"
#include "services/notify/notification_planner.h"
#include "services/notify/notify_store.h"

namespace parley::notify {

// Calls of routes that wait for the planner; further ones are refused.
// Limit (Notifications): calls of routes that wait. Reached: 429.
inline constexpr std::size_t kMaxWaitingCalls = 64;
// Openings of questions that the planner has not taken yet; further ones get no notice.
// Limit (Notifications): openings that are not taken yet. Reached: no notice; counted in
// `parley_notices_missed`.
inline constexpr std::size_t kMaxUntakenOpenings = 10'000;
// Longest answer that is written on the page of a link.
// Limit (Notifications): answer that is written on the page of a link. Reached: the form again,
// with the text.
inline constexpr std::size_t kMaxWrittenAnswerBytes = 16U << 10U;

// A browser's subscription, as it sends it.
struct SubscriptionInput {
  std::string endpoint;
  std::string p256dh;  // base64url
  std::string auth;    // base64url
  std::string name;    // may be empty
  std::string token;   // id of the token that subscribes; empty: a login of a user
};

// The notifications of a server for its other rooms. Thread-safe: the planner works on a scheduler
// of its own, so that no notifier and no disk delays a question. `done` of every call runs on the
// caller's `back`, never inside the call. Further error of all: `resource_exhausted`
// (kMaxWaitingCalls).
class NotificationService final : public session::InteractionWatcher {
 public:
  struct Dependencies {
    core::Scheduler& scheduler;  // may wait for the disk
    core::Entropy& entropy;
    session::Hub& hub;
    std::string push_key;                         // public VAPID key, base64url; empty: no Web Push
    std::vector<std::string> private_hosts = {};  // push services there may be http and private
  };
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  // All outlive this object, and the scheduler has ended before it is destroyed.
  NotificationService(Dependencies dependencies, std::unique_ptr<NotifyStore> store,
                      NotificationPlanner::Dependencies planner,
                      std::vector<NotificationPlanner::Channel> channels);
  ~NotificationService() override;

  // Notices are sent from now on. `base`: see NotificationPlanner::start().
  void start(std::function<std::string()> base);

  void on_opened(const event::SessionRow& session,
                 const session::InteractionPtr& interaction) override;
  void on_closed(const event::SessionRow& session,
                 const session::InteractionPtr& interaction) override;
  void on_left(const event::SessionRow& session,
               const session::InteractionPtr& interaction) override;
  // A person has seen the question. Errors: `not_found` (no question with this key waits).
  void seen(std::string session, std::string key, core::Scheduler& back, Done<void> done);
  // A token or a workspace has ended.
  void forget_owner(std::string owner);
  // Drops the subscriptions of a token that has ended in a workspace with others.
  void forget_token(std::string token_id);

  void notifiers(core::Scheduler& back, Done<std::vector<NotifierState>> done);
  void test(std::string notifier, core::Scheduler& back, Done<void> done);
  // NotificationPlanner::reach().
  void reach(std::string owner, core::Scheduler& back, Done<std::size_t> done);

  const std::string& push_key() const { return dependencies_.push_key; }
  // Errors: `invalid_argument` with the field, `resource_exhausted`, `unimplemented` (no Web Push).
  void subscribe(std::string owner, SubscriptionInput input, core::Scheduler& back,
                 Done<PushSubscription> done);
  void subscriptions(std::string owner, core::Scheduler& back,
                     Done<std::vector<PushSubscription>> done);
  // Errors: `not_found`.
  void unsubscribe(std::string owner, std::string id, core::Scheduler& back, Done<void> done);
  void test_subscription(std::string owner, std::string id, core::Scheduler& back, Done<void> done);

  void look_up(std::string secret, core::Scheduler& back, Done<LinkView> done);
  // Gives the answer of a link; `text` counts for a link with a written answer alone. Errors:
  // `invalid_argument` (no text, or one that the question does not take), those of
  // Session::answer().
  void answer(std::string secret, std::string text, core::Scheduler& back, Done<LinkView> done);
  // Counts the secret of an unknown link as a wrong token of `peer`: the wait of its answer, or
  // std::nullopt if the request must be refused.
  std::optional<core::Millis> wrong_link(std::string_view peer, std::string_view secret) {
    return guesses_.wrong(peer, secret);
  }

  // For /metrics; any thread.
  const NotificationPlanner& planner() const { return planner_; }
  // Openings beyond kMaxUntakenOpenings and kMaxWatched.
  std::uint64_t missed() const { return missed_.load(); }
  std::uint64_t wrong_links() const { return guesses_.wrong_tokens(); }

 private:
  template <typename T, typename Work>
  void on_planner(core::Scheduler& back, Done<T> done, Work work);
  core::Result<PushSubscription> checked(std::string owner, SubscriptionInput input) const;
  void give_answer(const std::string& secret, LinkView view, std::string text, Done<LinkView> tell);

  Dependencies dependencies_;
  std::unique_ptr<NotifyStore> store_;
  NotificationPlanner planner_;
  core::GuessLimit guesses_;
  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::size_t> untaken_{0};
  std::atomic<std::uint64_t> missed_{0};
};

// The parts of an endpoint or key that a browser sends, checked. Errors: `invalid_argument`.
core::Result<std::string> checked_endpoint(const std::string& endpoint,
                                           const std::vector<std::string>& private_hosts);

}  // namespace parley::notify
