// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "runtime/model/message.h"
#include "runtime/stream/run_event.h"
#include "tests/support/http_client/scripted_server.h"

namespace parley::model {

// Behaviour of the provider for one request: a reply, or a fault.
struct ScriptedTurn {
  std::string text;
  std::string reasoning;
  std::vector<ToolCall> tool_calls;  // an empty id is left out
  std::optional<runtime::Usage> usage = runtime::Usage{10, 5, 15};
  std::string finish_reason;  // empty: "tool_calls" or "stop"

  // Approximate size of the pieces in which text, reasoning and arguments are sent.
  std::size_t chunk_bytes = 8;
  core::Millis delay{0};        // before each piece
  core::Millis first_delay{0};  // before the first byte
  std::size_t split_bytes = 0;  // the bytes of the answer are sent in packets of this size
  bool plain = false;           // one JSON object instead of a stream
  bool done = true;             // [DONE] at the end of a stream
  bool stamped = false;         // http_client::kStampMark in the text becomes the time of sending

  int status = 200;  // other than 200: `body` is the answer
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::vector<std::string> raw;  // exactly these pieces, instead of all of the above
  // `cut`, `reset` and `hang` apply after `pieces_before_end` pieces, or after all. `endless`
  // repeats the last piece of text forever.
  http_client::ScriptedAnswer::End end = http_client::ScriptedAnswer::End::whole;
  std::optional<std::size_t> pieces_before_end;

  std::string when;  // only for requests whose body contains this
  int repeat = 1;    // number of requests that may use the turn; -1: any number

  static ScriptedTurn say(std::string text);
  static ScriptedTurn call(std::string name, std::string arguments, std::string id = {});
  static ScriptedTurn refuse(int status, std::string message);
};

// The turns, and the rule that selects one for a request: the first turn that has uses left and
// whose `when` matches. With `by_conversation`: the first one with a matching `when`, from the turn
// whose number is the count of assistant messages in the request, so that several conversations can
// use the script at the same time.
struct Script {
  std::string model = "scripted";
  std::vector<ScriptedTurn> turns;
  bool by_conversation = false;
};

// Reads a script from JSON: {"model","by":"request"|"conversation","turns":[{...}]}; the members of
// a turn are those of ScriptedTurn, with times as "delay_ms" and "first_delay_ms", "end" as a word,
// "headers" as an object, and arguments of a call as an object or as text. Errors:
// `invalid_argument`, naming the turn and the member.
core::Result<Script> read_script(std::string_view json);

// An OpenAI-compatible provider on a loopback port: POST /v1/chat/completions, GET /v1/models.
// Records all requests. Answers 400 to a request for which the script has no turn.
class ScriptedModel {
 public:
  explicit ScriptedModel(Script script, std::uint16_t port = 0);
  ~ScriptedModel();
  ScriptedModel(const ScriptedModel&) = delete;
  ScriptedModel& operator=(const ScriptedModel&) = delete;

  std::string base_url() const;  // "http://127.0.0.1:PORT/v1"
  // All requests so far, including those for the list of models. Any thread.
  std::vector<http_client::ServedRequest> requests() const;
  // Number of exchanges that the client aborted. Any thread.
  std::size_t abandoned() const;

 private:
  class Chooser;
  std::unique_ptr<Chooser> chooser_;
  std::unique_ptr<http_client::ScriptedServer> server_;
};

}  // namespace parley::model
