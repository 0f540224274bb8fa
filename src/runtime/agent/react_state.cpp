// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/react_state.h"

#include <algorithm>

#include "base/core/result.h"
#include "runtime/agent/state_json.h"

namespace parley::agent {

namespace dom = simdjson::dom;

Outcome spoken_outcome(const std::vector<model::Message>& messages,
                       const std::optional<runtime::Usage>& usage) {
  Outcome outcome;
  outcome.usage = usage;
  // The assistant's last text in this turn of the conversation.
  const auto spoken = std::find_if(messages.rbegin(), messages.rend(), [](const auto& message) {
    return message.role == model::Role::user ||
           (message.role == model::Role::assistant && !message.content.empty());
  });
  if (spoken != messages.rend() && spoken->role == model::Role::assistant) {
    outcome.reply = spoken->content;
    outcome.reasoning = spoken->reasoning;
  }
  return outcome;
}

void ReactState::replace_messages(std::vector<model::Message> replacement) {
  messages = std::move(replacement);
  ++revision_;
}

void ReactState::truncate_messages(std::size_t count) {
  if (count >= messages.size()) return;
  messages.resize(count);
  ++revision_;
}

std::size_t ReactState::follow(const ReactState& further) {
  const bool grew = revision_ == further.revision_ && messages.size() <= further.messages.size();
  const std::size_t remaining = grew ? messages.size() : 0;
  std::vector<model::Message> all = std::move(messages);
  all.resize(remaining);
  all.insert(all.end(), further.messages.begin() + static_cast<std::ptrdiff_t>(remaining),
             further.messages.end());
  messages = std::move(all);
  last_reasoning = further.last_reasoning;
  tool_calls = further.tool_calls;
  tool_results = further.tool_results;
  turn_count = further.turn_count;
  think_count = further.think_count;
  usage = further.usage;
  total_usage = further.total_usage;
  message_count_after_last_think = further.message_count_after_last_think;
  revision_ = further.revision_;
  return remaining;
}

void ReactState::write(core::JsonWriter& json, std::uint64_t log_from) const {
  json.begin_object();
  if (log_from > 0) json.key("log_from").number(log_from);
  write_members(json, log_from, true);
  json.end_object();
}

void ReactState::write_members(core::JsonWriter& json, std::uint64_t log_from,
                               bool with_messages) const {
  if (with_messages) {
    json.key("messages");
    write_messages(json, messages, log_from);
  }
  if (!last_reasoning.empty()) json.key("last_reasoning_content").string(last_reasoning);
  json.key("tool_calls").begin_array();
  for (const model::ToolCall& call : tool_calls) {
    json.begin_object();
    json.key("id").string(call.id);
    json.key("name").string(call.name);
    const bool is_short = call.arguments.size() <= kMaxWrittenArguments;
    json.key("arguments").string(is_short ? std::string_view(call.arguments) : "");
    json.end_object();
  }
  json.end_array();
  json.key("tool_results").begin_array();
  for (const ToolRecord& result : tool_results) {
    json.begin_object();
    json.key("call_id").string(result.call_id);
    json.key("name").string(result.name);
    json.key("content").string(result.content);
    json.key("is_error").boolean(result.is_error);
    json.key("truncated").boolean(result.truncated);
    json.end_object();
  }
  json.end_array();
  json.key("turn_count").number(turn_count);
  write_usage(json, "usage", usage);
  write_usage(json, "total_usage", total_usage);
  if (message_count_after_last_think) {
    json.key("message_count_after_last_think").number(*message_count_after_last_think);
  }
  json.key("think_count").number(think_count);
  json.key("should_continue").boolean(true);
}

core::Result<void> ReactState::apply(const dom::object& written) {
  std::uint64_t log_from = 0;
  if (auto read = read_member(written, "log_from", log_from); !read) return read;
  return apply_members(written, log_from, true);
}

core::Result<void> ReactState::apply_members(const dom::object& written, std::uint64_t log_from,
                                             bool with_messages) {
  if (with_messages) {
    if (log_from > messages.size()) {
      return core::fail(core::Code::data_loss, "Messages before this state are missing.",
                        "log_from");
    }
    messages.resize(log_from);
    std::optional<dom::array> entries;
    if (auto read = read_member(written, "messages", entries); !read) return read;
    if (entries) {
      for (const dom::element entry : *entries) {
        PARLEY_TRY(auto message, read_message(entry));
        messages.push_back(std::move(message));
      }
    }
  }
  last_reasoning.clear();
  turn_count = 0;
  think_count = 0;
  usage.reset();
  total_usage.reset();
  message_count_after_last_think.reset();
  auto read = first_failure(
      read_member(written, "last_reasoning_content", last_reasoning),
      read_member(written, "turn_count", turn_count),
      read_member(written, "think_count", think_count), read_member(written, "usage", usage),
      read_member(written, "total_usage", total_usage),
      read_member(written, "message_count_after_last_think", message_count_after_last_think));
  if (!read) return read;
  if (read = apply_calls(written); !read) return read;
  return apply_results(written);
}

core::Result<void> ReactState::apply_calls(const dom::object& written) {
  tool_calls.clear();
  std::optional<dom::array> calls;
  if (auto read = read_member(written, "tool_calls", calls); !read || !calls) return read;
  for (const dom::element element : *calls) {
    PARLEY_TRY(auto object, as_object(element, "tool_calls"));
    model::ToolCall call;
    auto read =
        first_failure(read_member(object, "id", call.id), read_member(object, "name", call.name),
                      read_member(object, "arguments", call.arguments));
    if (!read) return read;
    tool_calls.push_back(std::move(call));
  }
  // Long arguments are written only in the message that made the calls.
  const auto last = std::find_if(messages.rbegin(), messages.rend(), [](const auto& message) {
    return message.role == model::Role::assistant && !message.tool_calls.empty();
  });
  if (last == messages.rend()) return {};
  for (model::ToolCall& call : tool_calls) {
    if (!call.arguments.empty()) continue;
    for (const model::ToolCall& created : last->tool_calls) {
      if (created.id == call.id) call.arguments = created.arguments;
    }
  }
  return {};
}

core::Result<void> ReactState::apply_results(const dom::object& written) {
  tool_results.clear();
  std::optional<dom::array> results;
  if (auto read = read_member(written, "tool_results", results); !read || !results) return read;
  for (const dom::element element : *results) {
    PARLEY_TRY(auto object, as_object(element, "tool_results"));
    ToolRecord record;
    auto read = first_failure(read_member(object, "call_id", record.call_id),
                              read_member(object, "name", record.name),
                              read_member(object, "content", record.content),
                              read_member(object, "is_error", record.is_error),
                              read_member(object, "truncated", record.truncated));
    if (!read) return read;
    tool_results.push_back(std::move(record));
  }
  return {};
}

}  // namespace parley::agent
