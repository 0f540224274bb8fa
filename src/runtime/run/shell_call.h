// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/shell/explanation.h"
#include "runtime/model/message.h"

namespace parley::run {

// The shell command in the arguments of a call.
struct ShellCall {
  std::string argument;  // its name
  std::string command;
  boost::json::object others;  // the other arguments
  bool is_list = false;        // the argument is a list of words; `command` has them quoted
  bool is_certain = false;     // the tool is Parley's own for shell commands
};

// The command of Parley's own tool for shell commands, or of a tool of another program (an MCP
// server, a client) the first of its arguments "command", "cmd" and "script" that is a text or a
// list of texts: those may also be of another language. std::nullopt: there is none. `source` is
// tool::Tool::identity().
std::optional<ShellCall> shell_call(const model::ToolCall& call, std::string_view source);

// The explanation as JSON, in the words of each language: {"dangerous":true, "argument":"command",
// "en":{"dangers":MARKDOWN,"touches":MARKDOWN}, "zh":{…}}. `dangerous`: a danger is named, or a
// part was not understood. Without `argument` the command is that of Parley's own tool. Empty:
// there is nothing to say.
std::string explanation_json(const ShellCall& call, const shell::Explanation& explained);

}  // namespace parley::run
