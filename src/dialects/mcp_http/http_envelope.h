// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/json_rpc.h"
#include "agents/mcp/offer.h"
#include "base/core/result.h"
#include "base/net/http/http.h"

// The HTTP fields of MCP and their agreement with the message. Pure functions.
namespace parley::mcp_http {

inline constexpr std::string_view kVersionField = "MCP-Protocol-Version";
inline constexpr std::string_view kSessionField = "Mcp-Session-Id";
inline constexpr std::string_view kMethodField = "Mcp-Method";
inline constexpr std::string_view kNameField = "Mcp-Name";
inline constexpr std::string_view kParameterPrefix = "Mcp-Param-";
inline constexpr std::string_view kLastEventField = "Last-Event-ID";

// True if a message belongs to revision 2026-07-28, or to an unknown later one: its body names its
// revision, or the field MCP-Protocol-Version holds none of the older revisions.
bool is_modern(const net::Headers& headers, const mcp::RpcMessage& message);

// True if the body names a revision, as each request of revision 2026-07-28 must.
bool names_revision(const mcp::RpcMessage& message);

// The value of a field, of which "=?base64?...?=" is decoded. std::nullopt: that form, but not
// base64.
std::optional<std::string> decode_field(std::string_view value);

// Checks that the fields repeat what the body says, as revision 2026-07-28 demands: the revision,
// the method, the name, and the mirrored arguments of a tool. Errors: `invalid_argument`, with the
// field.
core::Result<void> check_fields(const net::Headers& headers, const mcp::RpcMessage& message,
                                const std::vector<mcp::MirroredArgument>& mirrored);

// True if the client takes both forms of an answer, JSON and an event stream.
bool accepts_answers(const net::Headers& headers);

// The HTTP status of an error of JSON-RPC; 0: no error. `envelope`: the message as a whole was at
// fault.
int status_of(int error, bool modern, bool envelope);

}  // namespace parley::mcp_http
