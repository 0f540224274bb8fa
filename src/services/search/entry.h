// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/core/clock.h"
#include "model/event/session_store.h"
#include "model/session/action.h"
#include "model/session/verdict.h"

namespace parley::search {

enum class Kind : std::uint8_t { question, run, chat };
enum class State : std::uint8_t { pending, answered, cancelled, expired };

using session::Verdict;

std::string_view kind_name(Kind kind);     // "question", "run", "chat"
std::string_view state_name(State state);  // "pending", "answered", "cancelled", "expired"
std::optional<Kind> kind_from_name(std::string_view name);
std::optional<State> state_from_name(std::string_view name);

// Longer texts are cut to this in the index.
// Limit (/v1): text of one entry of the search. Reached: cut.
inline constexpr std::size_t kMaxIndexedBytes = 16U << 10U;

// One hit of a search: a question (or report, or approval) with its answer, a run with its reply,
// or a message of a chat with the reply of its run.
struct Entry {
  std::int64_t id = 0;  // assigned by the index
  std::string owner;
  std::string session;
  std::uint64_t seq = 0;  // of the event that begins it
  Kind kind = Kind::question;
  std::string key;  // of the interaction, the run or the chat session: what a page opens
  std::string ref;  // what the event of its end names: the interaction's key, or the run's id
  State state = State::pending;
  std::string text;    // the question, or the message
  std::string answer;  // the answer, the reason of its end, or the reply
  std::string project;
  std::string agent;
  std::string person;  // name of the token or device that answered; of older events a nickname
  core::WallTime at;
  std::optional<core::WallTime> closed_at;
  bool is_permission = false;                  // a permission prompt, with or without an action
  std::optional<session::Action> action = {};  // that it asks for
  Verdict verdict = Verdict::none;
  std::string channel = {};  // of the answer, as session::channel_name()
};

// The end of an entry of the same session.
struct EntryEnd {
  std::string ref;
  State state = State::answered;
  std::string answer;
  std::string person;
  core::WallTime at;
  Verdict verdict = Verdict::none;  // counts only for a permission prompt
  std::string channel = {};
};

using Change = std::variant<std::monostate, Entry, EntryEnd>;

// The types of the events that change_of() reads.
std::span<const std::string_view> indexed_types();

// The change of the index by one event of `session`; std::monostate: none. An unreadable payload
// changes nothing.
Change change_of(const event::Event& event, const event::SessionRow& session);

}  // namespace parley::search
