// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "search/entry.h"

#include <simdjson.h>

#include <algorithm>
#include <array>

#include "core/utf8.h"
#include "session/interaction.h"
#include "session/notice_key.h"

namespace parley::search {
namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 3> kKinds = {"question", "run", "chat"};
constexpr std::array<std::string_view, 4> kStates = {"pending", "answered", "cancelled", "expired"};

constexpr std::string_view kOpened = "interaction.opened";
constexpr std::string_view kClosed = "interaction.closed";
constexpr std::string_view kChatRequest = "chat.request";
constexpr std::string_view kRunStart = "run_start";
constexpr std::string_view kReply = "reply";
constexpr std::array<std::string_view, 5> kTypes = {kOpened, kClosed, kChatRequest, kRunStart,
                                                    kReply};
constexpr std::string_view kChatDialect = "chat";

template <typename Enum, std::size_t n>
std::optional<Enum> named(const std::array<std::string_view, n>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

std::string text_of(dom::object from, std::string_view name) {
  std::string_view value;
  if (from.at_key(name).get(value) != simdjson::SUCCESS) return {};
  return std::string(core::utf8_truncate(value, kMaxIndexedBytes));
}

void add_line(std::string& text, std::string_view line) {
  if (line.empty() || text.size() >= kMaxIndexedBytes) return;
  if (!text.empty()) text += '\n';
  text += core::utf8_truncate(line, kMaxIndexedBytes - text.size());
}

// The texts of an answer's contents, without attachments.
std::string answer_text(dom::object closed) {
  std::string out;
  dom::array contents;
  if (closed.at_pointer("/answer/contents").get(contents) != simdjson::SUCCESS) return out;
  for (const dom::element content : contents) {
    dom::object part;
    if (content.get(part) == simdjson::SUCCESS) add_line(out, text_of(part, "text"));
  }
  return out;
}

Change opened(const event::Event& event, Entry entry) {
  const auto found = session::interaction_from_payloads(event.payload, {});
  if (!found || !found->mirror_of.empty()) return {};
  if (session::parse_notice_key(found->key)) return {};  // nobody waits for an answer
  using session::InteractionKind;
  if (found->kind == InteractionKind::client_tool_call ||
      found->kind == InteractionKind::ui_tool_call) {
    return {};
  }
  const session::Prompt& prompt = found->prompt;
  entry.kind = Kind::question;
  entry.key = entry.ref = found->key;
  add_line(entry.text, prompt.text);
  for (const session::Question& question : prompt.questions) {
    if (question.text != prompt.text) add_line(entry.text, question.text);
    for (const session::Choice& choice : question.choices) {
      add_line(entry.text, choice.label);
      add_line(entry.text, choice.description);
    }
  }
  entry.project = prompt.project_directory;
  entry.agent = prompt.agent_name.empty() ? prompt.client_name : prompt.agent_name;
  return entry;
}

// The name that session::name_of_answerer() gives.
std::string answerer_of(dom::object closed) {
  std::string_view name;
  const bool named = closed.at_pointer("/by/name").get(name) == simdjson::SUCCESS;
  return named ? std::string(name) : text_of(closed, "nickname");
}

Change closed(dom::object payload, const event::Event& event) {
  EntryEnd end{text_of(payload, "key"), State::answered, answer_text(payload), answerer_of(payload),
               event.at};
  const auto state = state_from_name(text_of(payload, "state"));
  if (!state || end.ref.empty()) return {};
  end.state = *state;
  if (end.answer.empty()) end.answer = text_of(payload, "reason");
  return end;
}

Change begun(dom::object payload, Entry entry, Kind kind) {
  entry.kind = kind;
  entry.ref = text_of(payload, "run_id");
  entry.key = kind == Kind::chat ? entry.session : entry.ref;
  entry.text = text_of(payload, kind == Kind::chat ? "content" : "message");
  entry.agent = text_of(payload, "agent");
  if (entry.ref.empty()) return {};
  return entry;
}

}  // namespace

std::string_view kind_name(Kind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }
std::string_view state_name(State state) { return kStates.at(static_cast<std::size_t>(state)); }
std::optional<Kind> kind_from_name(std::string_view name) { return named<Kind>(kKinds, name); }
std::optional<State> state_from_name(std::string_view name) { return named<State>(kStates, name); }

std::span<const std::string_view> indexed_types() { return kTypes; }

Change change_of(const event::Event& event, const event::SessionRow& session) {
  if (std::find(kTypes.begin(), kTypes.end(), event.type) == kTypes.end()) return {};
  Entry entry;
  entry.owner = session.owner;
  entry.session = session.id;
  entry.seq = event.seq;
  entry.at = event.at;
  if (event.type == kOpened) return opened(event, std::move(entry));
  dom::parser parser;
  dom::object payload;
  if (parser.parse(event.payload).get(payload) != simdjson::SUCCESS) return {};
  const bool chat = session.dialect == kChatDialect;
  if (event.type == kClosed) return closed(payload, event);
  if (event.type == kChatRequest) return begun(payload, std::move(entry), Kind::chat);
  if (event.type == kReply) {
    return EntryEnd{{}, State::answered, text_of(payload, "reply"), {}, event.at};
  }
  return chat ? Change() : begun(payload, std::move(entry), Kind::run);
}

}  // namespace parley::search
