// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/notification_planner.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/percent.h"
#include "base/core/result.h"
#include "base/core/secret.h"
#include "base/core/utf8.h"

namespace parley::notify {

using core::Code;
using core::Result;

std::string question_path(std::string_view key) {
  return "/#/inbox/item/" + core::percent_encoded(key);
}

NotificationPlanner::NotificationPlanner(Dependencies dependencies, std::vector<Channel> channels)
    : dependencies_(std::move(dependencies)), self_(std::make_shared<NotificationPlanner*>(this)) {
  for (Channel& channel : channels) {
    Line line;
    line.notifier = std::move(channel.notifier);
    line.rule = std::move(channel.rule);
    Notifier& notifier = *line.notifier;
    DeliveryLane::Events events;
    events.delivered = [this, &notifier](const DeliveryLane::Job& job) {
      const auto stored = dependencies_.store.set_delivered(
          job.interaction, notifier.name(), job.target, dependencies_.scheduler.clock().wall());
      if (!stored) spdlog::error("notifier {}: {}", notifier.name(), stored.error().message);
    };
    if (notifier.kind() == "push") {
      events.gone = [this](const std::string& target) {
        (void)dependencies_.store.unsubscribe({}, target);
      };
      events.attempted = [this](const std::string& target, const std::string& failure) {
        (void)dependencies_.store.set_attempt(target, dependencies_.scheduler.clock().wall(),
                                              failure);
      };
    }
    line.lane = std::make_unique<DeliveryLane>(dependencies_.scheduler, dependencies_.entropy,
                                               notifier, std::move(events));
    lines_.push_back(std::move(line));
  }
}

NotificationPlanner::~NotificationPlanner() { *self_ = nullptr; }

void NotificationPlanner::start(std::function<std::string()> base) {
  base_ = std::move(base);
  started_ = true;
  sweep();
  for (auto& [key, open] : open_) {
    for (std::size_t i = 0; i < lines_.size(); ++i) plan(open, i);
  }
}

void NotificationPlanner::sweep() {
  const core::WallTime now = dependencies_.scheduler.clock().wall();
  if (const auto swept = dependencies_.store.sweep(now - kKeptAfterEnd, now - kKeptDelivery);
      !swept) {
    spdlog::error("notify.db cannot be swept: {}", swept.error().message);
  }
  drop_expired(now);
  sweep_timer_ = dependencies_.scheduler.after(
      kSweepInterval, core::unless_gone(self_, &NotificationPlanner::sweep));
}

// Drops questions whose end was not reported here: another node has taken their session.
void NotificationPlanner::drop_expired(core::WallTime now) {
  for (auto it = open_.begin(); it != open_.end();) {
    if (it->second.interaction->deadline + kSweepInterval >= now) {
      ++it;
      continue;
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) drop_timer(it->second, i);
    it = open_.erase(it);
  }
}

bool NotificationPlanner::opened(const std::string& owner,
                                 const session::InteractionPtr& interaction) {
  if (open_.size() >= kMaxWatched) {
    spdlog::warn("more than {} questions are open: no notice is sent for another", kMaxWatched);
    return false;
  }
  Open& open = open_[Key(interaction->session, interaction->key)];
  for (std::size_t i = 0; i < open.timers.size(); ++i) drop_timer(open, i);
  open.owner = owner;
  open.interaction = interaction;
  open.seen = false;
  open.timers.assign(lines_.size(), 0);
  if (!started_) return true;
  for (std::size_t i = 0; i < lines_.size(); ++i) plan(open, i);
  return true;
}

// The name of an owner, which is read from the disk, for a rule that asks for it.
std::string NotificationPlanner::name_for(const Rule& rule, const std::string& owner) const {
  const bool asks = !rule.tokens.empty() && dependencies_.owner_name != nullptr;
  return asks ? dependencies_.owner_name(owner) : std::string();
}

void NotificationPlanner::plan(Open& open, std::size_t line) {
  Line& to = lines_[line];
  if (open.seen && to.rule.when == When::unseen) return;
  const session::Interaction& asked = *open.interaction;
  if (!fits(to.rule, asked.prompt, open.owner, name_for(to.rule, open.owner))) return;
  const auto at = due_at(to.rule, asked, dependencies_.zone);
  if (!at) return;
  const core::Millis left = *at - dependencies_.scheduler.clock().wall();
  if (left <= core::Millis(0)) return send(open, to);
  ++to.planned;
  open.timers[line] = dependencies_.scheduler.after(
      left, core::unless_gone(self_, [key = Key(asked.session, asked.key), id = asked.id, line](
                                         NotificationPlanner& self) { self.due(key, id, line); }));
}

void NotificationPlanner::due(const Key& key, const std::string& id, std::size_t line) {
  const auto it = open_.find(key);
  if (it == open_.end() || it->second.interaction->id != id) return;
  Open& open = it->second;
  drop_timer(open, line);
  plan(open, line);  // again if the clock was set back
}

void NotificationPlanner::send(const Open& open, Line& line) {
  const session::InteractionPtr& asked = open.interaction;
  for (const std::string& target : line.notifier->targets(open.owner)) {
    if (was_delivered(*asked, line, target)) continue;
    DeliveryLane::Job job{open.owner, asked->id, asked->key, target, asked->deadline, {}};
    job.make = [this, owner = open.owner, asked, name = line.notifier->name(), target] {
      return make_notice(owner, *asked, name, target);
    };
    line.lane->push(std::move(job));
  }
}

bool NotificationPlanner::was_delivered(const session::Interaction& asked, const Line& line,
                                        const std::string& target) {
  const auto known = dependencies_.store.was_delivered(asked.id, line.notifier->name(), target);
  if (!known) spdlog::error("notify.db cannot be read: {}", known.error().message);
  return known.value_or(false);
}

Result<Notice> NotificationPlanner::make_notice(const std::string& owner,
                                                const session::Interaction& asked,
                                                const std::string& notifier,
                                                const std::string& target) {
  Notice notice;
  notice.kind = asked.kind == session::InteractionKind::task_finish ? NoticeKind::task_finish
                                                                    : NoticeKind::question;
  notice.id = asked.id;
  notice.key = asked.key;
  notice.title = notice_title(asked, dependencies_.language).text;
  notice.body = notice_text(asked.prompt, kMaxBodyBytes).text;
  notice.project = asked.prompt.project_directory;
  notice.agent = asked.prompt.agent_name;
  notice.base = base_();
  notice.page_path = question_path(asked.key);
  notice.opened_at = asked.opened_at;
  notice.deadline = asked.deadline;

  std::vector<AnswerLink> links;
  std::vector<std::string> hashes;
  const auto add_link = [&](const QuickAnswer& answer, bool written) {
    const std::string secret = core::new_secret({}, dependencies_.entropy);
    hashes.push_back(core::secret_hash(secret));
    links.push_back({asked.id, asked.session, owner, asked.key, notifier, answer.label, answer.text,
                     written, asked.deadline, std::nullopt, target});
    return "/a/" + secret;
  };
  // The page of `write_path` has those that are left out.
  for (const QuickAnswer& answer : button_answers(asked, dependencies_.language)) {
    if (notice.options.size() == kMaxOptions) break;
    if (!is_button(asked, answer, dependencies_.language)) continue;
    notice.options.push_back({answer.label, add_link(answer, false), answer.safe});
  }
  if (has_one_answer(asked.prompt)) notice.write_path = add_link({}, true);
  PARLEY_TRY_VOID(dependencies_.store.add_links(hashes, links));
  return notice;
}

void NotificationPlanner::drop_timer(Open& open, std::size_t line) {
  if (open.timers[line] == 0) return;
  dependencies_.scheduler.cancel(std::exchange(open.timers[line], 0));
  --lines_[line].planned;
}

void NotificationPlanner::closed(const session::Interaction& interaction) {
  const auto it = open_.find({interaction.session, interaction.key});
  if (it == open_.end() || it->second.interaction->id != interaction.id) return;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    drop_timer(it->second, i);
    Line& line = lines_[i];
    line.lane->drop(interaction.id);
    for (const std::string& target : line.notifier->targets(it->second.owner)) {
      if (line.notifier->withdraws() && was_delivered(interaction, line, target)) {
        line.lane->withdraw(
            {it->second.owner, interaction.id, interaction.key, target, interaction.deadline, {}});
      }
    }
  }
  open_.erase(it);
}

