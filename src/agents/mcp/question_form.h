// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "agents/mcp/assistant_call.h"
#include "base/core/result.h"

// A question as a form in the agent's own window: the elicitation of MCP. Pure functions.
namespace parley::mcp {

// The key of the form among the requests for input of revision 2026-07-28.
inline constexpr std::string_view kFormKey = "answer";
// The name, for people, of whoever answered in an agent's window.
inline constexpr std::string_view kFormWindow = "MCP client";

// The parameters of elicitation/create for a call: a choice is one property, several questions are
// the properties q1 to qN, and a free answer beside choices is the property "other" ("q1_other").
std::string form_of(const AssistantCall& call);
// The same as a link to the question's page. `id`: "elicitationId" of revision 2025-11-25; empty:
// none.
std::string link_form_of(std::string_view url, std::string_view id);

// The text of an answer as the console writes it: the chosen labels and the free text, joined by a
// comma; several questions as pairs of lines "Q: header" and "A: answer". Errors:
// `invalid_argument`, with the property that is missing or of a wrong form.
core::Result<std::string> text_of_form(const AssistantCall& call,
                                       const boost::json::object& content);

}  // namespace parley::mcp
