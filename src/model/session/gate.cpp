// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/gate.h"

#include <algorithm>
#include <array>

#include "model/session/interaction.h"
#include "model/session/notice_key.h"

namespace parley::session {

namespace {

constexpr std::array<std::string_view, 13> kNames = {"",     "console", "assistant", "push", "ntfy",
                                                     "mail", "webhook", "link",      "mcp",  "chat",
                                                     "loom", "api",     "run"};

constexpr std::array<std::string_view, 3> kShownSources = {"not told", "client", "server"};

}  // namespace

std::string_view shown_source_name(Shown::Source source) {
  return kShownSources.at(static_cast<std::size_t>(source));
}

std::optional<Shown::Source> shown_source_from_name(std::string_view name) {
  const auto* const found = std::find(kShownSources.begin(), kShownSources.end(), name);
  if (found == kShownSources.end()) return std::nullopt;
  return static_cast<Shown::Source>(found - kShownSources.begin());
}

std::string_view channel_name(Channel channel) {
  return kNames.at(static_cast<std::size_t>(channel));
}

std::optional<Channel> channel_from_name(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Channel>(found - kNames.begin());
}

namespace {

std::string_view denial_of(Deed deed) {
  switch (deed) {
    case Deed::answer:
      return "Answering this needs a token with the right \"answer\".";
    case Deed::cancel:
      return "Cancelling this needs the token that asked it, or one with the right \"answer\".";
    case Deed::read:
      break;
  }
  return "Reading this needs the token that asked it, or one with the right \"read\".";
}

// The kinds that an agent may also show to its person in its own window. Approvals and calls of
// tools are decided by people who see them in Parley.
bool fits_a_window(InteractionKind kind) {
  return kind == InteractionKind::question || kind == InteractionKind::task_finish;
}

}  // namespace

Asker Authority::asker() const {
  if (source_ == Source::token) return {id_, false};
  if (source_ == Source::window) return {id_, true};
  return {};
}

bool Authority::has_asked(const Interaction& interaction) const {
  return !id_.empty() && interaction.asker.token == id_;
}

bool Authority::permits(const Interaction& interaction, Deed deed) const {
  switch (source_) {
    case Source::token:
      if (deed == Deed::answer) return rights_.answer;
      return has_asked(interaction) || (deed == Deed::cancel ? rights_.answer : rights_.read);
    case Source::window:
      return has_asked(interaction) && interaction.asker.window && fits_a_window(interaction.kind);
    case Source::answer_link:
      return deed == Deed::answer && interaction.key == id_;
    case Source::run:
      return deed != Deed::answer && interaction.asker.token.empty();
    case Source::run_allowance:
      return deed == Deed::answer && interaction.kind == InteractionKind::tool_approval &&
             interaction.asker.token.empty();
    case Source::notice_limit:
      return deed == Deed::cancel && parse_notice_key(interaction.key).has_value();
  }
  return false;
}

core::Result<void> permitted(const Authority& by, const Interaction& interaction, Deed deed) {
  if (by.permits(interaction, deed)) return {};
  return core::fail(core::Code::permission_denied, std::string(denial_of(deed)), "rights");
}

}  // namespace parley::session
