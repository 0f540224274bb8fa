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

#include "core/result.h"
#include "http_client/testing/scripted_server.h"
#include "runtime/model/message.h"
#include "runtime/stream/run_event.h"

namespace parley::model {

// What the provider does about one request: a reply, or a fault.
struct ScriptedTurn {
  std::string text;
  std::string reasoning;
  std::vector<ToolCall> tool_calls;  // an empty id is left out
  std::optional<runtime::Usage> usage = runtime::Usage{10, 5, 15};
  std::string finish_reason;  // empty: "tool_calls" or "stop"

  std::size_t chunk_bytes = 8;  // text, reasoning and arguments come in pieces of about this
  core::Millis delay{0};        // before each piece
  core::Millis first_delay{0};  // before the first byte
  std::size_t split_bytes = 0;  // the bytes of the answer are sent in packets of this size
  bool plain = false;           // one JSON object instead of a stream
  bool done = true;             // [DONE] at the end of a stream
  bool stamped = false;         // http_client::kStampMark in the text becomes the time of sending

  int status = 200;  // another: `body` is the answer
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::vector<std::string> raw;  // exactly these pieces, instead of all of the above
  // `cut`, `reset` and `hang`: after `pieces_before_end` pieces, or after all. `endless`: the last
  // piece of text again and again.
  http_client::ScriptedAnswer::End end = http_client::ScriptedAnswer::End::whole;
  std::optional<std::size_t> pieces_before_end;

  std::string when;  // only for requests whose body contains this
  int repeat = 1;    // how often it may be taken; -1: always

  static ScriptedTurn say(std::string text);
  static ScriptedTurn call(std::string name, std::string arguments, std::string id = {});
  static ScriptedTurn refuse(int status, std::string message);
};

// The turns, and how one is chosen for a request: the first that may still be taken and whose
// `when` fits. By conversation: the one whose number is that of the assistant's messages in the
// request, so that any number of conversations go through the script side by side.
struct Script {
  std::string model = "scripted";
  std::vector<ScriptedTurn> turns;
  bool by_conversation = false;
};

// Reads a script of JSON: {"model","by":"request"|"conversation","turns":[{...}]}; the members of a
// turn are those of ScriptedTurn, times as "delay_ms" and "first_delay_ms", "end" a word, "headers"
// an object, arguments of a call an object or the text itself. Errors: `invalid_argument`, naming
// the turn and the member.
core::Result<Script> read_script(std::string_view json);

// An OpenAI-compatible provider on a port of loopback: POST /v1/chat/completions, GET /v1/models.
// Records what it is asked. A request for which the script has no turn is answered 400.
class ScriptedModel {
 public:
  explicit ScriptedModel(Script script, std::uint16_t port = 0);
  ~ScriptedModel();
  ScriptedModel(const ScriptedModel&) = delete;
  ScriptedModel& operator=(const ScriptedModel&) = delete;

  std::string base_url() const;  // "http://127.0.0.1:PORT/v1"
  // All requests so far, those for the list of models among them. Any thread.
  std::vector<http_client::ServedRequest> requests() const;
  // Exchanges that the client gave up. Any thread.
  std::size_t abandoned() const;

 private:
  class Chooser;
  std::unique_ptr<Chooser> chooser_;
  std::unique_ptr<http_client::ScriptedServer> server_;
};

}  // namespace parley::model
