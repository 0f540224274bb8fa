// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The JSON form of a script.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <map>

#include "tests/support/scripted_model/scripted_model.h"

namespace parley::model {
namespace {

using boost::json::value;
using End = http_client::ScriptedAnswer::End;

// Each returns false if the value has the wrong type.
bool take(const value& from, std::string& to) {
  if (!from.is_string()) return false;
  to = from.get_string();
  return true;
}

bool take(const value& from, bool& to) {
  if (!from.is_bool()) return false;
  to = from.get_bool();
  return true;
}

bool take(const value& from, std::int64_t& to) {
  if (!from.is_int64() || from.get_int64() < -1) return false;
  to = from.get_int64();
  return true;
}

bool take(const value& from, std::size_t& to) {
  std::int64_t number = 0;
  if (!take(from, number) || number < 0) return false;
  to = static_cast<std::size_t>(number);
  return true;
}

bool take(const value& from, int& to) {
  std::int64_t number = 0;
  if (!take(from, number) || number > 1'000'000) return false;
  to = static_cast<int>(number);
  return true;
}

bool take(const value& from, core::Millis& to) {
  std::size_t number = 0;
  if (!take(from, number)) return false;
  to = core::Millis(number);
  return true;
}

bool take(const value& from, std::vector<std::string>& to) {
  if (!from.is_array()) return false;
  for (const value& one : from.get_array()) {
    if (!take(one, to.emplace_back())) return false;
  }
  return true;
}

bool take(const value& from, End& to) {
  static const std::map<std::string, End> kWords = {{"whole", End::whole},
                                                    {"cut", End::cut},
                                                    {"reset", End::reset},
                                                    {"hang", End::hang},
                                                    {"endless", End::endless}};
  std::string word;
  if (!take(from, word) || !kWords.contains(word)) return false;
  to = kWords.at(word);
  return true;
}

bool take(const value& from, std::optional<runtime::Usage>& to) {
  to.reset();
  if (from.is_null()) return true;
  if (!from.is_object()) return false;
  runtime::Usage usage;
  std::size_t number = 0;
  for (const auto& [key, count] : from.get_object()) {
    if (!take(count, number)) return false;
    if (key == "prompt_tokens") usage.prompt_tokens = number;
    if (key == "completion_tokens") usage.completion_tokens = number;
    if (key == "total_tokens") usage.total_tokens = number;
  }
  to = usage;
  return true;
}

bool take(const value& from, std::vector<std::pair<std::string, std::string>>& to) {
  if (!from.is_object()) return false;
  for (const auto& [key, text] : from.get_object()) {
    if (!take(text, to.emplace_back(std::string(key), std::string()).second)) return false;
  }
  return true;
}

bool take(const value& from, std::vector<ToolCall>& to) {
  if (!from.is_array()) return false;
  for (const value& one : from.get_array()) {
    if (!one.is_object()) return false;
    ToolCall call;
    for (const auto& [key, part] : one.get_object()) {
      bool taken = false;
      if (key == "id") taken = take(part, call.id);
      if (key == "name") taken = take(part, call.name);
      if (key == "arguments") {
        taken = take(part, call.arguments);
        if (!taken && part.is_object()) {
          call.arguments = boost::json::serialize(part);
          taken = true;
        }
      }
      if (!taken) return false;
    }
    to.push_back(std::move(call));
  }
  return true;
}

bool take_member(std::string_view key, const value& from, ScriptedTurn& turn) {
  if (key == "text") return take(from, turn.text);
  if (key == "reasoning") return take(from, turn.reasoning);
  if (key == "tool_calls") return take(from, turn.tool_calls);
  if (key == "usage") return take(from, turn.usage);
  if (key == "finish_reason") return take(from, turn.finish_reason);
  if (key == "chunk_bytes") return take(from, turn.chunk_bytes);
  if (key == "delay_ms") return take(from, turn.delay);
  if (key == "first_delay_ms") return take(from, turn.first_delay);
  if (key == "split_bytes") return take(from, turn.split_bytes);
  if (key == "plain") return take(from, turn.plain);
  if (key == "done") return take(from, turn.done);
  if (key == "stamped") return take(from, turn.stamped);
  if (key == "status") return take(from, turn.status);
  if (key == "headers") return take(from, turn.headers);
  if (key == "body") return take(from, turn.body);
  if (key == "raw") return take(from, turn.raw);
  if (key == "end") return take(from, turn.end);
  if (key == "pieces_before_end") return take(from, turn.pieces_before_end.emplace());
  if (key == "when") return take(from, turn.when);
  if (key == "repeat") return take(from, turn.repeat);
  return false;
}

tl::unexpected<core::Error> wrong(const std::string& what) {
  return core::fail(core::Code::invalid_argument, what, "script");
}

}  // namespace

core::Result<Script> read_script(std::string_view json) {
  boost::system::error_code problem;
  const value parsed = boost::json::parse(json, problem);
  if (problem || !parsed.is_object()) return wrong("The script is no JSON object.");
  Script script;
  const value* turns = nullptr;
  for (const auto& [key, member] : parsed.get_object()) {
    if (key == "turns" && member.is_array()) {
      turns = &member;
    } else if (key == "by" && (member == "request" || member == "conversation")) {
      script.by_conversation = member == "conversation";
    } else if (key != "model" || !take(member, script.model)) {
      return wrong("The script's member \"" + std::string(key) + "\" cannot be used.");
    }
  }
  if (turns == nullptr) return wrong("The script has no turns.");
  for (const value& one : turns->get_array()) {
    const std::string number = std::to_string(script.turns.size() + 1);
    if (!one.is_object()) return wrong("Turn " + number + " is no object.");
    ScriptedTurn turn;
    for (const auto& [key, member] : one.get_object()) {
      if (!take_member(key, member, turn)) {
        return wrong("Turn " + number + ": \"" + std::string(key) + "\" cannot be used.");
      }
    }
    script.turns.push_back(std::move(turn));
  }
  return script;
}

}  // namespace parley::model