void NotificationPlanner::left(const session::Interaction& interaction) {
  const auto it = open_.find({interaction.session, interaction.key});
  if (it == open_.end() || it->second.interaction->id != interaction.id) return;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    drop_timer(it->second, i);
    lines_[i].lane->drop(interaction.id);
  }
  open_.erase(it);
}

bool NotificationPlanner::seen(const std::string& session, const std::string& key) {
  const auto it = open_.find({session, key});
  if (it == open_.end()) return false;
  it->second.seen = true;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].rule.when == When::unseen) drop_timer(it->second, i);
  }
  return true;
}

std::vector<NotifierState> NotificationPlanner::states() const {
  std::vector<NotifierState> states;
  for (const Line& line : lines_) {
    states.push_back({line.notifier->name(), std::string(line.notifier->kind()),
                      line.notifier->destination(), line.rule, line.lane->state(), line.planned});
  }
  return states;
}

std::size_t NotificationPlanner::reach(const std::string& owner) const {
  const core::WallTime now = dependencies_.scheduler.clock().wall();
  std::size_t places = 0;
  for (const Line& line : lines_) {
    if (reaches(line.rule, owner, name_for(line.rule, owner), now, dependencies_.zone)) {
      places += line.notifier->targets(owner).size();
    }
  }
  return places;
}

