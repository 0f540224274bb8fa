// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_model/scripted_model.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include "base/core/json_writer.h"
#include "base/core/utf8.h"

namespace parley::model {
namespace {

using core::JsonWriter;
using http_client::ScriptedAnswer;
using http_client::ServedRequest;

// Writes the beginning of a chunk up to its delta, which the caller writes; `close` ends it.
class Chunk {
 public:
  explicit Chunk(const std::string& model) : json_(text_) {
    json_.begin_object().key("id").string("chatcmpl-scripted");
    json_.key("object").string("chat.completion.chunk").key("created").number(1);
    json_.key("model").string(model).key("choices").begin_array().begin_object();
    json_.key("index").number(0).key("delta").begin_object();
  }
  JsonWriter& delta() { return json_; }
  std::string close(const std::string& finish_reason = {}) {
    json_.end_object().key("finish_reason");
    if (finish_reason.empty()) {
      json_.null();
    } else {
      json_.string(finish_reason);
    }
    json_.end_object().end_array().end_object();
    return "data: " + text_ + "\n\n";
  }

 private:
  std::string text_;
  JsonWriter json_;
};

std::vector<std::string> pieces_of(std::string_view text, std::size_t bytes) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::string_view piece = core::utf8_truncate(text, std::max<std::size_t>(bytes, 1));
    // A character longer than a piece becomes a piece of its own.
    for (std::size_t more = 1; piece.empty(); ++more) piece = core::utf8_truncate(text, more);
    out.emplace_back(piece);
    text.remove_prefix(piece.size());
  }
  return out;
}

std::string finish_reason_of(const ScriptedTurn& turn) {
  if (!turn.finish_reason.empty()) return turn.finish_reason;
  return turn.tool_calls.empty() ? "stop" : "tool_calls";
}

void write_usage(JsonWriter& json, const runtime::Usage& usage) {
  json.key("usage").begin_object().key("prompt_tokens").number(usage.prompt_tokens);
  json.key("completion_tokens").number(usage.completion_tokens);
  json.key("total_tokens").number(usage.total_tokens).end_object();
}

void add_call_chunks(std::vector<std::string>& out, const ScriptedTurn& turn,
                     const std::string& model) {
  for (std::size_t i = 0; i < turn.tool_calls.size(); ++i) {
    const ToolCall& call = turn.tool_calls[i];
    std::vector<std::string> pieces = pieces_of(call.arguments, turn.chunk_bytes);
    pieces.insert(pieces.begin(), "");
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      Chunk chunk(model);
      JsonWriter& json = chunk.delta();
      json.key("tool_calls").begin_array().begin_object();
      json.key("index").number(static_cast<std::uint64_t>(i));
      if (at == 0 && !call.id.empty()) json.key("id").string(call.id);
      if (at == 0) json.key("type").string("function");
      json.key("function").begin_object();
      if (at == 0) json.key("name").string(call.name);
      json.key("arguments").string(pieces[at]).end_object().end_object().end_array();
      out.push_back(chunk.close());
    }
  }
}

std::vector<std::string> stream_of(const ScriptedTurn& turn, const std::string& model) {
  std::vector<std::string> out;
  Chunk first(model);
  first.delta().key("role").string("assistant").key("content").string("");
  out.push_back(first.close());
  const auto add_text = [&](const std::string& text, std::string_view name) {
    for (const std::string& piece : pieces_of(text, turn.chunk_bytes)) {
      Chunk chunk(model);
      chunk.delta().key(name).string(piece);
      out.push_back(chunk.close());
    }
  };
  add_text(turn.reasoning, "reasoning_content");
  add_text(turn.text, "content");
  add_call_chunks(out, turn, model);
  if (turn.end == ScriptedAnswer::End::endless) return out;
  out.push_back(Chunk(model).close(finish_reason_of(turn)));
  if (turn.usage) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("choices").begin_array().end_array();
    write_usage(json, *turn.usage);
    json.end_object();
    out.push_back("data: " + text + "\n\n");
  }
  if (turn.done) out.emplace_back("data: [DONE]\n\n");
  return out;
}

std::string object_of(const ScriptedTurn& turn, const std::string& model) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("id").string("chatcmpl-scripted").key("object").string("chat.completion");
  json.key("created").number(1).key("model").string(model);
  json.key("choices").begin_array().begin_object().key("index").number(0);
  json.key("message").begin_object().key("role").string("assistant");
  json.key("content").string(turn.text);
  if (!turn.reasoning.empty()) json.key("reasoning_content").string(turn.reasoning);
  if (!turn.tool_calls.empty()) {
    json.key("tool_calls").begin_array();
    for (const ToolCall& call : turn.tool_calls) {
      json.begin_object();
      if (!call.id.empty()) json.key("id").string(call.id);
      json.key("type").string("function").key("function").begin_object();
      json.key("name").string(call.name).key("arguments").string(call.arguments);
      json.end_object().end_object();
    }
    json.end_array();
  }
  json.end_object().key("finish_reason").string(finish_reason_of(turn)).end_object().end_array();
  if (turn.usage) write_usage(json, *turn.usage);
  json.end_object();
  return out;
}

std::string error_of(const std::string& message) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("error").begin_object().key("message").string(message);
  json.end_object().end_object();
  return out;
}

