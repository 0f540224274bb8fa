// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/rule.h"

#include <algorithm>
#include <ctime>

#include "base/core/time_text.h"
#include "services/notify/answers.h"

namespace parley::notify {
namespace {

constexpr std::chrono::minutes kMinutesOfDay = std::chrono::hours(24);

bool fits_any(const std::vector<std::string>& globs,
              std::initializer_list<std::string_view> texts) {
  if (globs.empty()) return true;
  return std::any_of(globs.begin(), globs.end(), [&texts](const std::string& glob) {
    return std::any_of(texts.begin(), texts.end(), [&glob](std::string_view text) {
      return !text.empty() && fits_glob(glob, text);
    });
  });
}

}  // namespace

core::Result<QuietHours> QuietHours::parse(std::string_view text) {
  if (text.empty() || text == "none") return QuietHours{};
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto begin = core::parse_minute(text.substr(0, dash));
    const auto end = core::parse_minute(text.substr(dash + 1));
    if (begin && end) return QuietHours{*begin, *end};
  }
  return core::fail(core::Code::invalid_argument,
                    "Quiet hours must have the form 22:00-07:00, or be none.", "quiet_hours");
}

std::chrono::seconds system_zone_offset(core::WallTime at) {
  const std::time_t seconds = static_cast<std::time_t>(core::to_unix_s(at));
  std::tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return std::chrono::seconds(0);
  return std::chrono::seconds(local.tm_gmtoff);
}

core::WallTime after_quiet(const QuietHours& quiet, core::WallTime at, const ZoneOffset& zone) {
  if (quiet.begin == quiet.end) return at;
  const core::Millis local = (at + zone(at)).time_since_epoch();
  const core::Millis day = std::chrono::duration_cast<core::Millis>(kMinutesOfDay);
  const core::Millis now = ((local % day) + day) % day;
  const bool over_midnight = quiet.end < quiet.begin;
  const bool is_quiet =
      over_midnight ? now >= quiet.begin || now < quiet.end : now >= quiet.begin && now < quiet.end;
  if (!is_quiet) return at;
  const core::Millis until = core::Millis(quiet.end) - now;
  return at + (until > core::Millis(0) ? until : until + day);
}

bool fits_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star =
      std::string_view::npos;  // last "*" of the pattern, and the text that it has taken
  std::size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool fits(const Rule& rule, const session::Prompt& prompt, std::string_view owner,
          std::string_view owner_name) {
  return fits_any(rule.projects,
                  {prompt.project_directory, project_name(prompt.project_directory)}) &&
         fits_any(rule.agents, {prompt.agent_name, prompt.client_name}) &&
         fits_any(rule.tokens, {owner, owner_name});
}

bool reaches(const Rule& rule, std::string_view owner, std::string_view owner_name,
             core::WallTime now, const ZoneOffset& zone) {
  return fits_any(rule.tokens, {owner, owner_name}) && after_quiet(rule.quiet, now, zone) == now;
}

std::optional<core::WallTime> due_at(const Rule& rule, const session::Interaction& interaction,
                                     const ZoneOffset& zone) {
  core::WallTime at = interaction.opened_at;
  if (rule.when == When::unseen) at += rule.after;
  if (rule.when == When::deadline) at = std::max(at, interaction.deadline - rule.after);
  at = after_quiet(rule.quiet, at, zone);
  if (at >= interaction.deadline) return std::nullopt;
  return at;
}

}  // namespace parley::notify
