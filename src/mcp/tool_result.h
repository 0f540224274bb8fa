// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json_writer.h"
#include "mcp/assistant_call.h"

namespace parley::mcp {

// Writes the members "content", "isError" and, if the answer carries Meta, "_meta" (with the Meta
// below "agentassistproto/meta") into the result object that `json` is in. Following the table in
// the contract, section 3, an image or audio content is followed by a blob of the same bytes at
// attachment://image/N or attachment://audio/N (N is its index in the answer, from 0), and an
// embedded resource is a blob. An error without contents gets a text with its reason. The notes are
// appended as text contents. `meta_members`: further JSON for "_meta" ("\"key\":value"), or empty.
void write_tool_result(core::JsonWriter& json, const AssistantOutcome& outcome,
                       const std::vector<std::string>& notes, std::string_view meta_members);

// Like write_tool_result(), for a call that could not be made: an error with one text.
void write_tool_error(core::JsonWriter& json, std::string_view text, std::string_view meta_members);

// The reason for a missing answer, in one sentence, for an error reply that has no text.
std::string error_sentence(const AssistantReply& reply);

// All texts of an answer, one per line, for a shell.
std::string plain_text(const AssistantReply& reply);

}  // namespace parley::mcp
