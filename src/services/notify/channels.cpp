// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/channels.h"

#include <set>
#include <utility>

#include "base/core/id.h"
#include "base/core/result.h"

namespace parley::notify {
namespace {

using core::Result;

Result<Rule> rule_of(const RuleText& text, const std::string& usual_quiet_hours) {
  Rule rule;
  rule.when = text.when == "deadline" ? When::deadline
                                      : (text.when == "unseen" ? When::unseen : When::at_once);
  rule.after = text.after;
  PARLEY_TRY(rule.quiet,
             QuietHours::parse(text.quiet_hours.empty() ? usual_quiet_hours : text.quiet_hours));
  rule.projects = text.projects;
  rule.agents = text.agents;
  rule.tokens = text.tokens;
  return rule;
}

// Adds channels, and puts the name of the notifier before each error.
class ChannelList {
 public:
  explicit ChannelList(const NotifySettings& settings) : settings_(settings) {}

  template <typename Make>
  Result<void> add(const std::string& kind, const std::string& name, const RuleText& text,
                   const Make& make) {
    const auto named = [&](const core::Error& error) {
      const std::string field = error.field.empty() ? "" : ", " + error.field;
      return core::fail(core::Code::invalid_argument,
                        "The " + kind + " notifier \"" + name + "\"" + field + ": " + error.message,
                        error.field);
    };
    const bool taken = name == kPushName && kind != kPushName;
    if (!core::is_safe_id(name) || taken || !names_.insert(name).second) {
      return named({core::Code::invalid_argument,
                    "A notifier must have a name of its own, of letters, digits, '.', '_' and '-', "
                    "other than push.",
                    "name"});
    }
    Result<Rule> rule = rule_of(text, settings_.quiet_hours);
    if (!rule) return named(rule.error());
    Result<std::unique_ptr<Notifier>> created = make();
    if (!created) return named(created.error());
    channels_.push_back({std::move(*created), std::move(*rule)});
    return {};
  }

  std::vector<NotificationPlanner::Channel> take() { return std::move(channels_); }

 private:
  const NotifySettings& settings_;
  std::set<std::string> names_;
  std::vector<NotificationPlanner::Channel> channels_;
};

}  // namespace

Language language_of(const NotifySettings& settings) {
  return settings.language == "zh" ? Language::chinese : Language::english;
}

Result<std::vector<NotificationPlanner::Channel>> make_channels(
    const NotifySettings& settings, const ChannelDependencies& dependencies) {
  ChannelList list(settings);
  const Language language = language_of(settings);
  const auto& hosts = settings.private_hosts;
  if (dependencies.push_key != nullptr) {
    const std::string& contact = settings.push_contact;
    PARLEY_TRY_VOID(list.add("push", std::string(kPushName), settings.push_rule, [&] {
      return Result<std::unique_ptr<Notifier>>(make_push_notifier(
          {dependencies.push_key, contact.empty() ? dependencies.origin : contact,
           settings.push_private_hosts},
          dependencies.store, dependencies.fetcher, dependencies.entropy, dependencies.scheduler));
    }));
  }
  for (const auto& [notifier, rule] : settings.ntfy) {
    PARLEY_TRY_VOID(list.add("ntfy", notifier.name, rule, [&, &one = notifier] {
      return make_ntfy_notifier(one, hosts, language, dependencies.fetcher, dependencies.scheduler);
    }));
  }
  for (const auto& [notifier, rule] : settings.webhooks) {
    PARLEY_TRY_VOID(list.add("webhook", notifier.name, rule, [&, &one = notifier] {
      return make_webhook_notifier(one, hosts, dependencies.fetcher, dependencies.scheduler);
    }));
  }
  for (const auto& [notifier, rule] : settings.emails) {
    PARLEY_TRY_VOID(list.add("email", notifier.name, rule, [&, &one = notifier] {
      return make_email_notifier(one, language, dependencies.entropy, dependencies.scheduler);
    }));
  }
  return list.take();
}

}  // namespace parley::notify
