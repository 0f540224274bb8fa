// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "model/session/interaction.h"
#include "services/notify/answers.h"
#include "services/notify/delivery_lane.h"
#include "services/notify/notifier.h"
#include "services/notify/notify_store.h"
#include "services/notify/rule.h"

namespace parley::notify {

// Open questions that the planner watches; further ones get no notice, and are counted.
// Limit (Notifications): questions that are watched. Reached: no notice; counted in
// `parley_notices_missed`.
inline constexpr std::size_t kMaxWatched = 100'000;
// Interval of the removal of ended links and deliveries.
inline constexpr core::Millis kSweepInterval = std::chrono::hours(1);
// Age after which a delivery is forgotten: longer than any question may wait.
// Limit (Notifications): time that deliveries are kept. Reached: deleted.
inline constexpr core::Millis kKeptDelivery = std::chrono::hours(24 * 31);

// State of a notifier, for the settings page.
struct NotifierState {
  std::string name;
  std::string kind;
  std::string destination;
  Rule rule;
  LaneState lane;
  std::size_t planned = 0;  // questions whose time has not come
};

// The fate of an answer link.
enum class LinkState : std::uint8_t {
  open,      // its question waits
  accepted,  // this call has answered the question
  used,      // an earlier call has answered the question
  ended,     // the question was answered otherwise, or cancelled
  expired,
  unknown,
};

struct LinkView {
  LinkState state = LinkState::unknown;
  AnswerLink link;
  session::InteractionPtr question;  // if open
};

// Plans and sends the notices of open questions. All calls on one scheduler, whose thread may wait
// for the disk.
class NotificationPlanner {
 public:
  struct Channel {
    std::unique_ptr<Notifier> notifier;
    Rule rule;
  };
  struct Dependencies {
    core::Scheduler& scheduler;
    core::Entropy& entropy;
    NotifyStore& store;
    ZoneOffset zone = system_zone_offset;
    Language language = Language::english;
    std::function<std::string(const std::string& owner)> owner_name = nullptr;  // of a token's id
  };

  NotificationPlanner(Dependencies dependencies, std::vector<Channel> channels);
  ~NotificationPlanner();

  // Sends notices from now on; before, questions are only collected. `base` is asked for the origin
  // of links by each notice, on the planner's thread: addresses of a computer change.
  void start(std::function<std::string()> base);

  // A question of `owner` waits, perhaps since before a restart. A repeated call replaces the
  // earlier one with this key. False: the planner watches kMaxWatched questions, and not this one.
  bool opened(const std::string& owner, const session::InteractionPtr& interaction);
  void closed(const session::Interaction& interaction);
  // Another node of the cluster has the question now: nothing more is sent for it from here, and
  // nothing is withdrawn.
  void left(const session::Interaction& interaction);
  // A person has seen the question: notices that wait for that are not sent. False: no question
  // with this key waits.
  bool seen(const std::string& session, const std::string& key);

  std::vector<NotifierState> states() const;
  // The places where a question of this owner would be told of now: notifiers and push devices.
  std::size_t reach(const std::string& owner) const;
  // One attempt with a notice of its own. Error of `done`: `not_found` (no such notifier or
  // target), `unavailable` (the attempt failed), `resource_exhausted` (another test of the target
  // is under way).
  void test(const std::string& notifier, const std::string& target,
            absl::AnyInvocable<void(core::Result<void>)> done);

  // The link with this secret.
  LinkView look_up(std::string_view secret);
  // The one who answers with a link: the device whose notice has it, or the notifier.
  session::Answerer answerer_of(const AnswerLink& link) const;
  // The answer of the link with this secret has won.
  void accepted(std::string_view secret);

  // For /metrics; any thread.
  template <typename Use>
  void each_lane(const Use& use) const {
    for (const Line& line : lines_) use(*line.notifier, *line.lane);
  }

 private:
  struct Line {
    std::unique_ptr<Notifier> notifier;
    Rule rule;
    std::unique_ptr<DeliveryLane> lane;
    std::size_t planned = 0;
  };
  struct Open {
    std::string owner;
    session::InteractionPtr interaction;
    bool seen = false;
    std::vector<core::TimerId> timers;  // one for each line; 0: none
  };
  using Key = std::pair<std::string, std::string>;  // session, key

  std::string name_for(const Rule& rule, const std::string& owner) const;
  void plan(Open& open, std::size_t line);
  void due(const Key& key, const std::string& id, std::size_t line);
  void send(const Open& open, Line& line);
  void drop_timer(Open& open, std::size_t line);
  core::Result<Notice> make_notice(const std::string& owner, const session::Interaction& asked,
                                   const std::string& notifier, const std::string& target);
  bool is_still_button(const session::Interaction& asked, const AnswerLink& link) const;
  bool was_delivered(const session::Interaction& asked, const Line& line,
                     const std::string& target);
  void sweep();
  void drop_expired(core::WallTime now);
  Notice test_notice() const;

  Dependencies dependencies_;
  std::vector<Line> lines_;
  std::map<Key, Open> open_;
  std::function<std::string()> base_ = [] { return std::string(); };
  bool started_ = false;
  core::TimerId sweep_timer_ = 0;
  std::set<std::pair<std::string, std::string>> in_test_;  // notifier, target
  std::shared_ptr<NotificationPlanner*> self_;  // held by callbacks; null inside after destruction
};

// The permalink of a question in the console.
std::string question_path(std::string_view key);

}  // namespace parley::notify