ScriptedAnswer one_piece(std::string bytes, int status = 200) {
  ScriptedAnswer answer;
  answer.status = status;
  answer.headers = {{"Content-Type", "application/json"}};
  answer.framing = ScriptedAnswer::Framing::length;
  answer.pieces = {{core::Millis(0), std::move(bytes)}};
  return answer;
}

std::vector<std::string> in_packets(const std::vector<std::string>& pieces, std::size_t bytes) {
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  std::vector<std::string> out;
  for (std::size_t at = 0; at < all.size(); at += bytes) out.push_back(all.substr(at, bytes));
  return out;
}

ScriptedAnswer answer_of(const ScriptedTurn& turn, const std::string& model, bool streamed) {
  ScriptedAnswer answer;
  answer.status = turn.status;
  answer.headers = turn.headers;
  std::vector<std::string> pieces = turn.raw;
  if (pieces.empty() && turn.status != 200) {
    pieces = {turn.body};
    answer.headers.emplace_back("Content-Type", "application/json");
  } else if (pieces.empty() && (turn.plain || !streamed)) {
    pieces = {object_of(turn, model)};
    answer.headers.emplace_back("Content-Type", "application/json");
  } else {
    if (pieces.empty()) pieces = stream_of(turn, model);
    answer.headers.emplace_back("Content-Type", "text/event-stream");
  }
  if (turn.pieces_before_end && *turn.pieces_before_end < pieces.size()) {
    pieces.resize(*turn.pieces_before_end);
  }
  if (turn.split_bytes > 0) pieces = in_packets(pieces, turn.split_bytes);
  for (std::string& piece : pieces) answer.pieces.push_back({turn.delay, std::move(piece)});
  answer.end = turn.end;
  answer.stamped = turn.stamped;
  answer.head_delay = turn.first_delay;
  return answer;
}

}  // namespace

ScriptedTurn ScriptedTurn::say(std::string text) {
  ScriptedTurn turn;
  turn.text = std::move(text);
  return turn;
}

ScriptedTurn ScriptedTurn::call(std::string name, std::string arguments, std::string id) {
  ScriptedTurn turn;
  turn.tool_calls = {{std::move(id), std::move(name), std::move(arguments)}};
  return turn;
}

ScriptedTurn ScriptedTurn::refuse(int status, std::string message) {
  ScriptedTurn turn;
  turn.status = status;
  turn.body = error_of(message);
  return turn;
}

// Selects the turn of each request. Lives on the server's thread.
class ScriptedModel::Chooser {
 public:
  explicit Chooser(Script script) : script_(std::move(script)), used_(script_.turns.size(), 0) {}

  ScriptedAnswer answer(const ServedRequest& request) {
    if (request.target.ends_with("/models")) return one_piece(list());
    if (!request.target.ends_with("/chat/completions")) {
      return one_piece(error_of("There is nothing at " + request.target + "."), 404);
    }
    boost::system::error_code problem;
    const boost::json::value body = boost::json::parse(request.body, problem);
    if (problem || !body.is_object()) return one_piece(error_of("The body is no JSON."), 400);
    const boost::json::object& fields = body.get_object();
    const ScriptedTurn* turn = choose(request.body, fields);
    if (turn == nullptr) {
      return one_piece(error_of("The script has no turn for this request."), 400);
    }
    const boost::json::value* stream = fields.if_contains("stream");
    return answer_of(*turn, script_.model, stream != nullptr && *stream == true);
  }

 private:
  const ScriptedTurn* choose(const std::string& body, const boost::json::object& fields) {
    const std::size_t wanted = script_.by_conversation ? replies_in(fields) : 0;
    for (std::size_t i = wanted; i < script_.turns.size(); ++i) {
      const ScriptedTurn& turn = script_.turns[i];
      if (!turn.when.empty() && body.find(turn.when) == std::string::npos) continue;
      if (script_.by_conversation) return &turn;
      if (turn.repeat >= 0 && used_[i] >= turn.repeat) continue;
      ++used_[i];
      return &turn;
    }
    return nullptr;
  }

  static std::size_t replies_in(const boost::json::object& fields) {
    const boost::json::value* messages = fields.if_contains("messages");
    if (messages == nullptr || !messages->is_array()) return 0;
    const boost::json::array& all = messages->get_array();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const boost::json::value& message) {
          if (!message.is_object()) return false;
          const boost::json::value* role = message.get_object().if_contains("role");
          return role != nullptr && *role == "assistant";
        }));
  }

  std::string list() const {
    std::string out;
    JsonWriter json(out);
    json.begin_object().key("object").string("list").key("data").begin_array().begin_object();
    json.key("id").string(script_.model).key("object").string("model").key("created").number(1);
    json.key("owned_by").string("script").end_object().end_array().end_object();
    return out;
  }

  const Script script_;
  std::vector<int> used_;
};

ScriptedModel::ScriptedModel(Script script, std::uint16_t port)
    : chooser_(std::make_unique<Chooser>(std::move(script))),
      server_(std::make_unique<http_client::ScriptedServer>(
          [chooser = chooser_.get()](const ServedRequest& request) {
            return chooser->answer(request);
          },
          port)) {}

ScriptedModel::~ScriptedModel() = default;

std::string ScriptedModel::base_url() const { return server_->url() + "/v1"; }
std::vector<ServedRequest> ScriptedModel::requests() const { return server_->requests(); }
std::size_t ScriptedModel::abandoned() const { return server_->abandoned(); }

}  // namespace parley::model
