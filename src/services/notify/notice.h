// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"

namespace parley::notify {

// Longest title and body of a notice, in bytes; longer ones are cut between characters.
// Limit (Notifications): title of a notice. Reached: cut between characters.
inline constexpr std::size_t kMaxTitleBytes = 200;
// Limit (Notifications): body of a notice. Reached: cut between characters.
inline constexpr std::size_t kMaxBodyBytes = 2'000;
// What a person sees of a notice at once, on a lock screen too: characters of the title, of the
// body and of a button, and lines of the body. The service worker (web/src/pwa/push_message.ts)
// shows no more.
// Limit (Notifications): characters of the title of a question whose buttons may allow something.
// Reached: reached through the page.
inline constexpr std::size_t kMaxSeenTitle = 120;
// Limit (Notifications): characters of the body of such a question. Reached: reached through the
// page.
inline constexpr std::size_t kMaxSeenBody = 400;
// Limit (Notifications): characters of a label of such a question. Reached: reached through the
// page.
inline constexpr std::size_t kMaxSeenLabel = 40;
// Limit (Notifications): lines of such a question. Reached: reached through the page.
inline constexpr std::size_t kMaxSeenLines = 8;
// Blanks in a row that do not move the text behind them out of sight.
// Limit (Notifications): blanks in a row in such a question. Reached: reached through the page.
inline constexpr std::size_t kMaxSeenBlanks = 16;
// Choices that a notice offers; further ones are reached through its page.
// Limit (Notifications): options of a notice. Reached: reached through the page.
inline constexpr std::size_t kMaxOptions = 8;
// An option with a longer answer has no link of its own.
// Limit (Notifications): answer of a notice's option. Reached: reached through the page.
inline constexpr std::size_t kMaxLinkAnswerBytes = 1024;

enum class NoticeKind : std::uint8_t { question, task_finish, test };

std::string_view notice_kind_name(NoticeKind kind);  // "question", "task_finish", "test"

// An answer that one POST to base + path gives. GET shows what would be answered.
struct NoticeOption {
  std::string label;
  std::string path;   // "/a/SECRET"
  bool safe = false;  // allows nothing; others are offered only where all of the question is seen
};

// A message for people about an open question. It holds no token of Parley.
struct Notice {
  NoticeKind kind = NoticeKind::question;
  std::string id;   // of the interaction: equal for every attempt of every notifier
  std::string key;  // of the interaction
  std::string title;
  std::string body;
  std::string project;  // directory; may be empty
  std::string agent;    // may be empty
  std::vector<NoticeOption> options;
  std::string write_path;  // link to a form with all answers; empty: none
  std::string page_path;   // of the question in the console: "/#/inbox/item/KEY"
  std::string base;        // origin of the server, to which the paths belong
  core::WallTime opened_at;
  core::WallTime deadline;

  std::string page_url() const { return base + page_path; }
  std::string write_url() const { return write_path.empty() ? std::string() : base + write_path; }
};

}  // namespace parley::notify
