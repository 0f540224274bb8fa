// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agents/hook/hook_event.h"
#include "base/core/result.h"

// Parts that the readers of the agents' events share. No input or output.
namespace parley::hook {

// The error of an event that is not answered; `why` is for the log.
inline core::Error refused(std::string why) {
  return {core::Code::invalid_argument, std::move(why), {}};
}

// Reads one JSON object of at most kMaxInputBytes and kMaxInputDepth. Errors: refused().
core::Result<boost::json::object> parse_object(std::string_view bytes);

inline const boost::json::object* object_in(const boost::json::object& object,
                                            std::string_view name) {
  const boost::json::value* value = object.if_contains(name);
  return value == nullptr ? nullptr : value->if_object();
}

// Arguments of a tool: an object, or a text that holds one, as some agents send it.
std::optional<boost::json::object> arguments_in(const boost::json::object& object,
                                                std::string_view name);

// The first text of an array member; empty without one.
std::string first_text_of(const boost::json::object& object, std::string_view name);

// Copilot CLI and VS Code, which read the same files; the input shows which of them calls, and the
// event names it. Errors: refused().
core::Result<HookEvent> read_copilot(const boost::json::object& in);
core::Result<HookEvent> read_cursor(const boost::json::object& in);
core::Result<HookEvent> read_crush(const boost::json::object& in);

core::Result<HookEvent> read_gemini(const boost::json::object& in);
core::Result<HookEvent> read_goose(const boost::json::object& in);
core::Result<HookEvent> read_cline(const boost::json::object& in);

}  // namespace parley::hook
