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

#include "core/utf8_repair.h"
#include "runtime/model/model.h"
#include "runtime/model/sse_reader.h"
#include "runtime/model/think_tags.h"

namespace parley::model {

// Reads the answer to a chat completion, streamed (server-sent events) or in one JSON object, and
// gathers the reply. Forgiving where providers differ: ids and indexes of calls that are missing,
// reasoning under three names or between <think> tags, characters that are cut between two events.
// One answer; one thread; no I/O.
class CompletionStream {
 public:
  // Makes the id of a call whose provider gave none, or one twice.
  using MakeId = std::function<std::string()>;

  // `events` outlives it.
  CompletionStream(const ModelEvents& events, MakeId make_id);
  CompletionStream(const CompletionStream&) = delete;
  CompletionStream& operator=(const CompletionStream&) = delete;

  // Takes bytes as they come. False: it has all that it needs, or it failed; finish() says which.
  bool feed(std::string_view bytes);
  // The reply, if the answer was whole: [DONE], a finish reason, or the one JSON object came.
  // `ended_well`: the connection says that nothing is missing. Errors: `data_loss` (truncated, not
  // readable), `resource_exhausted` (larger than kMaxReplyBytes), and those that the provider told
  // in its stream, as failure_of() of openai_failure.h says. Called once.
  core::Result<ModelReply> finish(bool ended_well);

  // Whether feed() came upon an error.
  bool failed() const { return error_.has_value(); }
  // Whether any event was given: a next try must tell that it is void.
  bool streamed() const { return streamed_; }
  // Of a failure: whether the same request may well succeed a little later.
  bool temporary() const { return temporary_; }

  static constexpr std::size_t kMaxToolCalls = 128;

 private:
  enum class Form : std::uint8_t { unknown, events, object };
  struct Call {
    ToolCall call;
    std::string given_id;               // the provider's
    std::optional<std::int64_t> index;  // the provider's
    core::Utf8Stream characters;        // of its arguments
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
  void fail_as_told(std::string_view json);
  core::Result<ModelReply> whole_reply();

  const ModelEvents& events_;
  MakeId make_id_;
  Form form_ = Form::unknown;
  std::string object_;  // the answer, if it is one object
  SseReader reader_;
  ThinkTags tags_;
  core::Utf8Stream reasoning_;
  ModelReply reply_;
  std::vector<Call> calls_;
  std::size_t bytes_ = 0;
  bool done_ = false;  // [DONE], or the one object
  bool any_ = false;   // something that can be read came
  bool streamed_ = false;
  bool temporary_ = false;
  std::optional<core::Error> error_;
};

}  // namespace parley::model