Notice NotificationPlanner::test_notice() const {
  const bool chinese = dependencies_.language == Language::chinese;
  Notice notice;
  notice.kind = NoticeKind::test;
  notice.id = core::new_id(dependencies_.scheduler.clock(), dependencies_.entropy);
  notice.key = "test";
  notice.title = chinese ? "Parley 测试通知" : "A test of Parley";
  notice.body = chinese ? "通知可以送达这里。" : "Notifications reach you here.";
  notice.base = base_();
  notice.page_path = "/#/settings/notifications";
  notice.opened_at = dependencies_.scheduler.clock().wall();
  notice.deadline = notice.opened_at + std::chrono::minutes(5);
  return notice;
}

void NotificationPlanner::test(const std::string& notifier, const std::string& target,
                               absl::AnyInvocable<void(Result<void>)> done) {
  const auto line = std::find_if(lines_.begin(), lines_.end(), [&notifier](const Line& one) {
    return one.notifier->name() == notifier;
  });
  if (line == lines_.end()) {
    return done(core::fail(Code::not_found, "No notifier has this name.", "name"));
  }
  if (!in_test_.emplace(notifier, target).second) {
    return done(core::fail(Code::resource_exhausted, "A test is under way. Wait for its end."));
  }
  line->notifier->deliver(
      test_notice(), target,
      [self = self_, notifier, target, push = line->notifier->kind() == "push",
       done = std::move(done)](const Delivery& delivery) mutable {
        const bool ok = delivery.kind == Delivery::Kind::delivered;
        if (*self != nullptr) (*self)->in_test_.erase({notifier, target});
        if (*self != nullptr && push) {
          NotifyStore& store = (*self)->dependencies_.store;
          (void)store.set_attempt(target, (*self)->dependencies_.scheduler.clock().wall(),
                                  ok ? std::string() : delivery.failure);
          if (delivery.kind == Delivery::Kind::gone) (void)store.unsubscribe({}, target);
        }
        done(ok ? Result<void>() : core::fail(Code::unavailable, delivery.failure));
      });
}

// A link that an earlier version gave to a question of which its notice showed a part only becomes
// the form with all answers.
bool NotificationPlanner::is_still_button(const session::Interaction& asked,
                                          const AnswerLink& link) const {
  const std::vector<QuickAnswer> answers = button_answers(asked, dependencies_.language);
  return std::any_of(answers.begin(), answers.end(), [&](const QuickAnswer& one) {
    return one.text == link.text && is_button(asked, one, dependencies_.language);
  });
}

session::Answerer NotificationPlanner::answerer_of(const AnswerLink& link) const {
  session::Answerer by{{{}, link.notifier}, session::Channel::link};
  for (const Line& line : lines_) {
    if (line.notifier->name() != link.notifier) continue;
    // The other kinds of notifiers are names of channels.
    const std::string_view kind = line.notifier->kind();
    by.channel = session::channel_from_name(kind == "email" ? "mail" : kind)
                     .value_or(session::Channel::link);
  }
  if (link.target.empty()) return by;
  const auto device = dependencies_.store.subscription(link.target);
  if (device && device->has_value()) by.holder = {(*device)->token, (*device)->name};
  return by;
}

LinkView NotificationPlanner::look_up(std::string_view secret) {
  LinkView view;
  auto found = dependencies_.store.link(core::secret_hash(secret));
  if (!found) spdlog::error("notify.db cannot be read: {}", found.error().message);
  if (!found || !found->has_value()) return view;
  view.link = std::move(**found);
  const auto open = open_.find({view.link.session, view.link.key});
  const bool waits = open != open_.end() && open->second.interaction->id == view.link.interaction;
  if (view.link.used_at) {
    view.state = LinkState::used;
  } else if (waits) {
    view.state = LinkState::open;
    view.question = open->second.interaction;
    if (!view.link.written) view.link.written = !is_still_button(*view.question, view.link);
  } else if (dependencies_.scheduler.clock().wall() >= view.link.expires_at) {
    view.state = LinkState::expired;
  } else {
    view.state = LinkState::ended;
  }
  return view;
}

void NotificationPlanner::accepted(std::string_view secret) {
  const auto stored = dependencies_.store.set_used(core::secret_hash(secret),
                                                   dependencies_.scheduler.clock().wall());
  if (!stored) spdlog::error("notify.db: {}", stored.error().message);
}

}  // namespace parley::notify
