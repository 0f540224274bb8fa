// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/completion_stream.h"

#include <algorithm>
#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/error_code.hpp>

#include "base/core/ascii.h"
#include "base/core/json_member.h"
#include "base/core/utf8_repair.h"
#include "runtime/model/openai_failure.h"

namespace parley::model {
namespace {

using boost::json::object;
using boost::json::value;

// Limit (Models): a call's id or name. Reached: cut.
constexpr std::size_t kMaxNameBytes = 256;
constexpr std::size_t kScratchBytes = 8U << 10U;

std::optional<unsigned> unit_at(std::string_view json, std::size_t at) {
  if (at + 6 > json.size() || json[at] != '\\' || json[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  for (const char c : json.substr(at + 2, 4)) {
    unit <<= 4U;
    if (c >= '0' && c <= '9') {
      unit |= static_cast<unsigned>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      unit |= static_cast<unsigned>((c | 0x20) - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return unit;
}

// Providers that count in UTF-16 cut between the halves of a surrogate pair: a lone half becomes
// U+FFFD, so that the rest can be read.
std::string without_lone_surrogates(std::string_view json) {
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] != '\\') {
      out += json[at++];
      continue;
    }
    const std::optional<unsigned> unit = unit_at(json, at);
    if (!unit) {
      out += json.substr(at, 2);
      at += 2;
      continue;
    }
    const bool high = *unit >= 0xD800 && *unit < 0xDC00;
    const bool low = *unit >= 0xDC00 && *unit < 0xE000;
    const std::optional<unsigned> next = high ? unit_at(json, at + 6) : std::nullopt;
    const bool pair = next && *next >= 0xDC00 && *next < 0xE000;
    const std::size_t length = pair ? 12 : 6;
    out += (high && !pair) || low ? std::string_view("\\ufffd") : json.substr(at, length);
    at += length;
  }
  return out;
}

// Ill-formed UTF-8 is accepted: a character split between two events is joined later.
value parse_lenient(std::string_view json, boost::json::storage_ptr memory,
                    boost::system::error_code& error) {
  boost::json::parse_options options;
  options.allow_invalid_utf8 = true;
  value parsed = boost::json::parse(json, error, memory, options);
  if (!error) return parsed;
  const std::string repaired = without_lone_surrogates(json);
  return boost::json::parse(repaired, error, std::move(memory), options);
}

// An id or a name without ill-formed bytes, cut to the allowed length.
std::string readable(std::string_view text) {
  return core::Utf8Stream().feed(text.substr(0, kMaxNameBytes));
}

std::uint64_t count_of(const object& from, std::string_view key) {
  const value* found = from.if_contains(key);
  if (found == nullptr) return 0;
  if (found->is_uint64()) return found->get_uint64();
  if (found->is_int64() && found->get_int64() > 0) {
    return static_cast<std::uint64_t>(found->get_int64());
  }
  return 0;
}

}  // namespace

CompletionStream::CompletionStream(const ModelEvents& events, MakeId make_id)
    : events_(events),
      make_id_(std::move(make_id)),
      reader_([this](std::string_view event, std::string_view data) { take_event(event, data); }),
      tags_([this](bool reasoning, std::string_view text) { add_text(reasoning, text); }) {
  reply_.message.role = Role::assistant;
}

bool CompletionStream::feed(std::string_view bytes) {
  if (form_ == Form::unknown) {
    const std::size_t begin = bytes.find_first_not_of(core::kBlanks);
    if (begin == std::string_view::npos) return true;
    // A provider that cannot stream sends one JSON object.
    form_ = bytes[begin] == '{' ? Form::object : Form::events;
    bytes.remove_prefix(begin);
  }
  if (form_ == Form::events) {
    if (!reader_.feed(bytes)) (void)make_room(kMaxReplyBytes + 1);
  } else if (object_.size() + bytes.size() > SseReader::kMaxEventBytes) {
    (void)make_room(kMaxReplyBytes + 1);
  } else {
    object_.append(bytes);
  }
  return !done_ && !error_;
}

core::Result<ModelReply> CompletionStream::finish(bool ended_well) {
  if (!error_ && !done_ && form_ == Form::events && ended_well) reader_.finish();
  if (!error_ && !done_ && form_ == Form::object) {
    boost::system::error_code problem;
    const value parsed = parse_lenient(object_, {}, problem);
    if (!problem && parsed.is_object()) {
      done_ = any_ = true;
      take_object(parsed.get_object());
    } else if (ended_well) {
      any_ = true;
      fail(core::Code::data_loss, "The answer of the model is not valid JSON.");
    }
  }
  if (error_) return core::fail(*error_);
  if (!any_ && ended_well) {
    return core::fail(core::Code::data_loss,
                      "The answer is not a chat completion. Check the provider's base_url.");
  }
  if (!done_ && reply_.finish_reason.empty()) {
    temporary_ = true;
    return core::fail(core::Code::data_loss, "The answer of the model is incomplete.");
  }
  tags_.finish();
  if (error_) return core::fail(*error_);
  return whole_reply();
}

core::Result<ModelReply> CompletionStream::whole_reply() {
  for (Call& call : calls_) reply_.message.tool_calls.push_back(std::move(call.call));
  calls_.clear();
  std::string& reason = reply_.finish_reason;
  if (reason == "function_call") reason = "tool_calls";
  if (reason == "max_tokens") reason = "length";
  if (reason.empty()) reason = "stop";
  if (reason == "stop" && !reply_.message.tool_calls.empty()) reason = "tool_calls";
  return std::move(reply_);
}

void CompletionStream::take_event(std::string_view event, std::string_view data) {
  if (done_ || error_) return;
  data = core::trimmed(data);
  if (data.empty()) return;
  any_ = true;
  if (data == "[DONE]") {
    done_ = true;
    return;
  }
  std::array<unsigned char, kScratchBytes> scratch{};
  boost::json::monotonic_resource memory(scratch.data(), scratch.size());
  boost::system::error_code problem;
  const value parsed = parse_lenient(data, &memory, problem);
  if (event == "error" && (problem || !parsed.is_object())) {
    return fail_with(data);
  }
  if (problem || !parsed.is_object()) {
    return fail(core::Code::data_loss, "The answer of the model is not valid JSON.");
  }
  if (event == "error" && !parsed.get_object().contains("error")) {
    return fail_with(data);
  }
  take_object(parsed.get_object());
}

void CompletionStream::take_object(const object& from) {
  if (const value* error = from.if_contains("error"); error != nullptr && !error->is_null()) {
    return fail_with(boost::json::serialize(from));
  }
  if (const value* usage = from.if_contains("usage"); usage != nullptr && usage->is_object()) {
    take_usage(usage->get_object());
  }
  const value* choices = from.if_contains("choices");
  if (choices == nullptr || !choices->is_array()) {
    // Pings and notes of a provider have no choices; an answer in one object must have them.
    if (form_ == Form::object) {
      fail(core::Code::data_loss, "The model's answer has no choices.");
    }
    return;
  }
  for (const value& choice : choices->get_array()) {
    if (!choice.is_object()) continue;
    const value* index = choice.get_object().if_contains("index");
    if (index != nullptr && index->is_int64() && index->get_int64() != 0) continue;
    take_choice(choice.get_object());
  }
}

void CompletionStream::take_choice(const object& choice) {
  const value* message = choice.if_contains("delta");
  if (message == nullptr || !message->is_object()) message = choice.if_contains("message");
  if (message != nullptr && message->is_object()) take_message(message->get_object());
  const std::string_view reason = core::text_member(choice, "finish_reason");
  if (!reason.empty()) reply_.finish_reason = reason;
}

void CompletionStream::take_message(const object& message) {
  // Some providers send the same text under two of these names.
  for (const std::string_view key : {"reasoning_content", "reasoning", "reason_content"}) {
    const std::string_view reasoning = core::text_member(message, key);
    if (reasoning.empty()) continue;
    add_reasoning(reasoning);
    break;
  }
  if (const value* content = message.if_contains("content")) take_content(*content);
  tags_.feed(core::text_member(message, "refusal"));
  if (const value* calls = message.if_contains("tool_calls");
      calls != nullptr && calls->is_array()) {
    for (const value& call : calls->get_array()) {
      if (call.is_object() && !error_) take_tool_call(call.get_object());
    }
  }
  // Legacy form of a call: one function_call object in place of the list.
  if (const value* call = message.if_contains("function_call");
      call != nullptr && call->is_object()) {
    object wrapped;
    wrapped["index"] = 0;
    wrapped["function"] = *call;
    take_tool_call(wrapped);
  }
}

// Text, or a list of parts with text or reasoning.
void CompletionStream::take_content(const value& content) {
  if (content.is_string()) return tags_.feed(content.get_string());
  if (!content.is_array()) return;
  for (const value& part : content.get_array()) {
    if (!part.is_object()) continue;
    const object& fields = part.get_object();
    tags_.feed(core::text_member(fields, "text"));
    const value* thinking = fields.if_contains("thinking");
    if (thinking == nullptr) continue;
    if (thinking->is_string()) add_reasoning(thinking->get_string());
    if (!thinking->is_array()) continue;
    for (const value& piece : thinking->get_array()) {
      if (piece.is_object()) add_reasoning(core::text_member(piece.get_object(), "text"));
    }
  }
}

void CompletionStream::take_tool_call(const object& delta) {
  const value* function = delta.if_contains("function");
  static const object kNothing;
  const object& fields =
      function != nullptr && function->is_object() ? function->get_object() : kNothing;
  const std::string id = readable(core::text_member(delta, "id"));
  const std::string name = readable(core::text_member(fields, "name"));
  std::string arguments(core::text_member(fields, "arguments"));
  // Some providers send the object itself instead of its text.
  if (const value* given = fields.if_contains("arguments");
      given != nullptr && (given->is_object() || given->is_array())) {
    arguments = boost::json::serialize(*given);
  }
  Call* call = call_of(delta, id, name);
  if (call == nullptr) return;
  const std::string whole = call->characters.feed(arguments);
  if (!make_room(name.size() + whole.size())) return;
  // A name arrives whole, possibly repeated in each delta; only few providers send it in pieces.
  const bool named = !name.empty() && call->call.name != name &&
                     call->call.name.size() + name.size() <= kMaxNameBytes;
  if (named) call->call.name += name;
  call->call.arguments += whole;
  streamed_ = true;
  if (!events_.on_tool_call) return;
  events_.on_tool_call(static_cast<std::size_t>(call - calls_.data()), call->call.id,
                       named ? std::string_view(call->call.name) : std::string_view(), whole);
}

// Finds the call of a delta. By index, but a new id under a known index starts a new call (some
// providers number all calls 0). Without an index: by id; else a delta with a name starts a call,
// and a delta without one continues the last call.
CompletionStream::Call* CompletionStream::call_of(const object& delta, std::string_view id,
                                                  std::string_view name) {
  std::optional<std::int64_t> index;
  if (const value* given = delta.if_contains("index"); given != nullptr && given->is_int64()) {
    index = given->get_int64();
  }
  const auto belongs = [&](const Call& call) {
    if (index && call.index) {
      const bool same_id = id.empty() || call.given_id.empty() || call.given_id == id;
      return *index == *call.index && same_id;
    }
    if (!id.empty()) return call.given_id == id;
    return name.empty();
  };
  // Newest first.
  const auto found = std::find_if(calls_.rbegin(), calls_.rend(), belongs);
  if (found != calls_.rend()) {
    if (found->given_id.empty()) found->given_id = id;
    return &*found;
  }
  if (calls_.size() >= kMaxToolCalls) {
    fail(core::Code::resource_exhausted,
         "The model calls more than " + std::to_string(kMaxToolCalls) + " tools at once.");
    return nullptr;
  }
  Call call;
  call.index = index;
  call.given_id = id;
  const bool taken = std::any_of(calls_.begin(), calls_.end(),
                                 [id](const Call& other) { return other.call.id == id; });
  call.call.id = id.empty() || taken ? make_id_() : std::string(id);
  calls_.push_back(std::move(call));
  return &calls_.back();
}

void CompletionStream::take_usage(const object& usage) {
  runtime::Usage counts;
  counts.prompt_tokens = count_of(usage, "prompt_tokens");
  counts.completion_tokens = count_of(usage, "completion_tokens");
  counts.total_tokens = count_of(usage, "total_tokens");
  if (counts.total_tokens == 0) {
    counts.total_tokens = counts.prompt_tokens + counts.completion_tokens;
  }
  if (counts.total_tokens > 0) reply_.usage = counts;
}

void CompletionStream::add_reasoning(std::string_view text) {
  add_text(true, reasoning_.feed(text));
}

void CompletionStream::add_text(bool reasoning, std::string_view text) {
  if (text.empty() || !make_room(text.size())) return;
  (reasoning ? reply_.message.reasoning : reply_.message.content) += text;
  streamed_ = true;
  const auto& handler = reasoning ? events_.on_reasoning : events_.on_text;
  if (handler) handler(text);
}

bool CompletionStream::make_room(std::size_t bytes) {
  if (error_) return false;
  bytes_ += bytes;
  if (bytes_ <= kMaxReplyBytes) return true;
  fail(core::Code::resource_exhausted,
       "The model's reply is larger than " + std::to_string(kMaxReplyBytes >> 20U) + " MiB.");
  return false;
}

void CompletionStream::fail(core::Code code, std::string message) {
  if (!error_) error_ = core::Error{code, std::move(message)};
}

void CompletionStream::fail_with(std::string_view json) {
  if (error_) return;
  ProviderFailure failure = failure_of(0, json);
  temporary_ = failure.temporary;
  error_ = std::move(failure.error);
}

}  // namespace parley::model
