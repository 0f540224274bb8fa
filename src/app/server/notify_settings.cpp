// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Rows of the table for notifications and their notifiers.
#include "app/server/settings_rows.h"

namespace parley::app {
namespace {

constexpr std::int64_t kTenMinutes = std::int64_t{10} * 60 * kSecond;

using Type = SettingType;
using Notify = notify::NotifySettings;
using RuleText = notify::RuleText;

constexpr std::string_view kTimes[] = {"at_once", "unseen", "deadline"};
constexpr std::string_view kLanguages[] = {"en", "zh"};

constexpr std::string_view kNameHelp = "Name of the notifier. Required.";
constexpr std::string_view kWhenHelp =
    "When a notice is sent: at_once, unseen (nobody has seen the question for the time of after), "
    "or deadline (that time before the question expires).";
constexpr std::string_view kAfterHelp = "The time for when.";
constexpr std::string_view kQuietHelp =
    "Quiet hours of this notifier, or none. Empty: those of notify.quiet_hours.";
constexpr std::string_view kProjectsHelp =
    "Globs of project directories, or of their last part. Empty: every project.";
constexpr std::string_view kAgentsHelp =
    "Globs of names of agents or of their clients. Empty: every agent.";
constexpr std::string_view kTokensHelp =
    "Globs of names or ids of tokens whose questions are sent. Empty: those of every token.";

auto& last_ntfy(Settings& s) { return s.notify.ntfy.back(); }
auto& last_webhook(Settings& s) { return s.notify.webhooks.back(); }
auto& last_email(Settings& s) { return s.notify.emails.back(); }

using Ntfy = notify::Configured<notify::NtfySettings>;
using Webhook = notify::Configured<notify::WebhookSettings>;
using Email = notify::Configured<notify::EmailSettings>;
using Smtp = notify::SmtpServer;

constexpr Setting kNotifyRows[] = {
    row<&Settings::notify, &Notify::language>(
        "notify.language", {Type::choice, "en", 0, 0, kLanguages}, "Language of notices."),
    row<&Settings::notify, &Notify::quiet_hours>(
        "notify.quiet_hours", {Type::text},
        "Hours without notices in the time zone of the server, for example 22:00-07:00. A notice "
        "that is due meanwhile is sent at their end if its question still waits. Empty: none."),
    row<&Settings::notify, &Notify::private_hosts>(
        "notify.private_hosts", {Type::names},
        "Names and addresses of ntfy servers and webhooks that may be in a private network."),
    row<&Settings::notify, &Notify::push_private_hosts>(
        "notify.push_private_hosts", {Type::names},
        "Names and addresses of push services that may be in a private network and http: services "
        "of one's own. Any browser with a token may then make the server send to them."),
    row<&Settings::notify, &Notify::push>("notify.push", {Type::boolean, "true"},
                                          "Send Web Push to browsers that have subscribed."),
    row<&Settings::notify, &Notify::push_contact>(
        "notify.push_contact", {Type::text},
        "Contact for push services: mailto:ADDRESS or a https URL. Empty: the server's origin."),
    row<&Settings::notify, &Notify::push_rule, &RuleText::when>(
        "notify.push_when", {Type::choice, "unseen", 0, 0, kTimes}, kWhenHelp),
    row<&Settings::notify, &Notify::push_rule, &RuleText::after>(
        "notify.push_after", {Type::duration, "10s", 0, 30 * kDay}, kAfterHelp),
    row<&Settings::notify, &Notify::push_rule, &RuleText::quiet_hours>("notify.push_quiet_hours",
                                                                       {Type::text}, kQuietHelp),
};

constexpr Setting kNtfyFields[] = {
    row<last_ntfy, &Ntfy::notifier, &notify::NtfySettings::name>("notify.ntfy.name", {Type::text},
                                                                 kNameHelp),
    row<last_ntfy, &Ntfy::notifier, &notify::NtfySettings::url>(
        "notify.ntfy.url", {Type::secret},
        "URL of the topic, for example https://ntfy.sh/my-topic. Required."),
    row<last_ntfy, &Ntfy::notifier, &notify::NtfySettings::token>(
        "notify.ntfy.token", {Type::secret}, "Access token of the ntfy server."),
    row<last_ntfy, &Ntfy::notifier, &notify::NtfySettings::user>(
        "notify.ntfy.user", {Type::text}, "User of the ntfy server, in place of a token."),
    row<last_ntfy, &Ntfy::notifier, &notify::NtfySettings::password>(
        "notify.ntfy.password", {Type::secret}, "Password of the user."),
    row<last_ntfy, &Ntfy::notifier, &notify::NtfySettings::priority>(
        "notify.ntfy.priority", {Type::integer, "4", 1, 5}, "Priority of the messages."),
    row<last_ntfy, &Ntfy::rule, &RuleText::when>(
        "notify.ntfy.when", {Type::choice, "at_once", 0, 0, kTimes}, kWhenHelp),
    row<last_ntfy, &Ntfy::rule, &RuleText::after>("notify.ntfy.after",
                                                  {Type::duration, "1m", 0, 30 * kDay}, kAfterHelp),
    row<last_ntfy, &Ntfy::rule, &RuleText::quiet_hours>("notify.ntfy.quiet_hours", {Type::text},
                                                        kQuietHelp),
    row<last_ntfy, &Ntfy::rule, &RuleText::projects>("notify.ntfy.projects", {Type::names},
                                                     kProjectsHelp),
    row<last_ntfy, &Ntfy::rule, &RuleText::agents>("notify.ntfy.agents", {Type::names},
                                                   kAgentsHelp),
    row<last_ntfy, &Ntfy::rule, &RuleText::tokens>("notify.ntfy.tokens", {Type::names},
                                                   kTokensHelp),
};

constexpr Setting kWebhookFields[] = {
    row<last_webhook, &Webhook::notifier, &notify::WebhookSettings::name>("notify.webhook.name",
                                                                          {Type::text}, kNameHelp),
    row<last_webhook, &Webhook::notifier, &notify::WebhookSettings::url>(
        "notify.webhook.url", {Type::secret}, "URL that gets one POST for each notice. Required."),
    row<last_webhook, &Webhook::notifier, &notify::WebhookSettings::secret>(
        "notify.webhook.secret", {Type::secret},
        "Key of the signature, at least 16 characters. Required."),
    row<last_webhook, &Webhook::rule, &RuleText::when>(
        "notify.webhook.when", {Type::choice, "at_once", 0, 0, kTimes}, kWhenHelp),
    row<last_webhook, &Webhook::rule, &RuleText::after>(
        "notify.webhook.after", {Type::duration, "1m", 0, 30 * kDay}, kAfterHelp),
    row<last_webhook, &Webhook::rule, &RuleText::quiet_hours>("notify.webhook.quiet_hours",
                                                              {Type::text}, kQuietHelp),
    row<last_webhook, &Webhook::rule, &RuleText::projects>("notify.webhook.projects", {Type::names},
                                                           kProjectsHelp),
    row<last_webhook, &Webhook::rule, &RuleText::agents>("notify.webhook.agents", {Type::names},
                                                         kAgentsHelp),
    row<last_webhook, &Webhook::rule, &RuleText::tokens>("notify.webhook.tokens", {Type::names},
                                                         kTokensHelp),
};

template <auto kMember>
constexpr Setting smtp_row(std::string_view key, ValueRange range, std::string_view help) {
  return row<last_email, &Email::notifier, &notify::EmailSettings::server, kMember>(key, range,
                                                                                    help);
}

constexpr Setting kEmailFields[] = {
    row<last_email, &Email::notifier, &notify::EmailSettings::name>("notify.email.name",
                                                                    {Type::text}, kNameHelp),
    smtp_row<&Smtp::url>("notify.email.server", {Type::text},
                         "The mail server: smtp://HOST:587 or smtps://HOST. Required."),
    smtp_row<&Smtp::user>("notify.email.user", {Type::text}, "User of the mail server."),
    smtp_row<&Smtp::password>("notify.email.password", {Type::secret}, "Password of the user."),
    smtp_row<&Smtp::starttls>(
        "notify.email.starttls", {Type::boolean, "true"},
        "With smtp: require STARTTLS. Without it a password is sent to this computer alone."),
    smtp_row<&Smtp::ca_file>("notify.email.ca_file", {Type::path},
                             "PEM file with the certificates to trust instead of the system's."),
    smtp_row<&Smtp::connect_timeout>("notify.email.connect_timeout",
                                     {Type::duration, "10s", 100, kTenMinutes},
                                     "Time limit for opening a connection."),
    smtp_row<&Smtp::total_timeout>("notify.email.total_timeout",
                                   {Type::duration, "30s", 100, kTenMinutes},
                                   "Time limit for sending a message."),
    row<last_email, &Email::notifier, &notify::EmailSettings::from>(
        "notify.email.from", {Type::text}, "Address of the sender. Required."),
    row<last_email, &Email::notifier, &notify::EmailSettings::to>(
        "notify.email.to", {Type::names}, "Addresses of the recipients. Required."),
    row<last_email, &Email::rule, &RuleText::when>(
        "notify.email.when", {Type::choice, "at_once", 0, 0, kTimes}, kWhenHelp),
    row<last_email, &Email::rule, &RuleText::after>(
        "notify.email.after", {Type::duration, "1m", 0, 30 * kDay}, kAfterHelp),
    row<last_email, &Email::rule, &RuleText::quiet_hours>("notify.email.quiet_hours", {Type::text},
                                                          kQuietHelp),
    row<last_email, &Email::rule, &RuleText::projects>("notify.email.projects", {Type::names},
                                                       kProjectsHelp),
    row<last_email, &Email::rule, &RuleText::agents>("notify.email.agents", {Type::names},
                                                     kAgentsHelp),
    row<last_email, &Email::rule, &RuleText::tokens>("notify.email.tokens", {Type::names},
                                                     kTokensHelp),
};

}  // namespace

std::span<const Setting> notify_settings() { return kNotifyRows; }

SettingGroup ntfy_group() {
  return {"notify.ntfy", kNtfyFields, [](Settings& s) { s.notify.ntfy.emplace_back(); }};
}
SettingGroup webhook_group() {
  return {"notify.webhook", kWebhookFields, [](Settings& s) { s.notify.webhooks.emplace_back(); }};
}
SettingGroup email_group() {
  return {"notify.email", kEmailFields, [](Settings& s) { s.notify.emails.emplace_back(); }};
}

}  // namespace parley::app
