// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/utf8_repair.h"
#include "runtime/model/model.h"
#include "runtime/model/sse_reader.h"
#include "runtime/model/think_tags.h"

namespace parley::model {

// Parses the answer to a chat completion, streamed (server-sent events) or as one JSON object, and
// builds the reply. Tolerates the differences between providers: missing ids and indexes of calls,
// reasoning under three names or between <think> tags, characters that are split between two
// events. One object reads one answer, on one thread, without I/O.
class CompletionStream {
 public:
  // Makes an id for a call if the provider sent none, or sent the same id twice.
  using MakeId = std::function<std::string()>;

  // `events` must outlive this object.
  CompletionStream(const ModelEvents& events, MakeId make_id);
  CompletionStream(const CompletionStream&) = delete;
  CompletionStream& operator=(const CompletionStream&) = delete;

  // Reads bytes as they arrive. False once no more bytes are needed: the reply is complete, or
  // reading failed; finish() tells which.
  bool feed(std::string_view bytes);
  // The reply, if the answer was complete: [DONE], a finish reason, or the one JSON object arrived.
  // `ended_well`: the connection reported a complete body. Errors: `data_loss` (truncated or
  // unreadable), `resource_exhausted` (larger than kMaxReplyBytes), and the errors that the
  // provider sent in its stream, mapped by failure_of() of openai_failure.h. Call at most once.
  core::Result<ModelReply> finish(bool ended_well);

  // True if feed() met an error.
  bool failed() const { return error_.has_value(); }
  // True if output was streamed: a retry must then report that this output is void.
  bool streamed() const { return streamed_; }
  // After a failure: true if the same request may succeed a little later.
  bool temporary() const { return temporary_; }

  // Limit (Models): tool calls in a reply. Reached: `resource_exhausted`.
  static constexpr std::size_t kMaxToolCalls = 128;

 private:
  enum class Form : std::uint8_t { unknown, events, object };
  struct Call {
    ToolCall call;
    std::string given_id;               // id from the provider
    std::optional<std::int64_t> index;  // index from the provider
    core::Utf8Stream characters;        // decoder of the arguments
  };

  void take_event(std::string_view event, std::string_view data);
  void take_object(const boost::json::object& object);
  void take_choice(const boost::json::object& choice);
  void take_message(const boost::json::object& message);
  void take_content(const boost::json::value& content);
  void take_tool_call(const boost::json::object& delta);
  Call* call_of(const boost::json::object& delta, std::string_view id, std::string_view name);
  void take_usage(const boost::json::object& usage);
  void add_reasoning(std::string_view text);
  void add_text(bool reasoning, std::string_view text);
  bool make_room(std::size_t bytes);
  void fail(core::Code code, std::string message);
  void fail_with(std::string_view json);
  core::Result<ModelReply> whole_reply();

  const ModelEvents& events_;
  MakeId make_id_;
  Form form_ = Form::unknown;
  std::string object_;  // the answer so far, if it is one JSON object
  SseReader reader_;
  ThinkTags tags_;
  core::Utf8Stream reasoning_;
  ModelReply reply_;
  std::vector<Call> calls_;
  std::size_t bytes_ = 0;
  bool done_ = false;  // [DONE] or the one JSON object arrived
  bool any_ = false;   // something readable arrived
  bool streamed_ = false;
  bool temporary_ = false;
  std::optional<core::Error> error_;
};

}  // namespace parley::model
