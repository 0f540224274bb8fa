// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/assistant_call.h"
#include "base/core/json_writer.h"

namespace parley::mcp {

// Writes the members "content" and "isError" into the result object that `json` is in. Following
// the table in the contract, section 3, an image or audio content is followed by a blob of the same
// bytes at attachment://image/N or attachment://audio/N (N is its index in the answer, from 0), and
// an embedded resource is a blob. An error without contents gets a text with its reason. The notes
// are appended as text contents.
void write_tool_result(core::JsonWriter& json, const AssistantOutcome& outcome,
                       const std::vector<std::string>& notes);
// The answer's Meta below "agentassistproto/meta", as a member of "_meta"; empty without Meta.
std::string tool_result_meta(const AssistantOutcome& outcome);

// The result of a call that could not be made: an error with one text.
std::string tool_error(std::string_view text);

// The reason for a missing answer, in one sentence, for an error reply that has no text.
std::string error_sentence(const AssistantReply& reply);

// All texts of an answer, one per line, for a shell.
std::string plain_text(const AssistantReply& reply);

}  // namespace parley::mcp
