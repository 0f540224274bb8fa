// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/mcp_entry.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <vector>

#include "base/core/json_member.h"

namespace parley::setup {
namespace {

namespace json = boost::json;

// Above the longest wait of a question, a day.
constexpr int kCallSeconds = 86'700;
constexpr int kSecondsInMs = 1'000;
constexpr int kStartSeconds = 30;
constexpr int kMostSeconds = 3'600;  // of Cline and Roo Code
// Shorter than the fixed time-outs of agents: the tool returns before, and is called again.
constexpr std::string_view kShortCall = "50";
constexpr std::string_view kHourCall = "3540";
// Claude Code moves a call of two minutes into the background, and gives its result to the model as
// "not user input".
constexpr std::string_view kForegroundCall = "110";

bool is_alike(AgentId id, std::initializer_list<AgentId> ids) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

json::array arguments_of(const AgentFacts& agent, bool held) {
  json::array out{"mcp", "--no-project-config"};
  std::string_view longest;
  if (is_alike(agent.id, {AgentId::cursor, AgentId::vscode, AgentId::opencode, AgentId::kiro})) {
    longest = kShortCall;
  } else if (agent.shape == EntryShape::seconds) {
    longest = kHourCall;
  } else if (agent.id == AgentId::claude && !held) {
    longest = kForegroundCall;
  }
  if (longest.empty()) return out;
  out.emplace_back("--max-call");
  out.emplace_back(json::string(longest));
  return out;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// The words of an entry's program and arguments.
std::vector<std::string> words_of(const json::object& entry) {
  std::vector<std::string> words;
  for (const char* name : {"command", "cmd", "exec", "args"}) {
    const json::value* value = entry.if_contains(name);
    if (value == nullptr) continue;
    if (value->is_string()) words.emplace_back(value->get_string());
    if (!value->is_array()) continue;
    for (const json::value& one : value->get_array()) {
      if (one.is_string()) words.emplace_back(one.get_string());
    }
  }
  return words;
}

// The first two words of a command for a shell.
std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words(1);
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        words.back() += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '\\' && i + 1 < command.size()) {
      words.back() += command[++i];
    } else if (c != ' ') {
      words.back() += c;
    } else if (!words.back().empty()) {
      if (words.size() == 2) break;
      words.emplace_back();
    }
  }
  return words;
}

}  // namespace

json::object mcp_entry(const AgentFacts& agent, const std::string& program, EntryOptions options) {
  json::array arguments = arguments_of(agent, options.held);
  json::object entry;
  const auto command = [&] {
    entry["command"] = program;
    entry["args"] = std::move(arguments);
  };
  switch (agent.shape) {
    case EntryShape::stdio_ms:
      entry["type"] = "stdio";
      command();
      entry["timeout"] = kCallSeconds * kSecondsInMs;
      break;
    case EntryShape::plain_ms:
      command();
      entry["timeout"] = kCallSeconds * kSecondsInMs;
      if (options.trusted) entry["trust"] = true;
      break;
    case EntryShape::local_ms:
      entry["type"] = "local";
      command();
      entry["env"] = json::object();
      entry["tools"] = json::array{"*"};
      entry["timeout"] = kCallSeconds * kSecondsInMs;
      break;
    case EntryShape::plain:
      command();
      break;
    case EntryShape::stdio:
      entry["type"] = "stdio";
      command();
      break;
    case EntryShape::opencode:
      entry["type"] = "local";
      arguments.insert(arguments.begin(), json::value(program));
      entry["command"] = std::move(arguments);
      entry["enabled"] = true;
      break;
    case EntryShape::seconds:
      command();
      entry["timeout"] = kMostSeconds;
      break;
    case EntryShape::kiro:
      command();
      entry["env"] = json::object();
      entry["disabled"] = false;
      entry["autoApprove"] = json::array();
      break;
    case EntryShape::zed:
      command();
      entry["env"] = json::object();
      entry["timeout"] = kCallSeconds;
      break;
    case EntryShape::codex_toml:
      command();
      entry["startup_timeout_sec"] = kStartSeconds;
      entry["tool_timeout_sec"] = kCallSeconds;
      break;
    case EntryShape::goose_yaml:
      entry["name"] = json::string(kMcpName);
      entry["type"] = "stdio";
      entry["cmd"] = program;
      entry["args"] = std::move(arguments);
      entry["envs"] = json::object();
      entry["enabled"] = true;
      entry["timeout"] = kCallSeconds;
      break;
  }
  return entry;
}

bool is_our_entry(const json::value& entry) {
  if (!entry.is_object()) return false;
  const std::vector<std::string> words = words_of(entry.get_object());
  if (words.empty()) return false;
  const std::string program = base_name(words.front());
  return program == "agentassistant-mcp" ||
         (program == "parley" && words.size() > 1 && words[1] == "mcp");
}

bool is_our_hook(const json::object& handler) {
  std::vector<std::string> words = words_of(handler);
  if (words.empty()) return false;
  if (words.size() == 1) words = shell_words(words.front());
  return base_name(words.front()) == "parley" && words.size() > 1 && words[1] == "hook";
}

std::string shell_word(std::string_view word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+:@,%").find(c) != std::string_view::npos;
  });
  if (is_plain) return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace parley::setup
